//! What takes an edit back, and what makes it again.

use crate::parse::value_at;
use crate::{Change, FieldValues};
use serde::Serialize;
use serde_json::{Value, json};

/// What takes an edit back after it had effects, and what makes it again then.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Undo {
    /// The former values by path; null where the document left the field to its default. Entries that the edit added stay,
    /// and are empty: positions stay.
    #[cfg_attr(feature = "types", ts(type = "{ [path: string]: unknown }"))]
    pub back: FieldValues,
    /// The values by path that make the edit again, with what its entries had; missing if the edit itself does.
    #[cfg_attr(feature = "types", ts(optional, type = "{ [path: string]: unknown }"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub again: Option<FieldValues>,
    /// The paths of the entries that it added.
    pub added: Vec<String>,
}

impl Undo {
    /// The undo of an edit, from the documents before and after it.
    pub fn of(change: &Change, before: &Value, after: &Value) -> Self {
        let former = |path: &String| value_at(before, path).cloned().unwrap_or(Value::Null);
        let mut back: FieldValues = change.set.keys().map(|path| (path.clone(), former(path))).collect();
        let mut again = change.set.clone();
        let mut added = Vec::new();
        for list in change.add.keys() {
            let index = value_at(before, list).and_then(Value::as_array).map_or(0, Vec::len);
            let entry = format!("{list}[{index}]");
            // An emptied pool would still need one with the other role.
            let emptied =
                [(amount_path(after, &entry), json!(0)), (Some(format!("{entry}.role")), json!("mixed"))];
            for (path, value) in emptied {
                let Some((path, now)) = path.and_then(|p| value_at(after, &p).map(|now| (p.clone(), now)))
                else {
                    continue;
                };
                again.insert(path.clone(), now.clone());
                back.insert(path, value);
            }
            added.push(entry);
        }
        let again = (again.len() > change.set.len()).then_some(again);
        Self { back, again, added }
    }
}

/// The path of the amount of a pool or a client: replicas, or requests per second. `None` if the entry has none.
pub(crate) fn amount_path(document: &Value, entry: &str) -> Option<String> {
    let pool = format!("{entry}.replicas");
    if value_at(document, &pool).is_some() {
        return Some(pool);
    }
    let arrivals = value_at(document, &format!("{entry}.arrivals"))?.as_object()?;
    let (kind, settings) = arrivals.iter().next()?;
    settings.get("rate_per_s").map(|_| format!("{entry}.arrivals.{kind}.rate_per_s"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scenario, Write, check};

    /// The documents after an edit, after its undo, and after the redo of that.
    fn there_and_back(document: Value, change: &Change) -> [Value; 3] {
        let scenario = crate::from_value(document).expect("a scenario");
        let before = check(scenario).expect("a sound scenario").0;
        let (after, _) = before.edited(change).expect("a possible edit");
        let written = |scenario: &Scenario| scenario.write();
        let undo = Undo::of(change, &written(before.get()), &written(after.get()));
        let set = |set: FieldValues| Change { set, ..Change::default() };
        let (back, _) = after.edited(&set(undo.back)).expect("a possible undo");
        let (again, _) = back.edited(&undo.again.map_or(change.clone(), set)).expect("a possible redo");
        [after.get(), back.get(), again.get()].map(written)
    }

    #[test]
    fn the_undo_of_values_sets_the_former_ones() {
        let rate = "workload.clients[0].arrivals.poisson.rate_per_s";
        let change =
            Change::set(rate, 20.0).and_set("cluster.pools[0].tp", 2).and_set("cluster.routing", "random");
        let document = json!({});
        let before = crate::from_value(document.clone()).expect("a scenario").write();
        let [after, back, again] = there_and_back(document, &change);
        assert_ne!(after, before);
        assert_eq!(back, before);
        assert_eq!(again, after);
    }

    #[test]
    fn the_undo_of_a_pool_leaves_it_without_replicas_and_that_of_a_client_without_requests() {
        let pool = Change::add("cluster.pools", json!({"name": "b", "replicas": 3}));
        let [after, back, again] = there_and_back(json!({}), &pool);
        assert_eq!(value_at(&back, "cluster.pools[1].replicas"), Some(&json!(0)));
        assert_eq!(again, after);
        let client = json!({"name": "c", "arrivals": {"gamma": {"rate_per_s": 3.0, "cv": 2.0}}});
        let [after, back, again] = there_and_back(json!({}), &Change::add("workload.clients", client));
        assert_eq!(value_at(&back, "workload.clients[1].arrivals.gamma.rate_per_s"), Some(&json!(0.0)));
        assert_eq!(again, after);
    }

    #[test]
    fn the_undo_of_a_split_leaves_an_empty_mixed_pool_and_its_redo_fills_it_with_its_role() {
        let pool = json!({"name": "main-prefill", "role": "prefill", "replicas": 2});
        let split = Change::add("cluster.pools", pool)
            .and_set("cluster.pools[0].role", "decode")
            .and_set("cluster.pools[0].replicas", 2);
        let before = crate::from_value(json!({})).expect("a scenario").write();
        let after = {
            let checked = check(crate::from_value(json!({})).expect("a scenario")).expect("sound").0;
            checked.edited(&split).expect("a possible edit").0.get().write()
        };
        let undo = Undo::of(&split, &before, &after);
        assert_eq!(undo.added, ["cluster.pools[1]"]);
        assert_eq!(undo.back["cluster.pools[0].role"], Value::Null);
        assert_eq!(undo.back["cluster.pools[1].role"], json!("mixed"));
        assert_eq!(undo.back["cluster.pools[1].replicas"], json!(0));
        let again = undo.again.expect("other values");
        assert_eq!(again["cluster.pools[1].role"], json!("prefill"));
        assert_eq!(again["cluster.pools[1].replicas"], json!(2));
    }
}
