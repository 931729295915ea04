//! Random scenarios in which replicas crash, are slow, stuck, out of reach or seen late at random instants, with probes, outliers and
//! clients that come again: none panics, none loses a request without a word, a replica that is down has nothing, and a run is the
//! same however it is cut.

use crate::support::numbers;
use crate::support::numbers::numbers;
use crate::support::scenarios::{a_scenario, sound};
use crate::support::splits::a_split;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{RngSeed, TestError, TestRunner};
use tokenyard::base::Micros;
use tokenyard::scenario::{
    Change, Compat, Crash, Fault, KvLoadFailure, LateSignals, Outlier, Pick, Probe, ProbeAction,
    RandomFaults, Resilience, Restart, Role, Scaling, Scenario, Slow, Stuck, TimedEdit, TransferLink,
    Unreachable,
};
use tokenyard::session::{Audience, Session, Stop};

/// More events than any of these scenarios has.
const MOST_EVENTS: u64 = 6_000_000;
/// Number of scenarios per seed.
const OF_ONE_SEED: u64 = 100;

prop_compose! {
    fn a_probe()(
        interval_s in select(vec![0.1, 0.13, 0.4]),
        timeout_s in select(vec![0.0, 0.03, 0.25]),
        failures in 1_u32..3,
        successes in 1_u32..3,
        then in select(vec![ProbeAction::Eject, ProbeAction::Restart]),
        restart_s in select(vec![0.0, 0.02, 0.3]),
    ) -> Probe {
        Probe { interval_s, timeout_s, failures, successes, then, restart_s }
    }
}

prop_compose! {
    fn an_outlier()(
        consecutive in 1_u32..4,
        ejection_s in select(vec![0.1, 0.5]),
        most_share in select(vec![0.0, 0.4, 1.0]),
    ) -> Outlier {
        Outlier { consecutive, ejection_s, most_share }
    }
}

prop_compose! {
    fn a_resilience()(
        retries in select(vec![0_u32, 1, 1, 3, 9]),
        backoff_ms in select(vec![0.0, 1.0, 25.0]),
        retry_budget_share in select(vec![0.0, 0.2, 1.0]),
        retry_budget_least in select(vec![0_u32, 3]),
        resume in any::<bool>(),
        discovery_ms in select(vec![0.0, 1.0, 100.0, 1000.0]),
        connect_ms in select(vec![0.0, 3.0, 200.0]),
        probe in proptest::option::of(a_probe()),
        outlier in proptest::option::of(an_outlier()),
    ) -> Resilience {
        Resilience {
            retries, backoff_ms, retry_budget_share, retry_budget_least, resume, discovery_ms,
            connect_ms, probe, outlier,
            ..Resilience::default()
        }
    }
}

prop_compose! {
    /// What breaks, in a replica of that number if there is one, or else in one of the first pool.
    fn a_fault()(
        kind in 0..7,
        replica in proptest::option::weighted(0.6, 0_u32..12),
        pick in select(vec![Pick::Lowest, Pick::Random]),
        lasts_s in select(vec![0.0, 0.001, 0.05, 0.4]),
        factor in select(vec![1.0, 1.5, 40.0]),
        delay_us in select(vec![0_u64, 1, 900, 60_000]),
        drain_s in select(vec![0.0, 0.001, 0.2]),
    ) -> Fault {
        let pool = if replica.is_none() { Some(String::new()) } else { None };
        match kind {
            0 => Fault::Crash(Crash { replica, pool, pick, restart_s: lasts_s }),
            6 => Fault::Restart(Restart { replica, pool, pick, drain_s, restart_s: lasts_s }),
            1 => Fault::Slow(Slow { replica, pool, pick, factor, for_s: lasts_s }),
            2 => Fault::Stuck(Stuck { replica, pool, pick, for_s: lasts_s }),
            3 => Fault::Signals(LateSignals { replica, pool, pick, delay_us, for_s: lasts_s }),
            4 => Fault::Signals(LateSignals { delay_us, for_s: lasts_s, ..LateSignals::default() }),
            _ => Fault::Unreachable(Unreachable { replica, pool, pick, for_s: lasts_s }),
        }
    }
}

/// The same fault in a replica, or a pool, that there is.
fn aimed(fault: Fault, s: &Scenario) -> Fault {
    let started: u32 = s.cluster.pools.iter().map(|p| p.replicas).sum();
    let number = |replica: Option<u32>| replica.map(|r| r % started.max(1));
    let name = |pool: Option<String>| pool.map(|_| s.cluster.pools[0].name.clone());
    match fault {
        Fault::Crash(f) => Fault::Crash(Crash { replica: number(f.replica), pool: name(f.pool), ..f }),
        Fault::Restart(f) => Fault::Restart(Restart { replica: number(f.replica), pool: name(f.pool), ..f }),
        Fault::Slow(f) => Fault::Slow(Slow { replica: number(f.replica), pool: name(f.pool), ..f }),
        Fault::Stuck(f) => Fault::Stuck(Stuck { replica: number(f.replica), pool: name(f.pool), ..f }),
        Fault::Signals(f) => {
            Fault::Signals(LateSignals { replica: number(f.replica), pool: name(f.pool), ..f })
        }
        Fault::Unreachable(f) => {
            Fault::Unreachable(Unreachable { replica: number(f.replica), pool: name(f.pool), ..f })
        }
        Fault::TransferLink(f) => {
            Fault::TransferLink(TransferLink { replica: number(f.replica), pool: name(f.pool), ..f })
        }
    }
}

prop_compose! {
    /// A random scenario with up to six faults among its edits.
    fn with_faults()(
        mut s in a_scenario(),
        resilience in a_resilience(),
        crash_mtbf_s in select(vec![0.0, 0.0, 1.0, 3.0]),
        restart_s in select(vec![0.0, 0.1]),
        client_retries in select(vec![0_u32, 0, 2]),
        client_wait_s in select(vec![0.0, 0.05]),
        faults in proptest::collection::vec((0.0..1.0_f64, a_fault()), 1..7),
    ) -> Scenario {
        s.cluster.compat = Compat::None;
        s.cluster.resilience = resilience;
        s.cluster.faults = RandomFaults { crash_mtbf_s, restart_s };
        s.workload.client_retries = client_retries;
        s.workload.client_wait_s = client_wait_s;
        for (part, fault) in faults {
            let at = (part * s.run.horizon_s * 1e6) as u64;
            s.edits.push(TimedEdit::new(at, Change::fault(aimed(fault, &s))));
        }
        s.edits.sort_by_key(|edit| edit.at_us);
        s
    }
}

fn a_fault_apart() -> impl Strategy<Value = Fault> {
    let aim = (0_u32..8, select(vec![0.0, 0.001, 0.05, 0.4]));
    aim.prop_flat_map(|(replica, lasts)| {
        let replica = Some(replica);
        prop_oneof![
            4 => Just(Fault::Crash(Crash { replica, restart_s: lasts, ..Crash::default() })),
            1 => Just(Fault::Slow(Slow { replica, factor: 7.0, for_s: lasts, ..Slow::default() })),
            1 => Just(Fault::Stuck(Stuck { replica, for_s: lasts, ..Stuck::default() })),
            1 => Just(Fault::Restart(Restart { replica, drain_s: 0.05, restart_s: lasts, ..Restart::default() })),
            1 => Just(Fault::Signals(LateSignals { replica, for_s: lasts, ..LateSignals::default() })),
            1 => Just(Fault::Unreachable(Unreachable { replica, for_s: lasts, ..Unreachable::default() })),
            2 => select(vec![0.0, 0.01, 0.5]).prop_map(move |share| {
                Fault::TransferLink(TransferLink { replica, share, for_s: lasts, ..TransferLink::default() })
            }),
        ]
    })
}

prop_compose! {
    /// A random scenario with prefill and decode apart, and with up to six faults among its edits.
    fn apart_with_faults()(
        mut s in a_split(),
        resilience in a_resilience(),
        kv_load_failure in select(vec![KvLoadFailure::Fail, KvLoadFailure::Recompute]),
        lease_s in select(vec![0.0, 0.02, 0.3]),
        transfer_timeout_s in select(vec![0.0, 0.01, 0.2, 30.0]),
        faults in proptest::collection::vec((0.0..1.0_f64, a_fault_apart()), 1..7),
        crash_mtbf_s in select(vec![0.0, 0.0, 0.0, 1.0]),
    ) -> Scenario {
        s.cluster.resilience = Resilience { kv_load_failure, lease_s, transfer_timeout_s, ..resilience };
        if s.run.horizon_s > 0.0 {
            s.cluster.faults = RandomFaults { crash_mtbf_s, restart_s: 0.1 };
        }
        let started: u32 = s.cluster.pools.iter().map(|p| p.replicas).sum();
        let apart = s.cluster.pools.iter().any(|p| p.role != Role::Mixed);
        let end = if s.run.horizon_s > 0.0 { s.run.horizon_s } else { 1.5 };
        for (part, mut fault) in faults {
            let replica = match &mut fault {
                Fault::Crash(f) => &mut f.replica,
                Fault::Slow(f) => &mut f.replica,
                Fault::Stuck(f) => &mut f.replica,
                Fault::Restart(f) => &mut f.replica,
                Fault::Signals(f) => &mut f.replica,
                Fault::Unreachable(f) => &mut f.replica,
                Fault::TransferLink(f) if apart => &mut f.replica,
                Fault::TransferLink(_) => continue,
            };
            *replica = replica.map(|r| r % started.max(1));
            s.edits.push(TimedEdit::new((part * end * 1e6) as u64, Change::fault(fault)));
        }
        s.edits.sort_by_key(|edit| edit.at_us);
        s
    }
}

/// Runs a scenario with prefill and decode apart; whether it is valid. Everything is checked again and again.
fn ends_apart_in_good_order(scenario: &Scenario, first: u64) -> bool {
    let Ok((mut session, _)) = Session::start(scenario.clone(), None, Audience::Batch) else { return false };
    let mut events = 0;
    while session.advance(Micros::MAX, first % 50 + 1) == Stop::Events {
        session.engine().verify(true);
        events += first % 50 + 1;
        assert!(events < MOST_EVENTS, "a run of more than {MOST_EVENTS} events");
    }
    session.engine().verify(true);
    let report = session.report_data();
    let engine = session.engine();
    let c = engine.attempt_counts();
    let arrived = u64::from(engine.census().arrived);
    let broken: u64 = c.broken.iter().sum();
    assert_eq!(
        broken,
        c.retried + c.lost.iter().sum::<u64>(),
        "a broken attempt is followed by another, or lost"
    );
    assert_eq!(c.lost.iter().sum::<u64>(), u64::from(engine.census().lost));
    assert!(
        c.attempts <= arrived * u64::from(1 + scenario.cluster.resilience.retries) + redirected(&session)
    );
    assert!(report.requests.conserved);
    for (i, _) in engine.records().iter().enumerate() {
        session.inspect(i as u32);
    }
    if first.is_multiple_of(8) {
        let (mut again, _) =
            Session::start(scenario.clone(), None, Audience::Batch).expect("it was valid before");
        while again.advance(Micros::MAX, 997) == Stop::Events {
            let saved = again.snapshot();
            assert!(again.restore(&saved).is_ok(), "a snapshot that was just saved");
        }
        assert_eq!(again.digest(), session.digest(), "cut and saved");
    }
    true
}

/// Attempts that went back to the router because their replicas were taken away.
fn redirected(session: &Session) -> u64 {
    let scaled = session.scenario().cluster.pools.iter().any(|p| p.scaling != Scaling::default());
    let edited = session.scenario().edits.iter().any(|edit| edit.fault.is_none());
    if scaled || edited { u64::MAX / 2 } else { 0 }
}

/// Runs a scenario in two pieces; whether it is valid.
fn ends_in_good_order(scenario: &Scenario, first: u64) -> bool {
    let Ok((mut session, _)) = Session::start(scenario.clone(), None, Audience::Batch) else { return false };
    session.advance(Micros::MAX, first);
    sound(&session);
    let stop = session.advance(Micros::MAX, MOST_EVENTS);
    assert_eq!(stop, Stop::Finished, "a run of more than {MOST_EVENTS} events");
    sound(&session);
    let report = session.report_data();
    let f = report.faults.as_ref();
    assert!(f.is_some() && f.is_none_or(|f| f.lost == report.requests.lost));
    if first.is_multiple_of(8) {
        let (mut again, _) =
            Session::start(scenario.clone(), None, Audience::Batch).expect("it was valid before");
        again.advance(Micros::MAX, u64::MAX);
        assert_eq!(again.digest(), session.digest(), "cut after {first} events");
    }
    true
}

#[test]
fn any_scenario_with_faults_ends_in_good_order() {
    all_end_in_good_order(400, 2000, with_faults, ends_in_good_order);
}

#[test]
fn any_scenario_with_faults_and_roles_ends_in_good_order() {
    all_end_in_good_order(100, 500, apart_with_faults, ends_apart_in_good_order);
}

fn all_end_in_good_order<T: Strategy<Value = Scenario>>(
    few: u64,
    all: u64,
    scenarios: fn() -> T,
    ends: fn(&Scenario, u64) -> bool,
) {
    let all = numbers(few, all);
    let (mut at, mut valid) = (all.start, 0);
    while at < all.end {
        let cases = OF_ONE_SEED.min(all.end - at);
        let config = ProptestConfig {
            cases: cases as u32,
            rng_seed: RngSeed::Fixed(at),
            failure_persistence: None,
            max_shrink_iters: 500,
            ..ProptestConfig::default()
        };
        let count = std::cell::Cell::new(0);
        let each = |(scenario, first): (Scenario, u64)| {
            count.set(count.get() + u64::from(ends(&scenario, first)));
            Ok(())
        };
        if let Err(TestError::Fail(why, (scenario, first))) =
            TestRunner::new(config).run(&(scenarios(), 0_u64..3000), each)
        {
            let text = serde_json::to_string(&scenario).expect("a scenario is JSON");
            panic!("scenarios from {at}: {why}\nafter {first} events of\n{text}");
        }
        valid += count.get();
        at += cases;
        numbers::tell(&all, at);
    }
    assert!(valid * 2 > all.end - all.start, "{valid} of the scenarios are valid");
}
