//! Import of `LLMPerf`'s responses, one by one; all times in seconds. `llmperf_summary` explains its figures.

use super::Import;
use super::benchmark::place::us;
use super::benchmark::problems::MOST_REQUESTS;
use super::benchmark::{Benchmark, Benchmarks, Place, Problems, Request, Text};
use super::llmperf_summary::NOTE;
use serde_json::Value;

/// The responses of `LLMPerf`.
pub(super) struct LlmPerfResponses;

impl Import<Benchmarks> for LlmPerfResponses {
    fn name(&self) -> &'static str {
        "llmperf-responses"
    }

    fn title(&self) -> &'static str {
        "a result of LLMPerf"
    }

    fn recognises(&self, text: &Text<'_>) -> bool {
        text.rows_have("end_to_end_latency_s") || text.rows_have("number_output_tokens")
    }

    fn read(&self, text: &Text<'_>, problems: &mut Problems) -> Vec<Benchmark> {
        let Some(tree) = text.document() else { return Vec::new() };
        vec![read(tree, problems)]
    }
}

/// Reads the responses.
fn read(tree: &Value, problems: &mut Problems) -> Benchmark {
    let mut b = Benchmark::new("LLMPerf");
    let rows = tree.as_array().map_or(&[][..], Vec::as_slice);
    if rows.len() > MOST_REQUESTS {
        problems.too_many("", rows.len());
        return b;
    }
    for (i, row) in rows.iter().enumerate() {
        let before = format!("[{i}]");
        let place = Place::new(row, &before);
        if place.at("error_code").is_some() {
            b.failed += 1;
            continue;
        }
        let e2e = place.number("end_to_end_latency_s", problems);
        let prompt = place.count("number_input_tokens", problems);
        let output = place.count("number_output_tokens", problems);
        let (Some(e2e), Some(prompt_tokens), Some(output_tokens)) = (e2e, prompt, output) else {
            problems.missing(
                &place.way("end_to_end_latency_s, number_input_tokens or number_output_tokens"),
                "a number",
            );
            continue;
        };
        let ttft_us = place.number("ttft_s", problems).map(us);
        b.requests.push(Request {
            start_us: None,
            prompt_tokens,
            output_tokens,
            ttft_us,
            e2e_us: us(e2e),
            counted: true,
        });
    }
    b.note(NOTE);
    b.figures_of_requests(Vec::new());
    b
}
