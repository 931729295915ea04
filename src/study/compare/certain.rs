//! Whether the order of two runs survives the error of the simulation.
//!
//! The errors of two runs of one model on one GPU are the same error: it moves both alike. They are taken to be correlated by the
//! share of the values behind the step times that both have in common, so that only what differs adds to the doubt. Runs that have all in
//! common, as two policies on one fleet, differ by what they do with the same steps.

use super::{OrderDoubt, Side, Verdict};
use engine::perf::{ErrorFigure, FigureErrors};
use run::session::{PoolEvidence, weakest};
use serde::{Deserialize, Serialize};

/// The error of the latencies of a run, and what it is the error of.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunError {
    /// The latency model of the pool of which least is known; then its model, GPU, release of the engine, precision and tensor parallelism.
    pub of: [String; 6],
    /// The measured errors that are named for it.
    pub named: FigureErrors,
}

/// A mean of both runs with its verdict.
pub(super) struct Compared<'a> {
    pub(super) name: &'a str,
    pub(super) figure: ErrorFigure,
    pub(super) means: [f64; 2],
    pub(super) verdict: Verdict,
}

/// How far two values are apart whose order is not certain, and the error of each, as shares.
pub(crate) struct Uncertain {
    pub(crate) apart: f64,
    pub(crate) errors: [f64; 2],
}

impl RunError {
    /// The error of the pool of which least is known; `None` without pools.
    pub fn of(pools: &[PoolEvidence]) -> Option<Self> {
        weakest(pools).map(|pool| Self {
            of: [
                pool.latency.clone(),
                pool.model.value.clone(),
                pool.gpu.value.clone(),
                pool.engine.value.clone(),
                pool.precision.value.clone(),
                pool.tp.value.clone(),
            ],
            named: pool.error,
        })
    }

    /// The median of the errors of a figure; `None` where none is named.
    pub(crate) fn median(&self, figure: ErrorFigure) -> Option<f64> {
        let band = match figure {
            ErrorFigure::Ttft => self.named.ttft,
            ErrorFigure::Tpot => self.named.tpot,
            ErrorFigure::E2e => self.named.e2e,
        };
        band.map(|band| band.median)
    }

    /// The share of the five values behind step times that two runs have in common.
    pub(crate) fn in_common(&self, other: &Self) -> f64 {
        let [latency, values @ ..] = &self.of;
        let same = values.iter().zip(&other.of[1..]).filter(|(a, b)| a == b).count();
        if *latency == other.of[0] { same as f64 / values.len() as f64 } else { 0.0 }
    }

    /// Whether the order of two values of a figure could be the other one.
    pub(crate) fn uncertain(&self, other: &Self, figure: ErrorFigure, [a, b]: [f64; 2]) -> Option<Uncertain> {
        let in_common = self.in_common(other);
        if in_common >= 1.0 {
            return None;
        }
        let errors = [self.median(figure)?, other.median(figure)?];
        let apart = (b / a - 1.0).abs();
        (apart.is_finite() && apart < joint(errors, in_common)).then_some(Uncertain { apart, errors })
    }
}

/// What is said where an order is not certain.
pub(super) fn doubt(sides: &[Side; 2], compared: &Compared<'_>) -> Option<OrderDoubt> {
    if !matches!(compared.verdict, Verdict::Better | Verdict::Worse) {
        return None;
    }
    let [a, b] = [RunError::of(&sides[0].evidence)?, RunError::of(&sides[1].evidence)?];
    let Uncertain { apart, errors } = a.uncertain(&b, compared.figure, compared.means)?;
    let band = |side: usize| {
        let (mean, error) = (compared.means[side], errors[side]);
        [mean * (1.0 - error).max(0.0), mean * (1.0 + error)]
    };
    let text = format!(
        "which has the lower mean {} is not certain: they are {} apart, and half of the simulated ones are more than {} (A) and {} (B) off",
        compared.name,
        percent(apart),
        percent(errors[0]),
        percent(errors[1]),
    );
    Some(OrderDoubt { text, a: band(0), b: band(1) })
}

/// A share as a whole percentage.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0}\u{a0}%", share * 100.0)
}

/// The error of a ratio of two values whose errors are correlated.
fn joint([a, b]: [f64; 2], correlation: f64) -> f64 {
    (a * a + b * b - 2.0 * correlation * a * b).max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::Pool;
    use run::session::{Regime, RegimeBasis};

    fn side(gpu: &str) -> Side {
        let pool = Pool { gpu: gpu.to_owned(), ..Pool::default() };
        let evidence = vec![PoolEvidence::new(&pool, Some((Regime::Below, RegimeBasis::Load)))];
        Side { evidence, ..Side::default() }
    }

    fn said(gpus: [&str; 2], b: f64, verdict: Verdict) -> Option<OrderDoubt> {
        let compared = Compared { name: "TPOT", figure: ErrorFigure::Tpot, means: [10.0, b], verdict };
        doubt(&gpus.map(side), &compared)
    }

    #[test]
    fn two_policies_on_one_fleet_have_one_error_and_two_gpus_have_two() {
        assert_eq!(said(["H100", "H100"], 10.1, Verdict::Worse), None);
        let text = said(["H100", "H20"], 10.1, Verdict::Worse).expect("a doubt").text;
        assert!(text.contains("mean TPOT is not certain: they are 1\u{a0}% apart"), "{text}");
        assert_eq!(said(["H100", "H20"], 40.0, Verdict::Worse), None);
        assert_eq!(said(["H100", "H20"], 10.1, Verdict::NoneShown), None);
        // No error is known of this chip.
        assert_eq!(said(["H100", "MI355X"], 10.1, Verdict::Worse), None);
    }

    #[test]
    fn a_band_is_the_mean_with_the_error_that_is_named_for_its_run() {
        let found = said(["H100", "H20"], 10.1, Verdict::Worse).expect("a doubt");
        let median = |gpu: &str| side(gpu).evidence[0].error.tpot.expect("an error").median;
        let near = |band: [f64; 2], mean: f64, error: f64| {
            (band[0] - mean * (1.0 - error)).abs() < 1e-9 && (band[1] - mean * (1.0 + error)).abs() < 1e-9
        };
        assert!([median("H100"), median("H20")].iter().all(|error| (0.01..1.0).contains(error)));
        assert!(near(found.a, 10.0, median("H100")) && near(found.b, 10.1, median("H20")), "{found:?}");
    }

    #[test]
    fn what_is_in_common_does_not_count() {
        assert!((joint([0.3, 0.4], 0.0) - 0.5).abs() < 1e-12);
        assert!(joint([0.3, 0.3], 1.0) < 1e-12);
        assert!((joint([0.1, 0.3], 1.0) - 0.2).abs() < 1e-12);
        let error = |gpu: &str| RunError::of(&side(gpu).evidence).expect("a pool");
        assert!((error("H100").in_common(&error("H20")) - 0.8).abs() < 1e-12);
        let other = RunError { of: [const { String::new() }; 6], ..error("H100") };
        assert!(error("H100").in_common(&other) < 1e-12, "another latency model");
    }
}
