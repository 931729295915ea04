//! The commands of the queueing model: what they print, and what they refuse.

use crate::support::command::{printed_json, refused, run, stderr, stdout};
use serde_json::Value;
use tokenyard::golden;
use tokenyard::queueing::Mode;

/// The coefficients of the recorded trajectories, and their requests.
const H100: [&str; 11] =
    ["size", "--alpha", "6.958", "--beta", "0.042", "--gamma", "0.0001", "--input", "512", "--output", "128"];

fn with<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [&H100[..], args].concat()
}

fn as_json(args: &[&str]) -> Value {
    printed_json(&[&with(args)[..], &["--json"]].concat())
}

#[test]
fn a_size_says_what_binds_and_how_many_replicas_a_rate_asks_for() {
    // The golden case qa-046 has 25.0816691 requests/s for these objectives, and ITL binds.
    let found = as_json(&["--ttft", "500", "--itl", "50", "--rate", "60"]);
    let rate = |found: &Value| found["capacity_per_s"].as_f64().expect("a number");
    assert!((rate(&found) - 25.081_669_122_651_725).abs() < 1e-9, "{found}");
    assert_eq!((&found["binding"], &found["at_rate"]["replicas"]), (&"itl".into(), &3.into()), "{found}");
    // 8 requests at 6.958 + 8 * 0.26597 ms a step, 129 steps each: 6.826 requests/s.
    let found = as_json(&["--ttft", "500", "--itl", "50", "--rate", "60", "--max-batch", "8"]);
    assert!((rate(&found) - 6.826).abs() < 1e-3, "{found}");
    assert_eq!((&found["binding"], &found["at_rate"]["replicas"]), (&"batch".into(), &9.into()), "{found}");
    let text = stdout(&run(&with(&["--ttft", "60", "--rate", "60"])));
    assert!(text.contains("the TTFT objective binds") && text.contains("60 requests/s need "), "{text}");
    let text = stdout(&run(&with(&["--max-batch", "1000000"])));
    assert!(text.contains("no objective binds") || text.contains("batch limit binds"), "{text}");
}

#[test]
fn a_multiplier_of_three_fills_two_thirds_of_a_replica() {
    let found = as_json(&["--slo-multiplier", "3", "--max-batch", "100000"]);
    let share = found["capacity_per_s"].as_f64().expect("a number")
        / found["saturation_per_s"].as_f64().expect("one");
    assert!((share - 2.0 / 3.0).abs() < 1e-9, "{found}");
}

#[test]
fn a_model_of_the_catalogue_has_coefficients_of_its_own() {
    let found = printed_json(&[
        "size",
        "--model",
        "llama-3.1-8b",
        "--input",
        "512",
        "--output",
        "128",
        "--itl",
        "20",
        "--rate",
        "40",
        "--json",
    ]);
    for key in ["alpha_ms", "beta_ms", "gamma_ms"] {
        assert!(found["coefficients"][key].as_f64().is_some_and(|x| x > 0.0), "{found}");
    }
    assert!(found["at_rate"]["replicas"].as_u64() >= Some(1), "{found}");
    // About 1.6e10 FLOP a token at some 0.6e15 FLOP/s.
    let peak = found["peak_prefill_tokens_per_s"].as_f64();
    assert!(peak.is_some_and(|rate| (25_000.0..60_000.0).contains(&rate)), "{found}");
}

#[test]
fn the_published_sizing_is_another_one() {
    let coded = as_json(&["--ttft", "500", "--itl", "50", "--mode", "as-coded"]);
    let mended = as_json(&["--ttft", "500", "--itl", "50"]);
    assert!(coded["capacity_per_s"].as_f64() < mended["capacity_per_s"].as_f64(), "{coded} {mended}");
    let told = refused(&with(&["--slo-multiplier", "2", "--mode", "as-coded"]));
    assert!(told.contains("--ttft") && told.contains("one decoding step more"), "{told}");
}

#[test]
fn what_cannot_be_sized_is_refused_with_a_message_for_each_problem() {
    for (args, told) in [
        (&["--ttft", "5"][..], &["--ttft: 5 ms", "allowed: above 28.5", "raise it"][..]),
        (&["--itl", "2"], &["--itl: 2 ms", "allowed: above 7.0"]),
        (&["--slo-multiplier", "1"], &["--slo-multiplier: 1; allowed: above 1"]),
        (&["--rate", "-3"], &["--rate: -3; allowed: 0 or more"]),
        (&["--rate", "NaN"], &["--rate: NaN"]),
        (&["--max-batch", "0"], &["--max-batch: 0; allowed: 1 or more"]),
    ] {
        let out = refused(&with(args));
        for text in told {
            assert!(out.contains(text), "{args:?}: {out}");
        }
        assert_eq!(out.lines().count(), 1, "{out}");
    }
    let out = run(&["size", "--alpha", "5", "--input", "inf", "--output", "0"]);
    assert_eq!(stderr(&out).lines().count(), 2, "{}", stderr(&out));
    let out = run(&["size", "--alpha", "5", "--input", "8", "--output", "8"]);
    assert!(
        stderr(&out).contains("--beta: nothing") && stderr(&out).contains("--gamma: nothing"),
        "{}",
        stderr(&out)
    );
    let told = refused(&["size", "--model", "nobody-knows", "--input", "8", "--output", "8"]);
    assert!(told.contains("nobody-knows"), "{told}");
    let out = run(&["size", "--alpha", "5", "--beta", "0", "--gamma", "0", "--input", "8", "--output", "8"]);
    assert!(stderr(&out).contains("the work of a request: 0"), "{}", stderr(&out));
}

#[test]
fn a_file_of_inputs_gives_what_comes_out_of_each() {
    for name in ["closed_form", "queue_analyzer", "bootstrap_go", "theory", "autoscaler_policies"] {
        let file = format!("tests/goldens/queueing/{name}.json");
        let text = std::fs::read_to_string(&file).expect("it is there");
        let results = golden::queueing_results(&text, Mode::Corrected).expect("sound inputs");
        assert_eq!(printed_json(&["queueing", &file]), results, "{name}");
    }
}

#[test]
fn the_lock_out_occurs_in_one_mode_and_not_in_the_other() {
    let accepted = |mode: &str| {
        let found =
            printed_json(&["queueing", "tests/goldens/queueing/ekf_trajectories.json", "--mode", mode]);
        let all = found["trajectories"].as_array().expect("trajectories").clone();
        let varying = all.iter().find(|t| t["id"] == "t1_varying_load").expect("it is there").clone();
        let cycles = varying["cycles"].as_array().expect("cycles").clone();
        cycles.iter().filter(|c| c["tuning"]["v"]["status"] == "accepted").count()
    };
    assert_eq!(accepted("as-coded"), 0);
    assert!(accepted("corrected") >= 40, "{}", accepted("corrected"));
}

#[test]
fn an_invalid_file_is_refused_with_a_message_for_each_problem() {
    for (text, told) in [
        ("", "an empty text"),
        (r#"{"schema": "wva-closed-form/9"}"#, "schema: \"wva-closed-form/9\"; allowed: wva-closed-form/1"),
        (r#"{"schema": "wva-closed-form/1"}"#, "cases: no such key"),
        (r#"{"schema": "theory/1", "tables": 3}"#, "tables: 3; allowed: an object"),
        (
            r#"{"schema": "wva-closed-form/1", "cases": [{"id": "a", "kind": "x", "input": {}}]}"#,
            "cases[0].kind",
        ),
        (
            r#"{"schema": "wva-closed-form/1", "cases": [{"id": "a", "kind": "replicas",
                "input": {"total_arrival_rps": "many", "per_replica_rps": 3}}]}"#,
            "cases[0].input.total_arrival_rps: \"many\"; allowed: a number",
        ),
    ] {
        let problems = golden::queueing_results(text, Mode::Corrected).expect_err(text);
        assert!(problems.iter().any(|p| p.to_string().contains(told)), "{text}: {problems:?}");
    }
    assert_eq!(run(&["queueing", "/nothing/here.json"]).status.code(), Some(3));
    let out = run(&["golden", "--only", "nonsense", "tests/goldens/queueing/theory.json"]);
    assert!(stderr(&out).contains("forward") && stderr(&out).contains("mm1k"), "{}", stderr(&out));
    assert_eq!(
        stdout(&run(&["golden", "--only", "mm1k", "tests/goldens/queueing/theory.json"])),
        "1 passed, 0 failed\n"
    );
}
