//! Import of the summary of `AIPerf` and of its predecessor `genai-perf`; each figure names its unit.
//! `benchmark/aiperf_load` reads how requests were sent.
//!
//! Its inter-token latency is a mean over each request, (E2E - TTFT) / (N - 1): our TPOT. Its inter-chunk latency is
//! our ITL if a chunk holds one token.

use super::Import;
use super::benchmark::aiperf_load::{milliseconds, read_load};
use super::benchmark::{Benchmark, Benchmarks, Place, Problems, Text};
use base::Diagnostic;
use serde_json::Value;

const STATS: [(&str, &str); 7] = [
    (".avg", "mean"),
    (".mean", "mean"),
    (".p50", "p50"),
    (".median", "p50"),
    (".p90", "p90"),
    (".p95", "p95"),
    (".p99", "p99"),
];
const METRICS: [(&str, &str); 4] = [
    ("time_to_first_token", "ttft_ms"),
    ("inter_token_latency", "tpot_ms"),
    ("inter_chunk_latency", "itl_ms"),
    ("request_latency", "e2e_ms"),
];

/// The summary of `AIPerf`.
pub(super) struct AiPerfSummary;

impl Import<Benchmarks> for AiPerfSummary {
    fn name(&self) -> &'static str {
        "aiperf-summary"
    }

    fn title(&self) -> &'static str {
        "a result of AIPerf"
    }

    fn recognises(&self, text: &Text<'_>) -> bool {
        text.document().is_some_and(is_summary)
    }

    fn read(&self, text: &Text<'_>, problems: &mut Problems) -> Vec<Benchmark> {
        let Some(tree) = text.document() else { return Vec::new() };
        vec![read(tree, problems)]
    }
}

/// Whether a document is a summary.
fn is_summary(tree: &Value) -> bool {
    let of = tree.get("records").unwrap_or(tree);
    of.get("request_latency")
        .or_else(|| of.get("time_to_first_token"))
        .is_some_and(|m| m.get("unit").is_some())
}

/// Reads a summary.
fn read(tree: &Value, problems: &mut Problems) -> Benchmark {
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
        place.statistics(name, (metric, scale), &STATS, (&mut b, problems));
        if let Some(value) = place.number(&format!("{name}.std"), problems) {
            b.put_deviation(metric, value * scale);
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

/// The first model that a summary names; its place differs between releases.
fn model(whole: Place<'_>) -> &str {
    let lists = ["endpoint.model_names", "models.items", "models", "model_names", "model"];
    let mut first = lists.iter().filter_map(|path| {
        let found = whole.at(&format!("input_config.{path}"))?;
        let entry = found.as_array().map_or(Some(found), |list| list.first())?;
        entry.get("name").unwrap_or(entry).as_str()
    });
    first.next().unwrap_or_default()
}
