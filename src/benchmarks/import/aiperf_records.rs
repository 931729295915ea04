//! Import of `AIPerf` records: one request a line; each figure names its unit. `aiperf_summary` explains the figures.

use super::Import;
use super::benchmark::aiperf_load::milliseconds;
use super::benchmark::clock::Clock;
use super::benchmark::place::us;
use super::benchmark::problems::{MOST_GAPS, MOST_REQUESTS};
use super::benchmark::{Benchmark, Benchmarks, Place, Problems, Request, Text};
use base::Diagnostic;
use serde_json::Value;

/// The records of `AIPerf`.
pub(super) struct AiPerfRecords;

impl Import<Benchmarks> for AiPerfRecords {
    fn name(&self) -> &'static str {
        "aiperf-records"
    }

    fn title(&self) -> &'static str {
        "a result of AIPerf"
    }

    fn recognises(&self, text: &Text<'_>) -> bool {
        text.first().is_some_and(|tree| tree.get("metrics").is_some() && tree.get("metadata").is_some())
    }

    fn read(&self, text: &Text<'_>, problems: &mut Problems) -> Vec<Benchmark> {
        read(&text.text, problems).into_iter().collect()
    }
}

/// Reads records.
fn read(text: &str, problems: &mut Problems) -> Option<Benchmark> {
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
