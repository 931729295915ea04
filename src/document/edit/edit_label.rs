//! Labels of edits on the timeline, in the log and in the contents of a link: a few words.

use crate::{Change, Fault};
use base::number_text;
use serde_json::Value;

/// Longest label, in characters.
const LONGEST: usize = 40;

/// An edit in a few words: its first change, and how many more there are.
pub fn label(change: &Change) -> String {
    let set = change.set.iter().map(|(path, value)| set_label(path, value));
    let add = change.add.iter().map(|(path, entry)| add_label(path, entry));
    let route = change.route.map(|route| format!("request {} to r{}", route.request, route.to));
    let fault = change.fault.as_ref().map(Fault::label);
    let mut labels = set.chain(add).chain(route).chain(fault);
    let first: String = labels.next().unwrap_or_default().chars().take(LONGEST).collect();
    let more = labels.count();
    if more == 0 { first } else { format!("{first} +{more}") }
}

/// A field and its value in a few words, such as `refresh 3.00 s`.
pub fn set_label(path: &str, value: &Value) -> String {
    let field = path.rsplit('.').next().unwrap_or_default();
    let number = value.as_u64();
    let name = match field {
        "rate_per_s" => {
            return format!("arrivals {}/s", number_text::three_digits(value.as_f64().unwrap_or(0.0)));
        }
        "blocks" => match number {
            Some(n) => return format!("KV {} blocks", number_text::count(n)),
            None => "KV blocks",
        },
        "max_num_seqs" => "batch",
        "max_num_batched_tokens" => "budget",
        "snapshot_refresh_us" => "refresh",
        "kv_event_delay_us" => "cache events_us",
        "handoff" => "hand-over",
        "port_gb_per_s" => return format!("port {} GB/s", plain(value)),
        "base_us" => "transfer base_us",
        "kv_bytes_per_token" => "KV bytes a token",
        other => other,
    };
    let text = match (name.strip_suffix("_us").or((name == "refresh").then_some(name)), number) {
        (Some(name), Some(us)) => format!("{name} {}", number_text::duration(us)),
        _ => format!("{name} {}", plain(value)),
    };
    text.replace('_', " ").trim().to_owned()
}

fn add_label(path: &str, entry: &Value) -> String {
    let list = path.rsplit('.').next().unwrap_or_default();
    let one = list.strip_suffix('s').unwrap_or(list);
    let name = entry.get("name").and_then(Value::as_str).unwrap_or_default();
    format!("+ {one} {name}").trim().to_owned()
}

/// A value as one word: a number, a text, or the name of a choice.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => "default".to_owned(),
        Value::Bool(on) => if *on { "on" } else { "off" }.to_owned(),
        Value::Number(n) => n.as_u64().map_or_else(|| n.to_string(), number_text::count),
        Value::String(text) => text.clone(),
        Value::Object(choice) => choice.keys().next().cloned().unwrap_or_default(),
        Value::Array(list) => format!("{} entries", list.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_edit_is_named_after_its_first_field_and_the_new_value() {
        let set = |path, value| label(&Change::set(path, value));
        assert_eq!(set("workload.clients[0].arrivals.poisson.rate_per_s", json!(40.0)), "arrivals 40.0/s");
        assert_eq!(set("cluster.routing", json!({"weighted": {}})), "routing weighted");
        assert_eq!(set("cluster.pools[0].kv.blocks", json!(20_000)), "KV 20,000 blocks");
        assert_eq!(set("cluster.pools[0].engine.max_num_seqs", json!(128)), "batch 128");
        assert_eq!(set("cluster.snapshot_refresh_us", json!(10_000)), "refresh 10.0\u{a0}ms");
        assert_eq!(set("cluster.pools[1].gpu", json!("A100-80")), "gpu A100-80");
        assert_eq!(set("cluster.pools[1].kv.prefix_caching", json!(false)), "prefix caching off");
        assert_eq!(set("cluster.pools[0].role", json!("prefill")), "role prefill");
        let apart =
            |field: &str, value| label(&Change::set(&format!("cluster.disaggregation.{field}"), value));
        assert_eq!(apart("decider", json!({"threshold": {"uncached_tokens": 16}})), "decider threshold");
        assert_eq!(apart("decider.threshold.uncached_tokens", json!(2048)), "uncached tokens 2,048");
        assert_eq!(apart("prefill_routing", json!({"weighted": {}})), "prefill routing weighted");
        assert_eq!(apart("handoff", json!("push")), "hand-over push");
        assert_eq!(apart("first_token", json!("prefill")), "first token prefill");
        assert_eq!(apart("transfer.port_gb_per_s", json!(12.5)), "port 12.5 GB/s");
        assert_eq!(apart("transfer.base_us", json!(50)), "transfer base 0.05\u{a0}ms");
        assert_eq!(apart("transfer.kv_bytes_per_token", json!("auto")), "KV bytes a token auto");
        assert_eq!(apart("transfer.shared_ports", json!(false)), "shared ports off");
        let added =
            Change::add("cluster.pools", json!({"name": "burst"})).and_set("cluster.routing", "random");
        assert_eq!(label(&added), "routing random +1");
        assert_eq!(label(&Change::route(17, 2)), "request 17 to r2");
        assert_eq!(label(&Change::add("workload.clients", json!({"name": "bot"}))), "+ client bot");
    }
}
