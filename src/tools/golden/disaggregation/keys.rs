//! The required keys of a file with roles.

use super::super::keys::{entries, keys as of_object};
use super::SCHEMA;
use base::{Diagnostic, Diagnostics};
use serde_json::Value;

/// Keys of the settings that only this format has.
const EXTRA_KEYS: [&str; 2] = ["pools", "disaggregation"];
const THRESHOLD: [&str; 3] = ["uncached_tokens", "uncached_share", "prefill_in_flight"];

/// Adds the keys that are missing from the settings, beside those of one pool.
pub(in crate::golden) fn keys(config: &Value, problems: &mut Diagnostics) {
    for (i, pool) in entries(config.get("pools")) {
        of_object(&format!("config.pools[{i}]"), pool, &["role", "replicas"], problems);
    }
    let Some(decider) = config.get("disaggregation").and_then(|d| d.get("decider")) else { return };
    of_object("config.disaggregation.decider", decider, &["kind"], problems);
    if decider.get("kind").and_then(Value::as_str) == Some("threshold") {
        of_object("config.disaggregation.decider", decider, &THRESHOLD, problems);
    }
}

/// Adds a problem for each key that only this format has, in a file of another.
pub(in crate::golden) fn only_here(config: &Value, problems: &mut Diagnostics) {
    for key in EXTRA_KEYS.into_iter().filter(|key| config.get(*key).is_some()) {
        let fix = format!("remove it, or write \"schema\": \"{SCHEMA}\"");
        let found = format!("unknown key `{key}`");
        let allowed = format!("a file of schema {SCHEMA} with this key");
        problems.push(Diagnostic::error(format!("config.{key}"), found, allowed, fix));
    }
}
