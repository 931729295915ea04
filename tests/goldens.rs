//! The golden files, against the simulator and against the plain reference engine it is compared with elsewhere.

#![expect(clippy::print_stdout, reason = "a skipped file is named, with the reason")]

#[path = "reference/real.rs"]
mod real;
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

/// Compares every section that `engine` writes; routing decisions by request, instant and replica.
fn check_file(path: &Path, engine: fn(&Case) -> Value) -> Result<(), String> {
    let text = fs::read_to_string(path).expect("a readable file");
    let document: Value = serde_json::from_str(&text).expect("a JSON document");
    let case: Case = serde_json::from_value(document.clone()).expect("a golden case");
    let missing = case.missing();
    if !missing.is_empty() {
        println!("skipped {}: there is no {} yet", path.display(), missing.join(", "));
        return Ok(());
    }
    let got = engine(&case);
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

fn check_files(files: &[PathBuf], engine: fn(&Case) -> Value) {
    let bad: Vec<String> = files.iter().filter_map(|f| check_file(f, engine).err()).collect();
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// The copies kept with the tests.
fn copies() -> Vec<PathBuf> {
    let files = golden_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens"));
    assert!(files.len() >= 12, "golden copies are missing: {files:?}");
    files
}

/// The full set, where it lies beside the checkout.
fn full_set() -> Vec<PathBuf> {
    let files = golden_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/goldens/engine"));
    if files.is_empty() {
        println!("skipped: the full set of golden files is not beside this checkout");
    }
    files
}

fn simulator(case: &Case) -> Value {
    real::simulate(real::scenario(case), case, 1000)
}

#[test]
fn the_simulator_reproduces_the_copies_kept_here() {
    check_files(&copies(), simulator);
}

#[test]
fn the_simulator_reproduces_the_full_set() {
    check_files(&full_set(), simulator);
}

#[test]
fn the_reference_engine_reproduces_the_copies_kept_here() {
    check_files(&copies(), reference::simulate);
}

#[test]
fn the_reference_engine_reproduces_the_full_set() {
    check_files(&full_set(), reference::simulate);
}
