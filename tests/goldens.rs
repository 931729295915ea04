//! The golden files: part A holds the plain reference engine against them.

#![expect(clippy::print_stdout, reason = "a skipped file is named, with the reason")]

mod reference;

use reference::{Case, compare::differences};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// All golden files below `folder`, sorted; none if it does not exist.
fn golden_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for mode in ["compat-blis", "default"] {
        let Ok(entries) = fs::read_dir(folder.join(mode)) else { continue };
        found.extend(entries.map(|e| e.expect("a readable folder").path()));
    }
    found.retain(|p| p.extension().is_some_and(|e| e == "json"));
    found.sort();
    found
}

/// Compares every section that the reference engine writes; routing decisions by request, instant and replica.
fn check_reference(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).expect("a readable file");
    let document: Value = serde_json::from_str(&text).expect("a JSON document");
    let case: Case = serde_json::from_value(document.clone()).expect("a golden case");
    let missing = case.missing();
    if !missing.is_empty() {
        println!("skipped {}: the reference engine has no {}", path.display(), missing.join(", "));
        return Ok(());
    }
    let got = reference::simulate(&case);
    let mut want = Value::Object(serde_json::Map::new());
    for key in got.as_object().expect("sections").keys() {
        want[key] = document["expected"][key].clone();
    }
    for decision in want["routing"].as_array_mut().expect("routing decisions") {
        let kept = ["id", "t", "to"];
        decision.as_object_mut().expect("a decision").retain(|key, _| kept.contains(&key.as_str()));
    }
    let bad = differences(&want, &got);
    if bad.is_empty() {
        return Ok(());
    }
    Err(format!("{}: {} differences\n  {}", path.display(), bad.len(), bad[..bad.len().min(8)].join("\n  ")))
}

fn check_all(files: &[PathBuf]) {
    let bad: Vec<String> = files.iter().filter_map(|f| check_reference(f).err()).collect();
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn the_reference_engine_reproduces_the_copies_kept_here() {
    let files = golden_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens"));
    assert!(files.len() >= 12, "golden copies are missing: {files:?}");
    check_all(&files);
}

#[test]
fn the_reference_engine_reproduces_the_full_set() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/goldens/engine");
    let files = golden_files(&folder);
    if files.is_empty() {
        println!("skipped: the full set of golden files is not beside this checkout");
    }
    check_all(&files);
}
