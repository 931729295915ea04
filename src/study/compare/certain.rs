//! Whether the order of two runs survives the error of the simulation.
//!
//! The errors of two runs of one model on one GPU are the same error: it moves both alike. They are taken to be correlated by the
//! share of the values behind the step times that both have in common, so that only what differs adds to the doubt. Runs that have all in
//! common, as two policies on one fleet, differ by what they do with the same steps.

use super::{Side, Verdict};
use run::session::{PoolEvidence, weakest};

/// A mean of both runs with its verdict.
pub(super) struct Compared<'a> {
    pub(super) name: &'a str,
    pub(super) means: [f64; 2],
    pub(super) verdict: Verdict,
}

/// What is said where an order is not certain.
pub(super) fn doubt(sides: &[Side; 2], compared: &Compared<'_>) -> Option<String> {
    if !matches!(compared.verdict, Verdict::Better | Verdict::Worse) {
        return None;
    }
    let pools = [weakest(&sides[0].evidence)?, weakest(&sides[1].evidence)?];
    let in_common = in_common(pools);
    if in_common >= 1.0 {
        return None;
    }
    let errors = [error(pools[0], compared.name)?, error(pools[1], compared.name)?];
    let [a, b] = compared.means;
    let apart = (b / a - 1.0).abs();
    let joint = joint(errors, in_common);
    (apart.is_finite() && apart < joint).then(|| {
        let percent = |share: f64| format!("{:.0}\u{a0}%", share * 100.0);
        format!(
            "which has the lower mean {} is not certain: they are {} apart, and half of the simulated ones are more than {} (A) and {} (B) off",
            compared.name,
            percent(apart),
            percent(errors[0]),
            percent(errors[1]),
        )
    })
}

fn error(pool: &PoolEvidence, name: &str) -> Option<f64> {
    let band = match name {
        "TTFT" => pool.error.ttft,
        "TPOT" => pool.error.tpot,
        _ => pool.error.e2e,
    };
    band.map(|band| band.median)
}

/// The share of the five values behind step times that two pools have in common.
fn in_common([a, b]: [&PoolEvidence; 2]) -> f64 {
    let values =
        |p: &PoolEvidence| [&p.model, &p.gpu, &p.engine, &p.precision, &p.tp].map(|v| v.value.clone());
    let same = values(a).iter().zip(values(b)).filter(|(a, b)| **a == *b).count();
    if a.latency == b.latency { same as f64 / 5.0 } else { 0.0 }
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

    fn said(gpus: [&str; 2], b: f64, verdict: Verdict) -> Option<String> {
        doubt(&gpus.map(side), &Compared { name: "TPOT", means: [10.0, b], verdict })
    }

    #[test]
    fn two_policies_on_one_fleet_have_one_error_and_two_gpus_have_two() {
        assert_eq!(said(["H100", "H100"], 10.1, Verdict::Worse), None);
        let text = said(["H100", "H20"], 10.1, Verdict::Worse).expect("a doubt");
        assert!(text.contains("mean TPOT is not certain: they are 1\u{a0}% apart"), "{text}");
        assert_eq!(said(["H100", "H20"], 40.0, Verdict::Worse), None);
        assert_eq!(said(["H100", "H20"], 10.1, Verdict::NoneShown), None);
        // No error is known of this chip.
        assert_eq!(said(["H100", "MI355X"], 10.1, Verdict::Worse), None);
    }

    #[test]
    fn what_is_in_common_does_not_count() {
        assert!((joint([0.3, 0.4], 0.0) - 0.5).abs() < 1e-12);
        assert!(joint([0.3, 0.3], 1.0) < 1e-12);
        assert!((joint([0.1, 0.3], 1.0) - 0.2).abs() < 1e-12);
    }
}
