//! A further pool or client: a copy of the last one that has something in it, under a free name.

use super::undo::amount_path;
use crate::parse::{place_value, value_at};
use serde_json::{Value, json};

/// A further entry of a list of pools or clients; `None` if it has none to copy.
pub fn further_entry(document: &Value, list: &str) -> Option<Value> {
    let entries = value_at(document, list)?.as_array()?;
    let amount = |i: usize| amount_path(document, &format!("{list}[{i}]"));
    let is_filled = |i: &usize| {
        let amount = amount(*i).and_then(|path| value_at(document, &path)).and_then(Value::as_f64);
        amount.is_none_or(|n| n > 0.0)
    };
    let filled = (0..entries.len()).rev().find(is_filled);
    let copied = filled.or(entries.len().checked_sub(1))?;
    let names: Vec<&str> = entries.iter().map(|entry| entry["name"].as_str().unwrap_or_default()).collect();
    let mut all = document.clone();
    let entry = format!("{list}[{copied}]");
    place_value(&mut all, &format!("{entry}.name"), free_name(&names, names[copied]).into()).ok()?;
    if let Some(path) = amount(copied).filter(|_| filled.is_none()) {
        place_value(&mut all, &path, json!(1)).ok()?;
    }
    value_at(&all, &entry).cloned()
}

/// `chat`, then `chat-2`, then `chat-3`: the first name that is free.
fn free_name(names: &[&str], like: &str) -> String {
    let digits = like.trim_end_matches(|c: char| c.is_ascii_digit());
    let stem = digits.strip_suffix('-').filter(|_| digits.len() < like.len()).unwrap_or(like);
    let stem = if stem.is_empty() { "new" } else { stem };
    let numbered = (2..).map(|n: u32| format!("{stem}-{n}"));
    numbered.into_iter().find(|name| !names.contains(&name.as_str())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_further_pool_or_client_is_the_last_with_something_in_it_under_a_free_name() {
        let pool = |name: &str, replicas: u32| json!({"name": name, "replicas": replicas, "gpu": "H100"});
        let pools = |all: Value| further_entry(&json!({"cluster": {"pools": all}}), "cluster.pools");
        assert_eq!(pools(json!([pool("main", 4)])), Some(pool("main-2", 4)));
        assert_eq!(pools(json!([pool("main", 4), pool("main-2", 0)])), Some(pool("main-3", 4)));
        assert_eq!(pools(json!([])), None);
        let client =
            |name: &str, rate: f64| json!({"name": name, "arrivals": {"poisson": {"rate_per_s": rate}}});
        let clients = |all: Value| further_entry(&json!({"workload": {"clients": all}}), "workload.clients");
        assert_eq!(clients(json!([client("chat", 8.0)])), Some(client("chat-2", 8.0)));
        let silent = json!({"name": "chat-2", "arrivals": {"poisson": {"rate_per_s": 1}}});
        assert_eq!(clients(json!([client("chat", 0.0)])), Some(silent));
    }

    #[test]
    fn a_free_name_counts_on_from_the_one_that_it_is_like() {
        assert_eq!(free_name(&["a", "a-2", "a-3"], "a-2"), "a-4");
        assert_eq!(free_name(&[""], ""), "new-2");
        assert_eq!(free_name(&["a-"], "a-"), "a--2");
    }
}
