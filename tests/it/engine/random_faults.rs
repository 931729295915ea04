//! Random scenarios in which replicas crash, are slow, stuck, out of reach or seen late at random instants, with probes, outliers and
//! clients that come again: none panics, none loses a request without a word, a replica that is down has nothing, and a run is the
//! same however it is cut.

use crate::support::numbers;
use crate::support::numbers::numbers;
use crate::support::scenarios::{a_scenario, sound};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{RngSeed, TestError, TestRunner};
use tokenyard::base::Micros;
use tokenyard::scenario::{
    Change, Compat, Crash, Fault, LateSignals, Outlier, Pick, Probe, ProbeAction, RandomFaults, Resilience,
    Restart, Scenario, Slow, Stuck, TimedEdit, Unreachable,
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
    let all = numbers(2000);
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
            count.set(count.get() + u64::from(ends_in_good_order(&scenario, first)));
            Ok(())
        };
        if let Err(TestError::Fail(why, (scenario, first))) =
            TestRunner::new(config).run(&(with_faults(), 0_u64..3000), each)
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
