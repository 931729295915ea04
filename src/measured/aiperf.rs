//! `AIPerf`: one record a line, and the summary; each figure says its unit.
//!
//! Its inter-token latency is a mean over each request, (E2E - TTFT) / (N - 1): our TPOT. Its inter-chunk latency is our ITL, where a
//! chunk holds one token.

use super::benchmark::{Benchmark, Request};
use super::reading::{MOST_GAPS, MOST_REQUESTS, Place, Problems, us};
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
    let mut b = Benchmark::new("AIPerf");
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
    b.load.requests = place.count("request_count.avg", problems);
    b.failed = place.count("error_request_count.avg", problems).unwrap_or(0);
    b.load.concurrency = whole.count("input_config.loadgen.concurrency", problems).filter(|n| *n > 0);
    b.load.rate_per_s = whole.number("input_config.loadgen.request_rate", problems).filter(|r| *r > 0.0);
    b.load.gap_cv =
        Some(if whole.text("input_config.loadgen.request_rate_mode") == "constant" { 0.0 } else { 1.0 });
    b.load.at_once = b.load.rate_per_s.is_none() && b.load.concurrency.is_some();
    let names =
        whole.list("input_config.endpoint.model_names").and_then(|n| n.first()).and_then(Value::as_str);
    names.unwrap_or_default().clone_into(&mut b.model);
    whole.text("start_time").clone_into(&mut b.date);
    b.note("AIPerf's inter-token latency is a mean over each request: it is compared as TPOT.");
    b
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
    let start = place.number("metadata.request_start_ns", problems);
    let (Some(e2e_us), Some(prompt_tokens), Some(output_tokens)) = (e2e_us, prompt_tokens, output_tokens)
    else {
        problems.missing(
            &place.way("metrics"),
            "request_latency, input_sequence_length and output_sequence_length",
        );
        return None;
    };
    Some(Request {
        start_us: start.map(|ns| (ns / 1e3) as u64),
        prompt_tokens,
        output_tokens,
        ttft_us,
        e2e_us,
    })
}
