//! Import of inference-perf's summary of a stage or a run; all times in seconds.
//!
//! Some releases count the closing chunk of a stream as a token, which halves TPOT and ITL. (E2E - TTFT) / (N - 1) is
//! right in all releases.

use super::Import;
use super::benchmark::{Benchmark, Benchmarks, Place, Problems, Text};
use serde_json::Value;

const STATS: [(&str, &str); 6] = [
    (".mean", "mean"),
    (".median", "p50"),
    (".p50", "p50"),
    (".p90", "p90"),
    (".p95", "p95"),
    (".p99", "p99"),
];

/// A TPOT below this share of (E2E - TTFT) / (N - 1) counts as halved.
const HALVED: f64 = 0.75;

/// The summary of inference-perf.
pub(super) struct InferencePerfSummary;

impl Import<Benchmarks> for InferencePerfSummary {
    fn name(&self) -> &'static str {
        "inference-perf-summary"
    }

    fn title(&self) -> &'static str {
        "a result of inference-perf"
    }

    fn recognises(&self, text: &Text<'_>) -> bool {
        text.has("successes") && text.has("load_summary")
    }

    fn read(&self, text: &Text<'_>, problems: &mut Problems) -> Vec<Benchmark> {
        let Some(tree) = text.document() else { return Vec::new() };
        vec![read(tree, problems)]
    }
}

/// Reads a summary.
fn read(tree: &Value, problems: &mut Problems) -> Benchmark {
    let place = Place::new(tree, "");
    let mut b = Benchmark::new("inference-perf");
    for (path, metric) in [
        ("time_to_first_token", "ttft_ms"),
        ("time_per_output_token", "tpot_ms"),
        ("inter_token_latency", "itl_ms"),
        ("request_latency", "e2e_ms"),
    ] {
        let path = format!("successes.latency.{path}");
        place.statistics(&path, (metric, 1e3), &STATS, (&mut b, problems));
    }
    for (path, metric) in [("requests_per_sec", "req_per_s"), ("output_tokens_per_sec", "out_tok_per_s")] {
        if let Some(value) = place.number(&format!("successes.throughput.{path}"), problems) {
            b.put(metric, "value", value);
        }
    }
    let succeeded = place.number("successes.count", problems);
    b.completed = place.count("successes.count", problems);
    let mut length = |names: [&str; 2]| {
        names.iter().find_map(|name| {
            let mean = place.number(&format!("successes.{name}.mean"), problems);
            let total = place.number(&format!("successes.{name}.total"), problems);
            mean.or_else(|| total.zip(succeeded.filter(|n| *n > 0.0)).map(|(t, n)| t / n))
        })
    };
    b.load.prompt_tokens = length(["prompt_len", "prompt_tokens"]);
    b.load.output_tokens = length(["output_len", "output_tokens"]);
    b.failed = place.count("failures.count", problems).unwrap_or(0);
    b.load.requests = place.count("load_summary.count", problems);
    let mut rate = |key: &str| place.number(&format!("load_summary.{key}"), problems).filter(|r| *r > 0.0);
    let (requested, achieved) = (rate("requested_rate"), rate("achieved_rate"));
    b.load.gap_cv = Some(1.0);
    b.load.concurrency = place.count("load_summary.concurrency", problems).filter(|n| *n > 0);
    // With a limit of requests in flight, the reached rate is a result, not the requested rate.
    b.load.rate_per_s = requested.or(achieved.filter(|_| b.load.concurrency.is_none()));
    b.load.at_once = b.load.rate_per_s.is_none() && b.load.concurrency.is_some();
    mend(&mut b);
    b
}

/// Replaces a halved TPOT by the right one.
pub(super) fn mend(b: &mut Benchmark) {
    let [Some(ttft), Some(e2e), Some(told)] =
        ["ttft_ms", "e2e_ms", "tpot_ms"].map(|metric| b.figure(metric, "mean"))
    else {
        return;
    };
    let Some(output) = b.load.output_tokens.filter(|n| *n > 1.5) else { return };
    let right = (e2e - ttft) / (output - 1.0);
    if right > 0.0 && told < HALVED * right {
        b.figures.retain(|f| f.metric != "tpot_ms" && f.metric != "itl_ms");
        b.put("tpot_ms", "mean", right);
        b.note(
            "This release of inference-perf counts the tokens of a stream twice: TPOT is (E2E - TTFT) / (N - 1) instead, and its ITL \
             is left out.",
        );
    }
}
