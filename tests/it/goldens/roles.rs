//! Golden files of clusters whose pools have roles: the recorded ones, random ones, and invalid ones.
//!
//! `tests/goldens/roles` holds copies of one file for each feature, and 200 random cases with their results, one a line
//! (`scripts/campaign reference --roles --record`). The full set is read where it lies beside the checkout.

#![expect(clippy::print_stdout, reason = "what is left out is said, with the reason")]

use super::folder::{files, random_cases, text};
use super::refused;
use crate::support::schema::numbers;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tokenyard::golden;

/// How many files the full set has.
const FULL_SET: usize = 49;

fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/roles")
}

/// The full set, where there is a folder `shared` beside the checkout.
fn full_set() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/goldens/disaggregation/default");
    if !folder.is_dir() {
        println!(
            "skipped: the full set of {FULL_SET} golden files with roles, as {} is not there",
            folder.display()
        );
        return Vec::new();
    }
    let found = files(&folder);
    assert_eq!(found.len(), FULL_SET, "the full set of golden files is not complete");
    found
}

/// Runs each and compares every section.
fn check(cases: &[(String, String)]) {
    let mut bad = Vec::new();
    for (name, text) in cases {
        let lines = match golden::differences(text, &[]) {
            Ok(lines) => lines,
            Err(problems) => problems.iter().map(ToString::to_string).collect(),
        };
        if !lines.is_empty() {
            bad.push(format!(
                "{name}: {} differences\n  {}",
                lines.len(),
                lines[..lines.len().min(8)].join("\n  ")
            ));
        }
    }
    assert!(bad.is_empty(), "{} of {}\n{}", bad.len(), cases.len(), bad.join("\n"));
}

fn named(paths: &[PathBuf]) -> Vec<(String, String)> {
    paths.iter().map(|path| (path.display().to_string(), text(path))).collect()
}

#[test]
fn the_simulator_reproduces_the_copies_with_roles() {
    let copies = named(&files(&kept()));
    assert!(copies.len() >= 20);
    check(&copies);
}

#[test]
fn the_simulator_reproduces_the_full_set_with_roles() {
    let all = full_set();
    check(&named(&all));
    for path in all {
        let copy = kept().join(path.file_name().expect("a file has a name"));
        assert!(!copy.is_file() || text(&copy) == text(&path), "{} is not the original", copy.display());
    }
}

#[test]
fn the_simulator_reproduces_two_hundred_random_cases_with_roles() {
    let all = random_cases(&kept(), "campaign").expect("a file of cases");
    let cases: Vec<(String, String)> =
        (0..).zip(all.lines()).map(|(i, case): (u32, &str)| (format!("case {i}"), case.to_owned())).collect();
    assert_eq!(cases.len(), 200);
    check(&cases);
}

#[test]
fn every_feature_of_the_format_with_roles_has_a_copy_here() {
    let mut seen = BTreeSet::new();
    for path in files(&kept()) {
        let d: Value = serde_json::from_str(&text(&path)).expect("it is JSON");
        let (pd, summary) = (&d["config"]["disaggregation"], &d["expected"]["summary"]);
        for (key, value) in [("hand-over", &pd["handoff"]), ("first token", &pd["first_token"])] {
            seen.insert(format!("{key} {}", value.as_str().expect("a name")));
        }
        seen.insert(format!("decider {}", pd["decider"]["kind"].as_str().expect("a name")));
        seen.extend(
            summary["decisions"].as_object().expect("decisions").keys().map(|why| format!("decision {why}")),
        );
        let states = summary["requests"].as_object().expect("states").iter();
        seen.extend(states.filter(|(_, n)| **n != 0).map(|(state, _)| format!("ends {state}")));
        for (feature, holds) in [
            ("overlap", summary["overlapped_bytes"] != 0),
            ("flows at once", summary["peak_flows"].as_u64() > Some(1)),
            ("given up", summary["blocks"]["cancelled"] != 0),
            ("drops", d["expected"]["drops"] != json!([])),
            ("preemptions", summary["preemptions"] != 0),
            ("second policy", pd["prefill_routing_policy"].is_string()),
            ("under way at the end", summary["transfers_started"] != summary["transfers_landed"]),
        ] {
            if holds {
                seen.insert(feature.to_owned());
            }
        }
    }
    for want in [
        "hand-over pull",
        "hand-over push",
        "first token decode",
        "first token prefill",
        "decider always",
        "decider threshold",
        "decision mixed",
        "decision no-prefill",
        "decision always",
        "decision short",
        "decision busy",
        "decision long",
        "ends transferring",
        "ends landed",
        "ends rejected",
        "ends dropped",
        "overlap",
        "flows at once",
        "given up",
        "drops",
        "preemptions",
        "second policy",
        "under way at the end",
    ] {
        assert!(seen.contains(want), "no golden file here has: {want}\n{seen:#?}");
    }
}

#[test]
fn every_number_that_a_file_with_roles_expects_is_compared() {
    for name in ["17_push_reservation_given_up", "37_weighted_two_stages"] {
        let case: Value =
            serde_json::from_str(&text(&kept().join(format!("{name}.json")))).expect("it is JSON");
        let mut places = Vec::new();
        numbers(&case["expected"], "/expected", &mut places);
        let step = places.len().div_ceil(150);
        for place in places.iter().step_by(step) {
            let mut wrong = case.clone();
            let number = wrong.pointer_mut(place).expect("it was there");
            *number = json!(number.as_f64().expect("a number") + 1.0);
            let lines = golden::differences(&wrong.to_string(), &[]).expect("it can be run");
            assert_eq!(lines.len(), 1, "{name}: {place}: {lines:?}");
        }
    }
}

/// The problems of a good file after a change.
fn problems(change: impl FnOnce(&mut Value)) -> Vec<String> {
    let mut document: Value =
        serde_json::from_str(&text(&kept().join("22_mixed_beside_disaggregated.json"))).expect("it is JSON");
    change(&mut document);
    refused(&document)
}

#[test]
fn invalid_values_of_roles_are_reported_with_their_places() {
    let of = |key: &'static str, value: Value| {
        let told = problems(|d| {
            *d.pointer_mut(&format!("/config/{key}")).expect("it is there") = value;
        });
        assert!(told[0].contains("; allowed: "), "{told:?}");
        assert_eq!(told.len(), 1, "{told:?}");
        told[0].split(": ").next().unwrap_or_default().to_owned()
    };
    let pd = "config.disaggregation";
    assert_eq!(of("num_instances", json!(3)), "config.num_instances");
    assert_eq!(of("compat", json!("blis")), "config.compat");
    assert_eq!(of("kv_cpu_blocks", json!(5)), "config.kv_cpu_blocks");
    assert_eq!(of("pools/0/role", json!("encode")), "config.pools[0].role");
    assert_eq!(of("pools/0/replicas", json!(-1)), "config.pools[0].replicas");
    assert_eq!(of("disaggregation/handoff", json!("fetch")), format!("{pd}.handoff"));
    assert_eq!(of("disaggregation/first_token", json!("client")), format!("{pd}.first_token"));
    assert_eq!(of("disaggregation/decider/kind", json!("maybe")), format!("{pd}.decider.kind"));
    assert_eq!(of("disaggregation/decider", json!({})), format!("{pd}.decider.kind"));
    assert_eq!(
        of("disaggregation/prefill_routing_policy", json!("nearest")),
        format!("{pd}.prefill_routing_policy")
    );
    assert_eq!(of("disaggregation/transfer/overlap", json!(0.5)), format!("{pd}.transfer.overlap"));
    assert_eq!(of("disaggregation/transfer/base_us", json!(1_u64 << 60)), format!("{pd}.transfer.base_us"));
    assert_eq!(
        of("disaggregation/transfer/port_bytes_per_s", json!(u64::MAX)),
        format!("{pd}.transfer.port_bytes_per_s")
    );
    assert_eq!(
        of("disaggregation/transfer/kv_bytes_per_token", json!(u64::MAX)),
        format!("{pd}.transfer.kv_bytes_per_token")
    );
}

#[test]
fn keys_of_roles_are_checked_where_they_stand() {
    let path = |told: &[String]| -> Vec<String> {
        told.iter().map(|line| line.split(": ").next().unwrap_or_default().to_owned()).collect()
    };
    let told = problems(|d| {
        d["config"]["pools"][1].as_object_mut().expect("an object").shift_remove("replicas");
        d["config"]["disaggregation"]["decider"] =
            json!({"kind": "threshold", "uncached_tokens": 4, "uncached_share": 0});
    });
    assert_eq!(path(&told), ["config.pools[1].replicas", "config.disaggregation.decider.prefill_in_flight"]);
    let told = problems(|d| {
        d["config"]["pools"][0]["total_kv_block"] = json!(4);
        d["expected"]["raw_metrics"] = json!({});
    });
    assert_eq!(path(&told), ["expected.raw_metrics", "config.pools[0].total_kv_block"]);
    assert!(told[1].ends_with("did you mean `total_kv_blocks`?"), "{told:?}");
    let told = problems(|d| {
        for pool in d["config"]["pools"].as_array_mut().expect("pools") {
            pool["role"] = json!("prefill");
        }
    });
    assert_eq!(path(&told), ["config.pools"]);
    let told = problems(|d| d["config"]["pools"][0]["total_kv_blocks"] = json!(u32::MAX));
    assert_eq!(path(&told), ["config.pools[0].total_kv_blocks"]);
    // The format of engines has no roles.
    let told = problems(|d| {
        d["schema"] = "engine-golden/1".into();
        d["expected"] = json!({});
    });
    assert_eq!(path(&told), ["config.pools", "config.disaggregation"]);
}

#[test]
fn settings_may_be_left_out_or_stand_in_all_pools_alone() {
    let mut d: Value = serde_json::from_str(&text(&kept().join("01_one_request.json"))).expect("it is JSON");
    for pool in d["config"]["pools"].as_array_mut().expect("pools") {
        pool["total_kv_blocks"] = json!(100);
        pool["scheduler"] = json!("fcfs");
    }
    let config = d["config"].as_object_mut().expect("an object");
    for key in
        ["compat", "total_kv_blocks", "scheduler", "tp", "token_bucket_capacity", "token_bucket_refill_rate"]
    {
        config.shift_remove(key);
    }
    for key in ["decider", "handoff", "first_token", "prefill_routing_policy", "prefill_routing_scorers"] {
        d["config"]["disaggregation"].as_object_mut().expect("an object").shift_remove(key);
    }
    check(&[("few keys".to_owned(), d.to_string())]);
    // Pools without replicas take no numbers, and prefill replicas may have nobody to prefill for.
    d["config"]["pools"] = json!([
        {"role": "mixed", "replicas": 0, "total_kv_blocks": 1, "scheduler": "sjf"}, d["config"]["pools"][0],
        {"role": "mixed", "replicas": 1, "total_kv_blocks": 100, "scheduler": "fcfs"},
    ]);
    let lines = golden::differences(&d.to_string(), &["cluster_clock_us".to_owned()]).expect("it can be run");
    // 1000 + 100, and two decodes.
    assert_eq!(lines, ["expected.cluster_clock_us: expected 4215, got 3102"]);
}
