//! A report under another title and note. Both are words: the run stays, only its name in the report changes.

use super::edits::with_edits;
use super::{Session, report::Report};
use base::digest::Digest;
use base::json;
use document::{Scenario, in_order, to_json};
use serde_json::Value;

impl Session {
    /// The report that `scenario` gives, from one of the same run that was made under `title` and `note`. `None` if it
    /// is not the report of that scenario.
    pub fn renamed_report(report: &str, scenario: &Scenario, title: &str, note: &str) -> Option<String> {
        let mut document: Value = serde_json::from_str(&Report::results_of(report)).ok()?;
        let said = document.get("scenario_digest")?.as_str()?.to_owned();
        let before = Scenario { title: title.to_owned(), note: note.to_owned(), ..scenario.clone() };
        // A report is of the edits applied by then.
        let applied = (0..=scenario.edits.len()).find(|&n| digest_of(&before, n) == said)?;
        *document.get_mut("title")? = Value::from(scenario.title.as_str());
        *document.get_mut("scenario_digest")? = Value::from(digest_of(scenario, applied));
        let mut text = json::indented(&document);
        text.push('\n');
        Some(text)
    }
}

/// The digest of a scenario with its first `applied` edits, as reports have it.
fn digest_of(scenario: &Scenario, applied: usize) -> String {
    let begun = with_edits(scenario, &scenario.edits[..applied]);
    Digest::of(to_json(&in_order(begun)).as_bytes()).hex()
}
