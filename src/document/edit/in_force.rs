//! The documents in force one after the other: what the edits of a document make of it.

use super::between::settable;
use super::edited::add_entry;
use crate::check::check_start;
use crate::parse::{from_value, place_value};
use crate::{Change, Checked, Scenario, TimedEdit, Undo, Write};
use base::Diagnostics;
use serde::Serialize;
use serde_json::{Value, json};

/// A change of the document in force.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InForce {
    /// The instant from which on it holds, in microseconds.
    pub from_us: u64,
    /// The fields that have other values from then on, by path.
    #[cfg_attr(feature = "types", ts(type = "{ [path: string]: unknown }"))]
    pub set: crate::FieldValues,
}

/// The documents in force of a run, and the undo of one of its edits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocumentsInForce {
    /// The changes in order: the document with the first ones is in force.
    pub all: Vec<InForce>,
    /// The undo of the edit asked for; `None` without one.
    pub undo: Option<Undo>,
}

impl DocumentsInForce {
    /// The documents in force of a document with possible edits; `undone` is the number of the edit to undo.
    pub fn of(scenario: &Scenario, undone: Option<usize>) -> Self {
        let mut found = Self::default();
        let Some(mut now) = beginning(scenario) else { return found };
        let requests = if scenario.edits.iter().any(names_requests) {
            RequestList::Written
        } else {
            RequestList::LeftOut
        };
        let mut tree = written(now.get(), requests);
        for (i, edit) in scenario.edits.iter().enumerate().filter(|(_, edit)| !edit.off) {
            let change = edit.change();
            let Ok((next, _)) = now.edited(&change) else { continue };
            let after = written(next.get(), requests);
            if undone == Some(i) {
                found.undo = Some(Undo::of(&change, &tree, &after));
            }
            let set = settable(&tree, &after);
            if !set.is_empty() {
                found.all.push(InForce { from_us: edit.at_us, set });
            }
            (now, tree) = (next, after);
        }
        found
    }
}

/// The document in force at an instant; `None` if the document cannot run.
pub fn in_force_at(scenario: &Scenario, at_us: u64) -> Option<Checked<Scenario>> {
    let edits = scenario.edits.iter().filter(|edit| !edit.off && edit.at_us <= at_us).map(TimedEdit::change);
    let after = |now: Checked<Scenario>, change: Change| now.edited(&change).map_or(now, |(next, _)| next);
    Some(edits.fold(beginning(scenario)?, after))
}

impl Scenario {
    /// The document with what an edit changes from the beginning on; what it breaks or redirects is an edit there. The error
    /// is what cannot be read then.
    pub fn begun_with(&self, change: &Change) -> Result<Self, Diagnostics> {
        let mut tree = self.write();
        for (path, value) in &change.set {
            place_value(&mut tree, path, value.clone())?;
        }
        for (list, entry) in &change.add {
            add_entry(&mut tree, list, entry).map_err(|problem| vec![problem])?;
        }
        let mut begun = from_value(tree)?;
        let (route, fault) = (change.route, change.fault.clone());
        let events = Change { route, fault, ..Change::default() };
        if !events.is_empty() {
            begun.edits.insert(0, TimedEdit::new(0, events));
        }
        Ok(begun)
    }
}

/// The document before its edits.
fn beginning(scenario: &Scenario) -> Option<Checked<Scenario>> {
    let begun = Scenario { edits: Vec::new(), ..scenario.clone() };
    check_start(begun).ok().map(|(checked, _)| checked)
}

/// Whether the list of requests is written: it is long, and almost no edit is about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RequestList {
    Written,
    LeftOut,
}

fn names_requests(edit: &TimedEdit) -> bool {
    edit.change().paths().any(|path| path == "workload" || path.starts_with("workload.requests"))
}

/// What edits can change.
fn written(scenario: &Scenario, requests: RequestList) -> Value {
    let mut workload = scenario.workload.clone();
    if requests == RequestList::LeftOut {
        workload.requests.clear();
    }
    json!({ "cluster": scenario.cluster.write(), "workload": workload.write(), "slo": scenario.slo.write() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: &str = "workload.clients[0].arrivals.poisson.rate_per_s";

    fn document() -> Scenario {
        let edits = json!([
            {"at_us": 10, "set": {RATE: 9.0}},
            {"at_us": 15, "set": {RATE: 30.0}, "off": true},
            {"at_us": 17, "fault": {"crash": {"replica": 0}}},
            {"at_us": 20, "set": {"cluster.pools[0].gpu": "A100-80"}, "add": {"cluster.pools": {"name": "burst"}}},
            {"at_us": 20, "set": {RATE: 9.0}},
        ]);
        from_value(json!({ "edits": edits })).expect("a scenario")
    }

    #[test]
    fn the_document_in_force_has_the_edits_up_to_an_instant_and_none_after_and_none_that_is_off() {
        let all = DocumentsInForce::of(&document(), None).all;
        assert_eq!(all.iter().map(|one| one.from_us).collect::<Vec<_>>(), [10, 20]);
        assert_eq!(all[0].set, json!({ RATE: 9.0 }).as_object().cloned().expect("a map"));
        for at_us in [0, 9, 10, 16, 19, 20, 30] {
            let mut put_together = document().write();
            for one in all.iter().filter(|one| one.from_us <= at_us) {
                for (path, value) in &one.set {
                    place_value(&mut put_together, path, value.clone()).expect("a path of the document");
                }
            }
            put_together["edits"] = json!([]);
            assert_eq!(
                put_together,
                in_force_at(&document(), at_us).expect("sound").get().write(),
                "{at_us}"
            );
        }
    }

    #[test]
    fn a_document_that_begins_with_an_edit_has_what_the_edit_sets_and_adds_and_no_edit_more() {
        let change = Change::add("cluster.pools", json!({"name": "b"})).and_set("run.horizon_s", 9);
        let begun = document().begun_with(&change).expect("a document");
        assert_eq!((begun.cluster.pools.len(), begun.cluster.pools[1].name.as_str()), (2, "b"));
        assert_eq!((begun.run.horizon_s, &begun.edits), (9.0, &document().edits));
        assert!(document().begun_with(&Change::set("run.horizon_s", "long")).is_err());
    }

    #[test]
    fn a_document_that_begins_with_a_fault_has_it_as_its_first_edit() {
        let fault = document().edits[2].fault.clone().expect("a fault");
        let begun = document().begun_with(&Change::fault(fault.clone())).expect("a document");
        assert_eq!((begun.edits[0].at_us, begun.edits[0].fault.as_ref()), (0, Some(&fault)));
        assert_eq!(begun.edits[1..], document().edits);
    }

    #[test]
    fn the_undo_of_an_edit_is_that_of_its_own_instant() {
        let undo = DocumentsInForce::of(&document(), Some(3)).undo.expect("an edit");
        assert_eq!(undo.back["cluster.pools[0].gpu"], json!("H100"));
        assert_eq!(undo.added, ["cluster.pools[1]"]);
        assert_eq!(DocumentsInForce::of(&document(), None).undo, None);
    }
}
