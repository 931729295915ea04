//! The closed form: a step of n requests takes alpha + n delta, and by Little's law n is the rate times the steps of a request
//! times the length of a step. So T = alpha / (1 - rho), with rho the rate times the work of a request.
//!
//! It has no batch limit; [`ClosedForm::capacity`] adds it. It is accurate if many requests share a step and prompts
//! are short; otherwise it underestimates TTFT (docs/explanation/queueing.md has figures).

use super::trouble::{Trouble, above_zero, at_least};
use super::{Objectives, Params, RequestSize};

/// A server and its requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosedForm {
    params: Params,
    size: RequestSize,
    /// Mean time that a request adds to each of its steps, in milliseconds.
    delta_ms: f64,
    /// Time that its prompt adds to its first step.
    prefill_work_ms: f64,
    /// Mean time that it adds to a decoding step.
    decode_work_ms: f64,
}

/// The steady state of a stable server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// Length of a step, in milliseconds.
    pub step_ms: f64,
    /// Requests in the batch.
    pub batch: f64,
    /// Time to the first token.
    pub ttft_ms: f64,
    /// Time between tokens.
    pub itl_ms: f64,
    /// Time in the server.
    pub e2e_ms: f64,
}

/// What limits the load of a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// The objective for the first token.
    Ttft,
    /// The objective for the tokens after it.
    Itl,
    /// No objective: the arriving work.
    Stability,
    /// The most requests of a batch.
    Batch,
}

impl Binding {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ttft => "ttft",
            Self::Itl => "itl",
            Self::Stability => "stability",
            Self::Batch => "batch",
        }
    }
}

/// The load that objectives allow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sizing {
    /// Requests per second; 0 if no load meets the objectives.
    pub rate_per_s: f64,
    /// The longest step that they allow, in milliseconds; `None` without objectives.
    pub step_cap_ms: Option<f64>,
    /// What limits the load; `None` if no load meets the objectives.
    pub binding: Option<Binding>,
}

/// The capacity of one replica.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplicaCapacity {
    /// Requests per second within all limits.
    pub rate_per_s: f64,
    /// The limit reached first.
    pub binding: Binding,
    /// Rate allowed by the objectives alone.
    pub within_objectives_per_s: f64,
    /// Rate of a full batch.
    pub batch_limit_per_s: f64,
    /// Rate above which an unlimited batch grows without bound.
    pub saturation_per_s: f64,
}

impl ClosedForm {
    /// Makes a server, or refuses a number out of range by name.
    pub fn new(params: Params, size: RequestSize) -> Result<Self, Trouble> {
        let Params { alpha, beta, gamma } = params;
        above_zero("alpha", alpha)?;
        at_least("beta", beta, 0.0, "at least 0")?;
        at_least("gamma", gamma, 0.0, "at least 0")?;
        let input = at_least("the input length", size.input_tokens, 0.0, "at least 0 tokens")?;
        let output = at_least("the output length", size.output_tokens, 1.0, "at least 1 token")?;
        let delta_ms = beta * (input + output) / (output + 1.0) + gamma * (input + output / 2.0);
        above_zero("the work of a request", delta_ms)?;
        Ok(Self {
            params,
            size,
            delta_ms,
            prefill_work_ms: (beta + gamma) * input,
            decode_work_ms: beta + gamma * (input + f64::midpoint(output, 1.0)),
        })
    }

    /// Mean time that a request adds to each of its steps, in milliseconds.
    pub fn delta_ms(&self) -> f64 {
        self.delta_ms
    }

    /// Time that a prompt adds to the first step, in milliseconds.
    pub fn prefill_work_ms(&self) -> f64 {
        self.prefill_work_ms
    }

    /// Mean time that a request adds to a decoding step, in milliseconds.
    pub fn decode_work_ms(&self) -> f64 {
        self.decode_work_ms
    }

    /// The coefficients.
    pub fn params(&self) -> Params {
        self.params
    }

    /// Steps of a request: one for its prompt and one for each further token.
    fn steps(&self) -> f64 {
        self.size.output_tokens + 1.0
    }

    /// The load as a share of the capacity of a server without batch limit.
    pub fn rho(&self, rate_per_s: f64) -> f64 {
        rate_per_s / 1000.0 * self.steps() * self.delta_ms
    }

    /// The rate at which the load is 1, in requests per second.
    pub fn saturation_per_s(&self) -> f64 {
        1000.0 / (self.steps() * self.delta_ms)
    }

    /// The steady state under `rate_per_s`.
    pub fn at(&self, rate_per_s: f64) -> Result<State, Trouble> {
        at_least("the rate", rate_per_s, 0.0, "at least 0 requests/s")?;
        let rho = self.rho(rate_per_s);
        if rho >= 1.0 {
            return Err(Trouble::Unstable { rho });
        }
        let step_ms = self.params.alpha / (1.0 - rho);
        let (ttft_ms, itl_ms) = (step_ms + self.prefill_work_ms, step_ms + self.decode_work_ms);
        Ok(State {
            step_ms,
            batch: rate_per_s / 1000.0 * self.steps() * step_ms,
            ttft_ms,
            itl_ms,
            e2e_ms: ttft_ms + self.size.output_tokens * itl_ms,
        })
    }

    /// The longest step that the objectives allow, and the objective that limits it.
    fn step_cap(&self, goals: Objectives) -> Option<(f64, Binding)> {
        let ttft = (goals.ttft_ms > 0.0).then_some((goals.ttft_ms - self.prefill_work_ms, Binding::Ttft));
        let itl = (goals.itl_ms > 0.0).then_some((goals.itl_ms - self.decode_work_ms, Binding::Itl));
        match (ttft, itl) {
            (Some(a), Some(b)) => Some(if a.0 < b.0 { a } else { b }),
            (one, other) => one.or(other),
        }
    }

    /// The largest rate within the objectives, in closed form: T = cap at rho = 1 - alpha / cap.
    pub fn sizing(&self, goals: Objectives) -> Sizing {
        let saturation = self.saturation_per_s();
        let Some((cap, binding)) = self.step_cap(goals) else {
            return Sizing { rate_per_s: saturation, step_cap_ms: None, binding: Some(Binding::Stability) };
        };
        if cap <= self.params.alpha {
            return Sizing { rate_per_s: 0.0, step_cap_ms: Some(cap), binding: None };
        }
        let rate_per_s = saturation * (1.0 - self.params.alpha / cap);
        Sizing { rate_per_s, step_cap_ms: Some(cap), binding: Some(binding) }
    }

    /// The same by bisection between an idle and a saturated server, as in the published program; `None` if even an
    /// idle server is too slow.
    pub fn sizing_by_bisection(&self, goals: Objectives) -> Option<f64> {
        let keeps = |rate: f64| {
            self.at(rate).is_ok_and(|s| {
                (goals.ttft_ms <= 0.0 || s.ttft_ms <= goals.ttft_ms)
                    && (goals.itl_ms <= 0.0 || s.itl_ms <= goals.itl_ms)
            })
        };
        let (mut low, mut high) = (0.0, self.saturation_per_s());
        if !keeps(low) {
            return None;
        }
        for _ in 0..200 {
            let middle = f64::midpoint(low, high);
            if keeps(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(low)
    }

    /// Rate of a full batch of `max_batch` requests, in requests per second.
    pub fn batch_limit_per_s(&self, max_batch: u32) -> f64 {
        let batch = f64::from(max_batch);
        1000.0 * batch / (self.steps() * (self.params.alpha + batch * self.delta_ms))
    }

    /// Capacity of a replica within the objectives and its batch limit; the error names the objective that an idle
    /// replica misses.
    pub fn capacity(&self, goals: Objectives, max_batch: u32) -> Result<ReplicaCapacity, Trouble> {
        at_least("the batch limit", f64::from(max_batch), 1.0, "at least 1 request")?;
        let sizing = self.sizing(goals);
        let Some(within) = sizing.binding else {
            let alpha = self.params.alpha;
            let (ttft, itl) = (alpha + self.prefill_work_ms, alpha + self.decode_work_ms);
            return Err(if goals.ttft_ms > 0.0 && goals.ttft_ms <= ttft {
                Trouble::Infeasible { objective: "TTFT", target_ms: goals.ttft_ms, idle_ms: ttft }
            } else {
                Trouble::Infeasible { objective: "ITL", target_ms: goals.itl_ms, idle_ms: itl }
            });
        };
        let batch = self.batch_limit_per_s(max_batch);
        let full = batch < sizing.rate_per_s;
        Ok(ReplicaCapacity {
            rate_per_s: if full { batch } else { sizing.rate_per_s },
            binding: if full { Binding::Batch } else { within },
            within_objectives_per_s: sizing.rate_per_s,
            batch_limit_per_s: batch,
            saturation_per_s: self.saturation_per_s(),
        })
    }

    /// The derivatives of TTFT and ITL by alpha, beta and gamma, in closed form.
    pub(super) fn jacobian(&self, rate_per_s: f64) -> Result<[[f64; 3]; 2], Trouble> {
        let step = self.at(rate_per_s)?.step_ms;
        let (input, output) = (self.size.input_tokens, self.size.output_tokens);
        // T = alpha / (1 - rho), and rho = rate (beta (i + o) + gamma (o + 1) (i + o / 2)).
        let by_rho = step * step / self.params.alpha * (rate_per_s / 1000.0);
        let of_step = [
            step / self.params.alpha,
            by_rho * (input + output),
            by_rho * self.steps() * (input + output / 2.0),
        ];
        let [a, b, g] = of_step;
        Ok([[a, b + input, g + input], [a, b + 1.0, g + input + f64::midpoint(output, 1.0)]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat() -> ClosedForm {
        let size = RequestSize { input_tokens: 512.0, output_tokens: 128.0 };
        ClosedForm::new(Params { alpha: 6.958, beta: 0.042, gamma: 0.0001 }, size).unwrap()
    }

    #[test]
    fn objectives_of_k_times_alpha_allow_one_minus_one_kth_of_saturation() {
        let server = chat();
        for k in [1.0001, 1.5, 2.0, 3.0, 10.0, 1000.0] {
            let goals = super::super::inferred(server.params(), server.size, k).unwrap();
            let found = server.sizing(goals).rate_per_s / server.saturation_per_s();
            assert!((found - (1.0 - 1.0 / k)).abs() < 1e-9, "k = {k}: {found}");
        }
    }

    #[test]
    fn the_solution_and_the_bisection_agree() {
        let server = chat();
        for (ttft_ms, itl_ms) in [(500.0, 50.0), (40.0, 50.0), (0.0, 9.0), (1e9, 0.0), (29.0, 8.0)] {
            let goals = Objectives { ttft_ms, itl_ms };
            let (solved, searched) = (server.sizing(goals), server.sizing_by_bisection(goals));
            match (solved.binding, searched) {
                (Some(_), Some(rate)) => assert!((rate / solved.rate_per_s - 1.0).abs() < 1e-9, "{goals:?}"),
                (None, None) => {}
                other => panic!("{goals:?}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_full_batch_can_do_less_than_the_work_alone_says() {
        let size = RequestSize { input_tokens: 128.0, output_tokens: 512.0 };
        let server = ClosedForm::new(Params { alpha: 12.0, beta: 0.05, gamma: 0.0005 }, size).unwrap();
        assert!((server.saturation_per_s() - 7.66).abs() < 0.005);
        // 48 / (513 * (12 + 48 * 0.254378)) ms = 3.865 requests/s.
        assert!((server.batch_limit_per_s(48) - 3.8652).abs() < 0.0005);
        let capacity = server.capacity(Objectives { ttft_ms: 500.0, itl_ms: 50.0 }, 48).unwrap();
        assert_eq!(capacity.binding, Binding::Batch);
    }

    #[test]
    fn what_cannot_be_is_named_and_not_divided_by() {
        let server = chat();
        let saturation = server.saturation_per_s();
        assert!(matches!(server.at(1.5 * saturation), Err(Trouble::Unstable { rho }) if rho > 1.49));
        assert!(matches!(server.at(f64::NAN), Err(Trouble::Input { .. })));
        let below = server.capacity(Objectives { ttft_ms: 5.0, itl_ms: 50.0 }, 8);
        assert!(matches!(below, Err(Trouble::Infeasible { objective: "TTFT", .. })), "{below:?}");
        let size = RequestSize { input_tokens: 0.0, output_tokens: 0.5 };
        assert!(ClosedForm::new(server.params(), size).is_err());
        let nothing = Params { alpha: 1.0, beta: 0.0, gamma: 0.0 };
        assert!(ClosedForm::new(nothing, server.size).is_err());
    }

    #[test]
    fn the_solved_jacobian_is_that_of_small_differences() {
        let (server, rate) = (chat(), 10.0);
        let solved = server.jacobian(rate).unwrap();
        let latencies = |x: [f64; 3]| {
            let s = ClosedForm::new(Params::from_array(x), server.size).unwrap().at(rate).unwrap();
            [s.ttft_ms, s.itl_ms]
        };
        let x = server.params().to_array();
        for j in 0..3 {
            let step = 1e-5 * x[j];
            let (mut up, mut down) = (x, x);
            up[j] += step;
            down[j] -= step;
            for (k, row) in solved.iter().enumerate() {
                let measured = (latencies(up)[k] - latencies(down)[k]) / (2.0 * step);
                assert!((row[j] / measured - 1.0).abs() < 1e-6, "{k} {j}: {measured}");
            }
        }
    }
}
