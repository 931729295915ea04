//! Further figures of runs, by name: those of the readable summary that are neither latencies nor rates.

use crate::failed::Failed;
use crate::print::refused;
use crate::text::table::{Align, Table};
use base::Diagnostic;
use run::session::report::RunMetric;

/// The figures with these names.
pub(crate) fn named(names: &[String]) -> Result<Vec<RunMetric>, Failed> {
    RunMetric::named(names).map_err(|unknown| {
        let near = RunMetric::further().map(RunMetric::name);
        let near = near.min_by_key(|name| strsim::damerau_levenshtein(name, unknown)).unwrap_or_default();
        let fix = format!("did you mean {near}?");
        let found: String = unknown.chars().take(40).collect();
        refused(
            "--metric",
            &[Diagnostic::error("", found, "a name that `tokenyard list metrics` prints", fix)],
        )
    })
}

/// The names with their meaning.
pub(crate) fn text() -> String {
    let mut table = Table::new(&[("metric", Align::Left, 12), ("meaning", Align::Left, 12)]);
    for m in RunMetric::further() {
        table.row(vec![m.name().into_owned(), m.label().into_owned()]);
    }
    table.text()
}

/// The same as data.
pub(crate) fn tree() -> serde_json::Value {
    let row = |m: RunMetric| serde_json::json!({ "name": m.name(), "label": m.label(), "unit": m.unit() });
    RunMetric::further().map(row).collect()
}
