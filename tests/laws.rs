//! Laws that hold for every scenario: how a run is cut, watched, saved or edited never changes what it is.

#![cfg(not(target_arch = "wasm32"))]

use proptest::prelude::*;
use proptest::sample::select;
use tokenyard::base::Micros;
use tokenyard::base::diag::has_errors;
use tokenyard::scenario::{
    Arrivals, Client, Cluster, Compat, Edit, Engine, FittedCoefficients, KvBlocks, KvCache, LatencyModel,
    Lengths, Pool, PrefixGroups, RoutingPolicy, Run, Scenario, SloClass, TimedEdit, Workload,
};
use tokenyard::session::frame::{ColumnsQuery, EventsQuery, FrameQuery, Stop, View};
use tokenyard::session::{Audience, Session};
use tokenyard::workload::digest_of;

const ROUTERS: [RoutingPolicy; 3] =
    [RoutingPolicy::RoundRobin, RoutingPolicy::Random, RoutingPolicy::LeastLoaded];

prop_compose! {
    fn a_length(most: u32)(kind in 0..3, low in 1..most / 2, sigma in 0.1..1.2_f64) -> Lengths {
        match kind {
            0 => Lengths::Constant { tokens: low },
            1 => Lengths::Gaussian {
                mean_tokens: f64::from(low),
                sd_tokens: f64::from(low) / 2.0,
                min_tokens: 1,
                max_tokens: most,
            },
            _ => Lengths::Lognormal { median_tokens: f64::from(low), sigma, min_tokens: 1, max_tokens: most },
        }
    }
}

prop_compose! {
    fn a_client(name: &'static str)(
        kind in 0..3,
        rate_per_s in 1.0..60.0_f64,
        cv in 0.3..3.0_f64,
        prompt_tokens in a_length(160),
        output_tokens in a_length(40),
        groups in select(vec![0_u32, 0, 1, 5]),
        prefix in 1_u32..80,
        slo_class in select(SloClass::ALL.to_vec()),
    ) -> Client {
        let arrivals = match kind {
            0 => Arrivals::Poisson { rate_per_s },
            1 => Arrivals::Gamma { rate_per_s, cv },
            _ => Arrivals::Constant { rate_per_s },
        };
        let tokens = if groups == 0 { 0 } else { prefix };
        let prefix = PrefixGroups { groups, tokens };
        Client { name: name.to_owned(), arrivals, prompt_tokens, output_tokens, prefix, slo_class, ..Client::default() }
    }
}

prop_compose! {
    fn a_pool()(
        replicas in 1_u32..5,
        max_num_seqs in select(vec![1_u32, 3, 8, 64]),
        max_num_batched_tokens in select(vec![4_u32, 40, 300, 2048]),
        long_prefill_threshold_tokens in select(vec![0_u32, 0, 7, 64]),
        (block_tokens, blocks) in select(vec![(1_u32, 300_u32), (4, 80), (16, 20), (16, 60), (16, 2000), (64, 8)]),
        prefix_caching in any::<bool>(),
        step_us in select(vec![1.0_f64, 900.0, 6000.0]),
        per_token in select(vec![0.0_f64, 7.3, 20.0]),
        output_us_per_token in select(vec![0.0_f64, 350.0]),
        queueing_us in select(vec![0.0_f64, 230.0]),
    ) -> Pool {
        Pool {
            replicas,
            engine: Engine {
                max_num_seqs,
                max_num_batched_tokens,
                long_prefill_threshold_tokens,
                ..Engine::default()
            },
            kv: KvCache { blocks: KvBlocks::Count(blocks), block_tokens, prefix_caching, ..KvCache::default() },
            latency: LatencyModel::Fitted(FittedCoefficients {
                queueing_us,
                queueing_us_per_prompt_token: queueing_us / 100.0,
                output_us_per_token,
                step_us,
                step_us_per_prefill_token: per_token,
                step_us_per_decode_token: per_token / 3.0,
            }),
            ..Pool::default()
        }
    }
}

fn an_edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        (0.0..90.0_f64).prop_map(|rate_per_s| Edit::ArrivalRate { client: 0, rate_per_s }),
        select(ROUTERS.to_vec()).prop_map(Edit::Routing),
        (1_u32..6).prop_map(|replicas| Edit::Replicas { pool: 0, replicas }),
        (1_u32..20).prop_map(|max_num_seqs| Edit::MaxNumSeqs { pool: 0, max_num_seqs }),
        (1_u32..300).prop_map(|n| Edit::MaxNumBatchedTokens { pool: 0, max_num_batched_tokens: n }),
        (1_u32..400).prop_map(|blocks| Edit::KvBlocks { pool: 0, blocks }),
        select(vec![0_u64, 1, 40_000])
            .prop_map(|snapshot_refresh_us| Edit::SnapshotRefresh { snapshot_refresh_us }),
    ]
}

prop_compose! {
    fn a_scenario()(
        seed in any::<u64>(),
        horizon_s in 0.2..2.5_f64,
        warmup in select(vec![0.0_f64, 0.0, 0.2]),
        pool in a_pool(),
        compat in select(vec![Compat::None, Compat::None, Compat::Blis]),
        routing in select(ROUTERS.to_vec()),
        snapshot_refresh_us in select(vec![0_u64, 0, 700, 50_000]),
        (admission_latency_us, routing_latency_us) in select(vec![(0_u64, 0_u64), (0, 0), (120, 45)]),
        first in a_client("first"),
        second in proptest::option::of(a_client("second")),
        mut edits in proptest::collection::vec((0.0..1.0_f64, an_edit()), 0..4),
    ) -> Scenario {
        edits.sort_by(|a, b| a.0.total_cmp(&b.0));
        let at = |part: f64| (part * horizon_s * 1e6) as u64;
        let timed = |(part, change)| TimedEdit { at_us: at(part), after_events: None, change };
        Scenario {
            seed,
            run: Run { horizon_s, warmup_s: warmup * horizon_s, ..Run::default() },
            cluster: Cluster {
                pools: vec![pool],
                routing,
                snapshot_refresh_us,
                admission_latency_us,
                routing_latency_us,
                compat,
                ..Cluster::default()
            },
            workload: Workload {
                clients: std::iter::once(first).chain(second).collect(),
                ..Workload::default()
            },
            edits: edits.into_iter().map(timed).collect(),
            ..Scenario::default()
        }
    }
}

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

fn started(scenario: &Scenario, audience: Audience) -> Session {
    match Session::start(scenario.clone(), None, audience) {
        Ok((session, _)) => session,
        Err(problems) => panic!("a generated scenario is not valid: {problems:?}"),
    }
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

/// INV-1 to the request, and every other invariant, wherever the run stands.
fn sound(session: &Session) {
    session.engine().verify(true);
    let r = session.report_data().requests;
    let places = r.in_pipeline + r.queued + r.running + r.completed + r.rejected + r.dropped;
    assert!(r.conserved && r.arrived == places, "{r:?}");
    let mut seen = [0_u32; 6];
    for record in session.engine().records() {
        seen[record.state as usize] += 1;
    }
    assert_eq!(seen, [r.in_pipeline, r.queued, r.running, r.completed, r.rejected, r.dropped]);
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 4000, ..ProptestConfig::default() }
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
            watched.columns(&ColumnsQuery { view: View::TtftOverTime, from_us: 0, to_us: 0 });
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
        routing in select(ROUTERS.to_vec()),
        compat in select(vec![Compat::None, Compat::Blis]),
    ) {
        let mut scenario = scenario;
        scenario.edits.clear();
        let mut elsewhere = scenario.clone();
        elsewhere.cluster.pools = vec![pool];
        elsewhere.cluster.routing = routing;
        elsewhere.cluster.compat = compat;
        prop_assert_eq!(digest_of(&scenario, None, 100_000), digest_of(&elsewhere, None, 100_000));
        let (here, there) = (straight(&scenario), straight(&elsewhere));
        let traffic = |s: &Session| -> Vec<_> {
            let spec = |r: &tokenyard::engine::Record| {
                (r.arrival, r.client, r.prompt_tokens, r.output_tokens)
            };
            s.engine().records().iter().map(spec).collect()
        };
        prop_assert_eq!(traffic(&here), traffic(&there));
    }
}
