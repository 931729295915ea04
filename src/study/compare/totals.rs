//! Totals: figures of whole runs, and the confidence in their differences from one pair of runs.

use super::intervals::{Sample, difference_of_means};
use super::{Direction, Ending, Outcome, Outcomes};
use base::stats::{SHARE_DIFFERENCE, UNBOUNDED};
use serde_json::Value;

/// A figure of a whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Total {
    MetShare,
    FinishedShare,
    Goodput,
    OutputTokens,
    KvHitRate,
    Preemptions,
    Usd,
}

pub(super) const TOTALS: usize = 7;

impl Total {
    pub(super) const ALL: [Self; TOTALS] = [
        Self::MetShare,
        Self::FinishedShare,
        Self::Goodput,
        Self::OutputTokens,
        Self::KvHitRate,
        Self::Preemptions,
        Self::Usd,
    ];

    pub(super) fn better(self) -> Direction {
        match self {
            Self::Preemptions | Self::Usd => Direction::Lower,
            Self::MetShare | Self::FinishedShare | Self::Goodput | Self::OutputTokens | Self::KvHitRate => {
                Direction::Higher
            }
        }
    }

    /// The bounds of its difference.
    pub(super) fn bounds(self) -> [f64; 2] {
        match self {
            Self::MetShare | Self::FinishedShare | Self::KvHitRate => SHARE_DIFFERENCE,
            Self::Goodput | Self::OutputTokens | Self::Preemptions | Self::Usd => UNBOUNDED,
        }
    }

    /// Its value of a run. Goodput is the report's, or of the requests that arrived from `since_us` on; figures
    /// unknown for single requests are of the whole measurement window.
    pub(super) fn of(self, run: &Outcomes, since_us: Option<u64>) -> Option<f64> {
        let share = |[part, all]: [fn(Ending) -> bool; 2]| {
            let of = run.requests.iter().filter(|r| r.counted && all(r.ending));
            let (met, count) = of.fold((0_u64, 0_u64), |(n, of), r| (n + u64::from(part(r.ending)), of + 1));
            (count > 0).then(|| met as f64 / count as f64)
        };
        match self {
            Self::MetShare => share(MET),
            Self::FinishedShare => share(FINISHED),
            Self::Goodput => match since_us {
                None => run.figure("throughput/goodput_per_s"),
                Some(since_us) => {
                    let seconds = (run.figure("run/clock_us")? - since_us as f64) / 1e6;
                    let met = run.requests.iter().filter(|r| r.counted && r.ending == Ending::Met).count();
                    (seconds > 0.0).then(|| met as f64 / seconds)
                }
            },
            Self::OutputTokens => run.figure("throughput/output_tokens_per_s"),
            Self::KvHitRate => run.figure("kv/hit_rate"),
            Self::Preemptions => run.figure("requests/preemptions"),
            Self::Usd => run.figure("cost/usd_per_million_output_tokens"),
        }
    }

    /// Half the interval of its difference from one pair of runs; `None` if it is not a sum over single requests.
    pub(super) fn half(self, sample: &Sample, since_us: Option<u64>) -> Option<f64> {
        let both = |amount: fn(&Outcome) -> u64| sample.sides().map(|run| sample.rate(run, amount));
        let of = |means, figure: &dyn Fn(usize, f64) -> f64| {
            difference_of_means(means, sample.spans(), sample.draws(), figure)
        };
        let shares = |of_which| {
            of(sample.sides().map(|run| sample.ratio(run, of_which)), &|_, millionths| millionths / 1e6)
        };
        match self {
            Self::MetShare => shares(MET),
            Self::FinishedShare => shares(FINISHED),
            Self::Goodput => of(both(|r| u64::from(r.ending == Ending::Met)), &|_, rate| rate / 1e6),
            Self::OutputTokens if since_us.is_none() => of(both(shown_tokens), &|_, rate| rate / 1e6),
            Self::Usd if since_us.is_none() && sample.sides().into_iter().all(is_steady) => {
                let tokens = both(shown_tokens);
                // The cost of replicas is equal in all blocks, so the price of a token is proportional to 1 / its
                // rate.
                let at_once: Option<Vec<f64>> = (sample.sides().into_iter().zip(&tokens))
                    .map(|(run, tokens)| Some(self.of(run, None)? * tokens.figures()?[0]))
                    .collect();
                let cost = at_once?;
                of(tokens, &|side, rate| cost[side] / rate)
            }
            Self::OutputTokens | Self::KvHitRate | Self::Preemptions | Self::Usd => None,
        }
    }
}

/// The requests that met their objectives, among the decided ones.
const MET: [fn(Ending) -> bool; 2] = [|e| e == Ending::Met, Ending::decided];
/// The requests that finished, among all.
const FINISHED: [fn(Ending) -> bool; 2] = [Ending::finished, |_| true];

/// Output tokens of a finished request.
fn shown_tokens(r: &Outcome) -> u64 {
    if r.ending.finished() { u64::from(r.output_tokens) } else { 0 }
}

/// Whether all replicas were there in the whole measurement window.
fn is_steady(run: &Outcomes) -> bool {
    let seconds = run.figure("throughput/seconds").unwrap_or(0.0);
    let up = |r: &Value| r.get("up_s").and_then(Value::as_f64).is_some_and(|up| (up - seconds).abs() < 1e-3);
    run.report.get("replicas").and_then(Value::as_array).is_some_and(|all| all.iter().all(up))
}
