//! Import of the `/metrics` page of a vLLM server: counters and histograms since its start, and the settings of its KV
//! cache.
//!
//! A histogram counts the values below each edge: its mean is exact, a quantile lies between two edges. Series of
//! several engines are added up.

use super::Import;
use super::benchmark::exposition::{HISTOGRAMS, SERVERS, Sample, sample};
use super::benchmark::{Benchmark, Benchmarks, Problems, Text};
use base::Diagnostic;
use document::LatencyClock;
use std::collections::{BTreeMap, BTreeSet};

/// Most series that are kept.
const MOST_SERIES: usize = 200_000;

/// The page of metrics of a vLLM server.
pub(super) struct Metrics;

impl Import<Benchmarks> for Metrics {
    fn name(&self) -> &'static str {
        "metrics"
    }

    fn title(&self) -> &'static str {
        "its /metrics"
    }

    fn recognises(&self, text: &Text<'_>) -> bool {
        !text.text.starts_with(['{', '['])
            && text
                .text
                .lines()
                .take(20_000)
                .any(|line| SERVERS.iter().any(|(start, _)| line.starts_with(start)))
    }

    fn read(&self, text: &Text<'_>, problems: &mut Problems) -> Vec<Benchmark> {
        vec![read(&text.text, problems)]
    }
}

/// A histogram: the number of values at or below each edge, and their sum. Edges are kept as the bits of the number,
/// which sort like the number.
#[derive(Default)]
struct Histogram {
    below: BTreeMap<u64, f64>,
    sum: f64,
    count: f64,
}

impl Histogram {
    /// The edges around a quantile, in seconds; `None` above the last edge.
    fn between(&self, share: f64) -> Option<[f64; 2]> {
        let wanted = self.count * share;
        let mut low = 0.0;
        for (edge, below) in &self.below {
            let edge = f64::from_bits(*edge);
            if *below >= wanted {
                return edge.is_finite().then_some([low, edge]);
            }
            low = edge;
        }
        None
    }

    /// The last edge that is finite; 0 if there is none.
    fn last_edge(&self) -> f64 {
        let edges = self.below.keys().map(|edge| f64::from_bits(*edge)).filter(|edge| edge.is_finite());
        edges.fold(0.0, f64::max)
    }
}

/// The last value of each series; values of series without time stamps that stand there several times are added up, as
/// pages of several servers may follow each other.
fn latest<'a>(text: &'a str, start: &str, problems: &mut Problems) -> BTreeMap<&'a str, Sample<'a>> {
    let mut found: BTreeMap<&str, Sample<'_>> = BTreeMap::new();
    for (i, line) in text.lines().enumerate().filter(|(_, line)| line.starts_with(start)) {
        let Some(sample) = sample(line) else {
            let shown: String = line.chars().take(60).collect();
            let fix = "paste the page as the server gives it";
            let allowed = "name{label=\"value\"} number";
            problems.push(Diagnostic::error(format!("line {}", i + 1), shown, allowed, fix));
            continue;
        };
        // NaN is a quantile of nothing.
        if sample.value.is_nan() || (found.len() >= MOST_SERIES && !found.contains_key(sample.series)) {
            continue;
        }
        match found.get_mut(sample.series) {
            None => {
                found.insert(sample.series, sample);
            }
            Some(known) => match (known.stamp, sample.stamp) {
                (Some(before), Some(now)) if now < before => {}
                (Some(_), Some(_)) => *known = sample,
                _ => known.value += sample.value,
            },
        }
    }
    found
}

/// Reads a page.
fn read(text: &str, problems: &mut Problems) -> Benchmark {
    let is_there = |start: &str| text.lines().any(|line| line.starts_with(start));
    let (start, tool) = SERVERS.into_iter().find(|(start, _)| is_there(start)).unwrap_or(SERVERS[0]);
    let mut b = Benchmark::new(tool);
    b.clock = LatencyClock::Server;
    let mut histograms: BTreeMap<&str, Histogram> = BTreeMap::new();
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    let mut models: BTreeSet<&str> = BTreeSet::new();
    let mut engines: BTreeSet<[&str; 3]> = BTreeSet::new();
    let samples = latest(text, start, problems);
    for sample in samples.values() {
        let label =
            |name: &str| sample.labels.iter().find(|(n, _)| *n == name).map_or("", |(_, value)| *value);
        models.extend(Some(label("model_name")).filter(|name| !name.is_empty()));
        let engine = ["engine", "instance", "pod"].map(label);
        engines.extend(Some(engine).filter(|labels| labels.iter().any(|label| !label.is_empty())));
        let name = &sample.name[start.len()..];
        if name == "cache_config_info" {
            cache(&mut b, sample);
        }
        let of = HISTOGRAMS.iter().find_map(|(of, _)| Some((*of, name.strip_prefix(of)?)));
        match of {
            Some((of, "_bucket")) => {
                *histograms.entry(of).or_default().below.entry(sample.edge()).or_default() += sample.value;
            }
            Some((of, "_sum")) => histograms.entry(of).or_default().sum += sample.value,
            Some((of, "_count")) => histograms.entry(of).or_default().count += sample.value,
            _ => *sums.entry(name).or_default() += sample.value,
        }
    }
    models.first().copied().unwrap_or_default().clone_into(&mut b.model);
    put_histograms(&mut b, &histograms);
    put_counts(&mut b, &sums);
    if !b.figures.is_empty() {
        b.note("Counted since the server started, on its own clock: the scenario must have the traffic that the server had.");
        note_sums(&mut b, &models, engines.len());
    }
    b
}

/// What was added up.
fn note_sums(b: &mut Benchmark, models: &BTreeSet<&str>, engines: usize) {
    if engines > 1 {
        b.note(format!("{engines} engines: their counts are added up."));
    }
    if models.len() > 1 {
        let names: Vec<&str> = models.iter().copied().take(5).collect();
        b.note(format!(
            "{} models: their counts are added up, though they differ: {}.",
            models.len(),
            names.join(", ")
        ));
    }
}

fn put_histograms(b: &mut Benchmark, histograms: &BTreeMap<&str, Histogram>) {
    let mut beyond = Vec::new();
    for (name, metric) in HISTOGRAMS {
        let Some(h) = histograms.get(name).filter(|h| h.count > 0.0) else { continue };
        if b.figures.iter().any(|f| f.metric == metric) {
            continue;
        }
        b.put(metric, "mean", h.sum / h.count * 1e3);
        for (stat, share) in [("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99)] {
            match h.between(share) {
                Some(bounds) => b.put_between(metric, stat, bounds.map(|s| s * 1e3)),
                None if h.last_edge() > 0.0 => {
                    beyond.push(format!("{metric} {stat} above {} s", h.last_edge()));
                }
                None => {}
            }
        }
    }
    if !beyond.is_empty() {
        b.note(format!(
            "Quantiles above the last edge of their histogram are left out: {}.",
            beyond.join(", ")
        ));
    }
}

fn put_counts(b: &mut Benchmark, sums: &BTreeMap<&str, f64>) {
    let sum = |names: [&str; 2]| names.iter().find_map(|name| sums.get(name)).copied();
    let queries = sum(["prefix_cache_queries_total", "gpu_prefix_cache_queries_total"]);
    let hits = sum(["prefix_cache_hits_total", "gpu_prefix_cache_hits_total"]);
    if let Some((hits, queries)) = hits.zip(queries.filter(|q| *q > 0.0)) {
        b.put("reused_prompt_share", "value", hits / queries);
    }
    if let Some(count) = sum(["num_preemptions_total", "num_preemptions"]) {
        b.put("preemptions", "value", count);
    }
    let done = sum(["request_success_total", "request_success"]).filter(|n| *n > 0.0);
    b.load.requests = done.filter(|n| *n <= 1e9).map(|n| n as u32);
    let mean = |names| sum(names).zip(done).map(|(tokens, n)| tokens / n);
    b.load.prompt_tokens = mean(["prompt_tokens_total", "prompt_tokens"]);
    b.load.output_tokens = mean(["generation_tokens_total", "generation_tokens"]);
}

/// The labels of `cache_config_info` are the settings of the KV cache.
fn cache(b: &mut Benchmark, sample: &Sample<'_>) {
    let number = |name: &str| sample.label(name).and_then(|v| v.parse::<f64>().ok()).filter(|x| *x > 0.0);
    let engine = &mut b.engine;
    engine.blocks = engine.blocks.or(number("num_gpu_blocks").map(|n| n as u32));
    engine.block_tokens = engine.block_tokens.or(number("block_size").map(|n| n as u32));
    engine.gpu_memory_utilization = engine.gpu_memory_utilization.or(number("gpu_memory_utilization"));
    let caching = sample.label("enable_prefix_caching").map(|v| v.eq_ignore_ascii_case("true"));
    engine.prefix_caching = engine.prefix_caching.or(caching);
}
