//! Totals: figures of whole runs, and the confidence in their differences from one pair of runs.

use super::intervals::{Sample, difference_of_means};
use super::{Direction, Ending, Outcome, Outcomes, TotalComparison};
use base::stats::SHARE_DIFFERENCE;
use run::session::report::RunMetric;
use serde::Serialize;

/// The figures of whole runs: each with its field in the table. Readers of the table go through its rows, so that they
/// do not compile until they name a new figure.
macro_rules! totals {
    ($($(#[doc = $about:tt])+ $field:ident: $total:ident,)+) => {
        /// A figure of a whole run.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Total {
            $($(#[doc = $about])+ $total,)+
        }

        /// How many figures of whole runs there are.
        pub(super) const TOTALS: usize = [$(Total::$total),+].len();

        impl Total {
            pub(super) const ALL: [Self; TOTALS] = [$(Self::$total),+];
        }

        /// Figures of whole runs. Cache hits and preemptions have no interval from one seed, nor has the cost of a changing
        /// number of replicas.
        #[apply(typescript!)]
        #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
        pub struct TotalTable {
            $($(#[doc = $about])+ pub $field: TotalComparison,)+
        }

        impl TotalTable {
            pub(super) fn of(figure: impl Fn(Total) -> TotalComparison) -> Self {
                Self { $($field: figure(Total::$total),)+ }
            }

            /// Each figure with its comparison.
            pub fn rows(&self) -> [(Total, &TotalComparison); TOTALS] {
                [$((Total::$total, &self.$field)),+]
            }
        }
    };
}

totals! {
    /// Share that met every objective, 0 to 1, among compared requests that finished, were refused or were dropped.
    met_share: MetShare,
    /// Share of all compared requests that finished, 0 to 1.
    finished_share: FinishedShare,
    /// Finished requests per second that met every objective.
    goodput_per_s: GoodputPerS,
    /// Output tokens per second.
    output_tokens_per_s: OutputTokensPerS,
    /// Share of prompt blocks found in a cache, 0 to 1.
    kv_hit_rate: KvHitRate,
    /// Preemptions, warm-up included.
    preemptions: Preemptions,
    /// US dollars per million output tokens; null without prices.
    usd_per_million_output_tokens: UsdPerMillionOutputTokens,
}

impl Total {
    /// The figure of the report that it is; `None` of shares of requests.
    fn metric(self) -> Option<RunMetric> {
        match self {
            Self::MetShare | Self::FinishedShare => None,
            Self::GoodputPerS => Some(RunMetric::GoodputPerS),
            Self::OutputTokensPerS => Some(RunMetric::OutputTokensPerS),
            Self::KvHitRate => Some(RunMetric::KvHitRate),
            Self::Preemptions => Some(RunMetric::Preemptions),
            Self::UsdPerMillionOutputTokens => Some(RunMetric::UsdPerMillionOutputTokens),
        }
    }

    pub(super) fn better(self) -> Direction {
        self.metric().map_or(Direction::Higher, RunMetric::better)
    }

    /// The bounds of its difference.
    pub(super) fn bounds(self) -> [f64; 2] {
        self.metric().map_or(SHARE_DIFFERENCE, |metric| metric.unit().difference_bounds())
    }

    /// Its value of a run. Goodput is the report's, or of the requests that arrived from `since_us` on; figures
    /// unknown for single requests are of the whole measurement window.
    pub(super) fn of(self, run: &Outcomes, since_us: Option<u64>) -> Option<f64> {
        let share = |[part, all]: [fn(Ending) -> bool; 2]| {
            let of = run.requests.iter().filter(|r| r.counted && all(r.ending));
            let (met, count) = of.fold((0_u64, 0_u64), |(n, of), r| (n + u64::from(part(r.ending)), of + 1));
            (count > 0).then(|| met as f64 / count as f64)
        };
        let Some(metric) = self.metric() else {
            return share(if self == Self::MetShare { MET } else { FINISHED });
        };
        match since_us.filter(|_| metric == RunMetric::GoodputPerS) {
            None => run.figure(metric),
            Some(since_us) => {
                let seconds = (run.report.run.clock_us as f64 - since_us as f64) / 1e6;
                let met = run.requests.iter().filter(|r| r.counted && r.ending == Ending::Met).count();
                (seconds > 0.0).then(|| met as f64 / seconds)
            }
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
            Self::GoodputPerS => of(both(|r| u64::from(r.ending == Ending::Met)), &|_, rate| rate / 1e6),
            Self::OutputTokensPerS if since_us.is_none() => of(both(shown_tokens), &|_, rate| rate / 1e6),
            Self::UsdPerMillionOutputTokens
                if since_us.is_none() && sample.sides().into_iter().all(is_steady) =>
            {
                let tokens = both(shown_tokens);
                // The cost of replicas is equal in all blocks, so the price of a token is proportional to 1 / its
                // rate.
                let at_once: Option<Vec<f64>> = (sample.sides().into_iter().zip(&tokens))
                    .map(|(run, tokens)| Some(self.of(run, None)? * tokens.figures()?[0]))
                    .collect();
                let cost = at_once?;
                of(tokens, &|side, rate| cost[side] / rate)
            }
            Self::OutputTokensPerS
            | Self::KvHitRate
            | Self::Preemptions
            | Self::UsdPerMillionOutputTokens => None,
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
    run.report.up_s.iter().all(|up| (up - run.report.seconds).abs() < 1e-3)
}
