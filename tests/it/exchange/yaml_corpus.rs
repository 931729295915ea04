//! The reader of YAML on the corpus that the page's reader reads too, and where the two differ.

use serde_json::{Value, json};
use std::fs;
use tokenyard::config::import::documents::yaml::value;

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
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/yaml");
    let mut read = 0;
    for entry in fs::read_dir(folder).expect("the corpus") {
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
    let cases: Value = serde_json::from_str(include_str!("../../yaml/differences.json")).expect("JSON");
    for case in cases.as_array().expect("a list") {
        let text = case["text"].as_str().expect("a text");
        let read = value(text).map_or(json!("refused"), by_value);
        assert_eq!(read, by_value(case["command"].clone()), "{text}");
    }
}
