//! Regret: how much worse a run is than the bound, the run of the oracle on the same workload within the same limits.
//! A better run has a negative regret, which is kept: the oracle knows rates, not single requests.

use super::{Ending, Outcomes};
use base::stats::{UNBOUNDED, mean_interval};
use run::session::report::RunMetric;
use serde::Serialize;

/// The inputs of the oracle of a pool.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OraclePool {
    /// Name of the pool.
    pub pool: String,
    /// Requests per second that a replica carries within the objectives.
    pub replica_per_s: f64,
    /// What limits this rate: `ttft`, `itl`, `batch` or `stability`.
    pub binding: &'static str,
    /// How far it looks ahead, in seconds.
    pub ahead_s: f64,
    /// Mean length of the prompts, in tokens.
    pub prompt_tokens: f64,
    /// Mean length of the answers, in tokens.
    pub output_tokens: f64,
}

/// Both runs of a comparison against their oracles.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RegretTable {
    /// The first run.
    pub a: RunRegret,
    /// The second run.
    pub b: RunRegret,
    /// The inputs of the oracle of A, by pool. A run without an autoscaler uses the oracle of the other run.
    pub oracle_a: Vec<OraclePool>,
    /// The inputs of the oracle of B.
    pub oracle_b: Vec<OraclePool>,
}

/// A run against the oracle.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct RunRegret {
    /// Share that met every objective, in percent, among requests that arrived in the measurement window and
    /// finished, were refused or were dropped. The regret is in percentage points.
    pub attainment_regret: Regret,
    /// Replica-seconds paid in the measurement window, from placement until removal.
    pub replica_seconds_regret: Regret,
    /// Their cost in US dollars; null without prices.
    pub usd_regret: Regret,
}

/// A figure of a run and of the oracle: means over the seeds.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Regret {
    /// Its value in the run.
    pub own: Option<f64>,
    /// Its value with the oracle.
    pub bound: Option<f64>,
    /// How much worse the run is than the oracle; negative if it is better.
    pub regret: Option<f64>,
    /// Lower end of the 95 % interval of the regret; null for one seed.
    pub lo: Option<f64>,
    /// Its upper end.
    pub hi: Option<f64>,
}

/// The figures of a run compared with the oracle: percent met, replica-seconds, US dollars.
pub(crate) type Held = [Option<f64>; 3];

/// The figures of a run.
pub(crate) fn held(run: &Outcomes) -> Held {
    let decided = || run.requests.iter().filter(|r| r.counted && r.ending.decided());
    let (met, all) = (decided().filter(|r| r.ending == Ending::Met).count(), decided().count());
    let percent = (all > 0).then(|| 100.0 * met as f64 / all as f64);
    [percent, Some(run.report.up_s.iter().sum()), run.figure(RunMetric::Usd)]
}

impl RunRegret {
    /// The regret from the figures of a run and of the oracle, seed by seed.
    pub(crate) fn of(pairs: &[[Held; 2]]) -> Self {
        let of = |k: usize, sign: f64, bounds| {
            Regret::of(pairs.iter().map(|[own, bound]| [own[k], bound[k]]), sign, bounds)
        };
        Self {
            attainment_regret: of(0, -1.0, [-100.0, 100.0]),
            replica_seconds_regret: of(1, 1.0, UNBOUNDED),
            usd_regret: of(2, 1.0, UNBOUNDED),
        }
    }

    /// In which figures the run is better than the oracle, in words.
    pub fn beats(&self) -> Vec<&'static str> {
        let all = [
            (&self.attainment_regret, "objectives met"),
            (&self.replica_seconds_regret, "replica-seconds"),
            (&self.usd_regret, "cost"),
        ];
        all.into_iter().filter(|(r, _)| r.regret.is_some_and(|x| x < 0.0)).map(|(_, name)| name).collect()
    }
}

impl Regret {
    /// `sign`: 1 if less is better, -1 if more is. The interval stays within `bounds`.
    fn of(pairs: impl Iterator<Item = [Option<f64>; 2]>, sign: f64, bounds: [f64; 2]) -> Self {
        let known: Option<Vec<[f64; 2]>> = pairs.map(|[own, bound]| Some([own?, bound?])).collect();
        let Some(known) = known.filter(|known| !known.is_empty()) else { return Self::default() };
        let mean = |k: usize| known.iter().map(|p| p[k]).sum::<f64>() / known.len() as f64;
        let regrets: Vec<f64> = known.iter().map(|[own, bound]| (own - bound) * sign + 0.0).collect();
        let interval = mean_interval(&regrets, bounds);
        Self {
            own: Some(mean(0)),
            bound: Some(mean(1)),
            regret: Some(interval.map_or(regrets[0], |i| i.value)),
            lo: interval.map(|i| i.lo),
            hi: interval.map(|i| i.hi),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regret_is_how_much_worse_and_is_not_cut_off_at_zero() {
        let of = |own: [f64; 3], bound: [f64; 3]| RunRegret::of(&[[own.map(Some), bound.map(Some)]]);
        let worse = of([90.0, 1200.0, 3.0], [99.0, 1000.0, 2.5]);
        assert_eq!(worse.attainment_regret.regret, Some(9.0));
        assert_eq!(worse.replica_seconds_regret.regret, Some(200.0));
        assert_eq!((worse.usd_regret.regret, worse.usd_regret.lo), (Some(0.5), None));
        assert!(worse.beats().is_empty());
        let better = of([99.5, 900.0, 2.5], [99.0, 1000.0, 2.5]);
        assert_eq!(better.attainment_regret.regret, Some(-0.5));
        assert_eq!(better.beats(), ["objectives met", "replica-seconds"]);
    }

    #[test]
    fn a_figure_that_a_seed_lacks_has_no_regret() {
        let known = [Some(90.0), Some(10.0), None];
        let found = RunRegret::of(&[[known, known], [known, [Some(91.0), Some(12.0), Some(1.0)]]]);
        assert_eq!(found.usd_regret, Regret::default());
        let r = found.attainment_regret;
        assert_eq!((r.own, r.bound, r.regret), (Some(90.0), Some(90.5), Some(0.5)));
        assert!(r.lo < r.regret && r.regret < r.hi, "{r:?}");
        assert_eq!(RunRegret::of(&[]), RunRegret::default());
    }
}
