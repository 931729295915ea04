//! Laws of routing.

use super::common::{client, cluster, edit, run};
use super::dynamo_router::{agentic, approximate};
use crate::support::documents::fitted;
use crate::support::scenarios::basic_routers;
use tokenyard::engine::{Cluster, Decision, Fact, FleetFact, RequestFact};
use tokenyard::scenario::{
    CacheAware, CacheBalance, CacheKnowledge, Client, CostEscalation, Filter, KvBlocks, KvCost,
    LatencyPrediction, Lengths, Picker, PowerOfD, PrefixAware, PrefixGroups, PrefixOverlap, Profile,
    RoutingPolicy, Scenario, Scorer, SessionAffinity, SessionFilter, SessionMode, Softmax, Ties, TimedEdit,
    UtilizationFilter, Weighted, WeightedScorer,
};

/// The weighted policy with these scorers.
pub(crate) fn weighted(rows: &[(Scorer, f64)]) -> RoutingPolicy {
    let row = |(scorer, weight): &(Scorer, f64)| WeightedScorer { scorer: scorer.clone(), weight: *weight };
    let scorers = rows.iter().map(row).collect();
    RoutingPolicy::Weighted(Weighted { profile: Profile::Custom, scorers, ..Weighted::default() })
}

pub(crate) fn session_affinity(mode: SessionMode) -> RoutingPolicy {
    RoutingPolicy::SessionAffinity(SessionAffinity { mode, ..SessionAffinity::default() })
}

/// The weighted policy with every filter, and this picker.
fn picking(picker: Picker) -> RoutingPolicy {
    let filters =
        vec![Filter::Utilization(UtilizationFilter::default()), Filter::Session(SessionFilter::default())];
    RoutingPolicy::Weighted(Weighted { filters, picker, ..Weighted::default() })
}

/// An expression that looks at everything it can.
const EXPRESSION: &str = "0.3 * prefix + 0.3 * cached + (session_here ? 0.2 : 0) - clamp(in_flight / (1 + max.in_flight), 0, 1) / (waiting + 1) - 1e-6 * (uncached_tokens + tokens_in_flight + mean.waiting_tokens) + 0.1 * hit_rate * kv_free + idle_s / (60 + now_s)";

/// Every policy, some of them in several forms.
pub(crate) fn every_policy() -> Vec<RoutingPolicy> {
    let mut all = basic_routers();
    all.extend([
        RoutingPolicy::CostEscalation(CostEscalation::default()),
        RoutingPolicy::KvCost(KvCost::default()),
        RoutingPolicy::KvCost(KvCost { temperature: 0.3, ..KvCost::default() }),
        RoutingPolicy::KvCost(KvCost { session_ttl_s: 2.0, predicted_ttl_s: 1.0, ..agentic() }),
        RoutingPolicy::KvCost(KvCost { credit_decay: 1.0, index: approximate(1.5, 400), ..agentic() }),
        RoutingPolicy::CacheAware(CacheAware::default()),
        RoutingPolicy::CacheAware(CacheAware { balance_abs_threshold: 4, ..CacheAware::default() }),
        RoutingPolicy::CacheAware(CacheAware {
            balance: CacheBalance::AboveMean,
            knows: CacheKnowledge::Events,
            ..CacheAware::default()
        }),
        RoutingPolicy::Weighted(Weighted::default()),
        RoutingPolicy::Weighted(Weighted { profile: Profile::LlmDDefault, ..Weighted::default() }),
        weighted(&Scorer::NAMED.map(|scorer| (scorer, 1.0))),
        weighted(&[
            (super::expressions::expression(EXPRESSION), 2.0),
            (Scorer::NoHitLru, 1.0),
            (Scorer::PrefixAffinity, 1.0),
        ]),
        super::predicted_latency::predicting(LatencyPrediction {
            noise: 0.3,
            staleness_ms: 40.0,
            ..LatencyPrediction::default()
        }),
        RoutingPolicy::Weighted(Weighted {
            priority: "100 * cached - tenant_in_flight".to_owned(),
            ..Weighted::default()
        }),
        picking(Picker::WeightedRandom),
        picking(Picker::Softmax(Softmax::default())),
    ]);
    all
}

/// Four replicas and conversations that share prefixes, until 1,200 requests have come.
pub(crate) fn conversations(rate_per_s: f64) -> Scenario {
    let mut s = cluster(4, 8);
    let prefix = PrefixGroups::new(12, 256);
    s.workload.clients = vec![Client { sessions: 40, prefix, ..client("chat", rate_per_s) }];
    s.run.max_requests = 1200;
    s
}

/// The scenario with pool 0 at these numbers of replicas at these seconds.
pub(crate) fn scaled(mut s: Scenario, changes: &[(f64, u32)]) -> Scenario {
    let edit =
        |&(at_s, replicas): &(f64, u32)| TimedEdit::new((at_s * 1e6) as u64, edit::replicas(0, replicas));
    s.edits = changes.iter().map(edit).collect();
    s
}

/// The replica of each request, in order.
pub(crate) fn targets(engine: &Cluster) -> Vec<u32> {
    engine.records().iter().map(|r| r.replica().map_or(u32::MAX, |id| id.0)).collect()
}

fn mean_ttft(engine: &Cluster) -> f64 {
    let sum: u64 = engine.records().iter().map(|r| r.ttft.get().expect("it is known").0).sum();
    sum as f64 / engine.records().len() as f64
}

#[test]
fn every_policy_sends_all_requests_to_replicas_that_take_requests() {
    for routing in every_policy() {
        for refresh_us in [0, 30_000] {
            let mut s = scaled(conversations(90.0), &[(2.0, 2), (4.0, 3), (6.0, 7), (8.0, 1)]);
            s.cluster.routing = routing.clone();
            s.cluster.snapshot_refresh_us = refresh_us;
            let (engine, story) = run(&s);
            assert_eq!(engine.records().len(), 1200);
            let mut serving = vec![true; 4];
            for (_, fact) in &story.facts {
                match *fact {
                    Fact::Fleet(FleetFact::Serving { replica, .. }) => {
                        serving.resize(serving.len().max(replica.index() + 1), false);
                        serving[replica.index()] = true;
                    }
                    Fact::Fleet(FleetFact::Draining { replica }) => serving[replica.index()] = false,
                    Fact::Request(RequestFact::Routed { request, replica }) => {
                        assert!(serving[replica.index()], "{routing:?}: {request:?} to {replica:?}");
                    }
                    _ => {}
                }
            }
            assert!(serving.len() == 7 && serving.iter().filter(|&&x| x).count() == 1);
        }
    }
}

#[test]
fn with_one_replica_all_policies_are_the_same() {
    let mut s = conversations(30.0);
    s.cluster.pools[0].replicas = 1;
    let (first, _) = run(&s);
    for routing in every_policy() {
        s.cluster.routing = routing.clone();
        let (engine, _) = run(&s);
        assert_eq!(engine.records(), first.records(), "{routing:?}");
    }
}

#[test]
fn a_snapshot_in_the_middle_goes_on_like_the_run_it_was_taken_of() {
    use tokenyard::base::Micros;
    use tokenyard::session::{Audience, Session};
    for routing in every_policy() {
        let mut s = scaled(conversations(90.0), &[(3.0, 2), (7.0, 5)]);
        s.cluster.routing = routing.clone();
        let session = || Session::start(s.clone(), None, Audience::Live).expect("a good scenario").0;
        let (mut straight, mut other) = (session(), session());
        straight.advance(Micros(5_000_000), u64::MAX);
        let bytes = straight.snapshot();
        straight.advance(Micros::MAX, u64::MAX);
        other.restore(&bytes).expect("its own snapshot");
        assert!(bytes == other.snapshot(), "{routing:?}");
        other.advance(Micros::MAX, u64::MAX);
        assert_eq!(straight.digest(), other.digest(), "{routing:?}");
    }
}

#[test]
fn decisions_agree_with_what_they_were_made_on() {
    for routing in every_policy() {
        let mut s = conversations(120.0);
        s.cluster.routing = routing.clone();
        let (_, story) = run(&s);
        assert_eq!(story.decisions.len(), 1200);
        for d in &story.decisions {
            let parts = &d.scores.parts;
            for (i, &total) in d.scores.totals.iter().enumerate() {
                let sum = parts.iter().fold(0.0, |sum, p| sum + p.values[i] * p.weight);
                assert!((sum - total).abs() < 1e-12 && total.is_finite(), "{routing:?}: {d:?}");
            }
            assert!(d.regret() >= 0.0);
            assert!(d.ranking().windows(2).all(|w| d.score(w[0]) >= d.score(w[1])));
        }
    }
}

/// The regrets of all decisions under a policy.
fn regrets(routing: RoutingPolicy) -> Vec<f64> {
    let mut s = conversations(120.0);
    s.cluster.routing = routing;
    run(&s).1.decisions.iter().map(Decision::regret).collect()
}

#[test]
fn policies_that_take_the_best_score_have_no_score_regret_and_round_robin_has() {
    let cases = [
        RoutingPolicy::Weighted(Weighted::default()),
        RoutingPolicy::Weighted(Weighted { ties: Ties::Random, ..Weighted::default() }),
        RoutingPolicy::PrefixOverlap(PrefixOverlap::default()),
        RoutingPolicy::CostEscalation(CostEscalation::default()),
        RoutingPolicy::LeastLoaded,
    ];
    for routing in cases {
        assert!(regrets(routing.clone()).iter().all(|&r| r == 0.0), "{routing:?}");
    }
    for routing in [RoutingPolicy::RoundRobin, RoutingPolicy::Random, RoutingPolicy::AlwaysBusiest] {
        assert!(regrets(routing.clone()).iter().filter(|&&r| r > 0.0).count() > 100, "{routing:?}");
    }
}

#[test]
fn power_of_one_is_random_and_power_of_all_is_least_loaded() {
    let mut s = conversations(120.0);
    let mut under = |routing| {
        s.cluster.routing = routing;
        targets(&run(&s).0)
    };
    let power = |d| RoutingPolicy::PowerOfD(PowerOfD { d });
    assert_eq!(under(power(4)), under(RoutingPolicy::LeastLoaded));
    assert_eq!(under(power(900)), under(RoutingPolicy::LeastLoaded));
    assert_eq!(under(power(1)), under(RoutingPolicy::Random));
}

/// Poisson arrivals of one-token answers on `replicas` one-at-a-time servers whose service time is the prompt's length.
pub(crate) fn queues(replicas: u32, load: f64, requests: u64) -> Scenario {
    let mut s = cluster(replicas, 1);
    let pool = &mut s.cluster.pools[0];
    pool.engine.max_num_batched_tokens = (1 << 20).into();
    pool.kv.blocks = KvBlocks::Count(1 << 20);
    pool.kv.prefix_caching = false;
    pool.latency = fitted(0.0, 1.0, 0.0);
    // A lognormal with sigma 0.9 has a coefficient of variation of 1.1: nearly exponential. Its mean is median x e^(sigma^2/2).
    let median_tokens = 1000.0 / tokenyard::base::math::exp(0.405);
    let mut queue = client("queue", load * f64::from(replicas) * 1000.0);
    queue.prompt_tokens =
        Lengths::Lognormal { median_tokens, sigma: 0.9, min_tokens: 1, max_tokens: 100_000 };
    queue.output_tokens = Lengths::Constant { tokens: 1 };
    s.workload.clients = vec![queue];
    s.run.max_requests = requests;
    s
}

#[test]
fn power_of_two_lies_between_the_shortest_queue_and_random() {
    for (load, requests) in [(0.5, 40_000), (0.8, 60_000)] {
        let mut s = queues(8, load, requests);
        let mut under = |routing| {
            s.cluster.routing = routing;
            mean_ttft(&run(&s).0)
        };
        let shortest = under(RoutingPolicy::LeastLoaded);
        let [one, two, three] = [1, 2, 3].map(|d| under(RoutingPolicy::PowerOfD(PowerOfD { d })));
        assert!(shortest < three && three < two && two < one, "{shortest} {three} {two} {one}");
        // The second choice is worth far more than the third.
        assert!(one - two > 3.0 * (two - three), "{one} {two} {three}");
        let turn = under(RoutingPolicy::RoundRobin);
        assert!(turn < one, "round robin {turn}, random {one}");
    }
}

#[test]
fn always_busiest_is_the_worst() {
    let mut s = conversations(60.0);
    let mut under = |routing| {
        s.cluster.routing = routing;
        mean_ttft(&run(&s).0)
    };
    let worst = under(RoutingPolicy::AlwaysBusiest);
    for routing in [RoutingPolicy::RoundRobin, RoutingPolicy::Random, RoutingPolicy::LeastLoaded] {
        assert!(under(routing.clone()) < worst, "{routing:?}");
    }
}

/// The replica of each request with its session, in order.
pub(crate) fn homes(s: &Scenario) -> Vec<(u32, u32)> {
    let (engine, _) = run(s);
    engine.records().iter().map(|r| (r.session, r.replica().map_or(u32::MAX, |id| id.0))).collect()
}

#[test]
fn a_session_stays_on_one_replica_as_long_as_that_takes_requests() {
    for mode in [SessionMode::Sticky, SessionMode::ConsistentHash] {
        let mut s = conversations(80.0);
        s.cluster.routing = session_affinity(mode);
        let mut home = [None; 41];
        for (session, replica) in homes(&s) {
            assert!((1..=40).contains(&session));
            let first = *home[session as usize].get_or_insert(replica);
            assert_eq!(replica, first, "{mode:?}: session {session} moved");
        }
        let used = |r| home.iter().flatten().filter(|&&h| h == r).count();
        assert!((0..4).all(|r| used(r) > 0), "{mode:?}: {home:?}");
        // Two replicas are taken away: only their sessions move, and no further.
        let (mut moved, mut latest) = (0, home);
        for (session, replica) in homes(&scaled(s, &[(5.0, 2)])) {
            let before = latest[session as usize].replace(replica);
            if before != Some(replica) {
                moved += 1;
                assert!(before > Some(1) && replica < 2, "{mode:?}: session {session}");
            }
        }
        let theirs = home.iter().flatten().filter(|&&h| h > 1).count();
        assert!(moved > 0 && moved <= theirs, "{mode:?}: {moved} of {theirs}");
    }
}

#[test]
fn a_replica_that_leaves_moves_its_share_of_hashed_sessions_only() {
    let place = |replicas| {
        let mut s = cluster(replicas, 8);
        s.workload.clients = vec![Client { sessions: 2000, ..client("many", 500.0) }];
        s.run.max_requests = 6000;
        s.cluster.routing = session_affinity(SessionMode::ConsistentHash);
        let mut home = vec![u32::MAX; 2001];
        for (session, replica) in homes(&s) {
            home[session as usize] = replica;
        }
        home
    };
    let (ten, nine) = (place(10), place(9));
    let seen = ten.iter().filter(|&&r| r != u32::MAX).count();
    let moved = ten.iter().zip(&nine).filter(|(a, b)| a != b).count();
    assert!(seen > 1800);
    assert!(ten.iter().zip(&nine).all(|(&a, &b)| a == b || a == 9), "only the sessions of the tenth move");
    // A tenth of them, within four standard deviations.
    let share = moved as f64 / seen as f64;
    assert!((share - 0.1).abs() < 4.0 * (0.09 / seen as f64).sqrt(), "{share}");
}

#[test]
fn sessions_beyond_the_limit_are_forgotten_longest_unused_first() {
    let mut s = conversations(80.0);
    s.cluster.routing =
        RoutingPolicy::SessionAffinity(SessionAffinity { mode: SessionMode::Sticky, max_sessions: 3 });
    let homes = homes(&s);
    let moves = |all: bool| {
        let mut recent: Vec<(u32, u32)> = Vec::new();
        let mut moves = 0;
        for &(session, replica) in &homes {
            let known = recent.iter().position(|r| r.0 == session).map(|at| recent.remove(at));
            moves += u32::from(known.is_some_and(|(_, home)| home != replica));
            recent.push((session, replica));
            if !all && recent.len() > 3 {
                recent.remove(0);
            }
        }
        moves
    };
    assert_eq!(moves(false), 0, "who is remembered stays");
    assert!(moves(true) > 100, "who is forgotten does not");
}

#[test]
fn costs_escalate_and_decay() {
    // One replica holds all of a burst's costs only as long as they are fresh.
    let costs = |decay_per_s, rate_per_s| {
        let mut s = conversations(rate_per_s);
        s.run.max_requests = 300;
        let settings = CostEscalation { base: 1.0, queue: 0.0, kv: 0.0, price: 0.0, decay_per_s };
        s.cluster.routing = RoutingPolicy::CostEscalation(settings);
        let (engine, story) = run(&s);
        let last = story.decisions.last().expect("300 decisions").scores.totals.clone();
        (last, targets(&engine))
    };
    // Without decay every request adds 1 for ever, and the cheapest is next: in turn.
    let (last, targets) = costs(0.0, 50.0);
    assert_eq!(last, [-75.0, -75.0, -75.0, -74.0]);
    assert!(targets.iter().enumerate().all(|(k, &t)| t == k as u32 % 4));
    // With decay d the costs sum up to rate / d at most in the long run, within the noise of arrivals.
    let (last, _) = costs(2.0, 50.0);
    let sum: f64 = -last.iter().sum::<f64>();
    assert!((10.0..45.0).contains(&sum), "{sum}, 25 expected");
}

#[test]
fn a_cached_prefix_attracts_unless_its_replica_is_full() {
    // One prompt again and again: all follow the first, up to the breaker.
    let mut s = conversations(40.0);
    s.workload.clients[0].prefix = PrefixGroups::new(1, 512);
    let top = |s: &Scenario| {
        let targets = targets(&run(s).0);
        (0..4).map(|r| targets.iter().filter(|&&t| t == r).count()).max().unwrap_or_default()
    };
    for (free, full) in [
        (
            RoutingPolicy::PrefixAware(PrefixAware {
                breaker: 1.0,
                full_load: 100_000,
                ..PrefixAware::default()
            }),
            RoutingPolicy::PrefixAware(PrefixAware { full_load: 4, ..PrefixAware::default() }),
        ),
        (
            RoutingPolicy::PrefixOverlap(PrefixOverlap {
                breaker: 1.0,
                full_load: 100_000,
                ..PrefixOverlap::default()
            }),
            RoutingPolicy::PrefixOverlap(PrefixOverlap { full_load: 4, ..PrefixOverlap::default() }),
        ),
    ] {
        s.cluster.routing = free;
        assert!(top(&s) > 1150, "{} of 1200 together", top(&s));
        s.cluster.routing = full;
        assert!(top(&s) < 800, "{} of 1200 together", top(&s));
    }
}

/// Share of prompt blocks found in the caches.
fn hit_rate(s: &Scenario) -> f64 {
    let (engine, _) = run(s);
    let sum =
        |f: fn(&tokenyard::kv::BlockPool) -> u64| engine.replicas().iter().map(|r| f(r.kv())).sum::<u64>();
    let (hits, misses) = (sum(tokenyard::kv::BlockPool::hits), sum(tokenyard::kv::BlockPool::misses));
    hits as f64 / (hits + misses) as f64
}

#[test]
fn routers_that_know_prefixes_hit_more_than_those_that_do_not() {
    let mut s = conversations(40.0);
    s.workload.clients[0].prefix = PrefixGroups::new(40, 1024);
    // Room for a quarter of all prefixes and a batch on each replica.
    s.cluster.pools[0].kv.blocks = KvBlocks::Count(1100);
    let mut under = |routing| {
        s.cluster.routing = routing;
        hit_rate(&s)
    };
    let plain = under(RoutingPolicy::LeastLoaded).max(under(RoutingPolicy::RoundRobin));
    for routing in [
        RoutingPolicy::Weighted(Weighted::default()),
        weighted(&[(Scorer::PrecisePrefix, 3.0), (Scorer::QueueDepth, 1.0)]),
        RoutingPolicy::PrefixOverlap(PrefixOverlap::default()),
        RoutingPolicy::PrefixAware(PrefixAware::default()),
    ] {
        let hits = under(routing.clone());
        assert!(hits > plain + 0.05, "{routing:?}: {hits}, without looking {plain}");
    }
}

#[test]
fn unknown_prompts_go_where_such_a_prompt_went_longest_ago() {
    let mut s = conversations(40.0);
    s.workload.clients[0].prefix = PrefixGroups::default();
    s.cluster.routing = weighted(&[(Scorer::PrefixAffinity, 1.0), (Scorer::NoHitLru, 1.0)]);
    let targets = targets(&run(&s).0);
    assert!(targets.iter().enumerate().all(|(k, &t)| t == k as u32 % 4), "in turn");
}

#[test]
fn random_ties_use_all_equals_and_leave_other_decisions_alone() {
    let counts = |ties| {
        let mut s = conversations(3.0);
        s.run.max_requests = 400;
        s.workload.clients[0].prefix = PrefixGroups::default();
        let scorers = vec![WeightedScorer { scorer: Scorer::LoadBalance, weight: 1.0 }];
        s.cluster.routing = RoutingPolicy::Weighted(Weighted {
            profile: Profile::Custom,
            scorers,
            ties,
            ..Weighted::default()
        });
        let targets = targets(&run(&s).0);
        [0, 1, 2, 3].map(|r| targets.iter().filter(|&&t| t == r).count())
    };
    // Nearly always all four are idle.
    assert!(counts(Ties::Lowest)[0] > 300, "{:?}", counts(Ties::Lowest));
    assert!(counts(Ties::Random).iter().all(|&n| n > 70), "{:?}", counts(Ties::Random));
}

#[test]
fn round_robin_with_regret_has_a_better_tail_than_weighted_without() {
    use tokenyard::base::Micros;
    use tokenyard::scenario::preset::Preset;
    use tokenyard::session::{Audience, Session};
    let mut scenario = Preset::named("regret-and-tail").expect("a built-in scenario").scenario();
    let mut under = |routing: Option<RoutingPolicy>| {
        if let Some(routing) = routing {
            scenario.cluster.routing = routing;
        }
        let mut run = Session::start(scenario.clone(), None, Audience::Batch).expect("a good scenario").0;
        run.advance(Micros::MAX, u64::MAX);
        let report = run.report_data();
        let decisions = report.decisions.expect("the scenario asks for the summary");
        (decisions.score_regret_mean, decisions.score_regret_max, report.latency_ms.ttft.p99)
    };
    let (mean, max, weighted) = under(None);
    assert_eq!((mean, max), (0.0, 0.0));
    let (mean, max, round_robin) = under(Some(RoutingPolicy::RoundRobin));
    assert!(mean > 1.0 && max > 10.0, "{mean}, {max}");
    assert!(5.0 * round_robin < weighted, "p99 TTFT {round_robin} ms and {weighted} ms");
}
