//! `tokenyard evaluate` as a program runs it.

use crate::support::command::{TempFile, run, run_with, stderr, stdout};
use serde_json::Value;

const CANDIDATE: &str = "# EVOLVE-BLOCK-START\nrouting:\n  weighted:\n    scorers:\n      - { scorer: { expression: \"1 / (1 + in_flight)\" }, weight: 1 }\n# EVOLVE-BLOCK-END\n";

fn evaluated(text: &str, args: &[&str]) -> (Option<i32>, String, String) {
    let file = TempFile::new("candidate.yaml", text);
    let all = [&["evaluate", file.path(), "train", "--suite", "herding", "--stage", "1"], args].concat();
    let out = run(&all);
    (out.status.code(), stdout(&out), stderr(&out))
}

#[test]
fn the_same_bytes_come_with_any_number_of_jobs() {
    let (code, one, told) = evaluated(CANDIDATE, &["--jobs", "1"]);
    assert_eq!((code, told.as_str()), (Some(0), ""));
    assert_eq!(evaluated(CANDIDATE, &["--jobs", "3"]).1, one);
    let found: Value = serde_json::from_str(&one).expect("JSON");
    let keys: Vec<&str> = found.as_object().expect("an object").keys().map(String::as_str).collect();
    let contract = [
        "status",
        "combined_score",
        "metrics",
        "scores",
        "cases",
        "artifacts",
        "candidate",
        "problems",
        "suite",
        "digest",
    ];
    assert_eq!(keys, contract);
    assert_eq!(found["status"], "success");
    assert!(found["combined_score"].as_f64().is_some_and(|score| score > 0.6), "{found}");
    for name in ["score", "hit_share", "load_cov", "preemptions", "expression_nodes", "latency_ms.ttft.p99"] {
        assert!(found["metrics"][name].is_number(), "{name}: {}", found["metrics"]);
    }
    assert_eq!(found["candidate"]["routing"]["weighted"]["profile"], "custom");
}

#[test]
fn a_bad_candidate_ends_with_success_and_a_broken_suite_does_not() {
    let (code, out, _) = evaluated("ruoting: random\n", &[]);
    let found: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(
        (code, found["status"].as_str(), found["combined_score"].as_f64()),
        (Some(0), Some("error"), Some(0.0))
    );
    assert_eq!(found["problems"][0]["fix"], "did you mean `routing`?");
    let (code, out, told) = evaluated(CANDIDATE, &["--case", "chat-1z"]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(
        told.contains("--case: chat-1z; allowed: chat-1s,") && told.contains("did you mean `chat-1s`?"),
        "{told}"
    );
    let missing = run(&["evaluate", "nowhere.yaml", "--suite", "herding"]);
    assert_eq!(missing.status.code(), Some(3), "{}", stderr(&missing));
    let broken = TempFile::new("suite.yaml", "cases: [{ id: a, scenario: chat-4xh10 }]\nobjectives: []\n");
    let out = run_with(&["evaluate", "-", "--suite", broken.path()], CANDIDATE.as_bytes());
    assert_eq!(out.status.code(), Some(2), "{}", stderr(&out));
    assert!(stderr(&out).contains("objectives: 0 entries"), "{}", stderr(&out));
}

#[test]
fn a_suite_names_scenarios_and_traces_beside_it() {
    let trace = TempFile::new(
        "rows.csv",
        "arrived_at,num_prefill_tokens,num_decode_tokens\n0.5,100,10\n1.5,200,20\n2.5,50,5\n",
    );
    let name = std::path::Path::new(trace.path()).file_name().and_then(|n| n.to_str()).expect("a name");
    let suite = TempFile::new(
        "suite.yaml",
        format!(
            "cases:\n  - {{ id: replay, scenario: chat-4xh100, trace: {name}, set: {{ run.horizon_s: 20, run.warmup_s: 0, edits: [] }} }}\n\
             baseline: {{ routing: random }}\nobjectives: [{{ metric: latency_ms.e2e.mean, direction: lower }}]\n"
        ),
    );
    let out = run_with(&["evaluate", "-", "--suite", suite.path()], b"{\"routing\": \"round-robin\"}");
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let found: Value = serde_json::from_str(&stdout(&out)).expect("JSON");
    assert!(
        found["artifacts"]["feedback"].as_str().is_some_and(|text| text.contains("of 3 requests")),
        "{found}"
    );
    assert!(found["cases"][0]["ci95"].is_null(), "one seed has no interval: {found}");
}
