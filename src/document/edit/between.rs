//! What differs between two documents, field by field, and the edits that turn one into the other.

use super::edited::add_entry;
use crate::parse::{place_value, value_at};
use crate::{Change, FieldValues};
use base::Diagnostics;
use serde::Serialize;
use serde_json::{Map, Value};

/// The lists that edits only add to, so that positions stay.
const GROWING: [&str; 2] = ["cluster.pools", "workload.clients"];

/// Whole numbers below this, 2^53, are the same as floating-point numbers.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A field that differs between two documents.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangedField {
    /// Its path.
    pub path: String,
    /// Its value in the first document; missing if that leaves it out.
    #[cfg_attr(feature = "types", ts(optional, type = "unknown"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Value>,
    /// Its value in the second document; missing if that leaves it out.
    #[cfg_attr(feature = "types", ts(optional, type = "unknown"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Value>,
}

/// The fields that differ between two documents, edits aside. A choice that became another one is one change.
pub fn changed_fields(from: &Value, to: &Value) -> Vec<ChangedField> {
    let mut all = Vec::new();
    compare(Some(from), Some(to), "", &mut all);
    all
}

fn compare(from: Option<&Value>, to: Option<&Value>, path: &str, into: &mut Vec<ChangedField>) {
    if path == "edits" {
        return;
    }
    match (from, to) {
        (Some(Value::Array(a)), Some(Value::Array(b))) if a.len() == b.len() => {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                compare(Some(a), Some(b), &format!("{path}[{i}]"), into);
            }
        }
        (Some(Value::Object(a)), Some(Value::Object(b))) if is_same_variant(a, b) => {
            for key in a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))) {
                let below = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                compare(a.get(key), b.get(key), &below, into);
            }
        }
        _ if is_same(from, to) => {}
        _ => into.push(ChangedField { path: path.to_owned(), from: from.cloned(), to: to.cloned() }),
    }
}

/// Whether both are the same value; a number may be written with a fraction of zero.
fn is_same(a: Option<&Value>, b: Option<&Value>) -> bool {
    let exact = |value: Option<&Value>| value.and_then(Value::as_f64).filter(|x| x.abs() < EXACT);
    a == b || matches!((exact(a), exact(b)), (Some(x), Some(y)) if x.total_cmp(&y).is_eq())
}

/// Objects of one key may be the variants of a choice: with another key they are another choice.
fn is_same_variant(a: &Map<String, Value>, b: &Map<String, Value>) -> bool {
    a.len() != 1 || b.len() != 1 || a.keys().eq(b.keys())
}

/// The edits that turn the document `from` into `to`: one, unless a list grows by several entries. `None` if pools or
/// clients would be removed, which no edit does.
pub fn edits_between(from: &Value, to: &Value) -> Option<Vec<Change>> {
    let mut grown = from.clone();
    let mut edits = vec![Change::default()];
    for list in GROWING {
        let entries = |document| value_at(document, list).and_then(Value::as_array);
        let (Some(old), Some(new)) = (entries(from), entries(to)) else { continue };
        if new.len() < old.len() {
            return None;
        }
        for (i, entry) in new[old.len()..].iter().enumerate() {
            edits.resize(edits.len().max(i + 1), Change::default());
            edits[i].add.insert(list.to_owned(), entry.clone());
            add_entry(&mut grown, list, entry).ok()?;
        }
    }
    edits[0].set = settable(&grown, to);
    edits.retain(|edit| !edit.is_empty());
    Some(edits)
}

/// The edits that set a field of a document, or all that lies under its path, as [`edits_between`].
pub fn edits_that_set(
    document: &Value,
    path: &str,
    value: Value,
) -> Result<Option<Vec<Change>>, Diagnostics> {
    let mut after = document.clone();
    place_value(&mut after, path, value)?;
    Ok(edits_between(document, &after))
}

/// The values by path that turn the document `from` into `to`. A key that is left out cannot be set, so all of its
/// object is.
pub(crate) fn settable(from: &Value, to: &Value) -> FieldValues {
    let within = |path: &str, outer: &str| {
        let rest = path.strip_prefix(outer).unwrap_or_default();
        rest.starts_with(['.', '[']) || (outer.is_empty() && !rest.is_empty())
    };
    let changed = changed_fields(from, to);
    let paths: Vec<&str> = changed.iter().map(|change| place_in(to, &change.path)).collect();
    let outer = paths.iter().filter(|path| !paths.iter().any(|other| within(path, other)));
    outer.map(|path| ((*path).to_owned(), value_at(to, path).unwrap_or(to).clone())).collect()
}

/// The path, or the nearest one above it that the document has.
fn place_in<'a>(document: &Value, path: &'a str) -> &'a str {
    let mut at = path;
    while !at.is_empty() && value_at(document, at).is_none() {
        at = &at[..at.rfind(['.', '[']).unwrap_or(0)];
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn document() -> Value {
        json!({
            "title": "four", "run": {"horizon_s": 240},
            "cluster": {
                "pools": [{"name": "main", "replicas": 4, "kv": {"blocks": "auto", "block_tokens": 16}}],
                "routing": {"weighted": {"profile": "custom", "scorers": [
                    {"scorer": "queue-depth", "weight": 2}, {"scorer": "random", "weight": 1}]}},
            },
            "workload": {"clients": [{"name": "chat", "arrivals": {"poisson": {"rate_per_s": 8}}}]},
            "edits": [{"at_us": 5, "set": {"seed": 2}}],
        })
    }

    fn with(values: &[(&str, Value)]) -> Value {
        let mut changed = document();
        for (path, value) in values {
            place_value(&mut changed, path, value.clone()).expect("a path of the document");
        }
        changed
    }

    /// The document after edits, each as it is written.
    fn after(mut document: Value, edits: &[Change]) -> Value {
        for edit in edits {
            for (path, value) in &edit.set {
                place_value(&mut document, path, value.clone()).expect("a path of the document");
            }
            for (list, entry) in &edit.add {
                add_entry(&mut document, list, entry).expect("a list of the document");
            }
        }
        document
    }

    const ARRIVALS: &str = "workload.clients[0].arrivals";

    #[test]
    fn differences_are_listed_field_by_field_another_choice_as_one_and_edits_not_at_all() {
        let mut next = with(&[
            ("cluster.pools[0].replicas", json!(5)),
            (ARRIVALS, json!({"constant": {"rate_per_s": 8}})),
        ]);
        next["edits"] = json!([]);
        let all = changed_fields(&document(), &next);
        let change = |path: &str, from: Value, to: Value| ChangedField {
            path: path.to_owned(),
            from: Some(from),
            to: Some(to),
        };
        let of_arrivals =
            change(ARRIVALS, json!({"poisson": {"rate_per_s": 8}}), json!({"constant": {"rate_per_s": 8}}));
        assert_eq!(all, [change("cluster.pools[0].replicas", json!(4), json!(5)), of_arrivals]);
    }

    #[test]
    fn a_number_with_a_fraction_of_zero_is_the_same_number() {
        let next = with(&[("workload.clients[0].arrivals.poisson.rate_per_s", json!(8.0))]);
        assert_eq!(changed_fields(&document(), &next), []);
        assert_eq!(changed_fields(&json!({"seed": u64::MAX}), &json!({"seed": u64::MAX - 1})).len(), 1);
    }

    #[test]
    fn several_fields_changed_together_are_one_edit_that_names_each_and_no_more() {
        let (weight, block_tokens) =
            ("cluster.routing.weighted.scorers[1].weight", "cluster.pools[0].kv.block_tokens");
        let next = with(&[(weight, json!(3)), (block_tokens, json!(32))]);
        let edit = Change::set(block_tokens, 32).and_set(weight, 3);
        assert_eq!(edits_between(&document(), &next), Some(vec![edit]));
        assert_eq!(edits_between(&document(), &document()), Some(vec![]));
        assert_eq!(edits_that_set(&document(), weight, json!(3)), Ok(Some(vec![Change::set(weight, 3)])));
    }

    #[test]
    fn the_edit_between_two_documents_turns_one_into_the_other() {
        let scorers = "cluster.routing.weighted.scorers";
        let mut with_pool = document();
        add_entry(&mut with_pool, "cluster.pools", &json!({"name": "burst", "replicas": 2})).expect("a list");
        let mut renamed = with_pool.clone();
        renamed["workload"]["clients"][0]["name"] = json!("talk");
        let changed = [
            with_pool,
            renamed,
            with(&[("cluster.pools[0].kv", json!({"blocks": 500}))]),
            with(&[("cluster.routing", json!("random"))]),
            with(&[(scorers, json!([{"scorer": "random", "weight": 1}]))]),
        ];
        for next in changed {
            let edits = edits_between(&document(), &next).expect("an edit");
            assert_eq!(edits.len(), 1, "{edits:?}");
            assert_eq!(after(document(), &edits), next);
        }
    }

    #[test]
    fn a_list_that_grows_by_two_is_two_edits_and_one_that_shrinks_is_none() {
        let added = [json!({"name": "b"}), json!({"name": "c"})];
        let edits = added.clone().map(|pool| Change::add("cluster.pools", pool));
        let grown = after(document(), &edits);
        assert_eq!(edits_between(&document(), &grown), Some(edits.to_vec()));
        assert_eq!(edits_between(&grown, &document()), None);
    }
}
