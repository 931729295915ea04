//! Laws that hold for every scenario: how a run is cut, watched, saved or edited never changes what it is.

use crate::support::scenarios::{a_pool, a_scenario, an_edit, by_the_rules_of, routers, sound, started};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;
use tokenyard::base::Micros;
use tokenyard::base::diag::has_errors;
use tokenyard::scenario::{Compat, ConversationClock, Scenario};
use tokenyard::session::view::{ColumnsQuery, EventsQuery, FrameQuery, View};
use tokenyard::session::{Audience, Session, Stop};
use tokenyard::workload::digest_of;

/// How far one call goes: a share of the horizon, or a number of events.
#[derive(Clone, Copy, Debug)]
enum Cut {
    Time(f64),
    Events(u64),
}

fn cuts() -> impl Strategy<Value = Vec<Cut>> {
    let cut = prop_oneof![(0.0..1.1_f64).prop_map(Cut::Time), (0_u64..400).prop_map(Cut::Events)];
    proptest::collection::vec(cut, 0..12)
}

fn to_the_end(session: &mut Session) {
    let stop = session.advance(Micros::MAX, u64::MAX);
    assert_eq!(stop, Stop::Finished);
}

fn straight(scenario: &Scenario) -> Session {
    let mut session = started(scenario, Audience::Live);
    to_the_end(&mut session);
    session
}

fn go(session: &mut Session, cut: Cut) {
    match cut {
        Cut::Time(part) => {
            let until = Micros((part * session.scenario().run.horizon_s * 1e6) as u64);
            session.advance(until.max(session.now()), u64::MAX);
        }
        Cut::Events(n) => {
            session.advance(Micros::MAX, n);
        }
    }
}

fn config(cases: u32) -> ProptestConfig {
    // The same scenarios every time; tests/campaign/random.rs looks for others.
    let rng_seed = RngSeed::Fixed(7);
    ProptestConfig {
        cases,
        rng_seed,
        failure_persistence: None,
        max_shrink_iters: 4000,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config(120))]

    #[test]
    fn cutting_a_run_into_pieces_changes_nothing(scenario in a_scenario(), cuts in cuts()) {
        let whole = straight(&scenario);
        let mut pieces = started(&scenario, Audience::Live);
        for cut in cuts {
            go(&mut pieces, cut);
            sound(&pieces);
        }
        to_the_end(&mut pieces);
        sound(&pieces);
        prop_assert_eq!(whole.report(), pieces.report());
        prop_assert_eq!(whole.digest(), pieces.digest());
        prop_assert_eq!(whole.events(), pieces.events());
    }

    #[test]
    fn restoring_a_snapshot_and_running_on_is_running_straight(
        scenario in a_scenario(),
        before in cuts(),
        other in a_scenario(),
    ) {
        let whole = straight(&scenario);
        let mut saved = started(&scenario, Audience::Live);
        for cut in before {
            go(&mut saved, cut);
        }
        let bytes = saved.snapshot();
        // The session that goes on may have been anywhere, in any scenario.
        let mut restored = straight(&other);
        prop_assert_eq!(restored.restore(&bytes), Ok(()));
        prop_assert_eq!(restored.snapshot(), bytes);
        prop_assert_eq!(restored.report(), saved.report());
        to_the_end(&mut restored);
        prop_assert_eq!(restored.report(), whole.report());
    }

    #[test]
    fn replaying_the_edit_log_is_editing_live(
        scenario in a_scenario(),
        live in proptest::collection::vec((cuts(), an_edit()), 0..4),
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

    #[test]
    fn looking_changes_nothing(scenario in a_scenario(), cuts in cuts()) {
        let unseen = {
            let mut s = started(&scenario, Audience::Batch);
            to_the_end(&mut s);
            s
        };
        let mut watched = started(&scenario, Audience::Live);
        for cut in cuts {
            go(&mut watched, cut);
            watched.frame(&FrameQuery::default());
            watched.columns(&ColumnsQuery { view: View::TtftOverTime, from_us: 0, to_us: 0, window_s: 0.0 });
            watched.event_rows(&EventsQuery { limit: 20, ..EventsQuery::default() });
            watched.inspect(3);
        }
        to_the_end(&mut watched);
        prop_assert_eq!(unseen.report(), watched.report());
    }

    #[test]
    fn traffic_does_not_depend_on_the_cluster(
        scenario in a_scenario(),
        pool in a_pool(),
        routing in select(routers()),
        compat in select(vec![Compat::None, Compat::Blis]),
    ) {
        let mut scenario = scenario;
        scenario.edits.clear();
        // Users with a closed clock send the next round after the answer.
        for talk in scenario.workload.clients.iter_mut().filter_map(|c| c.conversation.as_mut()) {
            talk.clock = ConversationClock::Open;
        }
        let mut elsewhere = scenario.clone();
        elsewhere.cluster.pools = by_the_rules_of(compat, vec![pool]);
        elsewhere.cluster.routing = routing;
        elsewhere.cluster.compat = compat;
        if compat == Compat::Blis {
            // Clients wait for ever there, and nothing is stopped.
            elsewhere.workload.timeout_s = 0.0;
            elsewhere.cluster.flow_control = None;
        }
        prop_assert_eq!(digest_of(&scenario, None, 100_000), digest_of(&elsewhere, None, 100_000));
        let (here, there) = (straight(&scenario), straight(&elsewhere));
        let traffic = |s: &Session| -> Vec<_> {
            let spec = |r: tokenyard::engine::Record| {
                (r.arrival, r.client, r.prompt_tokens, r.output_tokens)
            };
            s.engine().records().iter().map(spec).collect()
        };
        prop_assert_eq!(traffic(&here), traffic(&there));
    }
}
