//! Faults where some replicas prefill for others: homes and prefill replicas that crash, transfers that take too long, links that
//! carry less.

use super::{attempts, breaks, crash, left_s, run};
use crate::support::{Story, start};
use crate::theory::common::{cluster, listed};
use tokenyard::base::Micros;
use tokenyard::engine::{BreakReason, DropReason, Fact, HandoverFact, RequestState};
use tokenyard::policy::ReplicaPhase;
use tokenyard::scenario::{
    Disaggregation, Fault, Handoff, KvBytes, KvLoadFailure, Role, RoutingPolicy, Scenario, Slow, Stuck,
    Transfer, TransferLink,
};
use tokenyard::session::Session;

/// One prefill replica, r0, and two homes, r1 and r2, in turn. A step takes a second, and so does the transfer of a prompt, which
/// is one block. Requests with their arrival in microseconds and their answer.
fn apart(requests: &[(u64, u32)]) -> Scenario {
    let mut s = cluster(1, 8, [1e6, 0.0, 0.0]);
    s.cluster.routing = RoutingPolicy::RoundRobin;
    let mut home = s.cluster.pools[0].clone();
    (home.name, home.role, home.replicas) = ("home".to_owned(), Role::Decode, 2);
    s.cluster.pools[0].role = Role::Prefill;
    s.cluster.pools.push(home);
    let transfer = Transfer {
        port_gb_per_s: 0.016,
        base_us: 0,
        kv_bytes_per_token: KvBytes::Count(1_000_000),
        ..Transfer::default()
    };
    s.cluster.disaggregation = Some(Disaggregation { transfer, ..Disaggregation::default() });
    s.cluster.resilience.discovery_ms = 0.0;
    s.cluster.resilience.backoff_ms = 0.0;
    let request =
        |(number, (arrival_us, output)): (u32, &(u64, u32))| listed(number, *arrival_us, 16, *output);
    s.workload.requests = (0..).zip(requests).map(request).collect();
    s
}

fn push(mut s: Scenario) -> Scenario {
    if let Some(d) = &mut s.cluster.disaggregation {
        d.handoff = Handoff::Push;
    }
    s
}

fn link(replica: u32, share: f64, for_s: f64) -> Fault {
    Fault::TransferLink(TransferLink { replica: Some(replica), share, for_s, ..TransferLink::default() })
}

fn at(session: &mut Session, s: f64) {
    session.advance(Micros((s * 1e6 + 0.5) as u64), u64::MAX);
    session.engine().verify(true);
}

/// Blocks in use on each replica, and those of r0 that are stranded.
fn blocks(session: &Session) -> ([u32; 3], u32) {
    let replicas = session.engine().replicas();
    ([0, 1, 2].map(|i: usize| replicas[i].kv().used()), replicas[0].stranded_blocks())
}

fn reasons(session: &Session, request: u32) -> Vec<(BreakReason, Option<u32>, u64)> {
    attempts(session, request).iter().map(|a| (a.reason, a.replica.map(|r| r.0), a.broke.0)).collect()
}

fn why(session: &Session) -> (RequestState, Option<DropReason>) {
    let record = session.engine().records().at(0);
    (record.state(), record.drop)
}

#[test]
fn blocks_for_a_home_that_crashes_during_the_transfer_are_stranded_for_the_lease() {
    let mut s = apart(&[(0, 1)]);
    assert_eq!(left_s(&run(&s)), [3.0], "prefill, transfer and a step at home");
    s.run.horizon_s = 60.0;
    s.cluster.resilience.retries = 1;
    let mut session = start(&breaks(s, 1.5, crash(1, 0.0)));
    at(&mut session, 1.499_999);
    assert_eq!(blocks(&session), ([1, 1, 0], 0));
    assert_eq!(session.engine().network().map(|n| n.under_way().len()), Some(1));
    // The next attempt is prefilled from 1.5 s on, and travels to r2 from 2.5 s on.
    at(&mut session, 1.6);
    assert_eq!(blocks(&session), ([2, 0, 0], 1));
    assert_eq!(session.engine().network().map(|n| n.under_way().len()), Some(0));
    at(&mut session, 21.499_999);
    assert_eq!(blocks(&session), ([1, 0, 0], 1));
    at(&mut session, 21.5);
    assert_eq!(blocks(&session), ([0, 0, 0], 0));
    assert_eq!(reasons(&session, 0), [(BreakReason::Crash, Some(1), 1_500_000)]);
    assert_eq!(left_s(&session), [4.5]);
    let f = session.report_data().faults.expect("something broke");
    assert!((f.stranded_block_s - 20.0).abs() < 1e-9, "{}", f.stranded_block_s);
    assert_eq!((f.each[0].broken, f.each[0].lost, f.wasted_prefill_tokens), (1, 0, 16));
}

#[test]
fn a_prefill_for_a_home_that_crashed_goes_on_and_its_lease_counts_from_its_end() {
    for hands in [apart as fn(&[(u64, u32)]) -> Scenario, |requests| push(apart(requests))] {
        let mut s = hands(&[(0, 1)]);
        s.run.horizon_s = 60.0;
        s.cluster.resilience.lease_s = 5.0;
        let mut session = start(&breaks(s, 0.5, crash(1, 0.0)));
        at(&mut session, 0.999_999);
        assert_eq!(blocks(&session), ([1, 0, 0], 0));
        assert_eq!(session.engine().records().at(0).state(), RequestState::Running);
        at(&mut session, 1.0);
        assert_eq!(blocks(&session), ([1, 0, 0], 1));
        assert_eq!(why(&session), (RequestState::Lost, Some(DropReason::Crash)));
        assert_eq!(reasons(&session, 0), [(BreakReason::Crash, Some(1), 1_000_000)]);
        at(&mut session, 5.999_999);
        assert_eq!(blocks(&session), ([1, 0, 0], 1));
        at(&mut session, 6.0);
        assert_eq!(blocks(&session), ([0, 0, 0], 0));
        assert_eq!(session.report_data().faults.map(|f| f.each[0].lost), Some(1));
    }
}

#[test]
fn a_run_goes_on_for_a_lease_only_if_a_request_may_wait_for_it() {
    let mut s = apart(&[(0, 1)]);
    s.cluster.resilience.retries = 1;
    assert!(run(&breaks(s.clone(), 1.5, crash(1, 0.0))).engine().last_event_at() < Micros(5_000_000));
    // One block for all: the next attempt waits for the lease.
    s.cluster.pools[0].kv.blocks = tokenyard::scenario::KvBlocks::Count(1);
    let waits = run(&breaks(s, 1.5, crash(1, 0.0)));
    assert_eq!(left_s(&waits), [24.5]);
}

#[test]
fn a_push_reservation_goes_back_in_the_event_in_which_its_prefill_breaks() {
    let s = push(apart(&[(0, 1)]));
    let (plan, mut engine) = (crate::support::plan(&s), crate::support::cluster(&s));
    let mut story = Story::default();
    engine.advance(Micros(499_999), u64::MAX, &mut story);
    let used = |engine: &tokenyard::engine::Cluster| engine.replicas()[1].kv().used();
    assert_eq!((used(&engine), engine.replicas()[1].incoming()), (1, 1));
    engine.fault(&crash(0, 0.0), &plan, Micros(500_000), &mut story);
    engine.verify(true);
    assert_eq!((used(&engine), engine.replicas()[1].incoming()), (0, 0));
    assert_eq!(engine.census().lost, 1);
    let given_up = |(at, fact): &(Micros, Fact)| match fact {
        Fact::Handover(HandoverFact::GivenUp { replica, blocks, .. }) => Some((at.0, replica.0, *blocks)),
        _ => None,
    };
    assert_eq!(story.facts.iter().filter_map(given_up).collect::<Vec<_>>(), [(500_000, 1, 1)]);
}

#[test]
fn kv_that_is_not_home_when_its_prefill_replica_crashes_is_lost() {
    let s = apart(&[(0, 1)]);
    let session = run(&breaks(s.clone(), 1.5, crash(0, 0.0)));
    assert_eq!(why(&session), (RequestState::Lost, Some(DropReason::KvLost)));
    assert_eq!(reasons(&session, 0), [(BreakReason::KvLost, Some(1), 1_500_000)]);
    let f = session.report_data().faults.expect("something broke");
    let broken: Vec<_> = f.broken.iter().map(|b| (b.reason, b.attempts, b.lost)).collect();
    assert_eq!(broken, [("kv-lost", 1, 1)]);
    assert_eq!((f.each[0].broken, f.each[0].lost), (1, 1), "of the crash of r0");
    // Once it is at home nothing is lost.
    assert_eq!(left_s(&run(&breaks(s.clone(), 2.000_001, crash(0, 0.0)))), [3.0]);
    // A further attempt is prefilled at home, as no prefill replica serves.
    let mut again = breaks(s, 1.5, crash(0, 0.0));
    again.cluster.resilience.retries = 1;
    assert_eq!(left_s(&run(&again)), [2.5]);
}

#[test]
fn a_home_computes_a_prompt_whose_kv_is_lost_before_those_that_wait() {
    // Both travel to homes with one place; 1 and 3 have r2 for a home, and 3 waits there for 1.
    let mut s = apart(&[(0, 1), (0, 1), (600_000, 1), (600_000, 1)]);
    s.cluster.resilience.kv_load_failure = KvLoadFailure::Recompute;
    s.cluster.pools[1].engine.max_num_seqs = 1.into();
    let session = run(&breaks(s.clone(), 1.5, crash(0, 0.0)));
    // 0 and 1 are computed at home from 1.5 s on. 2 and 3, in the batch of r0, break.
    let lost = |i: usize| session.engine().records().at(i).drop;
    assert_eq!([0, 1, 2, 3].map(lost), [None, None, Some(DropReason::Crash), Some(DropReason::Crash)]);
    assert_eq!(left_s(&session), [2.5, 2.5, 1.5, 1.5]);
    assert_eq!(session.engine().records().at(0).preemptions, 1);
    let c = session.engine().attempt_counts();
    assert_eq!((c.broken.iter().sum::<u64>(), c.lost.iter().sum::<u64>()), (2, 2));
    // The same with its first token from the prefill replica: the second follows after one long gap.
    if let Some(d) = &mut s.cluster.disaggregation {
        d.first_token = tokenyard::scenario::FirstToken::Prefill;
    }
    s.workload.requests.truncate(1);
    s.workload.requests[0].output.tokens = 3;
    let session = run(&breaks(s, 1.5, crash(0, 0.0)));
    let record = session.engine().records().at(0);
    assert_eq!((left_s(&session), record.generated), (vec![3.5], 3));
    assert!(record.ttft.get().is_some_and(|ttft| ttft.0 == 1_000_000), "{:?}", record.ttft);
    let detail = session.inspect(0).expect("it is known");
    let times: Vec<_> =
        detail.segments.iter().map(|s| (s.kind.name(), (s.to_us - s.from_us) / 1000)).collect();
    let expected = [("prefill", 1000), ("transfer", 500), ("recompute", 1000), ("decode", 1000)];
    assert_eq!(times, expected);
}

#[test]
fn a_transfer_that_takes_too_long_gives_up_from_the_first_fault_on() {
    let mut s = apart(&[(0, 1)]);
    s.cluster.resilience.transfer_timeout_s = 0.5;
    assert_eq!(left_s(&run(&s)), [3.0], "no fault, no time-out");
    let slow = |at_s| {
        let fault = Fault::Slow(Slow { replica: Some(2), factor: 1.0, for_s: 0.1, ..Slow::default() });
        run(&breaks(s.clone(), at_s, fault))
    };
    for (fault_s, broke_us) in [(0.1, 1_500_000), (1.2, 1_500_000), (1.8, 1_800_000)] {
        let session = slow(fault_s);
        assert_eq!(why(&session), (RequestState::Lost, Some(DropReason::TransferTimeout)));
        assert_eq!(reasons(&session, 0), [(BreakReason::TransferTimeout, Some(1), broke_us)]);
        assert_eq!(blocks(&session), ([0, 0, 0], 0), "both sides release");
    }
    s.cluster.resilience.kv_load_failure = KvLoadFailure::Recompute;
    let fault = Fault::Slow(Slow { replica: Some(2), factor: 1.0, for_s: 0.1, ..Slow::default() });
    assert_eq!(left_s(&run(&breaks(s, 0.1, fault))), [2.5]);
}

#[test]
fn a_client_that_gives_up_during_the_transfer_frees_both_sides() {
    let mut s = apart(&[(0, 1)]);
    s.workload.timeout_s = 1.5;
    let session = run(&s);
    assert_eq!(why(&session), (RequestState::Dropped, Some(DropReason::TimedOut)));
    assert_eq!((left_s(&session), blocks(&session)), (vec![1.5], ([0, 0, 0], 0)));
}

#[test]
fn a_link_that_carries_half_takes_twice_as_long_and_one_that_carries_nothing_stalls() {
    let s = apart(&[(0, 1)]);
    let with =
        |at_s, replica, share, for_s| left_s(&run(&breaks(s.clone(), at_s, link(replica, share, for_s))));
    assert_eq!(with(0.5, 0, 0.5, 0.0), [4.0]);
    assert_eq!(with(0.5, 1, 0.5, 0.0), [4.0], "the smaller of the two ports counts");
    assert_eq!(with(0.5, 2, 0.5, 0.0), [3.0]);
    // Half of it is through at 1.5 s, and the rest takes a second.
    assert_eq!(with(1.5, 0, 0.5, 0.0), [3.5]);
    assert_eq!(with(1.5, 0, 0.5, 0.5), [3.25]);
    // It stands still for two seconds.
    assert_eq!(with(1.5, 0, 0.0, 2.0), [5.0]);
    let both = breaks(breaks(s.clone(), 0.5, link(0, 0.5, 0.0)), 0.6, link(0, 0.5, 0.0));
    assert_eq!(left_s(&run(&both)), [6.0], "shares multiply");
    // For good: the transfer's time-out ends it, 30 s after its start.
    let ever = run(&breaks(s.clone(), 1.5, link(0, 0.0, 0.0)));
    assert_eq!(reasons(&ever, 0), [(BreakReason::TransferTimeout, Some(1), 31_000_000)]);
    // Without one the request stays, and the run ends.
    let mut patient = breaks(s, 1.5, link(0, 0.0, 0.0));
    patient.cluster.resilience.transfer_timeout_s = 0.0;
    let patient = run(&patient);
    assert_eq!(patient.engine().records().at(0).state(), RequestState::Transferring);
    assert!(patient.engine().last_event_at() < Micros(2_000_000));
}

#[test]
fn slow_and_stuck_replicas_prefill_and_decode_later() {
    let s = apart(&[(0, 2)]);
    let slow = Fault::Slow(Slow { replica: Some(0), factor: 3.0, ..Slow::default() });
    assert_eq!(left_s(&run(&breaks(s.clone(), 0.0, slow))), [6.0]);
    let stuck = |replica, at_s| {
        let fault = Fault::Stuck(Stuck { replica: Some(replica), for_s: 5.0, ..Stuck::default() });
        left_s(&run(&breaks(s.clone(), at_s, fault)))
    };
    assert_eq!(stuck(0, 0.5), [9.0]);
    // A home that is stuck sets blocks aside later, and joins later.
    assert_eq!(stuck(1, 0.5), [8.5]);
    assert_eq!(stuck(1, 1.5), [8.5]);
}

#[test]
fn a_prefill_replica_that_is_down_refuses_until_routers_know() {
    let mut s = apart(&[(1_000_000, 1), (4_000_000, 1)]);
    s.cluster.resilience.discovery_ms = 2000.0;
    s.cluster.resilience.retries = 1;
    s.run.horizon_s = 20.0;
    let session = run(&breaks(s, 0.5, crash(0, 9.0)));
    let refused = reasons(&session, 0);
    assert_eq!(refused[0], (BreakReason::Refused, Some(0), 1_000_000));
    assert_eq!(why(&session), (RequestState::Lost, Some(DropReason::Refused)), "no back-off, so no chance");
    // From 2.5 s on routers know, and the home prefills.
    assert_eq!(left_s(&session)[1..2], [5.0]);
    assert_eq!(session.engine().replicas()[0].phase(), ReplicaPhase::Serving);
    let f = session.report_data().faults.expect("something broke");
    assert!((f.each[0].detection_s - 0.5).abs() < 1e-9, "{:?}", f.each[0]);
}

#[test]
fn a_resumed_answer_is_computed_at_its_new_home() {
    // Tokens at 3 and 4 s on r1; from 4.5 s on prompt and answer are computed on r2.
    let mut s = apart(&[(0, 4)]);
    s.cluster.resilience.retries = 1;
    s.cluster.resilience.resume = true;
    let session = run(&breaks(s, 4.5, crash(1, 0.0)));
    let record = session.engine().records().at(0);
    assert_eq!((record.state(), record.generated), (RequestState::Completed, 4));
    assert_eq!(left_s(&session), [6.5]);
    let handover = session.engine().handover(tokenyard::base::RequestId(0)).expect("it was decided");
    assert_eq!((handover.prefill, handover.reason.name()), (None, "resumed"));
}
