//! Brings documents of older formats up to date, a version at a time, before anything else reads them.
//!
//! A migration is never changed or removed once a version has been released. Version 1 is the first, so the list is
//! empty; the example in the tests is how one is written.

use crate::{FORMAT_VERSION, is_unreleased};
use base::{Diagnostic, Diagnostics};
use serde_json::Value;

/// Rewrites a document of one version as one of the next.
#[derive(Clone, Copy)]
struct Migration {
    /// The version that it reads.
    from: u32,
    /// Changes the document in place, its edits and their paths included.
    rewrite: fn(&mut Value),
}

/// All migrations, the oldest version first.
const MIGRATIONS: &[Migration] = &[];

/// Refuses documents of a newer format, and rewrites those of older ones.
pub(super) fn bring_up_to_date(document: &mut Value) -> Result<(), Diagnostics> {
    migrate(document, MIGRATIONS, FORMAT_VERSION)
}

/// The same for a list of migrations that ends at `newest`. A document without a version is of the newest.
fn migrate(document: &mut Value, migrations: &[Migration], newest: u32) -> Result<(), Diagnostics> {
    let Some(version) = document.get("tokenyard").and_then(Value::as_u64) else { return Ok(()) };
    if is_unreleased(version) && newest == FORMAT_VERSION {
        // `check` says what differs in the others.
        if version == 3 {
            document["tokenyard"] = Value::from(newest);
        }
        return Ok(());
    }
    if version > u64::from(newest) {
        return Err(vec![Diagnostic::error(
            "tokenyard",
            format!("a scenario of format version {version}"),
            format!("version {newest}"),
            "it was made with a newer Tokenyard: update this one",
        )]);
    }
    for step in migrations.iter().filter(|step| u64::from(step.from) >= version) {
        (step.rewrite)(document);
        document["tokenyard"] = Value::from(step.from + 1);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A second version in which a router has another name, in the document and in what its edits set.
    const EXAMPLE: Migration = Migration {
        from: 1,
        rewrite: |document| {
            let rename = |router: &mut Value| {
                if router == "nearest" {
                    *router = json!("prefix-aware");
                }
            };
            document.pointer_mut("/cluster/routing").into_iter().for_each(rename);
            let edits = document.get_mut("edits").and_then(Value::as_array_mut);
            let set = edits.into_iter().flatten().filter_map(|edit| edit.pointer_mut("/set/cluster.routing"));
            set.for_each(rename);
        },
    };

    fn second(mut document: Value) -> Result<Value, Diagnostics> {
        migrate(&mut document, &[EXAMPLE], 2).map(|()| document)
    }

    #[test]
    fn a_document_of_the_version_before_is_rewritten_with_its_edits() {
        let before = json!({
            "tokenyard": 1,
            "cluster": {"routing": "nearest"},
            "edits": [{"at_us": 1, "set": {"cluster.routing": "nearest"}}, {"at_us": 2, "add": {}}],
        });
        let after = json!({
            "tokenyard": 2,
            "cluster": {"routing": "prefix-aware"},
            "edits": [{"at_us": 1, "set": {"cluster.routing": "prefix-aware"}}, {"at_us": 2, "add": {}}],
        });
        assert_eq!(second(before), Ok(after.clone()));
        assert_eq!(second(after.clone()), Ok(after));
    }

    #[test]
    fn a_document_without_a_version_is_of_the_newest() {
        let document = json!({"cluster": {"routing": "nearest"}});
        assert_eq!(second(document.clone()), Ok(document));
    }

    #[test]
    fn a_newer_version_is_refused_with_the_one_that_is_read() {
        let problems = bring_up_to_date(&mut json!({"tokenyard": 9})).expect_err("nobody knows it");
        assert_eq!((problems[0].path.as_str(), problems[0].allowed.as_str()), ("tokenyard", "version 1"));
    }
}
