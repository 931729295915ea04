//! TensorRT-LLM's `KvCacheRetentionConfig`: which blocks of a request are kept, as directives of all clients.

use crate::import::configuration::Reader;
use crate::import::configuration::place::RETENTION;
use crate::import::configuration::sets::PoolOf;
use base::Diagnostic;
use document::limits;
use serde_json::{Value, json};

/// The priority of a block without a word.
const USUAL: u64 = 35;

/// Reads the object at a path; the empty path is the whole document.
pub(super) fn retention(r: &mut Reader<'_>, at: &str) {
    let below = |key: &str| if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
    let ranges = below("token_range_retention_configs");
    let mut all: Vec<Value> = Vec::new();
    for i in 0..r.entries(&ranges).min(limits::RETENTION) {
        all.extend(range(r, &format!("{ranges}.{i}")));
    }
    if r.entries(&ranges) > limits::RETENTION {
        let fix = "leave out the least important ones";
        let found = format!("{} ranges", r.entries(&ranges));
        let allowed = format!("at most {}", limits::RETENTION);
        r.problems.push(Diagnostic::error(ranges.clone(), found, allowed, fix));
    }
    answers(r, &below("decode_retention_priority"), &below("decode_duration_ms"), &mut all);
    for key in ["transfer_mode", "directory"] {
        r.without_counterpart(&below(key), "it concerns the program, not what is kept");
    }
    if all.is_empty() {
        return;
    }
    // The row of the first key that is there says the directives.
    let first = [format!("{ranges}.0.priority"), below("decode_retention_priority")];
    let path = first.into_iter().find(|path| r.get(path).is_some()).unwrap_or_default();
    let of = PoolOf::default();
    r.set_pool(&path, &of, "kv.eviction_order", json!("trtllm"));
    r.set(&path, RETENTION, Value::Array(all));
}

/// A whole number at a path; another value is an error. The caller records what it becomes.
fn whole(r: &mut Reader<'_>, path: &str, most: u64) -> Option<u64> {
    let value = r.get(path).filter(|value| !value.is_null())?;
    let found = value.as_u64().filter(|n| *n <= most);
    if found.is_none() {
        let (found, allowed) = (value.to_string(), format!("a whole number, 0 to {most}"));
        r.problems.push(Diagnostic::error(path, found, allowed, "write a value in this range"));
    }
    found
}

/// A duration at a path, in seconds.
fn duration(r: &mut Reader<'_>, path: &str) -> Option<f64> {
    let ms = whole(r, path, limits::HORIZON_MS as u64)?;
    let seconds = ms as f64 / 1000.0;
    r.note(path, &format!("duration_s {seconds}"));
    Some(seconds)
}

/// The directive of a range of tokens.
fn range(r: &mut Reader<'_>, at: &str) -> Option<Value> {
    let tokens = u64::from(limits::REQUEST_TOKENS);
    let path = |key: &str| format!("{at}.{key}");
    let start = whole(r, &path("token_start"), tokens).unwrap_or(0);
    r.note(&path("token_start"), &format!("start {start}"));
    let end = whole(r, &path("token_end"), tokens);
    match end {
        Some(end) => r.note(&path("token_end"), &format!("end {end}")),
        None if r.get(&path("token_end")).is_some_and(Value::is_null) => {
            r.near(&path("token_end"), "no end", "it ends with the prompt there, with the answer here");
        }
        None => {}
    }
    let priority = whole(r, &path("priority"), limits::KEEP_PRIORITY.into());
    let Some(priority) = priority else {
        if r.get(&path("priority")).is_none() {
            let fix = "give the range a priority";
            r.problems.push(Diagnostic::error(path("priority"), "nothing", "0 to 100", fix));
        }
        return None;
    };
    r.note(&path("priority"), &format!("{RETENTION}: priority {priority}, and kv.eviction_order trtllm"));
    let mut directive = json!({ "start": start, "priority": priority });
    if let Some(end) = end {
        directive["end"] = json!(end);
    }
    if let Some(seconds) = duration(r, &path("duration_ms")) {
        directive["duration_s"] = json!(seconds);
    }
    Some(directive)
}

/// What is kept of answers. Prompts differ in length, so that a directive for answers alone has no first token.
fn answers(r: &mut Reader<'_>, priority_at: &str, duration_at: &str, all: &mut Vec<Value>) {
    let Some(priority) = whole(r, priority_at, limits::KEEP_PRIORITY.into()) else {
        r.without_counterpart(duration_at, "answers have no priority of their own");
        return;
    };
    let open = all.iter().find(|directive| directive.get("end").is_none());
    if let Some(open) = open {
        if open["priority"] == json!(priority) {
            r.note(priority_at, "the range without an end, which goes on into the answer");
        } else {
            r.without_counterpart(priority_at, "the range without an end goes on into the answer here");
        }
        r.without_counterpart(duration_at, "the range without an end says for how long");
        return;
    }
    if priority == USUAL {
        r.note(priority_at, "the priority of blocks without a directive");
        r.without_counterpart(duration_at, "a lapsed block has the same priority");
        return;
    }
    let start = all.iter().filter_map(|directive| directive["end"].as_u64()).max().unwrap_or(0);
    let differs = "what follows the ranges in the prompt counts with the answer";
    r.near(priority_at, &format!("{RETENTION}: start {start}, priority {priority}"), differs);
    let mut directive = json!({ "start": start, "priority": priority });
    if let Some(seconds) = duration(r, duration_at) {
        directive["duration_s"] = json!(seconds);
    }
    all.push(directive);
}
