//! Series over time: samples of a server's counters, gauges and histograms at instants a step apart, and what they say
//! of each step.
//!
//! A gauge is taken as it stands. A counter gives a rate over the step before the instant, a histogram the mean of the
//! values of that step. A counter that falls began again at 0.

use super::exposition::HISTOGRAMS;
use std::collections::BTreeMap;

/// Most instants of a file.
pub(crate) const MOST_INSTANTS: usize = 20_000;

/// Values of one series by instant, in milliseconds.
pub type Points = BTreeMap<i64, f64>;

/// Samples of all servers, by the names of their metrics without beginning: each label set by itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// Milliseconds between instants.
    step_ms: i64,
    first_ms: i64,
    last_ms: i64,
    instants: usize,
    by_name: BTreeMap<String, Vec<Points>>,
}

/// One metric over time.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricSeries {
    /// Metric with its unit, as figures have it, or `kv_usage`, `prompt_tok_per_s`.
    pub metric: &'static str,
    /// Value by the number of the step since the first instant.
    pub values: BTreeMap<i64, f64>,
}

/// Gauges: metric, names by release, and whether series of several servers are added up or averaged.
const GAUGES: [(&str, &[&str], bool); 3] = [
    ("running", &["num_requests_running", "num_running_reqs"], true),
    ("waiting", &["num_requests_waiting", "num_queue_reqs"], true),
    ("kv_usage", &["kv_cache_usage_perc", "gpu_cache_usage_perc", "token_usage"], false),
];

/// Counters: metric, names by release.
const COUNTERS: [(&str, &[&str]); 4] = [
    ("req_per_s", &["request_success_total", "request_success", "num_requests_total", "request_total"]),
    ("prompt_tok_per_s", &["prompt_tokens_total", "prompt_tokens"]),
    ("out_tok_per_s", &["generation_tokens_total", "generation_tokens"]),
    ("preemptions_per_s", &["num_preemptions_total", "num_preemptions"]),
];

const QUERIES: [&str; 3] =
    ["prefix_cache_queries_total", "gpu_prefix_cache_queries_total", "gpu_prefix_cache_queries"];
const HITS: [&str; 3] = ["prefix_cache_hits_total", "gpu_prefix_cache_hits_total", "gpu_prefix_cache_hits"];

/// The names of gauges and counters.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let gauges = GAUGES.iter().flat_map(|(_, names, _)| names.iter());
    let counters = COUNTERS.iter().flat_map(|(_, names)| names.iter());
    gauges.chain(counters).chain(&QUERIES).chain(&HITS).copied()
}

impl Timeline {
    /// Series by name; `None` if there are fewer than two instants.
    pub fn new(by_name: BTreeMap<String, Vec<Points>>) -> Option<Self> {
        let mut instants: Vec<i64> =
            by_name.values().flatten().flat_map(|points| points.keys().copied()).collect();
        instants.sort_unstable();
        instants.dedup();
        let (first_ms, last_ms) = (*instants.first()?, *instants.last()?);
        let step_ms = instants.windows(2).map(|w| w[1] - w[0]).min()?;
        Some(Self { step_ms, first_ms, last_ms, instants: instants.len(), by_name })
    }

    /// Seconds between instants.
    pub fn step_s(&self) -> f64 {
        self.step_ms as f64 / 1e3
    }

    /// Microseconds between instants.
    pub fn step_us(&self) -> u64 {
        self.step_ms.unsigned_abs().saturating_mul(1000)
    }

    /// Seconds from the first instant to the last.
    pub fn span_s(&self) -> f64 {
        (self.last_ms - self.first_ms) as f64 / 1e3
    }

    /// Number of different instants.
    pub fn instants(&self) -> usize {
        self.instants
    }

    /// The first instant in seconds, as the file has it.
    pub fn first_s(&self) -> f64 {
        self.first_ms as f64 / 1e3
    }

    /// Largest number of series that were added up to one.
    pub fn servers(&self) -> usize {
        self.by_name.values().map(Vec::len).max().unwrap_or(0)
    }

    /// The metrics that its samples give.
    pub fn metrics(&self) -> Vec<MetricSeries> {
        let mut found = Vec::new();
        let mut put = |metric, values: BTreeMap<i64, f64>| {
            if !values.is_empty() {
                found.push(MetricSeries { metric, values });
            }
        };
        for (metric, names, adds) in GAUGES {
            put(metric, self.gauge(names, adds));
        }
        for (metric, names) in COUNTERS {
            let deltas = self.deltas(names);
            put(metric, deltas.into_iter().map(|(step, (delta, seconds))| (step, delta / seconds)).collect());
        }
        put("reused_prompt_share", ratio(&self.deltas(&HITS), &self.deltas(&QUERIES), 1.0));
        let mut known: Vec<&str> = Vec::new();
        for (name, metric) in HISTOGRAMS {
            let of = |end: &str| self.deltas(&[&format!("{name}_{end}")]);
            let values = ratio(&of("sum"), &of("count"), 1e3);
            if !values.is_empty() && !known.contains(&metric) {
                known.push(metric);
                put(metric, values);
            }
        }
        found
    }

    /// The first of these names that there is.
    fn named(&self, names: &[&str]) -> &[Points] {
        names.iter().find_map(|name| self.by_name.get(*name)).map_or(&[], Vec::as_slice)
    }

    /// Number of the step of an instant.
    fn step(&self, ms: i64) -> i64 {
        let since = ms - self.first_ms;
        (since + self.step_ms / 2).div_euclid(self.step_ms.max(1))
    }

    fn gauge(&self, names: &[&str], adds: bool) -> BTreeMap<i64, f64> {
        let all = self.named(names);
        let mut sums: BTreeMap<i64, (f64, f64)> = BTreeMap::new();
        for (ms, value) in all.iter().flatten() {
            let sum = sums.entry(self.step(*ms)).or_default();
            (sum.0, sum.1) = (sum.0 + value, sum.1 + 1.0);
        }
        sums.into_iter().map(|(step, (sum, n))| (step, if adds { sum } else { sum / n })).collect()
    }

    /// Growth of counters over the step before each instant, and its length in seconds.
    fn deltas(&self, names: &[&str]) -> BTreeMap<i64, (f64, f64)> {
        let mut sums: BTreeMap<i64, (f64, f64)> = BTreeMap::new();
        for points in self.named(names) {
            let instants: Vec<(&i64, &f64)> = points.iter().collect();
            for pair in instants.windows(2) {
                let ((from, before), (to, after)) = (pair[0], pair[1]);
                let grown = if after < before { *after } else { after - before };
                let sum = sums.entry(self.step(*to)).or_default();
                (sum.0, sum.1) = (sum.0 + grown, sum.1.max((to - from) as f64 / 1e3));
            }
        }
        sums.retain(|_, (_, seconds)| *seconds > 0.0);
        sums
    }
}

/// One growth over another, where the second is not 0.
fn ratio(
    one: &BTreeMap<i64, (f64, f64)>,
    other: &BTreeMap<i64, (f64, f64)>,
    scale: f64,
) -> BTreeMap<i64, f64> {
    let of = |(step, (grown, _)): (&i64, &(f64, f64))| {
        let (by, _) = other.get(step).filter(|(by, _)| *by > 0.0)?;
        Some((*step, grown / by * scale))
    };
    one.iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::{Points, Timeline};
    use std::collections::BTreeMap;

    fn points(values: &[f64]) -> Points {
        (0..).map(|i| 1_000_000 + i * 15_000).zip(values.iter().copied()).collect()
    }

    #[test]
    fn gauges_are_added_counters_become_rates_and_histograms_means() {
        let by_name: BTreeMap<String, Vec<Points>> = [
            ("num_requests_running", vec![points(&[1.0, 2.0, 3.0]), points(&[10.0, 10.0])]),
            ("kv_cache_usage_perc", vec![points(&[0.2, 0.4]), points(&[0.4, 0.8])]),
            // It began again.
            ("generation_tokens_total", vec![points(&[100.0, 400.0, 30.0])]),
            ("time_to_first_token_seconds_sum", vec![points(&[1.0, 1.5, 1.5])]),
            ("time_to_first_token_seconds_count", vec![points(&[10.0, 15.0, 15.0])]),
        ]
        .into_iter()
        .map(|(name, points)| (name.to_owned(), points))
        .collect();
        let line = Timeline::new(by_name).expect("three instants");
        assert_eq!((line.step_us(), line.instants(), line.servers()), (15_000_000, 3, 2));
        let of = |metric: &str| {
            let found = line.metrics().into_iter().find(|m| m.metric == metric);
            found.map(|m| m.values.into_iter().collect::<Vec<_>>()).unwrap_or_default()
        };
        assert_eq!(of("running"), [(0, 11.0), (1, 12.0), (2, 3.0)]);
        let kv = of("kv_usage");
        assert!((kv[0].1 - 0.3).abs() < 1e-12 && (kv[1].1 - 0.6).abs() < 1e-12, "{kv:?}");
        assert_eq!(of("out_tok_per_s"), [(1, 20.0), (2, 2.0)]);
        assert_eq!(of("ttft_ms"), [(1, 100.0)]);
        assert!(Timeline::new(BTreeMap::new()).is_none());
    }
}
