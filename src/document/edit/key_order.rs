//! Orders the keys in edits as in the written document. Edits keep parts of the document as they were given; with
//! ordered keys, equal scenarios have one text, one digest and one link, for any order in the input.

use crate::edit::edited::add_entry;
use crate::parse::{from_value, place_value};
use crate::{FieldValues, Scenario, Write};
use serde_json::Value;

/// The same scenario with the keys of its edits in the order of the document. Keys that the written document leaves
/// out come last, by name; a path that leads into another keeps its order, which matters.
#[must_use]
pub fn in_order(mut scenario: Scenario) -> Scenario {
    if !scenario.edits.iter().any(|edit| has_order(&edit.set) || has_order(&edit.add)) {
        return scenario;
    }
    let mut edits = std::mem::take(&mut scenario.edits);
    let mut document = scenario.write();
    for edit in &mut edits {
        let ordered = has_order(&edit.set) || has_order(&edit.add);
        if edit.off && !ordered {
            continue;
        }
        let mut after = document.clone();
        for (path, value) in &edit.set {
            place_value(&mut after, path, value.clone()).ok();
        }
        for (list, entry) in &edit.add {
            add_entry(&mut after, list, entry).ok();
        }
        if !ordered {
            document = after;
            continue;
        }
        // The check of edits reports one that cannot be applied.
        let Ok(read) = from_value(after) else { continue };
        let after = read.write();
        order_paths(&mut edit.set, &after);
        order_paths(&mut edit.add, &after);
        for (path, value) in &mut edit.set {
            place_of(path, &after).1.into_iter().for_each(|as_written| order(value, as_written));
        }
        for (list, entry) in &mut edit.add {
            let entries = place_of(list, &after).1.and_then(Value::as_array);
            entries.and_then(|all| all.last()).into_iter().for_each(|as_written| order(entry, as_written));
        }
        if !edit.off {
            document = after;
        }
    }
    Scenario { edits, ..scenario }
}

/// Whether anything in it has keys in an order.
fn has_order(values: &FieldValues) -> bool {
    fn several(value: &Value) -> bool {
        match value {
            Value::Object(map) => map.len() > 1 || map.values().any(several),
            Value::Array(list) => list.iter().any(several),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        }
    }
    values.len() > 1 || values.values().any(several)
}

/// The path of a place of the document as positions, and the value there.
fn place_of<'a>(path: &str, document: &'a Value) -> (Vec<usize>, Option<&'a Value>) {
    let (mut way, mut at) = (Vec::new(), Some(document));
    for step in path.split(['.', '[']).map(|step| step.trim_end_matches(']')) {
        let position = match at {
            Some(Value::Object(map)) => map.keys().position(|key| key == step),
            Some(Value::Array(_)) => step.parse().ok(),
            _ => None,
        };
        at = match at {
            Some(Value::Object(map)) => map.get(step),
            Some(Value::Array(list)) => position.and_then(|i| list.get(i)),
            _ => None,
        };
        way.push(position.unwrap_or(usize::MAX));
    }
    (way, at)
}

fn order_paths(values: &mut FieldValues, document: &Value) {
    let within =
        |outer: &str, inner: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with(['.', '[']));
    if values.keys().any(|outer| values.keys().any(|inner| within(outer, inner))) {
        return;
    }
    sort(values, &|path| place_of(path, document).0);
}

/// Orders the keys of a value as those of the same value are that was written out.
fn order(value: &mut Value, as_written: &Value) {
    match (value, as_written) {
        (Value::Object(map), Value::Object(all)) => {
            sort(map, &|key| vec![all.keys().position(|known| known == key).unwrap_or(usize::MAX)]);
            for (key, value) in map {
                all.get(key).into_iter().for_each(|as_written| order(value, as_written));
            }
        }
        (Value::Array(list), Value::Array(all)) => {
            list.iter_mut().zip(all).for_each(|(value, as_written)| order(value, as_written));
        }
        _ => {}
    }
}

/// Sorts by a position, and by name where that is the same.
fn sort(map: &mut FieldValues, position: &dyn Fn(&str) -> Vec<usize>) {
    let mut all: Vec<((Vec<usize>, String), Value)> = Vec::new();
    for (key, value) in std::mem::take(map) {
        let place = (position(&key), key);
        // Few keys: putting each into its place takes less code than a sort.
        all.insert(all.partition_point(|(other, _)| *other <= place), (place, value));
    }
    map.extend(all.into_iter().map(|((_, key), value)| (key, value)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parse, to_json};
    use serde_json::json;

    fn text(edits: &Value) -> String {
        to_json(&in_order(parse(&json!({ "edits": edits }).to_string()).expect("a scenario")))
    }

    #[test]
    fn the_order_in_which_an_edit_was_written_does_not_matter() {
        let pairs = [
            (
                json!([{"at_us": 0, "add": {"slo.classes": {"tpot_ms": 0, "e2e_ms": 0, "class": "batch"}}}]),
                json!([{"at_us": 0, "add": {"slo.classes": {"class": "batch", "e2e_ms": 0, "tpot_ms": 0}}}]),
            ),
            (
                json!([{"at_us": 5, "set": {"cluster.pools[0].kv": {"blocks": 9, "block_tokens": 16}, "slo.ttft_ms": 1}}]),
                json!([{"at_us": 5, "set": {"slo.ttft_ms": 1, "cluster.pools[0].kv": {"block_tokens": 16, "blocks": 9}}}]),
            ),
            (
                json!([{"at_us": 5, "set": {"cluster.routing": {"weighted": {"scorers":
                    [{"scorer": "queue-depth", "weight": 1}], "profile": "custom"}}}}]),
                json!([{"at_us": 5, "set": {"cluster.routing": {"weighted": {"profile": "custom", "scorers":
                    [{"weight": 1, "scorer": "queue-depth"}]}}}}]),
            ),
        ];
        for (one, other) in pairs {
            assert_eq!(text(&one), text(&other));
        }
    }

    #[test]
    fn what_stands_in_the_order_of_the_document_stays() {
        let document = json!({"edits": [{"at_us": 1, "add": {"cluster.pools": {"name": "b", "replicas": 2, "gpu": "H100"}}},
            {"at_us": 2, "set": {"cluster.pools[1].replicas": 3, "workload.clients[0].tenant": "t"}}]});
        let scenario = parse(&document.to_string()).expect("a scenario");
        assert_eq!(to_json(&in_order(scenario.clone())), to_json(&scenario));
    }

    #[test]
    fn a_path_into_another_keeps_its_place() {
        let edits = json!([{"at_us": 1, "set": {"slo": {"ttft_ms": 5}, "slo.ttft_ms": 7}}]);
        let scenario = parse(&json!({ "edits": edits }).to_string()).expect("a scenario");
        assert_eq!(to_json(&in_order(scenario.clone())), to_json(&scenario));
    }
}
