//! YAML text as a tree.

use crate::text::messages::{of_text, rest_of_line};
use base::repeated_keys::ReadTree;
use base::{Diagnostic, Diagnostics};
use document::value_said_once;
use serde_json::Value;
use serde_saphyr::options::DuplicateKeyPolicy;

/// Reads YAML text. Problems of syntax name line and column; keys that are given twice name their path. Null if there
/// are only comments.
pub(crate) fn value(text: &str) -> Result<Value, Diagnostics> {
    let mut options = serde_saphyr::Options::default();
    // Both values are needed to report every key.
    options.duplicate_keys = DuplicateKeyPolicy::LastWins;
    let read =
        serde_saphyr::with_deserializer_from_str_with_options(text, options, |source| ReadTree::read(source));
    value_said_once(read.map_err(|e| vec![problem(text, &e)])?)
}

fn problem(text: &str, error: &serde_saphyr::Error) -> Diagnostic {
    let place =
        error.location().map_or_else(String::new, |l| format!("line {}, column {}", l.line(), l.column()));
    let message = error.without_snippet().to_string();
    // The place is already reported, and the library's options do not matter to the user.
    let first = message.lines().next().unwrap_or_default();
    let reason = first.split(" at line ").next().unwrap_or_default();
    let said = |start: &str| reason.starts_with(start);
    if said("non-finite float") {
        let found = "a number that is not finite";
        return Diagnostic::error(place, found, "finite numbers up to 1.8e308", "write a plain number");
    }
    if said("budget breached: Depth") || said("recursion limit") {
        let fix = "no field is nested that deeply: check the indentation";
        return Diagnostic::error(place, "values nested too deeply to read", "a few levels", fix);
    }
    if said("budget breached") || said("alias") {
        let fix = "write it out, or remove the anchors";
        return Diagnostic::error(place, "more than a document of this size may expand to", "less", fix);
    }
    if said("multiple YAML documents") {
        let fix = "keep only the text before the line ---";
        return Diagnostic::error(place, "a second document", "one document in a file", fix);
    }
    let near = error
        .location()
        .map_or_else(String::new, |l| rest_of_line(text, l.line() as usize, l.column() as usize));
    let found = of_text(reason, "YAML", &near);
    Diagnostic::error(place, found, "a YAML document", "correct the text there")
}

#[cfg(test)]
mod tests {
    use super::value;
    use serde_json::{Value, json};
    use std::fs;

    /// Numbers by their value: 1e3 and 1000 are the same.
    fn by_value(tree: Value) -> Value {
        match tree {
            Value::Number(number) => json!(number.as_f64()),
            Value::Array(list) => list.into_iter().map(by_value).collect(),
            Value::Object(fields) => fields.into_iter().map(|(key, field)| (key, by_value(field))).collect(),
            Value::Null | Value::Bool(_) | Value::String(_) => tree,
        }
    }

    /// The files of `tests/yaml`, which the page's reader reads too (`www/src/base/yaml.test.ts`).
    #[test]
    fn files_give_the_same_documents_as_on_the_page() {
        let folder = format!("{}/../../tests/yaml", env!("CARGO_MANIFEST_DIR"));
        let mut read = 0;
        for entry in fs::read_dir(&folder).expect("the corpus") {
            let path = entry.expect("a readable entry").path();
            if path.extension().is_none_or(|ending| ending != "yaml") {
                continue;
            }
            let text = fs::read_to_string(&path).expect("text");
            let expected = fs::read_to_string(path.with_extension("json")).expect("its document");
            let expected: Value = serde_json::from_str(&expected).expect("JSON");
            assert_eq!(value(&text).map(by_value), Ok(by_value(expected)), "{}", path.display());
            read += 1;
        }
        assert!(read > 5, "the corpus has {read} files");
    }

    #[test]
    fn differences_from_the_page_are_known() {
        let cases: Value =
            serde_json::from_str(include_str!("../../../tests/yaml/differences.json")).expect("JSON");
        for case in cases.as_array().expect("a list") {
            let text = case["text"].as_str().expect("a text");
            let read = value(text).map_or(json!("refused"), by_value);
            assert_eq!(read, by_value(case["command"].clone()), "{text}");
        }
    }
}
