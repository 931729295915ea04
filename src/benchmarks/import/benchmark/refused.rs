//! Results that cannot be compared, as they say nothing of tokens: of tools that load any web server. Each is refused with the fields
//! that would be needed.

use base::Diagnostic;
use serde_json::Value;

/// The fields of a request that a comparison needs.
const NEEDED: &str = "for each request the time of sending, the tokens of its prompt and of its answer, and the times to its first and to its last token";

/// The problem of a summary of k6 or locust.
pub(super) fn web_load(text: &str) -> Option<Diagnostic> {
    let (tool, what) = if is_k6(text) {
        ("k6", "durations of whole HTTP requests")
    } else if is_locust(text) {
        ("locust", "response times of whole HTTP requests")
    } else {
        return None;
    };
    let found = format!("a summary of {tool}, which has {what}, and no tokens");
    let fix = "measure the same load with `vllm bench serve --save-result --save-detailed`, GuideLLM, inference-perf or AIPerf, or write such requests as a trace (`tokenyard trace`)";
    Some(Diagnostic::error("", found, NEEDED, fix))
}

/// Whether a text is a summary of k6: its JSON, or what it prints.
fn is_k6(text: &str) -> bool {
    if text.starts_with('{') {
        let Ok(Value::Object(map)) = serde_json::from_str(text.lines().next().unwrap_or_default())
            .or_else(|_| serde_json::from_str(text))
        else {
            return false;
        };
        let metric = |name: &str| map.get("metrics").is_some_and(|all| all.get(name).is_some());
        let point = map.get("metric").is_some()
            && map.get("type").is_some_and(|kind| kind == "Point" || kind == "Metric");
        return metric("http_req_duration") || metric("iteration_duration") || point;
    }
    text.contains("http_req_duration") && text.contains("iterations")
}

/// Whether a text is a summary of locust: its tables as CSV or JSON, or what it prints.
fn is_locust(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    if first.contains("Request Count") && first.contains("Failure Count") {
        return true;
    }
    if text.starts_with('[') || text.starts_with('{') {
        let Ok(tree) = serde_json::from_str::<Value>(text) else { return false };
        let list = tree.get("stats").unwrap_or(&tree);
        let first = list.as_array().and_then(|list| list.first());
        let has = |key: &str| first.is_some_and(|row| row.get(key).is_some());
        return has("num_requests") && has("response_times") || has("num_none_requests");
    }
    text.contains("# reqs") && text.contains("# fails")
}
