//! Import of the `/metrics` page of a vLLM server: counters and histograms since its start, and the settings of its KV
//! cache.
//!
//! A histogram counts the values below each edge: its mean is exact, a quantile lies between two edges. Series of
//! several engines are added up.

use super::Import;
use super::benchmark::{Benchmark, Benchmarks, Problems, Text};
use crate::base::Diagnostic;
use crate::scenario::LatencyClock;
use std::collections::BTreeMap;

/// Histograms in seconds: name, metric. A second name of a metric is that of older releases.
const HISTOGRAMS: [(&str, &str); 6] = [
    ("vllm:time_to_first_token_seconds", "ttft_ms"),
    ("vllm:inter_token_latency_seconds", "itl_ms"),
    ("vllm:request_time_per_output_token_seconds", "tpot_ms"),
    ("vllm:time_per_output_token_seconds", "itl_ms"),
    ("vllm:e2e_request_latency_seconds", "e2e_ms"),
    ("vllm:request_queue_time_seconds", "queue_ms"),
];

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
            && text.text.lines().take(5000).any(|line| line.starts_with("vllm:"))
    }

    fn read(&self, text: &Text<'_>, problems: &mut Problems) -> Vec<Benchmark> {
        vec![read(&text.text, problems)]
    }
}

/// A line of the page.
struct Sample<'a> {
    name: &'a str,
    labels: Vec<(&'a str, &'a str)>,
    value: f64,
}

impl Sample<'_> {
    fn label(&self, name: &str) -> Option<&str> {
        self.labels.iter().find(|(n, _)| *n == name).map(|(_, value)| *value)
    }
}

/// Reads a line: `name{label="value",…} 1.5`, with or without a time stamp.
fn sample(line: &str) -> Option<Sample<'_>> {
    let (name, rest) = line.split_at(line.find(['{', ' '])?);
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(inner) => {
            let end = inner.rfind('}')?;
            (&inner[..end], &inner[end + 1..])
        }
        None => ("", rest),
    };
    let value = rest.split_whitespace().next()?.parse().ok()?;
    let mut found = Vec::new();
    let mut rest = labels.trim();
    while let Some((label, after)) = rest.split_once("=\"") {
        let mut escaped = false;
        let end = after.find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        })?;
        found.push((label.trim_start_matches(',').trim(), &after[..end]));
        rest = &after[end + 1..];
    }
    Some(Sample { name, labels: found, value })
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
}

/// Reads a page.
fn read(text: &str, problems: &mut Problems) -> Benchmark {
    let mut b = Benchmark::new("/metrics of vLLM");
    b.clock = LatencyClock::Server;
    let mut histograms: BTreeMap<&str, Histogram> = BTreeMap::new();
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    let lines = text.lines().enumerate().filter(|(_, line)| line.starts_with("vllm:"));
    for (i, line) in lines.take(MOST_SERIES) {
        let Some(sample) = sample(line) else {
            let found: String = line.chars().take(60).collect();
            let fix = "paste the page as the server gives it";
            problems.push(Diagnostic::error(
                format!("line {}", i + 1),
                found,
                "name{label=\"value\"} number",
                fix,
            ));
            continue;
        };
        if sample.value.is_nan() {
            // A quantile of nothing.
            continue;
        }
        if b.model.is_empty() {
            sample.label("model_name").unwrap_or_default().clone_into(&mut b.model);
        }
        if sample.name == "vllm:cache_config_info" {
            cache(&mut b, &sample);
        }
        let of = HISTOGRAMS.iter().find(|(name, _)| sample.name.starts_with(name)).map(|(name, _)| *name);
        match of.map(|name| (name, &sample.name[name.len()..])) {
            Some((name, "_bucket")) => {
                let edge = sample.label("le").and_then(|le| le.replace("+Inf", "inf").parse::<f64>().ok());
                let edge = edge.filter(|e| *e >= 0.0).unwrap_or(f64::INFINITY).to_bits();
                *histograms.entry(name).or_default().below.entry(edge).or_default() += sample.value;
            }
            Some((name, "_sum")) => histograms.entry(name).or_default().sum += sample.value,
            Some((name, "_count")) => histograms.entry(name).or_default().count += sample.value,
            _ => *sums.entry(sample.name).or_default() += sample.value,
        }
    }
    put_histograms(&mut b, &histograms);
    put_counts(&mut b, &sums);
    if !b.figures.is_empty() {
        b.note("Counted since the server started, on its own clock: the scenario must have the traffic that the server had.");
    }
    b
}

fn put_histograms(b: &mut Benchmark, histograms: &BTreeMap<&str, Histogram>) {
    for (name, metric) in HISTOGRAMS {
        let Some(h) = histograms.get(name).filter(|h| h.count > 0.0) else { continue };
        if b.figures.iter().any(|f| f.metric == metric) {
            continue;
        }
        b.put(metric, "mean", h.sum / h.count * 1e3);
        for (stat, share) in [("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99)] {
            if let Some(bounds) = h.between(share) {
                b.put_between(metric, stat, bounds.map(|s| s * 1e3));
            }
        }
    }
}

fn put_counts(b: &mut Benchmark, sums: &BTreeMap<&str, f64>) {
    let sum = |names: [&str; 2]| names.iter().find_map(|name| sums.get(name)).copied();
    let queries = sum(["vllm:prefix_cache_queries_total", "vllm:gpu_prefix_cache_queries_total"]);
    let hits = sum(["vllm:prefix_cache_hits_total", "vllm:gpu_prefix_cache_hits_total"]);
    if let Some((hits, queries)) = hits.zip(queries.filter(|q| *q > 0.0)) {
        b.put("reused_prompt_share", "value", hits / queries);
    }
    if let Some(count) = sum(["vllm:num_preemptions_total", "vllm:num_preemptions"]) {
        b.put("preemptions", "value", count);
    }
    let done = sum(["vllm:request_success_total", "vllm:request_success"]).filter(|n| *n > 0.0);
    b.load.requests = done.filter(|n| *n <= 1e9).map(|n| n as u32);
    let mean = |names| sum(names).zip(done).map(|(tokens, n)| tokens / n);
    b.load.prompt_tokens = mean(["vllm:prompt_tokens_total", "vllm:prompt_tokens"]);
    b.load.output_tokens = mean(["vllm:generation_tokens_total", "vllm:generation_tokens"]);
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
