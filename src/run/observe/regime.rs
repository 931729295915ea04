//! The regime of a run: below, near or over the knee of its latency curve.
//!
//! Two signs, the worse of which counts: the verdict on the load, and the mean time to first token over the same without
//! waiting. The limits are those of measured stages (docs/explanation/validation.md). A run whose requests
//! do not pile up by the verdict is near the knee at most, however long they wait. It is an assessment of a run and no
//! result.

use super::recorder::Recorder;
use super::verdict::{LoadState, RunVerdict};
use base::{Maybe, RequestId};
use document::{ScalingPolicy, Scenario};
use engine::Cluster;
use engine::perf::{Regime, RegimeBasis};

/// Times of the time to first token without waiting up to which a run is below the knee, and near it.
const LIMITS: [f64; 2] = [2.0, 5.0];

/// The regime of a run so far, and what it was taken from; `None` if nothing tells.
pub(crate) fn regime(
    scenario: &Scenario,
    engine: &Cluster,
    recorder: &Recorder,
    verdict: &RunVerdict,
) -> Option<(Regime, RegimeBasis)> {
    let autoscaled = scenario.cluster.pools.iter().any(|p| p.scaling.policy != ScalingPolicy::default());
    worst(of_load(verdict.state), of_waiting(waiting(engine, recorder)), autoscaled)
}

fn of_load(state: LoadState) -> Option<Regime> {
    match state {
        LoadState::Stable => Some(Regime::Below),
        LoadState::Backlogged => Some(Regime::Near),
        LoadState::Overloaded => Some(Regime::Over),
        LoadState::TooShort => None,
    }
}

/// Sums over the measured requests with a first token, in microseconds: time to first token, and the part of it that
/// they waited.
fn waiting(engine: &Cluster, recorder: &Recorder) -> [u128; 2] {
    if let Some(all) = recorder.summed_up(engine) {
        return all.waited_us;
    }
    let mut sums = [0; 2];
    for (i, r) in (0..).zip(engine.records()) {
        let Some(ttft) = r.ttft.get().filter(|_| recorder.warmup().counts(RequestId(i), r.arrival)) else {
            continue;
        };
        let known = |at: Maybe<base::Micros>| at.get();
        let waited = known(r.first_scheduled).zip(known(r.queued)).map_or(0, |(to, from)| to.since(from).0);
        sums[0] += u128::from(ttft.0);
        sums[1] += u128::from(waited);
    }
    sums
}

fn of_waiting([ttft, waited]: [u128; 2]) -> Option<Regime> {
    let alone = ttft.saturating_sub(waited) as f64;
    let times = ttft as f64;
    if ttft == 0 {
        None
    } else if times <= LIMITS[0] * alone {
        Some(Regime::Below)
    } else if times <= LIMITS[1] * alone {
        Some(Regime::Near)
    } else {
        Some(Regime::Over)
    }
}

/// The worse of the two signs; of equal ones the verdict. An autoscaled run is near the knee at least.
fn worst(load: Option<Regime>, waiting: Option<Regime>, autoscaled: bool) -> Option<(Regime, RegimeBasis)> {
    // Bursts make long waits below the capacity.
    let waiting = if load.is_some() { waiting.map(|regime| regime.min(Regime::Near)) } else { waiting };
    let found = if load >= waiting {
        load.map(|regime| (regime, RegimeBasis::Load))
    } else {
        waiting.map(|regime| (regime, RegimeBasis::Waiting))
    };
    match found {
        Some((regime, _)) if autoscaled && regime < Regime::Near => {
            Some((Regime::Near, RegimeBasis::Autoscaler))
        }
        None if autoscaled => Some((Regime::Near, RegimeBasis::Autoscaler)),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_as_long_as_the_rest_is_below_and_four_times_as_long_is_near() {
        let of = |ttft, waited| of_waiting([ttft, waited]);
        assert_eq!([of(0, 0), of(100, 0), of(100, 50)], [None, Some(Regime::Below), Some(Regime::Below)]);
        assert_eq!([of(100, 51), of(100, 80)], [Some(Regime::Near); 2]);
        assert_eq!([of(100, 81), of(100, 100)], [Some(Regime::Over); 2]);
    }

    #[test]
    fn the_worse_sign_counts_and_says_which_it_is() {
        let (below, near, over) = (Some(Regime::Below), Some(Regime::Near), Some(Regime::Over));
        assert_eq!(worst(below, below, false), Some((Regime::Below, RegimeBasis::Load)));
        assert_eq!(worst(below, near, false), Some((Regime::Near, RegimeBasis::Waiting)));
        assert_eq!(worst(over, near, false), Some((Regime::Over, RegimeBasis::Load)));
        assert_eq!(worst(near, over, false), Some((Regime::Near, RegimeBasis::Load)));
        assert_eq!(worst(None, over, false), Some((Regime::Over, RegimeBasis::Waiting)));
        assert_eq!(worst(None, below, false), Some((Regime::Below, RegimeBasis::Waiting)));
        assert_eq!(worst(None, None, false), None);
        assert_eq!(worst(below, below, true), Some((Regime::Near, RegimeBasis::Autoscaler)));
        assert_eq!(worst(None, None, true), Some((Regime::Near, RegimeBasis::Autoscaler)));
        assert_eq!(worst(over, None, true), Some((Regime::Over, RegimeBasis::Load)));
    }
}
