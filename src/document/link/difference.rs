//! The difference between two documents, as a small tree that can be applied to one to give the other.
//!
//! An object holds the differences under its keys; `-key` removes a key. The difference of a list of objects is an
//! object too: its entries by their numbers, and their count under `#` if it differs. An entry beyond the original
//! list is stored as its difference from the previous entry. Everything else is the new value itself, and `=` holds
//! one that would read as something else. Keys that begin with one of these signs have a `~` before them.

use base::Diagnostic;
use serde_json::{Map, Value};

/// First signs of keys of the difference that are not keys of the document.
const SIGNS: [char; 4] = ['-', '=', '#', '~'];
const LENGTH: &str = "#";
const LITERAL: &str = "=";

fn escaped(key: &str) -> String {
    if key.starts_with(SIGNS) { format!("~{key}") } else { key.to_owned() }
}

/// Whether a list's entries can differ one by one.
fn is_list_of_objects(value: &Value) -> bool {
    value.as_array().is_some_and(|list| !list.is_empty() && list.iter().all(Value::is_object))
}

/// The difference of `want` from `base`; `None` if they are equal.
pub(super) fn difference(base: &Value, want: &Value) -> Option<Value> {
    if base == want {
        return None;
    }
    Some(match (base, want) {
        (Value::Object(base), Value::Object(want)) => of_objects(base, want),
        (Value::Array(list), Value::Array(wanted)) if is_list_of_objects(want) => of_lists(list, wanted),
        (Value::Array(_), Value::Object(_)) => {
            Value::Object(Map::from_iter([(LITERAL.to_owned(), want.clone())]))
        }
        // In place of a missing or plain value, an object is written in full, with its keys escaped.
        (_, Value::Object(want)) => of_objects(&Map::new(), want),
        _ => want.clone(),
    })
}

fn of_objects(base: &Map<String, Value>, want: &Map<String, Value>) -> Value {
    let gone = base.keys().filter(|key| !want.contains_key(*key));
    let mut all: Map<String, Value> = gone.map(|key| (format!("-{key}"), Value::from(0))).collect();
    for (key, value) in want {
        let differs = match base.get(key) {
            Some(before) => difference(before, value),
            None => Some(difference(&Value::Null, value).unwrap_or(Value::Null)),
        };
        if let Some(differs) = differs {
            all.insert(escaped(key), differs);
        }
    }
    Value::Object(all)
}

fn of_lists(base: &[Value], want: &[Value]) -> Value {
    let mut all = Map::new();
    if base.len() != want.len() {
        all.insert(LENGTH.to_owned(), Value::from(want.len()));
    }
    let nothing = Value::Null;
    for (i, value) in want.iter().enumerate() {
        let before = base.get(i).or_else(|| want[..i].last()).unwrap_or(&nothing);
        if let Some(differs) = difference(before, value) {
            all.insert(i.to_string(), differs);
        }
    }
    Value::Object(all)
}

/// Applies a difference to a document; false if its copies would take more than `room` bytes. Parts that cannot be
/// applied are left out: the reader of the document reports the problem.
pub(super) fn put(onto: &mut Value, difference: &Value, room: usize) -> bool {
    let mut putting = Putting { room };
    putting.put(onto, difference);
    putting.room > 0
}

/// The application of a difference, and the bytes that its copies of entries may still take.
struct Putting {
    room: usize,
}

impl Putting {
    fn put(&mut self, onto: &mut Value, difference: &Value) {
        let Value::Object(changes) = difference else {
            *onto = difference.clone();
            return;
        };
        if let Some(literal) = changes.get(LITERAL) {
            *onto = literal.clone();
            return;
        }
        match onto {
            Value::Array(list) => self.put_entries(list, changes),
            Value::Object(map) => self.put_fields(map, changes),
            other if changes.contains_key(LENGTH) => {
                let mut list = Vec::new();
                self.put_entries(&mut list, changes);
                *other = Value::Array(list);
            }
            other => {
                let mut map = Map::new();
                self.put_fields(&mut map, changes);
                *other = Value::Object(map);
            }
        }
    }

    fn put_fields(&mut self, map: &mut Map<String, Value>, changes: &Map<String, Value>) {
        for (key, change) in changes {
            if let Some(gone) = key.strip_prefix('-') {
                map.shift_remove(gone);
                continue;
            }
            let name = key.strip_prefix('~').unwrap_or(key);
            self.put(map.entry(name).or_insert(Value::Null), change);
        }
    }

    fn put_entries(&mut self, list: &mut Vec<Value>, changes: &Map<String, Value>) {
        let length = changes.get(LENGTH).and_then(Value::as_u64);
        let length = length.map_or(list.len(), |n| usize::try_from(n).unwrap_or(usize::MAX));
        list.truncate(length);
        for (i, entry) in list.iter_mut().enumerate() {
            if let Some(change) = changes.get(&i.to_string()) {
                self.put(entry, change);
            }
        }
        while list.len() < length && self.room > 0 {
            let mut entry = list.last().cloned().unwrap_or(Value::Null);
            self.room = self.room.saturating_sub(bytes_of(&entry));
            if let Some(change) = changes.get(&list.len().to_string()) {
                self.put(&mut entry, change);
            }
            list.push(entry);
        }
    }
}

/// About as many bytes as a value takes as text.
fn bytes_of(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 2,
        Value::Array(list) => list.iter().map(|v| bytes_of(v) + 1).sum::<usize>() + 2,
        Value::Object(map) => map.iter().map(|(key, v)| key.len() + bytes_of(v) + 4).sum::<usize>() + 2,
        _ => 4,
    }
}

/// The problem of a difference whose copies would be larger than a scenario may be.
pub(super) fn endless_lists() -> Diagnostic {
    let fix = "no scenario is that long: do not open this link";
    Diagnostic::error("", "lists that repeat without end", "a scenario", fix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn there_and_back(base: &Value, want: &Value) {
        let mut made = base.clone();
        if let Some(differs) = difference(base, want) {
            assert!(put(&mut made, &differs, 1 << 20));
        }
        assert_eq!(made, *want, "from {base}");
    }

    #[test]
    fn a_difference_applied_to_its_base_is_the_wanted_document() {
        let values = [
            json!(null),
            json!(3),
            json!("a"),
            json!({}),
            json!([]),
            json!({"a": 1, "-b": 2, "~c": {"#": 1, "=": 2}}),
            json!({"-b": {"=": []}, "d": null}),
            json!([{"a": 1}, {"a": 1}, {"a": {"b": [1, 2]}}]),
            json!([{"a": 1}, {"b": 1, "c": [{"x": 1}, {"x": 2}]}]),
            json!([{"b": 1, "c": [{"x": 2}]}]),
            json!([1, {"a": 1}]),
            json!({"list": [{"a": 1}, {"a": 2}]}),
            json!({"list": [{"a": 2}]}),
            json!({"list": {"a": 2}}),
        ];
        for base in &values {
            for want in &values {
                there_and_back(base, want);
            }
        }
    }

    #[test]
    fn equal_entries_cost_next_to_nothing_and_others_only_their_difference() {
        let entry = |i: u32| json!({"name": format!("p{i}"), "gpu": "H100", "replicas": 1});
        let one = json!([entry(0)]);
        let many: Vec<Value> = (0..64).map(entry).collect();
        let text = difference(&one, &Value::Array(many)).unwrap().to_string();
        assert!(text.starts_with(r##"{"#":64,"1":{"name":"p1"},"2":{"name":"p2"}"##), "{text}");
        let same = Value::Array(vec![entry(0); 5]);
        assert_eq!(difference(&one, &same).unwrap(), json!({"#": 5}));
    }

    #[test]
    fn copies_of_a_large_entry_end_where_the_room_ends() {
        let mut document = json!([{"text": "x".repeat(1000)}]);
        assert!(!put(&mut document, &json!({"#": 1_000_000_000u64}), 10_000));
        assert!(document.as_array().unwrap().len() <= 12);
        let mut empty = json!([]);
        assert!(!put(&mut empty, &json!({"#": u64::MAX}), 10_000));
    }
}
