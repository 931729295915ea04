//! Import of what `vllm bench serve` and `sglang.bench_serving` print on a terminal: a line for each figure below a line with
//! "Serving Benchmark Result". Other lines may stand before and after it; each such block is a run.
//!
//! The figures get the keys of the JSON that the same programs save, and are read as that is.

use super::Import;
use super::benchmark::{Benchmark, Benchmarks, Problems, Text};
use super::vllm_bench;
use serde_json::{Map, Number, Value};

const TITLE: &str = "Serving Benchmark Result";

/// Labels, and the keys that the saved results have for them.
const LABELS: [(&str, &str); 22] = [
    ("Successful requests", "completed"),
    ("Failed requests", "failed"),
    ("Maximum request concurrency", "max_concurrency"),
    ("Max request concurrency", "max_concurrency"),
    ("Request rate configured (RPS)", "request_rate"),
    ("Traffic request rate", "request_rate"),
    ("Benchmark duration (s)", "duration"),
    ("Total input tokens", "total_input_tokens"),
    ("Total input text tokens", "total_input_tokens"),
    ("Total generated tokens", "total_output_tokens"),
    ("Total output tokens", "total_output_tokens"),
    ("Request throughput (req/s)", "request_throughput"),
    ("Output token throughput (tok/s)", "output_throughput"),
    ("Burstiness", "burstiness"),
    ("Model", "model_id"),
    ("Model ID", "model_id"),
    // What follows from the others, or says the program.
    ("Backend", ""),
    ("Total Token throughput (tok/s)", ""),
    ("Total token throughput (tok/s)", ""),
    ("Input token throughput (tok/s)", ""),
    ("Total generated tokens (retokenized)", ""),
    ("Concurrency", ""),
];

/// The statistics of a latency: `Mean TTFT (ms)`.
const STATS: [(&str, &str); 8] = [
    ("Mean", "mean"),
    ("Median", "median"),
    ("Std", "std"),
    ("P50", "p50"),
    ("P90", "p90"),
    ("P95", "p95"),
    ("P99", "p99"),
    ("Standard deviation of", "std"),
];
const METRICS: [(&str, &str); 6] = [
    ("TTFT", "ttft"),
    ("TPOT", "tpot"),
    ("ITL", "itl"),
    ("E2EL", "e2el"),
    ("E2E Latency", "e2e_latency"),
    ("Inter-token Latency", "itl"),
];

/// Most names that a note lists.
const MOST_NAMES: usize = 12;

/// What the programs print.
pub(super) struct ServingConsole;

impl Import<Benchmarks> for ServingConsole {
    fn name(&self) -> &'static str {
        "serving-console"
    }

    fn title(&self) -> &'static str {
        "a result of vllm bench serve, sglang.bench_serving"
    }

    fn recognises(&self, text: &Text<'_>) -> bool {
        text.is_plain() && text.text.contains(TITLE) && text.text.contains("Successful requests:")
    }

    fn read(&self, text: &Text<'_>, problems: &mut Problems) -> Vec<Benchmark> {
        let blocks: Vec<&str> = text.text.split(TITLE).skip(1).collect();
        let several = blocks.len() > 1;
        let place = |i: usize| if several { format!("result {}", i + 1) } else { String::new() };
        blocks.iter().enumerate().map(|(i, block)| result(block, &place(i), problems)).collect()
    }
}

/// Reads the lines of a result.
fn result(block: &str, place: &str, problems: &mut Problems) -> Benchmark {
    let mut saved = Map::new();
    let mut unread: Vec<String> = Vec::new();
    for line in block.lines().skip(1) {
        // A line of equal signs ends the result; headings stand between hyphens.
        let line = line.trim();
        if line.starts_with("=====") && line.ends_with("=====") {
            break;
        }
        let Some((label, value)) = line.rsplit_once(':').filter(|_| !line.starts_with("---")) else {
            continue;
        };
        let (label, value) = (label.trim(), value.trim());
        match key_of(label) {
            Some(key) if key.is_empty() => {}
            Some(key) => {
                saved.entry(key).or_insert_with(|| number(value));
            }
            None => unread.push(label.to_owned()),
        }
    }
    // vLLM says neither of an endless rate and of no limit.
    saved.entry("request_rate").or_insert_with(|| Value::from("inf"));
    if saved.get("max_concurrency").is_some_and(Value::is_string) {
        saved.remove("max_concurrency");
    }
    let mut b = vllm_bench::read(&Value::Object(saved), place, problems);
    if block.contains("E2E Latency") || block.contains("Traffic request rate:") {
        b.tool = "sglang.bench_serving";
    }
    if !unread.is_empty() {
        let more = if unread.len() > MOST_NAMES { ", and more" } else { "" };
        unread.truncate(MOST_NAMES);
        b.note(format!("Not read: {}{more}.", unread.join(", ")));
    }
    b
}

/// The key of a label in the saved results; empty if it says nothing more.
fn key_of(label: &str) -> Option<String> {
    if let Some((_, key)) = LABELS.iter().find(|(known, _)| *known == label) {
        return Some((*key).to_owned());
    }
    let named = label.strip_suffix("(ms)")?.trim_end();
    let (stat, key) = STATS.iter().find(|(stat, _)| named.starts_with(&format!("{stat} ")))?;
    let metric = named[stat.len()..].trim();
    let (_, own) = METRICS.iter().find(|(known, _)| known.eq_ignore_ascii_case(metric))?;
    Some(format!("{key}_{own}_ms"))
}

/// A number, or the text that stands in its place: `inf`, `not set`.
fn number(value: &str) -> Value {
    let whole = value.parse::<u64>().ok().map(Value::from);
    let plain =
        || value.parse::<f64>().ok().filter(|x| x.is_finite()).and_then(Number::from_f64).map(Value::Number);
    whole.or_else(plain).unwrap_or_else(|| Value::from(value))
}
