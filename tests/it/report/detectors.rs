//! Detectors in whole runs: blocked queues, livelock and imbalance with the horizon in the middle, with replicas drained and
//! settings edited while an anomaly is open, in both modes.

use crate::support::documents::{explicit, fitted, piece, without_clients};
use crate::support::scenarios::started;
use crate::support::{edit, start};
use tokenyard::base::Micros;
use tokenyard::scenario::{
    Change, Compat, ExplicitRequest, KvBlocks, RoutingPolicy, Scenario, SessionAffinity, TimedEdit,
};
use tokenyard::session::report::AnomalyExample;
use tokenyard::session::{Audience, Session};

/// One replica with steps of 10 ms and so many KV blocks of 16 tokens.
fn cluster(blocks: u32) -> Scenario {
    let mut s = without_clients();
    let pool = &mut s.cluster.pools[0];
    pool.replicas = 1;
    pool.engine.max_num_batched_tokens = 4096.into();
    pool.kv.blocks = KvBlocks::Count(blocks);
    pool.latency = fitted(10_000.0, 0.0, 0.0);
    s
}

fn request(arrival_us: u64, prompt: u32, output: u32, session: &str) -> ExplicitRequest {
    ExplicitRequest {
        session: session.to_owned(),
        ..explicit(arrival_us, vec![piece(arrival_us as u32, prompt)], &piece(1, output))
    }
}

fn at(at_us: u64, change: Change) -> TimedEdit {
    TimedEdit::new(at_us, change)
}

/// The anomalies of one kind, advancing in slices of `slice` events.
fn found_in_slices(s: &Scenario, kind: &str, slice: u64) -> Vec<AnomalyExample> {
    let mut session = started(s, Audience::Batch);
    while session.advance(Micros::MAX, slice) == tokenyard::session::Stop::Events {}
    let part = session.report_data().anomalies.expect("detectors are on by default");
    assert!(part.count(kind) as usize >= part.first.iter().filter(|a| a.text.is_empty()).count());
    let of_kind = |a: &AnomalyExample| serde_json::to_value(a.kind).is_ok_and(|k| k == kind);
    part.first.into_iter().filter(of_kind).collect()
}

fn found(s: &Scenario, kind: &str) -> Vec<AnomalyExample> {
    let found = found_in_slices(s, kind, u64::MAX);
    assert_eq!(found_in_slices(s, kind, 7), found, "slicing changes nothing");
    found
}

/// Request 0 holds 50 of 100 blocks for two seconds; request 1 needs 60 and stands before request 2, which needs 7.
fn blocked() -> Scenario {
    let mut s = cluster(100);
    s.workload.requests =
        vec![request(0, 800, 200, ""), request(5_000, 960, 2, ""), request(6_000, 100, 2, "")];
    s
}

#[test]
fn a_blocked_queue_is_reported_from_the_first_refusal_until_its_head_joins() {
    for compat in [Compat::None, Compat::Blis] {
        let mut s = blocked();
        s.cluster.compat = compat;
        let all = found(&s, "head-of-line-blocking");
        let [a] = &all[..] else { panic!("{compat:?}: {all:?}") };
        assert_eq!((a.start_us, a.end_us), (10_000, Some(2_000_000)), "{compat:?}");
        let proof: Vec<(u32, u64)> = a.requests.iter().map(|p| (p.request, p.at_us)).collect();
        assert_eq!(proof, [(1, 10_000), (2, 10_000)]);
    }
}

#[test]
fn a_horizon_leaves_a_blocked_queue_open() {
    let mut s = blocked();
    s.run.horizon_s = 1.0;
    let all = found(&s, "head-of-line-blocking");
    assert_eq!(all.iter().map(|a| (a.start_us, a.end_us)).collect::<Vec<_>>(), [(10_000, None)]);
    assert!(all[0].text.contains("and still does"), "{}", all[0].text);
    s.run.horizon_s = 0.4;
    assert_eq!(found(&s, "head-of-line-blocking"), []);
}

#[test]
fn edits_end_a_blocked_queue_when_they_take_effect() {
    // More blocks let the head in; a smaller batch is what keeps it waiting from then on.
    for change in [edit::kv_blocks(0, 200), edit::max_num_seqs(0, 1)] {
        let mut s = blocked();
        s.edits = vec![at(1_000_000, change.clone())];
        let all = found(&s, "head-of-line-blocking");
        let spans: Vec<_> = all.iter().map(|a| (a.start_us, a.end_us)).collect();
        assert_eq!(spans, [(10_000, Some(1_000_000))], "{change:?}");
    }
    // Too few blocks for its prompt ever: it is dropped as soon as the replica is empty.
    let mut s = blocked();
    s.edits = vec![at(1_000_000, edit::kv_blocks(0, 59))];
    let all = found(&s, "head-of-line-blocking");
    let [a] = &all[..] else { panic!("{all:?}") };
    assert!(a.end_us.is_some_and(|end| end >= 1_000_000), "{a:?}");
}

#[test]
fn a_replica_that_is_drained_still_ends_its_blocked_queue() {
    let mut s = cluster(100);
    s.cluster.pools[0].replicas = 2;
    s.cluster.routing = RoutingPolicy::SessionAffinity(SessionAffinity::default());
    s.workload.requests = vec![
        request(0, 16, 300, ""),
        request(1, 800, 200, "s"),
        request(5_000, 960, 2, "s"),
        request(6_000, 100, 2, "s"),
    ];
    s.edits = vec![at(1_000_000, edit::replicas(0, 1))];
    let all = found(&s, "head-of-line-blocking");
    let spans: Vec<_> = all.iter().map(|a| (a.replica, a.start_us, a.end_us)).collect();
    assert_eq!(spans, [(1, 10_001, Some(2_000_001))]);
}

/// Under `compat: blis` a request that outgrew the cache takes its own blocks for ever.
#[test]
fn a_livelock_is_reported_from_its_first_preemption_and_ends_when_more_blocks_come() {
    let mut s = cluster(10);
    s.cluster.compat = Compat::Blis;
    s.run.horizon_s = 1000.0;
    s.workload.requests = vec![request(0, 100, 100, "")];
    let all = found(&s, "livelock");
    let [open] = &all[..] else { panic!("{all:?}") };
    assert_eq!((open.end_us, open.requests.len()), (None, 8));
    assert!(open.start_us < 2_000_000, "the first preemption, not the thousandth: {open:?}");
    assert!(open.requests.iter().all(|p| p.request == 0 && p.at_us > open.start_us));
    let thousandth = open.requests[7].at_us;
    s.edits = vec![at(thousandth + 1_000_000, edit::kv_blocks(0, 20))];
    let all = found(&s, "livelock");
    let [ended] = &all[..] else { panic!("{all:?}") };
    assert_eq!((ended.start_us, &ended.requests), (open.start_us, &open.requests));
    assert!(ended.end_us.is_some_and(|end| end > thousandth + 1_000_000), "{ended:?}");
    s.run.horizon_s = thousandth as f64 / 1e6 - 1.0;
    s.edits.clear();
    assert_eq!(found(&s, "livelock"), [], "not before the thousandth");
}

#[test]
fn an_imbalance_ends_when_the_others_are_drained() {
    let mut s = cluster(4000);
    s.cluster.pools[0].replicas = 4;
    s.cluster.routing = RoutingPolicy::AlwaysBusiest;
    s.workload.requests = (0..12).map(|k| request(k * 100_000, 16, 2000, "")).collect();
    s.run.horizon_s = 12.0;
    let all = found(&s, "load-imbalance");
    let [open] = &all[..] else { panic!("{all:?}") };
    // Two on average are there with the eighth.
    assert_eq!((open.start_us, open.end_us, open.replica), (700_000, None, 0));
    let proof: Vec<(u32, u64)> = open.requests.iter().map(|p| (p.request, p.at_us)).collect();
    assert_eq!((proof.len(), proof[7]), (8, (11, 1_100_000)));
    s.edits = vec![at(8_000_000, edit::replicas(0, 1))];
    let all = found(&s, "load-imbalance");
    assert_eq!(all.iter().map(|a| (a.start_us, a.end_us)).collect::<Vec<_>>(), [(700_000, Some(8_000_000))]);
    // An edit after the end of the run changes nothing, not even how long an anomaly has lasted.
    s.run.horizon_s = 7.0;
    let all = found(&s, "load-imbalance");
    assert_eq!(all.iter().map(|a| (a.start_us, a.end_us)).collect::<Vec<_>>(), [(700_000, None)]);
    s.run.horizon_s = 5.0;
    assert_eq!(found(&s, "load-imbalance"), [], "not before it has lasted");
}

#[test]
fn an_edit_after_the_instant_at_which_a_run_was_given_up_does_not_apply() {
    let mut s = cluster(10);
    s.cluster.compat = Compat::Blis;
    // The second arrives after the edit, so that something is due before and after it.
    s.workload.requests = vec![request(0, 100, 100, ""), request(4_000_000_000, 16, 2, "")];
    s.edits = vec![at(3_000_000_000, edit::kv_blocks(0, 20))];
    let mut session = start(&s);
    session.advance(Micros::MAX, u64::MAX);
    let run = session.report_data().run;
    assert!(run.trouble.starts_with("Livelock") && run.clock_us < 3_000_000_000, "{run:?}");
    assert_eq!(run.edits_applied, 0);
    // An edit made there, at rest, is in force, and running on with it is running again from the start.
    assert_eq!(session.apply(edit::kv_blocks(0, 30)), []);
    session.advance(Micros::MAX, u64::MAX);
    let report = session.report_data();
    assert_eq!((report.run.trouble.as_str(), report.requests.completed), ("", 2));
    let (mut again, _) = Session::start(session.scenario(), None, Audience::Live).expect("a valid scenario");
    again.advance(Micros::MAX, u64::MAX);
    assert_eq!(again.digest(), session.digest());
}
