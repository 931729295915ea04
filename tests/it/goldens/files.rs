//! The golden command on invalid files: one message for each problem, and the other files still run.

use super::{differences, refused};
use crate::support::command::{TempFile, run, stderr, stdout};
use serde_json::{Value, json};
use std::process::Output;
use tokenyard::golden;

const GOOD: &str = "tests/goldens/default/34_multi_turn_output_reuse.json";

fn command(files: &[&str]) -> Output {
    run(&[&["golden"], files].concat())
}

fn document() -> Value {
    let text = std::fs::read_to_string(GOOD).expect("the golden file is there");
    serde_json::from_str(&text).expect("it is JSON")
}

/// The problems of the good file after a change.
fn problems(change: impl FnOnce(&mut Value)) -> Vec<String> {
    let mut document = document();
    change(&mut document);
    refused(&document)
}

#[test]
fn unusable_files_are_reported_and_the_others_still_run() {
    let (empty, cut) =
        (TempFile::new("empty", b""), TempFile::new("cut", br#"{"schema": "engine-golden/1", "conf"#));
    let (list, bytes) = (TempFile::new("list", b"[1, 2]"), TempFile::new("bytes", [0x7b, 0xff, 0x00]));
    let missing = std::env::temp_dir().join("tokenyard-golden-nothing-here.json");
    let missing = missing.to_str().expect("a path in UTF-8");
    let folder = "tests/goldens";
    let out = command(&[empty.path(), GOOD, cut.path(), list.path(), bytes.path(), missing, folder, GOOD]);
    assert_eq!(stdout(&out), "2 passed, 0 failed, 6 unusable\n");
    assert_eq!(out.status.code(), Some(2));
    let told = stderr(&out);
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines[0].contains("an empty text; allowed: a golden file"), "{told}");
    assert!(
        lines[1].contains("line 1, column") && lines[1].contains("the text ends in the middle"),
        "{told}"
    );
    assert!(lines[2].contains("[1,2]; allowed: a golden file: an object in braces"), "{told}");
    assert!(lines[3].contains("not UTF-8, first at position 1"), "{told}");
    assert!(lines[4].contains("nothing-here.json"), "{told}");
    assert!(lines[5].contains(folder), "{told}");
    assert_eq!(lines.len(), 6, "{told}");
    // A difference is the finding that the command exists for: it decides about the exit code.
    let mut wrong = document();
    wrong["expected"]["cluster_clock_us"] = 1.into();
    let wrong = TempFile::new("wrong", wrong.to_string().as_bytes());
    assert_eq!(command(&[missing, wrong.path()]).status.code(), Some(1));
    assert_eq!(command(&[missing, GOOD]).status.code(), Some(3));
}

#[test]
fn every_missing_key_is_named_with_its_path() {
    let told = problems(|d| {
        for key in ["scheduler", "total_kv_blocks"] {
            d["config"].as_object_mut().expect("an object").shift_remove(key);
        }
        d["requests"][1].as_object_mut().expect("an object").shift_remove("id");
        d["requests"][2]["input"] = json!([{"n": 4}]);
        d.as_object_mut().expect("an object").shift_remove("expected");
    });
    let paths: Vec<&str> = told.iter().map(|line| line.split(": ").next().unwrap_or_default()).collect();
    let want = [
        "expected",
        "config.total_kv_blocks",
        "config.scheduler",
        "requests[1].id",
        "requests[2].input[0].s",
    ];
    assert_eq!(paths, want, "{told:#?}");
    assert!(
        told.iter().all(|line| line.contains("no such key; allowed: ") && line.contains("; add `")),
        "{told:#?}"
    );
    // Keys that the settings do not ask for may be absent.
    let mut document = document();
    let config = document["config"].as_object_mut().expect("an object");
    for key in
        ["compat", "seed", "tp", "token_bucket_capacity", "kv_offload_threshold", "kv_transfer_bandwidth"]
    {
        config.shift_remove(key);
    }
    assert_eq!(differences(&document, &[]), [""; 0]);
}

#[test]
fn keys_that_the_format_does_not_have_are_named_with_the_nearest_one() {
    let told = problems(|d| {
        d["config"]["max_num_runing_reqs"] = 4.into();
        d["requests"][0]["arrival"] = 4.into();
        d["requests"][0]["input"][0]["x"] = 4.into();
        d["record"]["itll"] = true.into();
        d["author"] = "anybody".into();
        d["config"]["hw_config"] = json!({ "MemoryGiB": 80 });
    });
    assert_eq!(told.len(), 5, "{told:#?}");
    for (line, (path, near)) in told.iter().zip([
        ("config.max_num_runing_reqs", "did you mean `max_num_running_reqs`?"),
        ("record.itll", "did you mean `itl`?"),
        ("requests[0].input[0].x", "remove it"),
        ("requests[0].arrival", "did you mean `arrival_us`?"),
        ("author", "remove it"),
    ]) {
        assert!(line.starts_with(&format!("{path}: unknown key `")), "{line}");
        assert!(line.contains("allowed: ") && line.ends_with(near), "{line}");
    }
}

#[test]
fn a_section_that_the_format_does_not_have_is_named() {
    let told = problems(|d| {
        d["expected"]["per_requests"] = json!([]);
        d["expected"]["routng"] = json!([]);
        d["config"]["model_config"] = json!({"hiden_size": 4});
    });
    let paths: Vec<&str> = told.iter().map(|line| line.split(": ").next().unwrap_or_default()).collect();
    assert_eq!(
        paths,
        ["expected.per_requests", "expected.routng", "config.model_config.hiden_size"],
        "{told:#?}"
    );
}

#[test]
fn values_of_the_wrong_kind_are_all_reported_at_once() {
    let told = problems(|d| {
        d["schema"] = "engine-golden/2".into();
        d["config"]["num_instances"] = "two".into();
        d["config"]["alpha_coeffs"] = json!([0, 0]);
        d["config"]["horizon_us"] = (-1).into();
        d["requests"][0]["arrival_us"] = 1.5.into();
        d["requests"][1]["output"] = json!([]);
        d["record"]["itl"] = "yes".into();
    });
    let paths: Vec<&str> = told.iter().map(|line| line.split(": ").next().unwrap_or_default()).collect();
    let want = [
        "config.alpha_coeffs",
        "config.horizon_us",
        "config.num_instances",
        "record.itl",
        "requests[0].arrival_us",
        "requests[1].output",
    ];
    let mut sorted = paths.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, want, "{told:#?}");
    assert!(told.iter().all(|line| line.contains("; allowed: ")), "{told:#?}");
    let told = problems(|d| {
        d["schema"] = "engine-golden/2".into();
        for key in [
            "scheduler",
            "priority_policy",
            "admission_policy",
            "routing_policy",
            "latency_backend",
            "compat",
        ] {
            d["config"][key] = "longest-first".into();
        }
    });
    assert_eq!(told.len(), 7, "{told:#?}");
    assert!(told.iter().all(|line| line.contains("; allowed: ") && line.contains("; write one of these")));
}

/// Each of these would take memory or time without end, or overflow, if it were believed.
#[test]
fn absurd_numbers_are_refused_at_once() {
    for (key, value) in [
        ("total_kv_blocks", json!(1e18)),
        ("total_kv_blocks", json!(u64::MAX)),
        ("total_kv_blocks", json!(u32::MAX)),
        ("kv_cpu_blocks", json!(u32::MAX)),
        ("num_instances", json!(u32::MAX)),
        ("block_size_tokens", json!(0)),
        ("max_num_running_reqs", json!(0)),
        ("admission_latency_us", json!(1_u64 << 63)),
        ("alpha_coeffs", json!([1e300, 0, 0])),
        ("beta_coeffs", json!([0, -1, 0])),
        ("beta_coeffs", json!([1])),
    ] {
        let told = problems(|d| d["config"][key] = value);
        assert_eq!(told.len(), 1, "{told:#?}");
        assert!(told[0].starts_with(&format!("config.{key}")), "{key}: {told:#?}");
        assert!(told[0].contains("; allowed: "), "{told:#?}");
    }
    for (place, value) in [
        ("arrival_us", json!(1_u64 << 63)),
        ("output", json!({"s": 1, "n": u32::MAX})),
        ("input", json!([{"s": 1, "n": u32::MAX}, {"s": 2, "n": u32::MAX}])),
        ("input", json!([])),
    ] {
        let told = problems(|d| d["requests"][0][place] = value);
        assert!(told.iter().all(|line| line.starts_with("requests[0]")), "{told:#?}");
    }
    let told = problems(|d| d["requests"][1]["id"] = d["requests"][0]["id"].clone());
    assert!(told[0].starts_with("requests[1].id: "), "{told:#?}");
}

#[test]
fn bounds_beyond_everything_that_happens_mean_none() {
    let mut document = document();
    for (key, value) in [
        ("horizon_us", i64::MAX as u64),
        ("max_num_running_reqs", 1 << 40),
        ("max_num_scheduled_tokens", 1 << 40),
        ("long_prefill_token_threshold", 1 << 40),
        ("counterfactual_k", 1 << 40),
    ] {
        document["config"][key] = value.into();
    }
    assert_eq!(differences(&document, &["per_request", "per_instance", "summary_json"]), [""; 0]);
}

/// Two requests that take each other's last block for ever, in a mode that lets them.
#[test]
fn a_run_without_an_end_ends() {
    let text = std::fs::read_to_string("tests/goldens/compat-blis/24_kv_full_livelock.json");
    let mut document: Value =
        serde_json::from_str(&text.expect("the golden file is there")).expect("it is JSON");
    document["config"]["horizon_us"] = 0.into();
    let found = golden::differences(&document.to_string(), &[]);
    assert!(found.is_err() || found.is_ok_and(|lines| !lines.is_empty()), "it does not go on for ever");
}

/// The one thing that the Python definition of the format does not decide: it stops with an assertion here.
#[test]
fn a_preempted_request_that_no_longer_fits_into_an_empty_cache_is_dropped_when_its_turn_comes() {
    let mut document = document();
    for (key, value) in [
        ("compat", json!("none")),
        ("num_instances", json!(1)),
        ("total_kv_blocks", json!(2)),
        ("block_size_tokens", json!(4)),
        ("kv_cpu_blocks", json!(0)),
        ("max_num_running_reqs", json!(8)),
        ("max_num_scheduled_tokens", json!(100)),
        ("long_prefill_token_threshold", json!(0)),
        ("latency_backend", json!("blackbox")),
        ("alpha_coeffs", json!([0, 0, 0])),
        ("beta_coeffs", json!([100, 0, 0])),
        ("admission_policy", json!("always-admit")),
        ("admission_latency_us", json!(0)),
        ("routing_latency_us", json!(0)),
        ("horizon_us", json!(0)),
    ] {
        document["config"][key] = value;
    }
    // Both share the first block; b has the second. At 100 us a's second token needs one: b gives up, with 8 + 1 tokens
    // to compute again. At 200 us a is done and b alone, and 9 tokens need 3 blocks.
    document["requests"] = json!([
        {"id": "a", "arrival_us": 0, "input": [{"s": 1, "n": 4}], "output": {"s": 2, "n": 2}},
        {"id": "b", "arrival_us": 0, "input": [{"s": 1, "n": 4}, {"s": 3, "n": 4}], "output": {"s": 4, "n": 5}},
    ]);
    document["expected"] = json!({
        "drops": [{"id": "b", "t": 200, "instance": "instance_0", "reason": "outgrew-kv-cache"}],
        "preemption_log": [[100, 0, "b"]],
        "cluster_clock_us": 200,
    });
    assert_eq!(differences(&document, &["drops", "preemption_log", "cluster_clock_us"]), [""; 0]);
}
