//! Scenarios that the program makes of others keep the rules of all scenarios: every built-in one can be compared, swept, explained and
//! asked what if.

use crate::support::command::{run, stderr};
use tokenyard::scenario::preset::PRESETS;
use tokenyard::scenario::{Optimizer, check, parse};
use tokenyard::session::{Audience, Session};
use tokenyard::study::oracle::oracle_of;

/// A short run of each: what is derived does not depend on how long it is.
const SHORT: [&str; 6] =
    ["--set", "run.horizon_s=0.5", "--set", "run.warmup_s=0", "--set", "run.max_requests=0"];

fn accepted(args: &[&str]) {
    let out = run(&[args, &SHORT].concat());
    let told = stderr(&out);
    assert_eq!(out.status.code(), Some(0), "{args:?}: {told}");
    assert!(!told.contains("error"), "{args:?}: {told}");
}

#[test]
fn the_oracle_of_every_built_in_scenario_starts() {
    let mut made = 0;
    for preset in PRESETS {
        let Some(oracle) = oracle_of(&preset.scenario(), None).unwrap_or_default() else { continue };
        made += 1;
        let started = Session::start(oracle.scenario, None, Audience::Batch);
        assert!(started.is_ok(), "{}: {:?}", preset.name, started.err());
    }
    assert!(made > 3, "only {made} have an oracle");
}

#[test]
fn a_pool_that_decides_with_others_has_an_oracle_of_its_own() {
    for optimizer in ["greedy", "cost-aware"] {
        let text = format!(
            r#"{{"cluster": {{"pools": [{{"scaling": {{"policy": {{"wva-saturation-v1": {{}}}}, "optimizer": "{optimizer}"}}}}]}},
                "slo": {{"ttft_ms": 2000, "tpot_ms": 100}}}}"#
        );
        let scenario = parse(&text).expect("a scenario");
        let oracle = oracle_of(&scenario, None).expect("it can be made").expect("there is an autoscaler");
        assert_eq!(oracle.scenario.cluster.pools[0].scaling.optimizer, Optimizer::Alone);
        assert!(check(oracle.scenario).is_ok());
    }
}

#[test]
fn every_built_in_scenario_can_be_compared() {
    for preset in PRESETS {
        accepted(&["compare", preset.name, preset.name, "--set-b", "seed=43"]);
    }
}

#[test]
fn every_built_in_scenario_can_be_swept_explained_and_asked_what_if() {
    let folder = std::env::temp_dir().join(format!("tokenyard-derived-{}", std::process::id()));
    for preset in PRESETS {
        let rows = folder.join(preset.name);
        let rows = rows.to_str().expect("a path in UTF-8");
        // A preset in which a number of requests is kept in flight has no rate.
        let clients = preset.scenario().workload.clients;
        let has_rate = clients.is_empty() || clients.iter().any(|client| client.arrivals.rate_per_s() > 0.0);
        let vary = if has_rate { "traffic=0.5,1" } else { "cluster.pools[0].engine.max_num_seqs=64,128" };
        accepted(&["sweep", preset.name, "--vary", vary, "--output", rows]);
        accepted(&["theory", preset.name]);
        for args in [vec!["explain", preset.name], vec!["what-if", preset.name, "--request", "0"]] {
            let out = run(&[args.as_slice(), &SHORT].concat());
            let told = stderr(&out);
            // Half a second may be too short for anything slow, which is said.
            assert!(matches!(out.status.code(), Some(0 | 2)), "{args:?}: {told}");
            assert!(!told.contains("cluster.") && !told.contains("panicked"), "{args:?}: {told}");
        }
    }
    std::fs::remove_dir_all(&folder).ok();
}
