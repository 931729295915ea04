//! Guesses: initial coefficients from one measurement of TTFT and ITL. Two numbers cannot determine three: each guess
//! adds an assumption.

use super::super::closed_form::ClosedForm;
use super::super::objectives::Pod;
use super::super::{DEFAULT_PARAMS, Params, RequestSize};

/// Share of the time between tokens that the published guess takes for the empty step.
const BASE_FACTOR: f64 = 0.9;
/// Halvings of a search, enough for full precision.
const HALVINGS: u32 = 200;

/// Why the published guess fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuessFailure {
    /// The first token came earlier than after an empty step.
    Sum,
    /// The lengths do not separate beta and gamma.
    Denominator,
    /// No time for an empty step.
    Alpha,
    /// No time for a token.
    Beta,
    /// No time for a token of context.
    Gamma,
}

impl GuessFailure {
    /// The name of the wrong quantity in recorded results.
    pub fn quantity(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Denominator => "denominator",
            Self::Alpha => "alpha",
            Self::Beta => "beta",
            Self::Gamma => "gamma",
        }
    }
}

/// The published guess with all its parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guessed {
    /// Nine tenths of the time between tokens.
    pub alpha: f64,
    /// Beta and gamma together, from the time to the first token.
    pub sum: f64,
    /// The divisor in separating the two.
    pub denominator: f64,
    /// Time of a token; `None` if the two cannot be separated.
    pub beta: Option<f64>,
    /// Time of a token of context.
    pub gamma: Option<f64>,
    /// Why it cannot be used.
    pub failure: Option<GuessFailure>,
}

impl Guessed {
    /// The coefficients, if it can be used.
    pub fn params(&self) -> Option<Params> {
        match (self.failure, self.beta, self.gamma) {
            (None, Some(beta), Some(gamma)) => Some(Params { alpha: self.alpha, beta, gamma }),
            _ => None,
        }
    }
}

/// The published guess: nine tenths of ITL are the empty step, without load. The rest of TTFT and ITL gives beta and
/// gamma.
pub fn published_guess(ttft_ms: f64, itl_ms: f64, input: f64, output: f64) -> Guessed {
    let alpha = BASE_FACTOR * itl_ms;
    let sum = (ttft_ms - alpha) / input;
    let denominator = input + f64::midpoint(output, 1.0) - 1.0;
    let mut guess = Guessed { alpha, sum, denominator, beta: None, gamma: None, failure: None };
    if denominator > 0.0 && sum.is_finite() {
        let gamma = ((itl_ms - alpha) - sum) / denominator;
        guess.gamma = Some(gamma);
        guess.beta = Some(sum - gamma);
    }
    let none = |x: Option<f64>| x.is_none_or(|x| x <= 0.0);
    guess.failure = if !(sum.is_finite() && sum >= 0.0) {
        Some(GuessFailure::Sum)
    } else if denominator <= 0.0 {
        Some(GuessFailure::Denominator)
    } else if alpha <= 0.0 {
        Some(GuessFailure::Alpha)
    } else if none(guess.beta) {
        Some(GuessFailure::Beta)
    } else if none(guess.gamma) {
        Some(GuessFailure::Gamma)
    } else {
        None
    };
    guess
}

/// The coefficients for which the closed form gives exactly the measured latencies at the measured load, with the
/// default ratio of gamma to alpha: reading weights and reading context are both bound by memory.
///
/// TTFT - ITL = beta (i - 1) - gamma (o + 1) / 2, and ITL rises with alpha: one search. `None` if no alpha fits, for
/// example if queueing makes TTFT so long that the work exceeds the capacity.
pub fn consistent_guess(pod: &Pod) -> Option<Params> {
    let (input, output) = (pod.input_tokens, pod.output_tokens);
    if input <= 1.0 {
        return None;
    }
    let of = |alpha: f64| {
        let gamma = alpha * (DEFAULT_PARAMS.gamma / DEFAULT_PARAMS.alpha);
        let beta = (pod.ttft_ms - pod.itl_ms + gamma * (output + 1.0) / 2.0) / (input - 1.0);
        Params { alpha, beta, gamma }
    };
    let size = RequestSize { input_tokens: input, output_tokens: output };
    let is_short = |alpha: f64| {
        let state = ClosedForm::new(of(alpha), size).and_then(|server| server.at(pod.rate_per_s));
        state.is_ok_and(|state| state.itl_ms <= pod.itl_ms)
    };
    let (mut low, mut high) = (0.0, pod.itl_ms);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if is_short(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(of(low)).filter(|params| params.are_positive() && is_short(params.alpha))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_consistent_guess_gives_back_what_was_measured_at_any_load() {
        let size = RequestSize { input_tokens: 512.0, output_tokens: 128.0 };
        let server = ClosedForm::new(Params { alpha: 7.0, beta: 0.04, gamma: 0.0002 }, size).unwrap();
        for share in [0.01, 0.4, 0.9] {
            let rate_per_s = share * server.saturation_per_s();
            let s = server.at(rate_per_s).unwrap();
            let pod = Pod {
                rate_per_s,
                input_tokens: 512.0,
                output_tokens: 128.0,
                ttft_ms: s.ttft_ms,
                itl_ms: s.itl_ms,
                ready_s: 0.0,
            };
            let guess =
                ClosedForm::new(consistent_guess(&pod).unwrap(), size).unwrap().at(rate_per_s).unwrap();
            assert!((guess.ttft_ms / s.ttft_ms - 1.0).abs() < 1e-9, "{share}: {guess:?}");
            assert!((guess.itl_ms / s.itl_ms - 1.0).abs() < 1e-9, "{share}: {guess:?}");
        }
    }

    #[test]
    fn measurements_that_no_server_gives_make_no_guess() {
        let pod = Pod {
            rate_per_s: 1.0,
            input_tokens: 512.0,
            output_tokens: 128.0,
            ttft_ms: 5.0,
            itl_ms: 50.0,
            ready_s: 0.0,
        };
        assert_eq!(consistent_guess(&pod), None);
        assert_eq!(consistent_guess(&Pod { input_tokens: 1.0, ..pod }), None);
        assert_eq!(consistent_guess(&Pod { ttft_ms: 1e6, ..pod }), None);
        assert_eq!(published_guess(5.0, 10.0, 512.0, 128.0).failure, Some(GuessFailure::Sum));
    }
}
