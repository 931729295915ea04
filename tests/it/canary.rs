//! Results that were altered on purpose, and an engine that runs another scenario than it was asked for: each checker reports them.
//!
//! A checker that has stopped checking passes everything; these tests fail then.

use crate::engine::equivalence::disagreement_on;
use crate::reference::compare::differences;
use crate::reference::{Case, generate, real, simulate};
use crate::report::definition::{Naive, a_scenario, check_whole, run};
use crate::support;
use crate::theory::common::{accept, cluster, listed};
use crate::theory::little::{Row, agree, rows};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use serde_json::Value;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tokenyard::base::Micros;
use tokenyard::engine::Cluster;
use tokenyard::scenario::{KvBlocks, LatencyModel, Pool, Scenario};
use tokenyard::session::Report;

/// The message of the assertion that fails, if one does.
fn complaint(check: impl FnOnce()) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(check)).err()?;
    let text = panic.downcast_ref::<String>().cloned();
    Some(text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default())
}

/// An alteration of the results of a run; whether the results had what it alters.
type Alteration = (&'static str, fn(&mut Value) -> bool);

fn list<'a>(results: &'a mut Value, name: &str) -> Option<&'a mut Vec<Value>> {
    results[name].as_array_mut().filter(|entries| !entries.is_empty())
}

/// Adds one to a whole number, if it is there.
fn add_one(number: &mut Value) -> bool {
    let Some(n) = number.as_u64() else { return false };
    *number = (n + 1).into();
    true
}

const ALTERATIONS: [Alteration; 6] = [
    ("a request is lost", |r| list(r, "per_request").is_some_and(|all| all.pop().is_some())),
    ("a routing fact comes twice", |r| {
        list(r, "routing").is_some_and(|all| {
            let first = all[0].clone();
            all.insert(0, first);
            true
        })
    }),
    ("a token comes a microsecond late", |r| {
        let all = list(r, "per_request");
        all.is_some_and(|all| all.iter_mut().any(|one| one.get_mut("ttft_us").is_some_and(add_one)))
    }),
    ("a gap between tokens is a microsecond longer", |r| {
        list(r, "per_request").is_some_and(|all| add_one(&mut all[0]["itl_sum_us"]))
    }),
    ("a block leaks", |r| {
        list(r, "per_instance").is_some_and(|all| add_one(&mut all[0]["final_used_blocks"]))
    }),
    ("the clock is off by a microsecond", |r| add_one(&mut r["cluster_clock_us"])),
];

#[test]
fn the_comparison_with_the_plain_engine_reports_every_altered_result() {
    let mut applied: BTreeMap<&str, u32> = BTreeMap::new();
    for seed in 0..20 {
        let case = generate::case(seed);
        let want = simulate(&case);
        let got = real::simulate(real::scenario(&case), &case, 50);
        assert_eq!(differences(&want, &got), [] as [String; 0], "seed {seed}");
        for (what, alter) in ALTERATIONS {
            let mut altered = got.clone();
            if alter(&mut altered) {
                assert!(!differences(&want, &altered).is_empty(), "seed {seed}: {what}");
                *applied.entry(what).or_default() += 1;
            }
        }
    }
    for (what, _) in ALTERATIONS {
        assert!(applied.contains_key(what), "no case had what this alters: {what}");
    }
}

/// What an engine could get wrong, as a scenario that it runs in place of the one asked for.
type Fault = (&'static str, fn(&mut Scenario));

fn each_pool(s: &mut Scenario, change: impl Fn(&mut Pool)) {
    s.cluster.pools.iter_mut().for_each(change);
}

const FAULTS: [Fault; 6] = [
    ("steps take a microsecond more", |s| {
        each_pool(s, |pool| {
            if let LatencyModel::Fitted(fitted) = &mut pool.latency {
                fitted.step_us += 1.0;
            }
        });
    }),
    ("a cache has one block less", |s| {
        each_pool(s, |pool| {
            if let KvBlocks::Count(blocks) = &mut pool.kv.blocks {
                *blocks = (*blocks - 1).max(1);
            }
        });
    }),
    ("a batch takes one request", |s| each_pool(s, |pool| pool.engine.max_num_seqs = 1.into())),
    ("nothing is found in the cache", |s| each_pool(s, |pool| pool.kv.prefix_caching = false)),
    ("answers are a token longer", |s| s.workload.requests.iter_mut().for_each(|r| r.output.tokens += 1)),
    ("the last request never comes", |s| drop(s.workload.requests.pop())),
];

#[test]
fn the_plain_engine_disagrees_with_an_engine_that_is_wrong() {
    let cases: Vec<Case> = (0..20).map(generate::case).collect();
    for (what, break_it) in FAULTS {
        let noticed = cases.iter().any(|case| {
            let mut scenario = real::scenario(case);
            break_it(&mut scenario);
            disagreement_on(scenario, case).is_some()
        });
        assert!(noticed, "{what}, and no case shows it");
    }
}

/// A count that a cluster keeps, and the invariant that it breaks when it is off by one.
const COUNTS: [(&str, &str); 7] = [
    ("/book/census/arrived", "INV-1"),
    ("/book/census/rejected", "INV-1"),
    ("/fleet/replicas/0/totals/completed", "INV-1"),
    ("/fleet/replicas/0/arriving", "INV-1"),
    ("/fleet/replicas/0/kv/used", "INV-4"),
    ("/fleet/replicas/0/recent/waiting_tokens", "INV-7"),
    ("/fleet/not_serving", "INV-2"),
];

#[test]
fn invariants_report_every_count_that_is_off_by_one() {
    let mut session = support::start(&support::preset("kv-pressure", 20.0));
    session.advance(Micros(9_000_000), u64::MAX);
    let whole = serde_json::to_value(session.engine()).expect("a cluster is plain data");
    let of = |value: &Value| -> Cluster { serde_json::from_value(value.clone()).expect("a cluster") };
    assert_eq!(complaint(|| of(&whole).verify(true)), None);
    for (path, invariant) in COUNTS {
        let mut altered = whole.clone();
        assert!(altered.pointer_mut(path).is_some_and(add_one), "{path} is not there");
        let cluster = of(&altered);
        let said = complaint(|| cluster.verify(true)).unwrap_or_else(|| panic!("{path} is off by one"));
        assert!(said.starts_with(invariant), "{path}: {said}");
    }
}

/// Changes one figure of a report.
type ReportChange = fn(&mut Report);

#[test]
fn the_definition_of_the_report_refuses_altered_figures() {
    let mut runner = TestRunner::deterministic();
    let draws = (0..50).map(|_| a_scenario().new_tree(&mut runner).expect("a scenario").current());
    let runs = draws.map(|scenario| (run(&scenario), scenario));
    let (session, scenario) = runs
        .filter(|(session, _)| session.report_data().slo.finished > 20)
        .find(|(session, _)| session.report_data().latency_ms.scheduling_delay.count > 20)
        .expect("a run in which requests finish");
    let (report, naive) = (session.report_data(), Naive::new(&scenario, &session));
    assert_eq!(complaint(|| check_whole(&report, &naive)), None);
    let alterations: [(&str, ReportChange); 5] = [
        ("a request more is unserved", |r| r.slo.unserved += 1),
        ("a request less is warm-up", |r| r.run.warmup_requests += 1),
        ("more arrived", |r| r.throughput.arrived_per_s += 1e-3),
        ("the p99 of TTFT is a microsecond later", |r| r.latency_ms.ttft.p99 += 1e-3),
        ("one delay is not counted", |r| r.latency_ms.scheduling_delay.count -= 1),
    ];
    for (what, alter) in alterations {
        let mut altered = report.clone();
        alter(&mut altered);
        assert!(complaint(|| check_whole(&altered, &naive)).is_some(), "{what}");
    }
}

#[test]
fn littles_law_notices_a_request_microsecond() {
    let mut session = support::start(&support::preset("chat-4xh100", 5.0));
    session.advance(Micros(5_000_000), u64::MAX);
    let sound = rows(&session);
    assert_eq!(complaint(|| agree(&sound, true)), None);
    let alterations: [fn(&mut Row); 2] = [|row| row.difference += 1.0, |row| row.number *= 1.0 + 1e-6];
    for alter in alterations {
        let mut altered = sound.clone();
        alter(&mut altered[0]);
        assert!(complaint(|| agree(&altered, true)).is_some(), "{:?}", altered[0]);
    }
}

#[test]
fn a_mean_that_is_off_by_a_twentieth_is_not_accepted() {
    let values: Vec<f64> = (0..3000).map(|i| 95.0 + f64::from(i % 11)).collect();
    assert_eq!(complaint(|| accept("the mean", &values, 100.0)), None);
    assert!(complaint(|| accept("the mean", &values, 105.0)).is_some());
    assert!(complaint(|| accept("the mean", &values, 95.0)).is_some());
}

#[test]
fn a_digest_changes_with_a_microsecond_and_with_a_token() {
    let mut scenario = cluster(2, 4, [1000.0, 1.0, 1.0]);
    scenario.workload.requests = (0..20).map(|k| listed(k, 500 * u64::from(k), 50, 5)).collect();
    let digest = |s: &Scenario| run(s).digest();
    let straight = digest(&scenario);
    assert_eq!(straight, digest(&scenario));
    let (mut later, mut longer) = (scenario.clone(), scenario);
    later.workload.requests[7].arrival_us += 1;
    longer.workload.requests[7].output.tokens += 1;
    assert_ne!(straight, digest(&later));
    assert_ne!(straight, digest(&longer));
}
