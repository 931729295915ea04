//! The figures of one run in one row, for sweeps and races.

use crate::compare::{Direction, Ending, Outcomes, RunError, held};
use base::stats::Blocked;
use run::session::report::{Metric, MetricUnit, RunMetric, Statistic};
use run::session::weakest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One run: its digests, the outcomes of its requests, its figures. Times are in milliseconds and of requests that
/// arrived in the measurement window; null without values.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunRow {
    /// Seed, as text.
    pub seed: String,
    /// Digest of the scenario.
    pub scenario_digest: String,
    /// Digest of the workload: equal for equal arrivals, lengths, contents and draws.
    pub workload_digest: String,
    /// Digest of the report: equal for equal results.
    pub report_digest: String,
    /// Requests that arrived in the measurement window.
    pub requests: u64,
    /// Finished.
    pub finished: u64,
    /// Finished with every objective met.
    pub met: u64,
    /// Refused.
    pub refused: u64,
    /// Impossible to serve, or timed out.
    pub dropped: u64,
    /// Still in the system at the end.
    pub unfinished: u64,
    /// met / (finished + refused + dropped), 0 to 1: refused and dropped requests have missed, unfinished ones do not
    /// count.
    pub met_share: Option<f64>,
    /// Requests arrived per second.
    pub arrived_per_s: Option<f64>,
    /// Requests finished per second.
    pub completed_per_s: Option<f64>,
    /// Requests finished per second that met every objective.
    pub goodput_per_s: Option<f64>,
    /// Output tokens per second.
    pub output_tokens_per_s: Option<f64>,
    /// Mean TTFT.
    pub ttft_mean_ms: Option<f64>,
    /// Median TTFT.
    pub ttft_p50_ms: Option<f64>,
    /// 90th percentile of TTFT.
    pub ttft_p90_ms: Option<f64>,
    /// 99th percentile of TTFT.
    pub ttft_p99_ms: Option<f64>,
    /// 99th percentile of TTFT over all arrived requests; those without a first token count as infinitely slow. Null
    /// if they are more than one in a hundred.
    pub ttft_p99_of_all_ms: Option<f64>,
    /// Mean ITL.
    pub itl_mean_ms: Option<f64>,
    /// Median ITL.
    pub itl_p50_ms: Option<f64>,
    /// 90th percentile of ITL.
    pub itl_p90_ms: Option<f64>,
    /// 99th percentile of ITL.
    pub itl_p99_ms: Option<f64>,
    /// Mean TPOT.
    pub tpot_mean_ms: Option<f64>,
    /// Median TPOT.
    pub tpot_p50_ms: Option<f64>,
    /// 90th percentile of TPOT.
    pub tpot_p90_ms: Option<f64>,
    /// 99th percentile of TPOT.
    pub tpot_p99_ms: Option<f64>,
    /// Mean E2E.
    pub e2e_mean_ms: Option<f64>,
    /// Median E2E.
    pub e2e_p50_ms: Option<f64>,
    /// 90th percentile of E2E.
    pub e2e_p90_ms: Option<f64>,
    /// 99th percentile of E2E.
    pub e2e_p99_ms: Option<f64>,
    /// 99th percentile of E2E over all arrived requests; unfinished ones count as infinitely slow. Null if they are
    /// more than one in a hundred.
    pub e2e_p99_of_all_ms: Option<f64>,
    /// Mean time from joining the wait queue to first joining a batch.
    pub queue_wait_mean_ms: Option<f64>,
    /// Share of prompt blocks found in a cache, 0 to 1.
    pub kv_hit_rate: Option<f64>,
    /// Preemptions, warm-up included.
    pub preemptions: Option<f64>,
    /// GPUs times the seconds that their replica existed.
    pub gpu_seconds: Option<f64>,
    /// US dollars for all replicas; null, like the next figure, without prices.
    pub usd: Option<f64>,
    /// US dollars per million output tokens.
    pub usd_per_million_output_tokens: Option<f64>,
    /// The fitness score; null without weights in the scenario.
    pub fitness: Option<f64>,
    /// Replica-seconds paid.
    pub replica_seconds: Option<f64>,
    /// Whether requests piled up: stable, backlogged, overloaded or too-short.
    #[serde(default)]
    pub load: String,
    /// How far its latencies can be trusted: the class of the pool of which least is known.
    pub evidence: String,
    /// Where its load lies: below, near or over the knee; empty if it is not known.
    pub regime: String,
    /// The error of its latencies; no column of tables has it.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<RunError>,
    /// Further figures by name, those that are asked for and known.
    #[cfg_attr(feature = "types", ts(type = "{ [name: string]: number }"))]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<String, f64>,
}

/// A figure of a row.
#[derive(Clone, Copy, Debug)]
pub struct RunFigure {
    /// The name of its column.
    pub name: &'static str,
    /// Its name in sentences.
    pub label: &'static str,
    /// How it is written, and what bounds it.
    pub unit: MetricUnit,
    /// Which values are the better ones.
    pub better: Direction,
    /// Its value.
    pub of: fn(&RunRow) -> Option<f64>,
}

/// Declares figures of rows: constant, column, label, unit, direction.
macro_rules! run_figures {
    ($($key:ident $column:ident, $label:literal, $unit:ident, $better:ident;)+) => {
        impl RunFigure {
            $(
                #[doc = concat!("The figure in the column `", stringify!($column), "`.")]
                pub const $key: Self = Self {
                    name: stringify!($column),
                    label: $label,
                    unit: MetricUnit::$unit,
                    better: Direction::$better,
                    of: |r| r.$column,
                };
            )+
        }
    };
}

run_figures! {
    TTFT_P50 ttft_p50_ms, "TTFT p50", Milliseconds, Lower;
    TTFT_P90 ttft_p90_ms, "TTFT p90", Milliseconds, Lower;
    TTFT_P99 ttft_p99_ms, "TTFT p99", Milliseconds, Lower;
    TTFT_P99_OF_ALL ttft_p99_of_all_ms, "TTFT p99 of all requests", Milliseconds, Lower;
    ITL_P50 itl_p50_ms, "ITL p50", Milliseconds, Lower;
    ITL_P90 itl_p90_ms, "ITL p90", Milliseconds, Lower;
    ITL_P99 itl_p99_ms, "ITL p99", Milliseconds, Lower;
    E2E_P99 e2e_p99_ms, "E2E p99", Milliseconds, Lower;
    E2E_P99_OF_ALL e2e_p99_of_all_ms, "E2E p99 of all requests", Milliseconds, Lower;
    MET_SHARE met_share, "objectives met", Share, Higher;
    GOODPUT goodput_per_s, "goodput", PerSecond, Higher;
    ARRIVALS arrived_per_s, "arrival rate", PerSecond, Higher;
    COST usd_per_million_output_tokens, "cost per million output tokens", Usd, Lower;
    GPU_SECONDS gpu_seconds, "GPU-seconds", Seconds, Lower;
    FITNESS fitness, "fitness", Ratio, Higher;
}

impl RunFigure {
    /// The figures that have knees.
    pub(super) const WITH_KNEES: [Self; 6] =
        [Self::TTFT_P50, Self::TTFT_P90, Self::TTFT_P99, Self::ITL_P50, Self::ITL_P90, Self::ITL_P99];

    /// The figures that summaries and curves show; those with knees come first.
    pub const ALL: [Self; 11] = [
        Self::TTFT_P50,
        Self::TTFT_P90,
        Self::TTFT_P99,
        Self::ITL_P50,
        Self::ITL_P90,
        Self::ITL_P99,
        Self::E2E_P99,
        Self::MET_SHARE,
        Self::GOODPUT,
        Self::ARRIVALS,
        Self::COST,
    ];
}

impl RunRow {
    /// The figures of a run.
    pub fn new(run: &Outcomes) -> Self {
        let figure = |metric| run.figure(metric);
        let of_time = |metric| {
            [Statistic::Mean, Statistic::P50, Statistic::P90, Statistic::P99]
                .map(|figure| run.figure(RunMetric::Time(metric, figure)))
        };
        let [ttft, itl, tpot, e2e] = [Metric::Ttft, Metric::Itl, Metric::Tpot, Metric::E2e].map(of_time);
        let count =
            |is: fn(Ending) -> bool| run.requests.iter().filter(|r| r.counted && is(r.ending)).count() as u64;
        let (requests, decided, met) = (count(|_| true), count(Ending::decided), count(|e| e == Ending::Met));
        let weakest = weakest(&run.report.evidence);
        Self {
            seed: run.report.run.seed.to_string(),
            scenario_digest: run.report.scenario_digest.clone(),
            workload_digest: run.workload_digest.clone(),
            report_digest: run.report_digest.clone(),
            requests,
            finished: count(Ending::finished),
            met,
            refused: count(|e| e == Ending::Refused),
            dropped: count(|e| e == Ending::Dropped),
            unfinished: count(Ending::unfinished),
            met_share: (decided > 0).then(|| met as f64 / decided as f64),
            arrived_per_s: figure(RunMetric::ArrivedPerS),
            completed_per_s: figure(RunMetric::CompletedPerS),
            goodput_per_s: figure(RunMetric::GoodputPerS),
            output_tokens_per_s: figure(RunMetric::OutputTokensPerS),
            ttft_mean_ms: ttft[0],
            ttft_p50_ms: ttft[1],
            ttft_p90_ms: ttft[2],
            ttft_p99_ms: ttft[3],
            ttft_p99_of_all_ms: p99_of_all(run.requests.iter().filter(|r| r.counted).map(|r| r.ttft_us)),
            itl_mean_ms: itl[0],
            itl_p50_ms: itl[1],
            itl_p90_ms: itl[2],
            itl_p99_ms: itl[3],
            tpot_mean_ms: tpot[0],
            tpot_p50_ms: tpot[1],
            tpot_p90_ms: tpot[2],
            tpot_p99_ms: tpot[3],
            e2e_mean_ms: e2e[0],
            e2e_p50_ms: e2e[1],
            e2e_p90_ms: e2e[2],
            e2e_p99_ms: e2e[3],
            e2e_p99_of_all_ms: p99_of_all(run.requests.iter().filter(|r| r.counted).map(|r| r.e2e_us)),
            queue_wait_mean_ms: figure(RunMetric::Time(Metric::QueueWait, Statistic::Mean)),
            kv_hit_rate: figure(RunMetric::KvHitRate),
            preemptions: figure(RunMetric::Preemptions),
            gpu_seconds: figure(RunMetric::GpuSeconds),
            usd: figure(RunMetric::Usd),
            usd_per_million_output_tokens: figure(RunMetric::UsdPerMillionOutputTokens),
            fitness: figure(RunMetric::Fitness),
            replica_seconds: held(run)[1],
            load: run.report.verdict.state.name().to_owned(),
            evidence: weakest.map_or_else(String::new, |pool| pool.class.name().to_owned()),
            regime: weakest.and_then(|pool| pool.regime).map_or_else(String::new, |r| r.name().to_owned()),
            error: RunError::of(&run.report.evidence),
            metrics: BTreeMap::new(),
        }
    }

    /// What tables have of a row: without the further figures, which have columns of their own, and without the error.
    pub(crate) fn of_table(&self) -> Self {
        Self { metrics: BTreeMap::new(), error: None, ..self.clone() }
    }

    /// The same with further figures.
    pub fn with_metrics(run: &Outcomes, metrics: impl IntoIterator<Item = RunMetric>) -> Self {
        let value = |metric: RunMetric| Some((metric.name().into_owned(), run.figure(metric)?));
        Self { metrics: metrics.into_iter().filter_map(value).collect(), ..Self::new(run) }
    }
}

/// Longer than any time.
const BEYOND: u64 = 1 << 54;

/// p99 in ms, counting unfinished requests as infinitely slow; `None` if p99 is one of them.
fn p99_of_all(times: impl Iterator<Item = Option<u64>>) -> Option<f64> {
    let all = Blocked::new(1, times.map(|us| (us.unwrap_or(BEYOND), 0, 1)));
    let [.., p99] = all.figures()?;
    // The higher of the two values around it.
    let rank = libm::ceil(0.99 * (all.count() - 1) as f64) as u64;
    let within = all.at_most(BEYOND - 1) > rank;
    within.then_some(p99 / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfinished_requests_count_as_infinitely_slow() {
        let times = |without: usize| {
            let all = (0..1000_u64).map(move |i| (i as usize + without < 1000).then_some(i * 1000));
            p99_of_all(all)
        };
        assert!(times(0).is_some_and(|p| (p - 989.01).abs() < 1e-9));
        assert_eq!(
            times(0).map(f64::to_bits),
            times(9).map(f64::to_bits),
            "nine of a thousand do not reach it"
        );
        assert_eq!(times(11), None);
        assert_eq!(times(1000), None);
        assert_eq!(p99_of_all(std::iter::empty()), None);
    }
}
