//! `AIPerf`, and `genai-perf` that it comes from: one record a line, and the summary; each figure says its unit. How requests were sent
//! stands in `aiperf_load`.
//!
//! Its inter-token latency is a mean over each request, (E2E - TTFT) / (N - 1): our TPOT. Its inter-chunk latency is our ITL, where a
//! chunk holds one token.

use super::benchmark::aiperf_load::read_load;
use super::benchmark::clock::Clock;
use super::benchmark::reading::{MOST_GAPS, MOST_REQUESTS, Place, Problems, us};
use super::benchmark::{Benchmark, Request};
use crate::base::Diagnostic;
use serde_json::Value;

const STATS: [(&str, &str); 5] =
    [("avg", "mean"), ("p50", "p50"), ("p90", "p90"), ("p95", "p95"), ("p99", "p99")];
const METRICS: [(&str, &str); 4] = [
    ("time_to_first_token", "ttft_ms"),
    ("inter_token_latency", "tpot_ms"),
    ("inter_chunk_latency", "itl_ms"),
    ("request_latency", "e2e_ms"),
];

/// Whether a document is a summary.
pub(super) fn is_summary(tree: &Value) -> bool {
    let of = tree.get("records").unwrap_or(tree);
    of.get("request_latency")
        .or_else(|| of.get("time_to_first_token"))
        .is_some_and(|m| m.get("unit").is_some())
}

/// Milliseconds of one of a unit.
fn milliseconds(unit: &str) -> Option<f64> {
    match unit {
        "ms" | "milliseconds" | "" => Some(1.0),
        "s" | "sec" | "seconds" => Some(1e3),
        "us" | "µs" | "microseconds" => Some(1e-3),
        "ns" | "nanoseconds" => Some(1e-6),
        _ => None,
    }
}

/// Reads a summary.
pub(super) fn summary(tree: &Value, problems: &mut Problems) -> Benchmark {
    let whole = Place::new(tree, "");
    let (of, before) = tree.get("records").map_or((tree, ""), |records| (records, "records"));
    let place = Place::new(of, before);
    let genai =
        ["input_config.perf_analyzer", "input_config.formatted_model_name", "input_config.service_kind"];
    let genai = genai.iter().any(|path| whole.at(path).is_some());
    let mut b = Benchmark::new(if genai { "genai-perf" } else { "AIPerf" });
    for (name, metric) in METRICS {
        let unit = place.text(&format!("{name}.unit"));
        let Some(scale) = milliseconds(unit) else {
            let path = format!("{name}.unit");
            problems.push(Diagnostic::error(
                path,
                unit,
                "ns, us, ms or s",
                "give the file as the tool wrote it",
            ));
            continue;
        };
        for (of, stat) in STATS {
            if let Some(value) = place.number(&format!("{name}.{of}"), problems) {
                b.put(metric, stat, value * scale);
            }
        }
    }
    for (name, metric) in [("request_throughput", "req_per_s"), ("output_token_throughput", "out_tok_per_s")]
    {
        if let Some(value) = place.number(&format!("{name}.avg"), problems) {
            b.put(metric, "value", value);
        }
    }
    b.load.prompt_tokens = place.number("input_sequence_length.avg", problems);
    b.load.output_tokens = place.number("output_sequence_length.avg", problems);
    b.completed = place.count("request_count.avg", problems);
    b.load.requests = b.completed;
    b.failed = place.count("error_request_count.avg", problems).unwrap_or(0);
    read_load(&mut b, whole, problems);
    model(whole).clone_into(&mut b.model);
    whole.text("start_time").clone_into(&mut b.date);
    b.note(format!(
        "The inter-token latency of {} is a mean over each request: it is compared as TPOT.",
        b.tool
    ));
    b
}

/// The first model that a summary names, wherever the release has it.
fn model(whole: Place<'_>) -> &str {
    let lists = ["endpoint.model_names", "models.items", "models", "model_names", "model"];
    let mut first = lists.iter().filter_map(|path| {
        let found = whole.at(&format!("input_config.{path}"))?;
        let entry = found.as_array().map_or(Some(found), |list| list.first())?;
        entry.get("name").unwrap_or(entry).as_str()
    });
    first.next().unwrap_or_default()
}

/// Reads records.
pub(super) fn records(text: &str, problems: &mut Problems) -> Option<Benchmark> {
    let mut b = Benchmark::new("AIPerf");
    let mut gaps = Vec::new();
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let before = format!("line {}", i + 1);
        let tree: Value = match serde_json::from_str(line) {
            Ok(tree) => tree,
            Err(e) => {
                let found = format!("text that is not JSON: {e}");
                problems.push(Diagnostic::error(
                    before,
                    found,
                    "a record",
                    "give the file as the tool wrote it",
                ));
                continue;
            }
        };
        let place = Place::new(&tree, &before);
        if place.text("metadata.benchmark_phase") == "warmup" {
            continue;
        }
        let cancelled = place.at("metadata.was_cancelled").and_then(Value::as_bool) == Some(true);
        if place.at("error").is_some() || cancelled {
            b.failed += 1;
            continue;
        }
        if b.requests.len() >= MOST_REQUESTS {
            problems.too_many("", text.lines().count());
            return None;
        }
        if let Some(request) = one(place, problems) {
            let own = place.list("metrics.inter_chunk_latency.value").unwrap_or_default();
            if own.len() + 1 == request.output_tokens as usize && gaps.len() + own.len() <= MOST_GAPS {
                let scale = milliseconds(place.text("metrics.inter_chunk_latency.unit")).unwrap_or(1.0);
                gaps.extend(own.iter().filter_map(Value::as_f64).map(|x| x * scale));
            }
            b.requests.push(request);
        }
    }
    b.figures_of_requests(gaps);
    Some(b)
}

fn one(place: Place<'_>, problems: &mut Problems) -> Option<Request> {
    let mut time = |name: &str| {
        let unit = place.text(&format!("metrics.{name}.unit"));
        let value = place.number(&format!("metrics.{name}.value"), problems)?;
        Some(us(value * milliseconds(unit)? / 1e3))
    };
    let (ttft_us, e2e_us) = (time("time_to_first_token"), time("request_latency"));
    let mut tokens = |name: &str| place.count(&format!("metrics.{name}.value"), problems);
    let prompt_tokens = tokens("input_sequence_length");
    let output_tokens = tokens("output_sequence_length").or_else(|| tokens("output_token_count"));
    let start = place.instant("metadata.request_start_ns").and_then(|ns| Clock::NANOSECONDS.us(ns));
    let (Some(e2e_us), Some(prompt_tokens), Some(output_tokens)) = (e2e_us, prompt_tokens, output_tokens)
    else {
        problems.missing(
            &place.way("metrics"),
            "request_latency, input_sequence_length and output_sequence_length",
        );
        return None;
    };
    Some(Request { start_us: start, prompt_tokens, output_tokens, ttft_us, e2e_us, counted: true })
}
