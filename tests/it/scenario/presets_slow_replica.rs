//! Checks what the note of the opening scenario says, with its own seed and with twenty in a row; and that a race of routers on it ends as
//! their comparison does.

use super::presets::{Run, about, run};
use super::presets_of_faults::sent_to;
use super::presets_of_scaling::report;
use crate::support::outcomes;
use crate::support::rows::whole;
use std::ops::Range;
use tokenyard::scenario::Scenario;
use tokenyard::scenario::preset::PRESETS;
use tokenyard::study::compare::{Comparing, Outcomes, Verdict};
use tokenyard::study::sweep::{RaceEntry, RankBy, RunRow, rank};

const NAME: &str = "slow-replica";
const SEEDS: Range<u64> = 3..23;

/// What the note says to do: at 48 s another router, and a crash of another replica later.
const STORY: &str = r#"[
    {"at_us": 30000000, "fault": {"slow": {"replica": 2, "factor": 2.2, "for_s": 150}}},
    {"at_us": 48000000, "set": {"cluster.routing": "least-loaded"}},
    {"at_us": 72000000, "fault": {"crash": {"replica": 0, "restart_s": 20}}}
]"#;

fn plain(seed: u64) -> Run {
    run(NAME, &[("seed", &seed.to_string())])
}

fn story(seed: u64) -> Run {
    run(NAME, &[("seed", &seed.to_string()), ("edits", STORY)])
}

/// A percentile of the TTFT, in milliseconds, of the requests with a first token in some seconds before an instant.
fn recent(found: &Run, percent: usize, span_s: f64, at_s: f64) -> f64 {
    let all = found.between("", 0.0, at_s);
    let shown = all.iter().filter(|row| {
        whole(row, "first_token_us").is_some_and(|us| (at_s - span_s..at_s).contains(&(us as f64 / 1e6)))
    });
    let mut of: Vec<u64> = shown.filter_map(|row| whole(row, "ttft_us")).collect();
    of.sort_unstable();
    of[of.len() * percent / 100] as f64 / 1000.0
}

#[test]
fn the_page_opens_with_a_slow_replica_at_the_instant_of_its_note() {
    assert_eq!((PRESETS[0].name, PRESETS[0].opens_s), (NAME, 48));
    let found = plain(PRESETS[0].scenario().seed);
    about(recent(&found, 99, 30.0, 48.0), 2650.0, 2799.0);
    about(recent(&found, 50, 30.0, 48.0), 33.0, 37.0);
}

#[test]
fn round_robin_buries_the_slow_replica_and_only_that_one() {
    for seed in SEEDS {
        let found = plain(seed);
        about(sent_to(&found, 2, 30.0, 48.0), 0.245, 0.255);
        let p99 = [30.0, 48.0, 180.0].map(|at_s| recent(&found, 99, 10.0, at_s));
        assert!(p99[0] < 200.0 && p99[1] > 1000.0 && p99[2] > 20_000.0, "seed {seed}: {p99:?}");
        about(recent(&found, 50, 10.0, 48.0), 30.0, 45.0);
        // No request waits for long anywhere else.
        let elsewhere = |row: &&serde_json::Map<String, serde_json::Value>| whole(row, "replica") != Some(2);
        let longest = found.between("", 0.0, 180.0).into_iter().filter(elsewhere);
        let longest =
            longest.filter_map(|row| Some(whole(row, "first_scheduled_us")? - whole(row, "queued_us")?));
        assert!(longest.max() < Some(500_000), "seed {seed}");
    }
}

#[test]
fn least_loaded_lets_new_requests_in_at_once_and_the_queue_drains_in_seconds() {
    for seed in SEEDS {
        let found = story(seed);
        about(found.ttft(99, "", 48.0, 72.0), 50.0, 300.0);
        let before = found.between("", 0.0, 48.0);
        assert!(before.iter().all(|row| whole(row, "first_token_us") < Some(56_000_000)), "seed {seed}");
    }
}

#[test]
fn requests_of_a_replica_that_crashes_go_on_elsewhere_and_none_is_lost() {
    for seed in SEEDS {
        let faults = report(NAME, &[("seed", &seed.to_string()), ("edits", STORY)]).faults.expect("faults");
        assert_eq!(faults.lost, 0, "seed {seed}");
        let crash = faults.broken.iter().find(|b| b.reason == "crash").expect("a crash");
        assert!((5..=20).contains(&crash.attempts), "seed {seed}: {}", crash.attempts);
        let found = story(seed);
        for state in ["lost", "dropped", "rejected"] {
            about(found.share(state, "", 0.0, 180.0), 0.0, 0.0);
        }
    }
}

/// The routers that the page lets race at first.
const ROUTERS: [&str; 7] =
    ["round-robin", "least-loaded", "random", "power-of-d", "weighted", "kv-cost", "cache-aware"];

/// Takes seconds: seven routers with twenty seeds each.
#[test]
fn a_race_of_the_routers_on_the_opening_scenario_agrees_with_their_comparison() {
    let runs_of = |router: &str| -> Vec<Outcomes> {
        let scenario = outcomes::scenario(NAME, &[("cluster.routing", &format!("\"{router}\""))]);
        SEEDS.map(|seed| outcomes::run(&Scenario { seed, ..scenario.clone() })).collect()
    };
    let all = ROUTERS.map(runs_of);
    let named = ROUTERS.iter().zip(&all);
    let entries: Vec<RaceEntry> = named
        .flat_map(|(name, runs)| {
            runs.iter().map(move |run| RaceEntry { name: (*name).to_owned(), run: RunRow::new(run) })
        })
        .collect();
    let race = rank(&entries, &[], RankBy::MetShare, SEEDS.count() as u32);
    let place = |router: &str| race.places.iter().position(|p| p.name == router).expect("it has a place");
    let better_than = |a: usize, b: usize| {
        let mut comparing = Comparing::default();
        all[b].iter().zip(&all[a]).for_each(|(b, a)| comparing.add(b.clone(), a.clone()));
        comparing.result().expect("there are pairs").totals.met_share.difference.verdict
    };
    let mut shown = 0;
    for (a, first) in ROUTERS.iter().enumerate() {
        for (b, second) in ROUTERS.iter().enumerate().filter(|(_, second)| place(first) < place(second)) {
            let verdict = better_than(a, b);
            assert_ne!(verdict, Verdict::Worse, "{first} is before {second} in the race");
            shown += usize::from(verdict == Verdict::Better);
        }
    }
    // Two routers that do not look at the replicas, and five that do.
    assert_eq!(shown, 10);
    assert!(place("round-robin") >= 5 && place("random") >= 5, "{:?}", race.places);
}
