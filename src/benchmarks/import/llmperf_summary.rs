//! Import of `LLMPerf`'s summary; all times in seconds.
//!
//! Its inter-token latency is E2E over all tokens, which includes the wait for the first: TPOT is computed from E2E
//! and TTFT instead.

use super::Import;
use super::benchmark::{Benchmark, Benchmarks, Place, Problems, Text};
use serde_json::Value;

const STATS: [(&str, &str); 5] = [
    ("_mean", "mean"),
    ("_quantiles_p50", "p50"),
    ("_quantiles_p90", "p90"),
    ("_quantiles_p95", "p95"),
    ("_quantiles_p99", "p99"),
];

/// Note on the figures of both files.
pub(super) const NOTE: &str = "LLMPerf's inter-token latency includes the wait for the first token: TPOT is (E2E - TTFT) / (N - 1) instead.";

/// The summary of `LLMPerf`.
pub(super) struct LlmPerfSummary;

impl Import<Benchmarks> for LlmPerfSummary {
    fn name(&self) -> &'static str {
        "llmperf-summary"
    }

    fn title(&self) -> &'static str {
        "a result of LLMPerf"
    }

    fn recognises(&self, text: &Text<'_>) -> bool {
        text.has("results_ttft_s_mean") || text.has("results_end_to_end_latency_s_mean")
    }

    fn read(&self, text: &Text<'_>, problems: &mut Problems) -> Vec<Benchmark> {
        let Some(tree) = text.document() else { return Vec::new() };
        vec![read(tree, problems)]
    }
}

/// Reads a summary.
fn read(tree: &Value, problems: &mut Problems) -> Benchmark {
    let place = Place::new(tree, "");
    let mut b = Benchmark::new("LLMPerf");
    place.text("model").clone_into(&mut b.model);
    place.text("timestamp").clone_into(&mut b.date);
    for (path, metric) in [("results_ttft_s", "ttft_ms"), ("results_end_to_end_latency_s", "e2e_ms")] {
        place.statistics(path, (metric, 1e3), &STATS, (&mut b, problems));
        if let Some(value) = place.number(&format!("{path}_stddev"), problems) {
            b.put_deviation(metric, value * 1e3);
        }
    }
    b.load.prompt_tokens = place
        .number("results_number_input_tokens_mean", problems)
        .or_else(|| place.number("mean_input_tokens", problems));
    b.load.output_tokens = place
        .number("results_number_output_tokens_mean", problems)
        .or_else(|| place.number("mean_output_tokens", problems));
    if let ([Some(ttft), Some(e2e)], Some(n)) =
        (["ttft_ms", "e2e_ms"].map(|m| b.figure(m, "mean")), b.load.output_tokens.filter(|n| *n > 1.5))
    {
        b.put("tpot_ms", "mean", (e2e - ttft).max(0.0) / (n - 1.0));
    }
    if let Some(per_min) = place.number("results_num_completed_requests_per_min", problems) {
        b.put("req_per_s", "value", per_min / 60.0);
    }
    if let Some(rate) = place.number("results_mean_output_throughput_token_per_s", problems) {
        b.put("out_tok_per_s", "value", rate);
    }
    b.completed = place.count("results_num_completed_requests", problems);
    b.load.requests = b.completed;
    b.failed = place.count("results_number_errors", problems).unwrap_or(0);
    b.load.concurrency = place.count("num_concurrent_requests", problems).filter(|n| *n > 0);
    b.load.at_once = b.load.concurrency.is_some();
    b.note(NOTE);
    b
}
