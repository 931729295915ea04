//! The page's questions about edits of the run on screen: what becomes of its document.

use super::Session;
use base::{Diagnostic, Diagnostics};
use document::{
    Change, ChangedField, DocumentsInForce, EditRevision, FieldValues, InForce, Scenario, Undo, Write,
    changed_fields, edits_between, edits_that_set, further_entry, in_force_at, parse, parse_change, to_json,
    value_from_json,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The documents in force of the run.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunDocuments {
    /// The changes in order: the document of the run with those up to an instant is in force then.
    pub in_force: Vec<InForce>,
    /// The latest edit behind the playhead; missing without one.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latest: Option<LatestEdit>,
}

/// The latest edit behind the playhead.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LatestEdit {
    /// Its number in the list of edits.
    pub index: u32,
    /// What takes it back, and what makes it again.
    pub undo: Undo,
}

impl RunDocuments {
    pub(super) fn of(run: &Session) -> Self {
        let latest = run.edits.applied().checked_sub(1);
        let DocumentsInForce { all, undo } = DocumentsInForce::of(&run.scenario(), latest);
        let latest = latest.zip(undo).map(|(index, undo)| LatestEdit { index: index as u32, undo });
        Self { in_force: all, latest }
    }
}

/// An edit as values by path.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EditValues {
    /// The fields that it sets.
    #[cfg_attr(feature = "types", ts(type = "{ [path: string]: unknown }"))]
    set: FieldValues,
    /// The lists that it adds an entry to.
    #[cfg_attr(feature = "types", ts(type = "{ [path: string]: unknown }"))]
    add: FieldValues,
}

fn values_of(edits: Vec<Change>) -> Vec<EditValues> {
    edits.into_iter().map(|Change { set, add, .. }| EditValues { set, add }).collect()
}

/// The edits that turn the document of the run into another one, JSON text, whose edits do not count; `None` if none do.
pub(super) fn edits_to(run: &Session, text: &str) -> Result<Option<Vec<EditValues>>, Diagnostics> {
    Ok(edits_between(&run.scenario().write(), &value_from_json(text)?).map(values_of))
}

/// A query for what sets a field at the playhead.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldQuery {
    /// The path of the field, or of all that lies under it.
    path: String,
    /// Its new value.
    #[cfg_attr(feature = "types", ts(type = "unknown"))]
    value: Value,
    /// The numbers of the edits that stay whatever the value was before them.
    kept: Vec<u32>,
}

/// What sets a field at the playhead.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FieldSetting {
    /// The edits; null if no edit can.
    edits: Option<Vec<EditValues>>,
    /// The document without the edits of this instant that set the field, JSON text, if it has the value then; else null.
    without: Option<String>,
}

impl FieldQuery {
    pub(super) fn of(&self, run: &Session) -> Result<FieldSetting, Diagnostics> {
        let edits = edits_that_set(&run.plan.scenario().write(), &self.path, self.value.clone())?;
        let without = self.without(run).map(|document| to_json(&document));
        Ok(FieldSetting { edits: edits.map(values_of), without })
    }

    /// The document without the edits of this instant that set the field alone, if it has the value then.
    fn without(&self, run: &Session) -> Option<Scenario> {
        let mut document = run.scenario();
        let (now, before) = (run.now().0, document.edits.len());
        let sets_it = |keys: &FieldValues| keys.len() == 1 && keys.contains_key(&self.path);
        let mut number = 0;
        document.edits.retain(|edit| {
            let kept = self.kept.contains(&number);
            number += 1;
            kept || edit.at_us != now || !edit.add.is_empty() || !sets_it(&edit.set)
        });
        if document.edits.len() == before {
            return None;
        }
        let in_force = in_force_at(&document, now)?;
        let (set, _) = in_force.edited(&Change::set(&self.path, self.value.clone())).ok()?;
        (set == in_force).then_some(document)
    }
}

/// The edit that adds a further entry to a list; `None` if the list has none to copy.
pub(super) fn further(run: &Session, list: String) -> Option<EditValues> {
    let entry = further_entry(&run.plan.scenario().write(), &list)?;
    Some(EditValues { set: FieldValues::new(), add: FieldValues::from_iter([(list, entry)]) })
}

/// A query for a document with one of its edits revised.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RevisionQuery {
    /// The number of the edit.
    index: u32,
    /// What becomes of it.
    revision: EditRevision,
}

impl RevisionQuery {
    pub(super) fn of(self, run: &Session) -> String {
        to_json(&run.scenario().with_edit_revised(self.index as usize, self.revision))
    }
}

/// A query for the fields that differ between two documents, JSON texts.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DifferencesQuery {
    /// The first document.
    from: String,
    /// The second document.
    to: String,
    /// The instant at which the first is in force, in microseconds; without one it is taken without its edits.
    #[cfg_attr(feature = "types", ts(optional))]
    from_us: Option<u64>,
}

impl DifferencesQuery {
    pub(super) fn fields(&self) -> Result<Vec<ChangedField>, Diagnostics> {
        let from = match self.from_us {
            Some(at_us) => in_force_at(&parse(&self.from)?, at_us).ok_or_else(unsound)?.get().write(),
            None => value_from_json(&self.from)?,
        };
        Ok(changed_fields(&from, &value_from_json(&self.to)?))
    }
}

fn unsound() -> Diagnostics {
    vec![Diagnostic::error("", "a document that cannot run", "one that was opened", "open it again")]
}

/// The document of the run with an edit's values from its beginning, JSON text.
pub(super) fn begun_with(run: &Session, edit: &str) -> Result<String, Diagnostics> {
    Ok(to_json(&run.scenario().begun_with(&parse_change(edit)?)?))
}
