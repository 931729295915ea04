//! The digest of a report's main figures, which links carry. Title, note and sections that a newer version may add are
//! not in it, so it changes only with the results.

use super::Report;
use base::digest::Digest;
use base::json;
use serde_json::Value;

/// The figures, by their places in the report. The list is part of the format of links: it never changes.
const FIGURES: [&str; 24] = [
    "/run/clock_us",
    "/run/events",
    "/requests/arrived",
    "/requests/in_pipeline",
    "/requests/queued",
    "/requests/running",
    "/requests/completed",
    "/requests/rejected",
    "/requests/dropped",
    "/requests/preemptions",
    "/latency_ms/ttft/count",
    "/latency_ms/ttft/mean",
    "/latency_ms/ttft/p99",
    "/latency_ms/itl/count",
    "/latency_ms/itl/mean",
    "/latency_ms/itl/p99",
    "/latency_ms/e2e/count",
    "/latency_ms/e2e/mean",
    "/latency_ms/e2e/p99",
    "/throughput/prompt_tokens_per_s",
    "/throughput/output_tokens_per_s",
    "/kv/hits",
    "/kv/misses",
    "/kv/evictions",
];

impl Report {
    /// The digest of the figures of a report that is text already; `None` for another text.
    pub fn figures_digest(report: &str) -> Option<String> {
        let document: Value = serde_json::from_str(report).ok()?;
        document.get("tokenyard_report")?;
        let mut digest = Digest::default();
        for place in FIGURES {
            let figure = document.pointer(place).unwrap_or(&Value::Null);
            digest.bytes(json::compact(figure).as_bytes());
            digest.bytes(b"\n");
        }
        Some(digest.hex())
    }
}
