//! Changes of one edit in the list of a document.

use crate::{Scenario, TimedEdit};
use serde::Deserialize;
use serde_json::Value;

/// What becomes of one edit of the list.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum EditRevision {
    /// It happens at another instant.
    Move {
        /// The instant, in microseconds.
        at_us: u64,
    },
    /// Its fault is over at another instant, if it ends at all.
    Stretch {
        /// The instant, in microseconds.
        until_us: u64,
    },
    /// It is switched off, or on again.
    Switch,
    /// It sets a field to another value.
    Set {
        /// The path of the field.
        path: String,
        /// The value.
        #[cfg_attr(feature = "types", ts(type = "unknown"))]
        value: Value,
    },
}

/// The shortest fault, in milliseconds: at zero it would have no end.
const SHORTEST_MS: u64 = 1;

impl Scenario {
    /// The document with one edit revised, and its edits in the order in which they apply; the same document if there is no
    /// such edit.
    #[must_use]
    pub fn with_edit_revised(mut self, index: usize, revision: EditRevision) -> Self {
        if let Some(edit) = self.edits.get_mut(index) {
            edit.revise(revision);
        }
        self.edits.sort_by_key(|edit| edit.at_us);
        self
    }
}

impl TimedEdit {
    fn revise(&mut self, revision: EditRevision) {
        match revision {
            EditRevision::Move { at_us } => {
                self.at_us = at_us;
                self.after_events = None;
            }
            EditRevision::Stretch { until_us } => {
                let lasts_ms = ((until_us.saturating_sub(self.at_us) + 500) / 1000).max(SHORTEST_MS);
                if let Some(fault) = self.fault.as_mut().filter(|fault| fault.lasts_s() > 0.0) {
                    *fault.lasts_s_mut() = lasts_ms as f64 / 1000.0;
                }
            }
            EditRevision::Switch => self.off = !self.off,
            EditRevision::Set { path, value } => {
                self.set.insert(path, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::from_value;
    use serde_json::json;

    fn document() -> Scenario {
        let edits = json!([
            {"at_us": 10_000_000, "after_events": 77, "set": {"cluster.routing": "random"}},
            {"at_us": 20_000_000, "fault": {"slow": {"replica": 3, "factor": 3.0, "for_s": 20.0}}},
            {"at_us": 30_000_000, "fault": {"crash": {"replica": 1}}},
            {"at_us": 40_000_000, "route": {"request": 17, "to": 2}},
        ]);
        from_value(json!({ "edits": edits })).expect("a scenario")
    }

    fn revised(index: usize, revision: EditRevision) -> Vec<TimedEdit> {
        document().with_edit_revised(index, revision).edits
    }

    #[test]
    fn a_moved_edit_takes_its_place_in_the_order_and_loses_its_count_of_events() {
        let moved = revised(0, EditRevision::Move { at_us: 25_000_000 });
        assert_eq!(moved.iter().map(|edit| edit.at_us / 1_000_000).collect::<Vec<_>>(), [20, 25, 30, 40]);
        assert_eq!((moved[1].after_events, &moved[1].set), (None, &document().edits[0].set));
    }

    #[test]
    fn an_edit_that_is_switched_off_and_on_again_is_the_same_edit() {
        let off = document().with_edit_revised(3, EditRevision::Switch);
        assert!(off.edits[3].off);
        assert_eq!(off.edits[3].route, document().edits[3].route);
        assert_eq!(off.with_edit_revised(3, EditRevision::Switch), document());
    }

    #[test]
    fn a_stretched_fault_lasts_up_to_the_instant_and_one_without_an_end_stays() {
        let until = |index: usize, until_us: u64| {
            let all = revised(index, EditRevision::Stretch { until_us });
            (all[index].fault.as_ref().expect("a fault").lasts_s() * 1000.0).round()
        };
        let milliseconds = [until(1, 35_500_000), until(1, 19_000_000), until(2, 80_000_000)];
        assert_eq!(milliseconds.map(|ms| ms as u64), [15_500, 1, 0]);
    }

    #[test]
    fn a_value_of_an_edit_is_replaced_in_its_place() {
        let path = "cluster.routing".to_owned();
        let edits = revised(0, EditRevision::Set { path, value: json!("least-loaded") });
        assert_eq!(
            edits[0].set,
            json!({"cluster.routing": "least-loaded"}).as_object().cloned().expect("a map")
        );
    }
}
