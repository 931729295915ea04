//! Wait queues with a bound, and requests that are refused after admission.

use super::common::{Story, client, cluster, engine, run};
use super::conversations::{by_session, talks};
use super::routing::{conversations, queues};
use tokenyard::base::{Maybe, Micros};
use tokenyard::engine::{Cluster, Fact, Ignore, RequestFact, RequestState};
use tokenyard::policy::Reason;
use tokenyard::policy::routing::Excluded;
use tokenyard::scenario::{
    AdmissionPolicy, ConcurrencyLimit, ConversationClock, LatencyModel, Lengths, OverLimit, RoutingPolicy,
    Scenario,
};
use tokenyard::session::{Audience, Session};

/// Too much traffic for four replicas whose queues hold `max_waiting` requests.
fn crowded(max_waiting: u32) -> Scenario {
    let mut s = conversations(2500.0);
    s.cluster.routing = RoutingPolicy::RoundRobin;
    s.cluster.pools[0].engine.max_waiting = max_waiting;
    s
}

/// Requests refused by the router, and by replicas.
fn refused(story: &Story) -> [usize; 2] {
    let by = |replica: bool| {
        let counts = |fact: &Fact| matches!(fact, Fact::Request(RequestFact::Rejected { replica: r, reason: Reason::QueueFull, .. }) if r.is_some() == replica);
        story.facts.iter().filter(|(_, fact)| counts(fact)).count()
    };
    [by(false), by(true)]
}

/// The longest that any wait queue ever was.
fn longest_queue(story: &Story) -> u32 {
    let (mut waiting, mut longest) = ([0_u32; 16], 0);
    for (_, fact) in &story.facts {
        match *fact {
            Fact::Request(RequestFact::Queued { replica, .. }) => waiting[replica.index()] += 1,
            Fact::Request(RequestFact::Scheduled { replica, .. }) => waiting[replica.index()] -= 1,
            _ => {}
        }
        longest = longest.max(waiting.into_iter().max().unwrap_or_default());
    }
    longest
}

fn completed(engine: &Cluster) -> usize {
    engine.records().iter().filter(|r| r.state() == RequestState::Completed).count()
}

#[test]
fn a_wait_queue_never_exceeds_its_bound_and_requests_that_find_it_full_are_refused() {
    for (max_waiting, delay_us, refresh_us) in
        [(1, 0.0, 0), (5, 2000.0, 0), (5, 0.0, 40_000), (3, 700.0, 9000)]
    {
        let mut s = crowded(max_waiting);
        s.cluster.snapshot_refresh_us = refresh_us;
        let LatencyModel::Fitted(latency) = &mut s.cluster.pools[0].latency else { panic!("not fitted") };
        latency.queueing_us = delay_us;
        let (engine, story) = run(&s);
        let [by_router, by_replicas] = refused(&story);
        assert_eq!(longest_queue(&story), max_waiting);
        assert_eq!(completed(&engine) + by_router + by_replicas, 1200);
        assert_eq!(engine.census().rejected as usize, by_router + by_replicas);
        assert!(by_router > 20 || refresh_us > 0, "{by_router}");
        // Only requests in transit, or routed without looking at queues, can find a full queue.
        assert_eq!(by_replicas > 0, delay_us > 0.0 || refresh_us > 0, "{by_replicas}");
        for r in engine.records().iter().filter(|r| r.state() == RequestState::Rejected) {
            assert_eq!((r.refused, r.queued), (Some(Reason::QueueFull), Maybe::NONE));
        }
    }
    assert_eq!(refused(&run(&crowded(0)).1), [0, 0], "0 is no bound");
}

#[test]
fn a_router_leaves_out_full_queues_and_refuses_only_if_all_are_full() {
    let (_, story) = run(&crowded(4));
    let (mut left_out, mut nobody) = (0, 0);
    for d in &story.decisions {
        for (i, view) in d.seen.iter().enumerate() {
            let full = (view.waiting >= 4).then_some(Excluded::QueueFull);
            assert_eq!(d.excluded(i), full, "{view:?}");
        }
        assert_eq!(d.seen.len(), 4);
        match d.chosen {
            Some(chosen) => assert_eq!(d.excluded(chosen), None),
            None => assert!((0..4).all(|i| d.excluded(i).is_some())),
        }
        nobody += usize::from(d.chosen.is_none());
        left_out += usize::from(d.chosen.is_some() && !d.excluded.is_empty());
    }
    assert!(left_out > 100 && nobody == refused(&story)[0], "{left_out} choices among the rest");
}

#[test]
fn a_bounded_queue_loses_the_share_that_queueing_theory_says() {
    // M/M/1/K: one in service and K - 1 waiting. P(loss) = (1 - r) r^K / (1 - r^(K + 1)).
    for (load, waiting) in [(0.8, 3), (0.5, 1), (1.0, 4)] {
        let mut s = queues(1, load, 60_000);
        s.cluster.pools[0].engine.max_waiting = waiting;
        s.workload.clients[0].prompt_tokens =
            Lengths::Exponential { mean_tokens: 1000.0, min_tokens: 1, max_tokens: 100_000 };
        let mut engine = engine(&s);
        engine.advance(Micros::MAX, u64::MAX, &mut Ignore);
        let found = f64::from(engine.census().rejected) / 60_000.0;
        let powers = |n: u32| (0..n).fold(1.0, |p, _| p * load);
        let sum: f64 = (0..=waiting + 1).map(powers).sum();
        let law = powers(waiting + 1) / sum;
        assert!(
            (found - law).abs() < 0.05 * law,
            "load {load}, {waiting} waiting: {found}, by the law {law}"
        );
    }
}

#[test]
fn a_refused_request_frees_its_place_in_admission_and_ends_its_conversation() {
    let mut s = crowded(2);
    let limit = ConcurrencyLimit { max_in_flight: 60, then: OverLimit::Delay };
    s.cluster.admission = AdmissionPolicy::ConcurrencyLimit(limit);
    s.cluster.snapshot_refresh_us = 20_000;
    let (engine, story) = run(&s);
    let [by_router, by_replicas] = refused(&story);
    assert!(by_router + by_replicas > 20, "{by_router} and {by_replicas}");
    assert_eq!(completed(&engine) + by_router + by_replicas, 1200, "nobody is stuck at the door");
    let mut s = talks(1, ConversationClock::Closed);
    s.cluster.pools[0].engine.max_num_seqs = 1.into();
    s.cluster.pools[0].engine.max_waiting = 1;
    let (engine, story) = run(&s);
    assert!(refused(&story)[0] > 50);
    for rounds in by_session(&engine).values() {
        let (_, before) = rounds.split_last().expect("a session has a request");
        assert!(before.iter().all(|r| r.state() == RequestState::Completed));
    }
}

#[test]
fn a_refusal_after_admission_is_in_report_log_and_inspector() {
    let mut s = cluster(2, 1);
    s.workload.clients = vec![client("burst", 5000.0)];
    s.run.max_requests = 60;
    s.cluster.pools[0].engine.max_waiting = 2;
    s.cluster.snapshot_refresh_us = 3000;
    s.cluster.routing = RoutingPolicy::RoundRobin;
    let session = || Session::start(s.clone(), None, Audience::Live).expect("a good scenario").0;
    let (mut run, mut other) = (session(), session());
    run.advance(Micros(6000), u64::MAX);
    other.restore(&run.snapshot()).expect("its own snapshot");
    run.advance(Micros::MAX, u64::MAX);
    other.advance(Micros::MAX, u64::MAX);
    assert_eq!(run.report(), other.report());
    let report = run.report_data();
    let found: Vec<_> = report.rejections.iter().map(|r| (r.reason, r.requests)).collect();
    assert_eq!(found, [("wait queue full", report.requests.rejected)]);
    assert!(report.requests.conserved);
    let by_replicas: u32 = report.replicas.iter().map(|r| r.rejected).sum();
    let sentences: Vec<_> =
        (0..60).filter_map(|k| run.inspect(k)).map(|d| (d.summary, d.candidates)).collect();
    let say = |text: &str| sentences.iter().filter(|(s, _)| s == text).count() as u32;
    assert_eq!(say("Refused by r0: wait queue full.") + say("Refused by r1: wait queue full."), by_replicas);
    assert_eq!(say("Refused by the router: wait queue full.") + by_replicas, report.requests.rejected);
    let full = sentences.iter().flat_map(|(_, rows)| rows).filter(|row| row.excluded.is_some());
    assert!(by_replicas > 0 && full.count() > 0);
}
