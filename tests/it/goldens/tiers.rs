//! Golden files of tiers below the GPU: the recorded ones, random ones, and what of the format is not simulated.
//!
//! `tests/goldens/kv` holds copies of one file for each rule that is simulated, and 200 random cases with their results, one a line
//! (`scripts/campaign reference --tiers --record`), and 100 of sessions that pause (`--sessions`). The full set is read where it lies beside the checkout.

#![expect(clippy::print_stdout, reason = "what is left out is said, with the reason")]

use super::folder::{files, random_cases, text};
use super::refused;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tokenyard::golden;

/// How many files the full set has.
const FULL_SET: usize = 92;

fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/kv")
}

/// Runs each and compares every section; those that cannot be run, by name.
fn check(cases: &[(String, String)]) -> Vec<String> {
    let (mut bad, mut left_out) = (Vec::new(), Vec::new());
    for (name, text) in cases {
        match golden::differences(text, &[]) {
            Ok(lines) if lines.is_empty() => {}
            Ok(lines) => {
                let first = lines[..lines.len().min(8)].join("\n  ");
                bad.push(format!("{name}: {} differences\n  {first}", lines.len()));
            }
            Err(problems) => {
                assert!(problems.iter().any(|p| p.fix.contains("not simulated yet")), "{name}: {problems:?}");
                left_out.push(name.clone());
            }
        }
    }
    assert!(bad.is_empty(), "{} of {}\n{}", bad.len(), cases.len(), bad.join("\n"));
    left_out
}

fn named(paths: &[PathBuf]) -> Vec<(String, String)> {
    let name = |path: &PathBuf| path.file_stem().map(|name| name.to_string_lossy().into_owned());
    paths.iter().map(|path| (name(path).expect("a file has a name"), text(path))).collect()
}

#[test]
fn the_simulator_reproduces_the_copies_with_tiers() {
    let copies = named(&files(&kept()));
    assert!(copies.len() >= 20);
    assert_eq!(check(&copies), Vec::<String>::new());
}

#[test]
fn the_simulator_reproduces_the_full_set_with_tiers_but_what_it_says_it_leaves_out() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/goldens/kv");
    if !folder.is_dir() {
        println!(
            "skipped: the full set of {FULL_SET} golden files with tiers, as {} is not there",
            folder.display()
        );
        return;
    }
    let all = files(&folder);
    assert_eq!(all.len(), FULL_SET, "the full set of golden files is not complete");
    let left_out = check(&named(&all));
    for path in &all {
        let copy = kept().join(path.file_name().expect("a file has a name"));
        let is_left_out =
            left_out.iter().any(|name| path.file_stem().is_some_and(|stem| stem == name.as_str()));
        assert!(!copy.is_file() || text(&copy) == text(path), "{} is not the original", copy.display());
        assert!(!copy.is_file() || !is_left_out, "{} is not simulated", copy.display());
    }
    println!("{} of {FULL_SET} are left out: {}", left_out.len(), left_out.join(", "));
}

fn numbered(all: &str) -> Vec<(String, String)> {
    (0..).zip(all.lines()).map(|(i, case): (u32, &str)| (format!("case {i}"), case.to_owned())).collect()
}

#[test]
fn the_simulator_reproduces_two_hundred_random_cases_with_tiers() {
    let cases = numbered(&random_cases(&kept(), "campaign").expect("a file of cases"));
    assert_eq!(cases.len(), 200);
    assert_eq!(check(&cases), Vec::<String>::new());
}

#[test]
fn the_simulator_reproduces_a_hundred_random_cases_of_sessions_that_pause() {
    let cases = numbered(&random_cases(&kept(), "sessions").expect("a file of cases"));
    assert_eq!(cases.len(), 100);
    assert_eq!(check(&cases), Vec::<String>::new());
}

fn document() -> Value {
    serde_json::from_str(&text(&kept().join("10_fs_two_hops.json"))).expect("a golden file")
}

/// The problems of a good file after a change.
fn problems(change: impl FnOnce(&mut Value)) -> Vec<String> {
    let mut document = document();
    change(&mut document);
    refused(&document)
}

#[test]
fn names_that_the_format_with_tiers_does_not_have_are_told() {
    for (path, value) in [
        ("/config/kv/tiers/0/type", "tape"),
        ("/config/kv/tiers/0/write", "full"),
        ("/config/kv/cpu/write", "through"),
        ("/config/kv/read/rule", "never"),
        ("/config/kv/wait/until", "enough"),
        ("/config/kv/ask", "later"),
        ("/config/kv/retention/order", "fifo"),
        ("/config/kv/session/prefetch/when", "later"),
    ] {
        let told = problems(|d| {
            let kv = d["config"]["kv"].as_object_mut().expect("an object");
            kv["cpu"]["write"] = json!("full");
            kv["tiers"][0]["write"] = json!("through");
            for key in ["read", "wait", "retention"] {
                kv.insert(key.to_owned(), json!({}));
            }
            kv["read"]["rule"] = json!("always");
            kv["wait"]["until"] = json!("complete");
            kv["retention"]["order"] = json!("lru");
            kv.insert("ask".to_owned(), json!("turn"));
            kv.insert("session".to_owned(), json!({"prefetch": {"when": "pause"}}));
            *d.pointer_mut(path).expect("a key of the file") = json!(value);
        });
        assert!(told.len() == 1 && told[0].contains(&format!("\"{value}\"")), "{path}: {told:#?}");
    }
}

#[test]
fn what_the_format_has_and_is_not_simulated_is_told_and_not_ignored() {
    let store = json!({"blocks": 0, "read_bytes_per_s": 1_000_000, "eviction": "watermark"});
    let told = problems(|d| d["config"]["kv"]["store"] = store);
    assert!(
        told.iter().any(|line| line.contains("store") && line.contains("not simulated yet")),
        "{told:#?}"
    );
}

#[test]
fn keys_of_tiers_belong_to_their_format() {
    let told = problems(|d| d["schema"] = json!("engine-golden/1"));
    assert!(told.iter().any(|line| line.contains("expected.kv: unknown key `kv`")), "{told:#?}");
    let told = problems(|d| {
        d["schema"] = json!("engine-golden/1");
        d["expected"].as_object_mut().expect("an object").shift_remove("kv");
    });
    assert!(told.iter().any(|line| line.contains("config.kv") && line.contains("kv-golden/1")), "{told:#?}");
    let told = problems(|d| d["config"]["kv"]["blocks"] = json!(1));
    assert!(told.iter().any(|line| line.contains("unknown key `blocks`")), "{told:#?}");
    let told = problems(|d| d["config"]["kv"]["tiers"][0] = json!({"type": "store"}));
    assert!(told.iter().any(|line| line.contains("config.kv.store")), "{told:#?}");
}
