//! Random scenarios in which features meet: each run ends, loses nothing, and is the same whichever way one goes through it.
//!
//! A thousand in `scripts/test`, two thousand in `scripts/test --all`; `scripts/campaign random FIRST COUNT` runs others. A failing case
//! that is asked for alone is also made small.

#![expect(clippy::print_stdout, reason = "a failing case is printed with its document")]

use super::document::document;
use super::numbers::{self, numbers};
use super::{reduce, ways};
use serde_json::Value;

/// Cases in `scripts/test`, and in `scripts/test --all`.
const CASES: [u64; 2] = [1000, 2000];

/// A quarter of the cases, so that the cores share them.
fn quarter(part: u64) {
    let all = numbers(CASES[0], CASES[1]);
    let asked = std::env::var_os("TOKENYARD_CASES").is_some();
    let (mut ran, mut tried, mut failed) = (0, 0, Vec::new());
    for case in all.clone().filter(|case| case % 4 == part) {
        numbers::tell(&all, case);
        // The last line before a run without an end names its case.
        if asked {
            numbers::say(case);
        }
        tried += 1;
        let Some(document) = document(case) else { continue };
        ran += 1;
        let check = |document: &Value| ways::hold(document, case);
        if let Some(why) = reduce::failure(|| check(&document)) {
            println!("case {case} fails: {}\n{document}", why.replace('\n', " | "));
            if all.end - all.start == 1 {
                println!("made small:\n{}", reduce::reduced(&document, &why, &check));
            }
            failed.push(case);
        }
    }
    assert!(failed.is_empty(), "cases {failed:?} fail");
    assert!(tried < 100 || ran * 10 > tried * 9, "only {ran} of {tried} ran");
}

#[test]
fn every_way_through_a_random_run_is_that_run_first_quarter() {
    quarter(0);
}

#[test]
fn every_way_through_a_random_run_is_that_run_second_quarter() {
    quarter(1);
}

#[test]
fn every_way_through_a_random_run_is_that_run_third_quarter() {
    quarter(2);
}

#[test]
fn every_way_through_a_random_run_is_that_run_fourth_quarter() {
    quarter(3);
}

/// What a drawn document can have, with a sign of it in the text; any two of these meet.
const FEATURES: [(&str, &str); 19] = [
    ("roles", "\"role\":\"decode\""),
    ("faults", "\"fault\":"),
    ("autoscalers", "\"tick_s\""),
    ("flow control", "\"ceilings\""),
    ("closed loops", "{\"concurrency\":{\"requests\""),
    ("agents", "\"sub_turns\""),
    ("edits", "\"set\":"),
    ("off edits", "\"off\":true"),
    ("adapters", "\"max_loras\""),
    ("speculative decoding", "\"acceptance\""),
    ("retries", "\"retry_budget_share\""),
    ("time-outs", "\"timeout_s\""),
    ("stores", "{\"store\":"),
    ("peers", "{\"p2p\":"),
    ("orders of eviction", "\"eviction_order\""),
    ("lock step", "\"expert_ranks_lockstep\":true"),
    ("divided caches", "\"dcp\""),
    ("steps without a graph", "\"mixed_step_us\":"),
    ("stages", "\"pp\":2"),
];

/// Features that a scenario may not have in one pool.
const APART: [[&str; 2]; 2] = [["lock step", "stages"], ["divided caches", "stages"]];

#[test]
fn any_two_features_meet_in_many_cases() {
    let mut together = [[0_u32; FEATURES.len()]; FEATURES.len()];
    for text in (0..CASES[1]).filter_map(document).map(|document| document.to_string()) {
        let has = FEATURES.map(|(_, sign)| text.contains(sign));
        for (i, _) in has.iter().enumerate().filter(|(_, has)| **has) {
            for (j, _) in has.iter().enumerate().filter(|(_, has)| **has) {
                together[i][j] += 1;
            }
        }
    }
    for (i, (name, _)) in FEATURES.iter().enumerate() {
        for (j, (other, _)) in FEATURES.iter().enumerate() {
            let apart = APART.contains(&[*name, *other]) || APART.contains(&[*other, *name]);
            assert!(apart || together[i][j] >= 20, "{name} and {other} meet in {} cases", together[i][j]);
        }
    }
}
