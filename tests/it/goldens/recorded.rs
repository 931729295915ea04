//! The golden files, through the code that `tokenyard golden` runs; and through the plain reference engine, as far as that goes.
//!
//! `tests/goldens` holds one file for each feature: copies of the full set, and from number 50 on what the full set lacks and
//! the executable definition recorded. The full set is read where it lies beside the checkout; every file there is run.

#![expect(clippy::print_stdout, reason = "what is left out is said, with the reason")]

use crate::reference;
use crate::reference::{Case, compare};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use tokenyard::golden;
use tokenyard::scenario::expression::expression_of;
use tokenyard::scenario::{Profile, RoutingPolicy, Scenario, Scorer};

/// How many files the full set has.
const FULL_SET: usize = 62;

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

/// The files kept with the tests.
fn copies() -> Vec<PathBuf> {
    golden_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens"))
}

/// The full set, where there is a folder `shared` beside the checkout; without one a line says what is skipped.
fn full_set() -> Vec<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    if !shared.is_dir() {
        println!(
            "skipped: the full set of {FULL_SET} golden files, as there is no folder ../shared beside this checkout"
        );
        return Vec::new();
    }
    let files = golden_files(&shared.join("goldens/engine"));
    assert_eq!(files.len(), FULL_SET, "the full set of golden files is not complete");
    files
}

/// The queueing model's files in a folder, sorted.
fn queueing_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of golden files");
    let mut found: Vec<PathBuf> = entries.map(|e| e.expect("a readable folder").path()).collect();
    found.retain(|p| p.extension().is_some_and(|e| e == "json"));
    found.sort();
    found
}

/// Those kept with the tests: all that there are, and of the trajectories half.
fn queueing_copies() -> Vec<PathBuf> {
    queueing_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/queueing"))
}

/// The full set of them, as [`full_set`].
fn queueing_set() -> Vec<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    if !shared.is_dir() {
        println!(
            "skipped: all golden files of the queueing model, as there is no folder ../shared beside this checkout"
        );
        return Vec::new();
    }
    let files = queueing_files(&shared.join("goldens/queueing"));
    assert_eq!(files.len(), 6, "the full set of golden files is not complete");
    files
}

fn document(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("a readable file");
    serde_json::from_str(&text).expect("a JSON document")
}

/// Runs every file and compares every section, as the command does. A file that cannot be run has failed.
fn check_files(files: &[PathBuf]) {
    check_files_after(files, |scenario| scenario);
}

/// The same of what `change` makes of the files' scenarios.
fn check_files_after(files: &[PathBuf], change: impl Fn(Scenario) -> Scenario) {
    let mut bad = Vec::new();
    for path in files {
        let text = fs::read_to_string(path).expect("a readable file");
        let lines = match golden::differences_after(&text, &[], &change) {
            Ok(lines) => lines,
            Err(problems) => problems.iter().map(ToString::to_string).collect(),
        };
        if !lines.is_empty() {
            let shown = lines[..lines.len().min(8)].join("\n  ");
            bad.push(format!("{}: {} differences\n  {shown}", path.display(), lines.len()));
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn the_simulator_reproduces_the_copies_kept_here() {
    check_files(&copies());
}

#[test]
fn the_simulator_reproduces_the_full_set() {
    check_files(&full_set());
}

#[test]
fn named_scorers_written_as_expressions_decide_identically_on_every_golden() {
    let rewritten = std::cell::Cell::new(0);
    let in_expressions = |mut scenario: Scenario| {
        if let RoutingPolicy::Weighted(w) = &mut scenario.cluster.routing {
            let mut scorers = w.scorers();
            for row in &mut scorers {
                let expression = expression_of(&row.scorer, w);
                row.scorer =
                    Scorer::Expression(expression.expect("the scorers of these files are expressions"));
            }
            (w.ties, w.profile, w.scorers) = (w.ties(), Profile::Custom, scorers);
            rewritten.set(rewritten.get() + 1);
        }
        scenario
    };
    check_files_after(&copies(), in_expressions);
    let copies = rewritten.take();
    assert!(copies >= 3, "{copies} of the copies are about scorers");
    check_files_after(&full_set(), in_expressions);
}

#[test]
fn the_copies_kept_here_are_those_of_the_full_set() {
    for path in full_set() {
        let folder = path.parent().and_then(Path::file_name).expect("a folder for each mode");
        let name = path.file_name().expect("a file has a name");
        let copy = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(folder).join(name);
        if copy.is_file() {
            assert!(fs::read(&path).ok() == fs::read(&copy).ok(), "{} is not the original", copy.display());
        }
    }
}

/// What a golden file is about: the policies it names, and what is more than the plainest cluster.
fn features(document: &Value) -> Vec<String> {
    let c = &document["config"];
    let mut all: Vec<String> =
        ["latency_backend", "scheduler", "priority_policy", "routing_policy", "admission_policy"]
            .iter()
            .map(|key| format!("{key} {}", c[key].as_str().expect("a name")))
            .collect();
    for (feature, key) in [
        ("CPU tier", "kv_cpu_blocks"),
        ("stale signals", "snapshot_refresh_interval_us"),
        ("latency at the gateway", "admission_latency_us"),
        ("horizon", "horizon_us"),
    ] {
        if c[key].as_u64().is_some_and(|n| n > 0) {
            all.push(feature.to_owned());
        }
    }
    all.push(if c["compat"] == "blis" { "compat blis" } else { "default mode" }.to_owned());
    all
}

#[test]
fn every_feature_of_the_format_has_a_copy_here() {
    let seen: BTreeSet<String> = copies().iter().flat_map(|path| features(&document(path))).collect();
    let named = [
        ("latency_backend", &["blackbox", "roofline", "crossmodel"][..]),
        ("scheduler", &["fcfs", "sjf", "priority-fcfs", "reverse-priority"]),
        ("priority_policy", &["constant", "slo-based", "inverted-slo"]),
        ("routing_policy", &["round-robin", "least-loaded", "always-busiest", "weighted"]),
        ("admission_policy", &["always-admit", "token-bucket"]),
    ];
    for (key, names) in named {
        for name in names {
            assert!(seen.contains(&format!("{key} {name}")), "no golden file here has the {key} {name}");
        }
    }
    for feature in
        ["CPU tier", "stale signals", "latency at the gateway", "horizon", "compat blis", "default mode"]
    {
        assert!(seen.contains(feature), "no golden file here is about: {feature}");
    }
}

/// Compares the sections that the plain engine writes; routing decisions by request, instant and replica. Files that need
/// what it does not have are listed.
fn check_reference(files: &[PathBuf], at_least: usize) {
    let (mut done, mut bad, mut lacking) = (0, Vec::new(), BTreeSet::new());
    for path in files {
        let document = document(path);
        let case: Case = serde_json::from_value(document.clone()).expect("a golden case");
        let missing = case.missing();
        if !missing.is_empty() {
            println!("not for the plain engine, which has no {}: {}", missing.join(", no "), path.display());
            lacking.extend(missing);
            continue;
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
        done += 1;
        bad.extend(compare::differences(&want, &got).into_iter().map(|d| format!("{}{d}", path.display())));
    }
    println!("the plain engine ran {done} of {} files; it has no: {lacking:?}", files.len());
    assert!(bad.is_empty(), "{} differences\n{}", bad.len(), bad[..bad.len().min(20)].join("\n"));
    assert!(done >= at_least.min(files.len()), "{done} files only");
}

#[test]
fn the_reference_engine_reproduces_the_copies_it_can_do() {
    check_reference(&copies(), 13);
}

#[test]
fn the_reference_engine_reproduces_the_files_of_the_full_set_it_can_do() {
    check_reference(&full_set(), 36);
}

#[test]
fn the_queueing_model_reproduces_the_copies_kept_here() {
    assert_eq!(queueing_copies().len(), 6);
    check_files(&queueing_copies());
}

#[test]
fn the_queueing_model_reproduces_the_full_set() {
    check_files(&queueing_set());
}

#[test]
fn the_queueing_models_copies_are_those_of_the_full_set() {
    for path in queueing_set() {
        let name = path.file_name().expect("a file has a name");
        let copy = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/queueing").join(name);
        let (original, copy) = (document(&path), document(&copy));
        let Some(kept) = copy.get("trajectories").and_then(Value::as_array) else {
            assert!(original == copy, "{} is not the original", path.display());
            continue;
        };
        let all = original["trajectories"].as_array().expect("a list");
        assert!(
            kept.len() >= 9 && kept.iter().all(|t| all.contains(t)),
            "{} is not the original",
            path.display()
        );
    }
}

/// A file with one case of it, or one trajectory cut to three cycles, or one row of a table.
fn in_parts(file: &Value) -> Vec<Value> {
    let mut parts = Vec::new();
    for list in ["cases", "trajectories"] {
        for case in file.get(list).and_then(Value::as_array).into_iter().flatten() {
            let mut case = case.clone();
            if let Some(cycles) = case.get_mut("cycles").and_then(Value::as_array_mut) {
                cycles.truncate(3);
            }
            let mut part = file.clone();
            part[list] = Value::Array(vec![case]);
            parts.push(part);
        }
    }
    for (name, rows) in file.get("tables").and_then(Value::as_object).into_iter().flatten() {
        // The chain of the shortest queue takes long, and its first row stands for all.
        let most = if name == "jsq_exact_ctmc" { 1 } else { 3 };
        for row in rows.as_array().into_iter().flatten().take(most) {
            let mut part = file.clone();
            part["tables"] = serde_json::json!({ name.as_str(): [row] });
            parts.push(part);
        }
    }
    parts
}

/// The ways to all numbers below what is expected, as pointers.
fn expected_numbers(value: &Value, path: &str, inside: bool, out: &mut Vec<String>) {
    let expects = ["expect", "go", "ref_float64", "go_float32", "seed_closed_form"];
    match value {
        Value::Object(all) => {
            for (key, below) in all {
                let inside = inside || expects.contains(&key.as_str());
                // What the published program's covariance has in single precision is said again in double precision.
                if key != "cov" {
                    expected_numbers(below, &format!("{path}/{key}"), inside, out);
                }
            }
        }
        Value::Array(all) => {
            for (k, below) in all.iter().enumerate() {
                expected_numbers(below, &format!("{path}/{k}"), inside, out);
            }
        }
        Value::Number(_) if inside => out.push(path.to_owned()),
        _ => {}
    }
}

#[test]
fn every_number_that_the_queueing_models_files_expect_is_compared() {
    let (mut changed, mut missed) = (0, Vec::new());
    for path in queueing_copies() {
        for part in in_parts(&document(&path)) {
            let mut numbers = Vec::new();
            expected_numbers(&part, "", false, &mut numbers);
            // Of the many that are alike, every seventh.
            let step = if numbers.len() > 100 { 7 } else { 1 };
            for place in numbers.iter().step_by(step) {
                let mut wrong = part.clone();
                let number = wrong.pointer_mut(place).expect("it was there");
                // The published program's figures of rejected updates decide at the gate only.
                let gate =
                    place.starts_with("/trajectories") && place.ends_with("/nis") && place.contains("/go/");
                let old = number.as_f64().expect("a number");
                let new = if gate { if old < 7.378 { 1e6 } else { 0.1 } } else { old + 1.0 + old.abs() };
                *number = serde_json::json!(new);
                changed += 1;
                if golden::differences(&wrong.to_string(), &[]).is_ok_and(|lines| lines.is_empty()) {
                    missed.push(format!("{}: {place}", path.display()));
                }
            }
        }
    }
    assert!(missed.is_empty(), "{} of {changed}: {:#?}", missed.len(), &missed[..missed.len().min(20)]);
    assert!(changed > 1500, "{changed} numbers only");
}
