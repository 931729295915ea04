//! Probes and ejection: who notices a replica that is stuck or out of reach, how many are left out, and when they come back.

use super::{attempts, breaks, fault_of, in_turn, left_s, run, stuck, unreachable};
use crate::support::{Story, cluster, plan};
use tokenyard::base::Micros;
use tokenyard::engine::{BreakReason, EjectedBy, FaultFact, Halt};
use tokenyard::scenario::{
    CacheAware, CacheMiss, Change, Fault, FlowControl, Outlier, Probe, ProbeAction, RoutingPolicy, Scenario,
    TimedEdit,
};
use tokenyard::session::view::LifePhase;

/// The facts of faults of a run in which each of these breaks at its second.
fn facts(s: &Scenario, faults: &[(f64, Fault)]) -> Vec<(f64, FaultFact)> {
    let (plan, mut engine, mut story) = (plan(s), cluster(s), Story::default());
    for (at_s, fault) in faults {
        let at = Micros((at_s * 1e6 + 0.5) as u64);
        engine.advance(Micros(at.0 - 1), u64::MAX, &mut story);
        engine.fault(fault, &plan, at, &mut story);
    }
    while engine.advance(Micros::MAX, 1, &mut story) == Halt::Events {
        engine.verify(true);
    }
    story.facts.iter().filter_map(|(at, fact)| Some((at.as_secs(), fault_of(fact)?))).collect()
}

/// When replicas were ejected, in seconds, with their number.
fn ejected(all: &[(f64, FaultFact)], who: EjectedBy) -> Vec<(f64, u32)> {
    let of = |(at, fact): &(f64, FaultFact)| match fact {
        FaultFact::Ejected { replica, by, .. } if *by == who => Some((*at, replica.0)),
        _ => None,
    };
    all.iter().filter_map(of).collect()
}

/// When they got requests again.
fn readmitted(all: &[(f64, FaultFact)]) -> Vec<(f64, u32)> {
    let of = |(at, fact): &(f64, FaultFact)| match fact {
        FaultFact::Readmitted { replica, .. } => Some((*at, replica.0)),
        _ => None,
    };
    all.iter().filter_map(of).collect()
}

/// Two replicas, a request every second, and probes.
fn probed(then: ProbeAction) -> Scenario {
    let mut s = in_turn(2, &(0..80).map(|i| (i * 1_000_000, 1)).collect::<Vec<_>>());
    s.cluster.resilience.probe = Some(Probe { then, restart_s: 5.0, ..Probe::default() });
    s
}

#[test]
fn a_stuck_replica_is_ejected_after_21_to_31_seconds() {
    for at in [0.001, 1.0, 4.5, 9.999, 10.0] {
        let all = facts(&probed(ProbeAction::Eject), &[(at, stuck(1, 0.0))]);
        let found = ejected(&all, EjectedBy::Probe);
        assert_eq!(found, [(31.0, 1)], "stuck at {at} s");
        assert!((21.0..=31.0).contains(&(found[0].0 - at)));
    }
    // A slow one passes; so does one that is stuck between two probes.
    let slow = Fault::Slow(tokenyard::scenario::Slow { replica: Some(1), factor: 9.0, ..Default::default() });
    assert_eq!(ejected(&facts(&probed(ProbeAction::Eject), &[(1.0, slow)]), EjectedBy::Probe), []);
    let short = facts(&probed(ProbeAction::Eject), &[(11.0, stuck(1, 8.0)), (21.0, stuck(1, 8.5))]);
    assert_eq!(ejected(&short, EjectedBy::Probe), []);
    // Two failures and a success between them do not add up.
    let broken = facts(&probed(ProbeAction::Eject), &[(9.0, stuck(1, 12.0)), (31.0, stuck(1, 22.0))]);
    assert_eq!(ejected(&broken, EjectedBy::Probe), []);
}

#[test]
fn an_ejected_replica_gets_nothing_until_probes_pass() {
    let mut s = probed(ProbeAction::Eject);
    if let Some(probe) = &mut s.cluster.resilience.probe {
        probe.successes = 2;
    }
    // Over at 54 s: the probes at 60 and 70 s pass.
    let all = facts(&s, &[(4.0, stuck(1, 50.0))]);
    assert_eq!(ejected(&all, EjectedBy::Probe), [(31.0, 1)]);
    assert_eq!(readmitted(&all), [(70.0, 1)]);
    let session = run(&breaks(s.clone(), 4.0, stuck(1, 50.0)));
    let sent = |from: f64, to: f64| {
        let at = |r: &tokenyard::engine::Record| r.routed.get().map_or(0.0, Micros::as_secs);
        let records = session.engine().records();
        records
            .iter()
            .filter(|r| at(r) > from && at(r) <= to && r.replica().is_some_and(|id| id.0 == 1))
            .count()
    };
    assert_eq!(sent(31.0, 70.0), 0);
    assert!(sent(4.0, 31.0) > 10 && sent(70.0, 80.0) > 3);
    // Its card says so.
    let mut live = crate::support::start(&breaks(s.clone(), 4.0, stuck(1, 50.0)));
    live.advance(Micros(40_000_000), u64::MAX);
    let frame = live.frame(&tokenyard::session::view::FrameQuery::default());
    assert_eq!(frame.replicas[1].life.as_ref().map(|life| life.phase), Some(LifePhase::Ejected));
    assert_eq!(frame.key.faults.map(|f| f.ejections), Some(1));
    let f = session.report_data().faults.expect("something broke");
    assert_eq!((f.ejections, f.each[0].kind), (1, "stuck"));
    assert!((f.each[0].detection_s - 26.5).abs() <= 1.5, "{}", f.each[0].detection_s);
    assert!((f.availability - 1.0).abs() < 1e-9, "it runs");
}

#[test]
fn a_replica_is_restarted_where_probes_say_so() {
    let mut s = probed(ProbeAction::Restart);
    s.cluster.resilience.retries = 1;
    s.cluster.resilience.retry_budget_share = 1.0;
    let all = facts(&s, &[(4.0, stuck(1, 0.0))]);
    let down: Vec<f64> =
        all.iter().filter(|(_, f)| matches!(f, FaultFact::Down { .. })).map(|(at, _)| *at).collect();
    let back: Vec<f64> =
        all.iter().filter(|(_, f)| matches!(f, FaultFact::Restarted { .. })).map(|(at, _)| *at).collect();
    assert_eq!((down, back), (vec![31.0], vec![36.0]));
    assert_eq!(ejected(&all, EjectedBy::Probe), []);
    // A run without a horizon goes on for as long as requests are in a replica that is to be restarted, and ends.
    let mut few = in_turn(2, &[(0, 1), (1_000_000, 2)]);
    few.cluster.resilience = s.cluster.resilience;
    let session = run(&breaks(few, 1.5, stuck(1, 0.0)));
    assert_eq!(
        attempts(&session, 1).first().map(|a| (a.reason, a.broke.0)),
        Some((BreakReason::Crash, 31_000_000))
    );
    assert!(left_s(&session).iter().all(|&at| at > 0.0), "{:?}", left_s(&session));
}

#[test]
fn a_router_forgets_what_it_knew_of_a_replica_that_was_restarted() {
    // One prompt at 0 and at 20 s; a second one at 3 s, and a long one at 12 s.
    let mut s = in_turn(2, &[(0, 1), (3_000_000, 1), (12_000_000, 1), (20_000_000, 1)]);
    for (request, (text, tokens)) in
        s.workload.requests.iter_mut().zip([(900, 320), (901, 320), (902, 960), (900, 320)])
    {
        (request.prompt[0].text, request.prompt[0].tokens) = (text, tokens);
    }
    s.cluster.pools[0].kv.prefix_caching = true;
    s.cluster.routing =
        RoutingPolicy::CacheAware(CacheAware { miss: CacheMiss::SmallestMemory, ..CacheAware::default() });
    s.cluster.resilience.discovery_ms = 500.0;
    let replica = |s: &Scenario, i| run(s).engine().records().at(i).replica().map(|id| id.0);
    assert_eq!([0, 1, 3].map(|i| replica(&s, i)), [Some(0), Some(1), Some(0)], "the prompt is where it was");
    // The router knows nothing of replica 0 when it is back: the long prompt goes to its empty memory, and the first one to the
    // smaller of the two.
    let crashed = breaks(s, 5.0, super::crash(0, 2.0));
    assert_eq!([2, 3].map(|i| replica(&crashed, i)), [Some(0), Some(1)]);
    assert_eq!(run(&crashed).engine().records().at(3).cached_tokens, 0);
}

/// That many replicas in turn, all but the first out of reach from 0.5 s on; four requests a second.
fn out_of_reach(replicas: u32, most_share: f64) -> (Scenario, Vec<(f64, Fault)>) {
    let mut s = in_turn(replicas, &(0..400).map(|i| (i * 250_000, 1)).collect::<Vec<_>>());
    s.cluster.resilience.connect_ms = 100.0;
    s.cluster.resilience.outlier = Some(Outlier { most_share, ..Outlier::default() });
    let faults = (1..replicas).map(|i| (0.5, unreachable(i, 0.0))).collect();
    (s, faults)
}

#[test]
fn outliers_are_ejected_but_no_more_than_a_share_of_their_pool() {
    for (replicas, share, most) in
        [(4, 0.1, 1), (4, 0.5, 2), (4, 0.74, 2), (4, 0.75, 3), (4, 0.0, 1), (10, 0.29, 2)]
    {
        let (s, faults) = out_of_reach(replicas, share);
        let all = facts(&s, &faults);
        let (mut out, mut seen) = (Vec::new(), 0);
        for (_, fact) in &all {
            match fact {
                FaultFact::Ejected { replica, .. } => out.push(*replica),
                FaultFact::Readmitted { replica, .. } => out.retain(|other| other != replica),
                _ => {}
            }
            seen = seen.max(out.len());
        }
        assert_eq!(seen, most, "{replicas} replicas, {share}");
    }
}

#[test]
fn an_outlier_is_ejected_after_five_in_a_row_and_longer_each_time() {
    let (s, _) = out_of_reach(2, 0.1);
    let all = facts(&s, &[(0.6, unreachable(1, 0.0))]);
    let broken: Vec<f64> =
        all.iter().filter(|(_, f)| matches!(f, FaultFact::Broken { .. })).map(|(at, _)| *at).collect();
    // Every other request is sent there, at 0.75, 1.25 s and so on, and breaks 0.1 s later. The one under way completes at 1.25 s:
    // the fifth after that is the sixth.
    let first = ejected(&all, EjectedBy::Outliers)[0];
    assert_eq!(first, (broken[5], 1));
    assert!((first.0 - 3.35).abs() < 1e-9, "{first:?}");
    // Back after 30 s; five break again, and it is out for 60 s.
    let back = readmitted(&all);
    assert!((back[0].0 - 33.35).abs() < 1e-9, "{back:?}");
    let second = ejected(&all, EjectedBy::Outliers)[1].0;
    assert!((back[1].0 - second - 60.0).abs() < 1e-9, "{back:?} {second}");
    // One that completes between them is enough to begin again: the replica is reached for a moment.
    let windows: Vec<(f64, Fault)> =
        (0..40).map(|i| (0.6 + 2.0 * f64::from(i), unreachable(1, 1.5))).collect();
    assert_eq!(ejected(&facts(&s, &windows), EjectedBy::Outliers), []);
}

#[test]
fn a_crash_that_routers_do_not_know_of_yet_makes_an_outlier() {
    let mut s = in_turn(2, &(0..30).map(|i| (i * 1_000_000, 1)).collect::<Vec<_>>());
    s.cluster.resilience.discovery_ms = 60_000.0;
    s.cluster.resilience.outlier = Some(Outlier::default());
    let all = facts(&s, &[(0.5, super::crash(1, 0.0))]);
    // Every other request is refused, at 1, 3, 5, 7 and 9 s; then it gets none.
    assert_eq!(ejected(&all, EjectedBy::Outliers), [(9.0, 1)]);
    let refused = all.iter().filter(|(_, f)| matches!(f, FaultFact::Broken { .. })).count();
    assert_eq!(refused, 5);
    // Where routers know at once there is nothing to eject.
    s.cluster.resilience.discovery_ms = 0.0;
    assert_eq!(ejected(&facts(&s, &[(0.5, super::crash(1, 0.0))]), EjectedBy::Outliers), []);
}

#[test]
fn if_all_are_ejected_routers_take_those_that_serve() {
    let mut s = probed(ProbeAction::Eject);
    s.cluster.resilience.probe = s.cluster.resilience.probe.map(|p| Probe { failures: 1, ..p });
    // Both are stuck from 8 s on; the first works again at 25 s, and is readmitted at 30 s.
    let faults = [(8.0, stuck(0, 17.0)), (8.0, stuck(1, 0.0))];
    let all = facts(&s, &faults);
    assert_eq!(ejected(&all, EjectedBy::Probe), [(11.0, 0), (11.0, 1)]);
    assert_eq!(readmitted(&all), [(30.0, 0)]);
    let mut s = s;
    for (at, fault) in faults {
        s = breaks(s, at, fault);
    }
    let session = run(&s);
    let sent = |from: u64, to: u64, replica: u32| {
        let of = session.engine().records();
        let at = |r: &tokenyard::engine::Record| r.routed.get().map_or(0, |at| at.0 / 1_000_000);
        of.iter()
            .filter(|r| (from..to).contains(&at(r)) && r.replica().is_some_and(|id| id.0 == replica))
            .count()
    };
    assert!(sent(12, 30, 0) == 9 && sent(12, 30, 1) == 9, "in turn, as if none were ejected");
    assert!(sent(31, 80, 1) == 0 && sent(31, 80, 0) > 40);
    assert!(session.report_data().requests.rejected == 0);
}

#[test]
fn a_run_without_a_horizon_ends_with_a_replica_that_is_stuck_for_good() {
    let mut s = in_turn(1, &(0..40).map(|i| (i * 100_000, 1)).collect::<Vec<_>>());
    s.cluster.flow_control =
        Some(FlowControl { ttl_s: 0.0, no_replica_ttl_s: 0.0, ..FlowControl::default() });
    for (then, fault) in [
        (None, stuck(0, 0.0)),
        (Some(ProbeAction::Eject), stuck(0, 0.0)),
        (Some(ProbeAction::Restart), stuck(0, 0.0)),
        (Some(ProbeAction::Restart), unreachable(0, 0.0)),
    ] {
        s.cluster.resilience.probe = then.map(|then| Probe { then, restart_s: 2.0, ..Probe::default() });
        let mut session = crate::support::start(&breaks(s.clone(), 1.5, fault));
        assert_eq!(session.advance(Micros::MAX, 200_000), tokenyard::session::Stop::Finished, "{then:?}");
        // What is sent before the gateway learns of the restart is refused.
        let left = session.engine().records().iter().filter(|r| r.left.get().is_some()).count();
        assert!(then != Some(ProbeAction::Restart) || left > 1, "{left}");
    }
}

#[test]
fn an_edit_begins_and_ends_probes_and_faults_off_nothing_is_probed() {
    let mut s = probed(ProbeAction::Eject);
    s.cluster.resilience.probe = None;
    let on = serde_json::json!({ "interval_s": 5, "failures": 2 });
    s.edits.push(TimedEdit::new(22_000_000, Change::set("cluster.resilience.probe", on)));
    let s = breaks(s, 4.0, stuck(1, 0.0));
    let mut ended = s.clone();
    ended.edits.sort_by_key(|edit| edit.at_us);
    ended
        .edits
        .push(TimedEdit::new(50_000_000, Change::set("cluster.resilience.probe", serde_json::Value::Null)));
    let session = run(&ended);
    let sent = |from: u64, to: u64| {
        let at = |r: &tokenyard::engine::Record| r.routed.get().map_or(0, |at| at.0 / 1_000_000);
        let records = session.engine().records();
        records
            .iter()
            .filter(|r| (from..to).contains(&at(r)) && r.replica().is_some_and(|id| id.0 == 1))
            .count()
    };
    // The probes at 25 and 30 s fail, the second is known at 31 s.
    assert!(sent(10, 31) > 8 && sent(32, 50) == 0 && sent(51, 80) > 10);
    let quiet = probed(ProbeAction::Eject);
    let mut plain = quiet.clone();
    plain.cluster.resilience.probe = None;
    let (mut a, mut b) = (crate::support::start(&quiet), crate::support::start(&plain));
    a.advance(Micros::MAX, u64::MAX);
    b.advance(Micros::MAX, u64::MAX);
    assert_eq!(a.engine().events_done(), b.engine().events_done());
    assert_eq!(left_s(&a), left_s(&b));
}
