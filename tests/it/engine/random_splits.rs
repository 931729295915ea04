//! Random scenarios with prefill and decode apart: none panics, locks or loses a request or a block; how a run is cut, saved or edited
//! never changes what it is.
//!
//! Hundreds at each run of the tests, two thousand with `scripts/test --all`; `scripts/campaign --splits 100000` runs more.

use crate::support::numbers::{cases, numbers};
use crate::support::scenarios::started;
use crate::support::splits::{a_split, a_split_edit};
use crate::support::{numbers, plan};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestError, TestRunner};
use tokenyard::base::Micros;
use tokenyard::base::diag::has_errors;
use tokenyard::engine::{Location, Record, Replica, RequestState};
use tokenyard::scenario::Scenario;
use tokenyard::session::{Audience, Session, Stop};

/// More events than any of these scenarios has.
const MOST_EVENTS: u64 = 6_000_000;
/// Number of scenarios per seed.
const OF_ONE_SEED: u64 = 100;

fn config(seed: u64, cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        max_shrink_iters: 1500,
        ..ProptestConfig::default()
    }
}

/// Every invariant, and that each request is in one place.
fn sound(session: &Session) {
    let engine = session.engine();
    engine.verify(true);
    let count = |state| engine.records().iter().filter(|r: &Record| r.state() == state).count();
    let replicas = engine.replicas();
    let listed = |of: fn(&Replica) -> u32| replicas.iter().map(of).sum::<u32>() as usize;
    assert_eq!(count(RequestState::Queued), listed(Replica::waiting));
    assert_eq!(count(RequestState::Running), listed(Replica::running));
    assert_eq!(count(RequestState::Landed), listed(Replica::landed));
    let under_way = engine.network().map_or(0, |network| network.under_way().len());
    assert_eq!(count(RequestState::Transferring), under_way);
    let census = engine.census();
    assert_eq!(census.arrived as usize, engine.records().len());
    for replica in replicas {
        let holders = replica.running() + replica.incoming() + replica.landed() + replica.outgoing();
        assert!(holders > 0 || replica.kv().used() == 0, "{:?}: blocks without a holder", replica.id());
    }
    if let Some(network) = engine.network() {
        let [started, landed] = network.counts();
        assert!(started as usize >= landed as usize + under_way, "{started} started, {landed} landed");
    }
}

/// Runs a scenario in two pieces and looks at everything in between and at the end.
fn ends_in_good_order(scenario: &Scenario, first: u64) {
    let mut session = started(scenario, Audience::Batch);
    session.advance(Micros::MAX, first);
    sound(&session);
    let stop = session.advance(Micros::MAX, MOST_EVENTS);
    assert_eq!(stop, Stop::Finished, "a run of more than {MOST_EVENTS} events");
    sound(&session);
    if scenario.run.horizon_s > 0.0 {
        return;
    }
    // Without a horizon it is over when nobody is left but those who wait at the gateway for a home that no edit brings back.
    let now = scenario
        .edits
        .iter()
        .fold(plan(scenario), |plan, edit| plan.edited(&edit.change()).expect("a sound edit").0);
    let home = |r: &Replica| r.serving() && now.scenario().cluster.pools[r.pool() as usize].role.is_home();
    let homes = session.engine().replicas().iter().any(home);
    for (i, record) in session.engine().records().iter().enumerate() {
        let gone = record.location().is_gone() || !homes && record.location() == Location::Gateway;
        assert!(gone, "request {i} is stuck: {:?}", record.location());
    }
    for replica in session.engine().replicas() {
        assert_eq!(replica.kv().used(), 0, "{:?} holds blocks", replica.id());
    }
}

#[test]
fn any_split_ends_in_good_order() {
    let all = numbers(400, 2000);
    let mut at = all.start;
    while at < all.end {
        let cases = OF_ONE_SEED.min(all.end - at);
        let each = |(scenario, first): (Scenario, u64)| {
            ends_in_good_order(&scenario, first);
            Ok(())
        };
        if let Err(TestError::Fail(why, (scenario, first))) =
            TestRunner::new(config(at, cases as u32)).run(&(a_split(), 0_u64..3000), each)
        {
            let text = serde_json::to_string(&scenario).expect("a scenario is JSON");
            panic!("scenarios from {at}: {why}\nafter {first} events of\n{text}");
        }
        at += cases;
        numbers::tell(&all, at);
    }
}

/// Where a run stops: after a number of events, or at an instant in microseconds.
fn cuts() -> impl Strategy<Value = Vec<(u64, u64)>> {
    proptest::collection::vec((0_u64..400, 0_u64..700_000), 0..8)
}

fn go(session: &mut Session, (events, us): (u64, u64)) {
    session.advance(Micros::MAX, events);
    session.advance(Micros(session.now().0.saturating_add(us)), 500);
}

fn to_the_end(session: &mut Session) {
    assert_eq!(session.advance(Micros::MAX, MOST_EVENTS), Stop::Finished);
}

fn straight(scenario: &Scenario) -> Session {
    let mut session = started(scenario, Audience::Live);
    to_the_end(&mut session);
    session
}

proptest! {
    #![proptest_config(config(7, cases(40, 150) as u32))]

    #[test]
    fn a_split_run_in_pieces_and_one_that_was_saved_are_the_run_straight_to_its_end(
        scenario in a_split(),
        cuts in cuts(),
    ) {
        let whole = straight(&scenario);
        let mut pieces = started(&scenario, Audience::Live);
        for cut in cuts {
            go(&mut pieces, cut);
        }
        sound(&pieces);
        let bytes = pieces.snapshot();
        let mut restored = started(&Scenario::default(), Audience::Live);
        prop_assert_eq!(restored.restore(&bytes), Ok(()));
        prop_assert_eq!(restored.snapshot(), bytes);
        for session in [&mut pieces, &mut restored] {
            to_the_end(session);
            prop_assert_eq!(whole.report(), session.report());
        }
        prop_assert_eq!(whole.digest(), pieces.digest());
        prop_assert_eq!(whole.events(), pieces.events());
    }

    #[test]
    fn replaying_the_edit_log_of_a_split_run_is_editing_it_live(
        (scenario, live) in a_split().prop_flat_map(|scenario| {
            let pools = scenario.cluster.pools.len();
            (Just(scenario), proptest::collection::vec((cuts(), a_split_edit(pools)), 0..4))
        }),
    ) {
        let mut session = started(&scenario, Audience::Live);
        for (cuts, edit) in live {
            for cut in cuts {
                go(&mut session, cut);
            }
            let problems = session.apply(edit);
            prop_assert!(!has_errors(&problems), "{:?}", problems);
            sound(&session);
        }
        to_the_end(&mut session);
        let replayed = straight(&session.scenario());
        prop_assert_eq!(session.report(), replayed.report());
    }
}
