//! Sticky until saturated: the filter prefix-affinity and token-load against a plain second implementation, and by hand.

use super::common::{cluster, run};
use crate::reference::generate::Dice;
use crate::reference::sticky::{Place, Rules, Sticky};
use crate::support::Story;
use crate::support::documents::{explicit, piece};
use tokenyard::engine::{Decision, Fact, RequestFact};
use tokenyard::policy::routing::Excluded;
use tokenyard::scenario::{
    BatchLimit, ExplicitPiece, ExplicitRequest, Filter, PeakPrefill, PrefixAffinityFilter, Profile,
    RoutingPolicy, Scenario, Scorer, TokenCount, TokenUntil, Weighted, WeightedScorer,
};

/// A request whose prompt begins with `shared` tokens of text `group`, before `own` tokens that no other has.
fn request(i: usize, arrival_us: u64, (group, shared): (u32, u32), own: u32, output: u32) -> ExplicitRequest {
    let pieces = [piece(group, shared), piece(1000 + i as u32, own)];
    ExplicitRequest {
        id: format!("{i:04}"),
        ..explicit(
            arrival_us,
            pieces.into_iter().filter(|p| p.tokens > 0).collect(),
            &piece(100_000 + i as u32, output),
        )
    }
}

/// The tokens of a prompt, each by its text and its place there.
fn tokens(r: &ExplicitRequest) -> Vec<u64> {
    let of = |p: &ExplicitPiece| {
        let first = u64::from(p.text) << 32;
        (0..u64::from(p.tokens)).map(move |k| first + k).collect::<Vec<_>>()
    };
    r.prompt.iter().flat_map(of).collect()
}

fn scorer(scorer: Scorer) -> Vec<WeightedScorer> {
    vec![WeightedScorer { scorer, weight: 1.0 }]
}

/// A case of a few requests on a few replicas, and the plain router for it.
fn case(seed: u64) -> (Scenario, Sticky) {
    let d = &mut Dice::new(seed);
    let mut s = cluster(0, 4);
    let pool = s.cluster.pools.remove(0);
    let mut places = Vec::new();
    for k in 0..d.range(1, 2) {
        let mut pool = pool.clone();
        pool.name = format!("pool {k}");
        pool.replicas = d.range(1, 3) as u32;
        pool.kv.block_tokens = d.pick(&[4, 16, 32]);
        let step = d.pick(&[256, 1000, 4096]);
        pool.engine.max_num_batched_tokens = BatchLimit::Count(step);
        // A step of n prompt tokens takes 1000 + 10 n microseconds.
        let peak = f64::from(step) * 1e6 / f64::from(1000 + 10 * step);
        let block_tokens = pool.kv.block_tokens as usize;
        for _ in 0..pool.replicas {
            places.push(Place { block_tokens, peak, remembered: Vec::new() });
        }
        s.cluster.pools.push(pool);
    }
    let mut at = 0;
    for i in 0..d.range(20, 80) as usize {
        at += d.pick(&[0, 1, 300, 2000, 20_000]);
        let group = d.range(1, 4) as u32;
        let shared = d.pick(&[0, 48, 96, 97, 200]);
        s.workload.requests.push(request(
            i,
            at,
            (group, shared),
            d.range(1, 70) as u32,
            d.range(1, 9) as u32,
        ));
    }
    s.cluster.snapshot_refresh_us = d.pick(&[0, 5000, 1_000_000]);
    let rules = Rules {
        threshold: d.pick(&[0.0, 0.4, 0.6, 0.8, 1.0]),
        keeps_all: d.chance(10),
        max_penalty_ms: d.pick(&[0.0, 0.5, 2.0, 5.0, 18_000.0]),
        peak: d.pick(&[0, 0, 20_000, 77_777]),
        uncached: d.chance(60),
        until_first_token: d.chance(60),
        token_threshold: d.pick(&[300, 3000, 4_194_304]),
        index_blocks: d.pick(&[3, 20, 500]),
        block_tokens: d.pick(&[0, 0, 8, 64]),
        match_tokens: d.pick(&[0, 0, 50, 128]),
    };
    s.cluster.routing = RoutingPolicy::Weighted(policy(&rules));
    (s, Sticky::new(rules, places))
}

/// The router of these rules.
fn policy(r: &Rules) -> Weighted {
    let affinity = PrefixAffinityFilter {
        threshold: r.threshold,
        exploration: if r.keeps_all { 1.0 } else { 0.0 },
        max_ttft_penalty_ms: r.max_penalty_ms,
        peak_prefill_tokens_per_s: match r.peak {
            0 => PeakPrefill::Model,
            n => PeakPrefill::TokensPerS(n),
        },
    };
    Weighted {
        profile: Profile::Custom,
        scorers: scorer(Scorer::TokenLoad),
        filters: vec![Filter::PrefixAffinity(affinity)],
        prefix_index_blocks: r.index_blocks as u32,
        prefix_block_tokens: r.block_tokens as u32,
        prefix_match_tokens: r.match_tokens as u32,
        token_threshold: r.token_threshold,
        token_count: if r.uncached { TokenCount::Uncached } else { TokenCount::Prompt },
        token_until: if r.until_first_token { TokenUntil::FirstToken } else { TokenUntil::End },
        ..Weighted::default()
    }
}

/// Holds every decision of a run against the plain router.
fn compare(seed: u64, s: &Scenario, plain: &mut Sticky) {
    let (engine, story) = run(s);
    let index = |id: tokenyard::base::RequestId| id.0 as usize;
    let mut decisions = story.decisions.iter();
    let mut requests = s.workload.requests.clone();
    requests.sort_by(|a, b| (a.arrival_us, &a.id).cmp(&(b.arrival_us, &b.id)));
    for (_, fact) in &story.facts {
        match fact {
            Fact::Request(RequestFact::Routed { request, replica }) => {
                let d = decisions.next().expect("a decision for each request");
                let want = plain.route(request.0, &tokens(&requests[index(*request)]));
                assert_eq!(replica.index(), want.chosen, "case {seed}, {request:?}: {want:?}, {d:?}");
                assert_eq!(d.scores.totals, want.scores, "case {seed}, {request:?}");
                for (i, share) in want.left_out.iter().enumerate() {
                    let threshold = plain.rules.threshold;
                    let why = share.map(|share| Excluded::LowAffinity { share, threshold });
                    assert_eq!(d.excluded(i), why, "case {seed}, {request:?}");
                }
            }
            Fact::Request(RequestFact::FirstToken { request, .. }) => plain.first_token(request.0),
            Fact::Request(RequestFact::Completed { request, .. } | RequestFact::Dropped { request, .. }) => {
                plain.left(request.0);
            }
            Fact::Request(
                RequestFact::Arrived { .. }
                | RequestFact::Admitted { .. }
                | RequestFact::Rejected { .. }
                | RequestFact::Delayed { .. }
                | RequestFact::Enqueued { .. }
                | RequestFact::Dispatched { .. }
                | RequestFact::Expired { .. }
                | RequestFact::Queued { .. }
                | RequestFact::Scheduled { .. }
                | RequestFact::Prefilled { .. }
                | RequestFact::Preempted { .. },
            )
            | Fact::Replica(_)
            | Fact::Cache(_)
            | Fact::Handover(_)
            | Fact::Fleet(_)
            | Fact::Fault(_) => {}
        }
    }
    assert_eq!(engine.records().len(), requests.len());
}

#[test]
fn every_decision_is_that_of_a_plain_second_implementation() {
    let (mut narrowed, mut saturated) = (0, 0);
    for seed in 0..400 {
        let (s, mut plain) = case(seed);
        compare(seed, &s, &mut plain);
        narrowed += plain.narrowed;
        saturated += plain.saturated;
    }
    assert!(narrowed > 1000 && saturated > 200, "{narrowed} and {saturated}");
}

/// Two replicas with steps of 1 ms + 10 us a token, at most 1,000 tokens in a step: peak prefill 1,000 / 11 ms =
/// 90,909 tokens/s. A prompt is shared in half: 160 tokens of text 1, then 160 of its own.
fn by_hand() -> Story {
    let mut s = cluster(2, 64);
    s.cluster.pools[0].engine.max_num_batched_tokens = BatchLimit::Count(1000);
    let half = |i, at| request(i, at, (1, 160), 160, 5);
    s.workload.requests =
        vec![request(0, 0, (1, 320), 0, 5), half(1, 1), half(2, 2), half(3, 3), half(4, 10_000_000)];
    let affinity =
        PrefixAffinityFilter { threshold: 0.5, max_ttft_penalty_ms: 5.0, ..PrefixAffinityFilter::default() };
    s.cluster.routing = RoutingPolicy::Weighted(Weighted {
        profile: Profile::Custom,
        scorers: scorer(Scorer::TokenLoad),
        filters: vec![Filter::PrefixAffinity(affinity)],
        token_threshold: 1000,
        token_count: TokenCount::Uncached,
        token_until: TokenUntil::FirstToken,
        ..Weighted::default()
    });
    run(&s).1
}

#[test]
fn by_hand_a_prompt_stays_where_it_was_until_that_is_five_milliseconds_behind() {
    let found: Vec<(usize, [Option<Excluded>; 2], Vec<f64>)> = by_hand()
        .decisions
        .iter()
        .map(|d| (d.chosen.expect("none is refused"), [0, 1].map(|i| d.excluded(i)), d.scores.totals.clone()))
        .collect();
    let unknown = Some(Excluded::LowAffinity { share: 0.0, threshold: 0.5 });
    // The score of a number of tokens.
    let of = |tokens: u32| 1.0 - f64::from(tokens) / 1000.0;
    let want = [
        // Nothing is known: all 320 tokens are to be computed on either.
        (0, [None, None], vec![of(320), of(320)]),
        // r0 has 10 of 20 blocks and is 320 / 90.909 = 3.52 ms behind: it stays.
        (0, [None, unknown], vec![of(320 + 160), 0.0]),
        // r0 is 480 / 90.909 = 5.28 ms behind: both are kept.
        (1, [None, None], vec![of(480 + 160), of(320)]),
        // Both have half of it.
        (1, [None, None], vec![of(480 + 160), of(320 + 160)]),
        // All have their first tokens, so nothing counts but its own.
        (0, [None, None], vec![of(160), of(160)]),
    ];
    assert_eq!(found, want);
}

#[test]
fn exploration_keeps_all_replicas_with_its_probability() {
    let mut s = cluster(4, 64);
    // The second request of each text finds it on one replica.
    let pairs = (0..400).flat_map(|k| [(k, 2 * k), (k, 2 * k + 1)]);
    s.workload.requests =
        pairs.map(|(k, i)| request(i, 50_000 * i as u64, (k as u32 + 1, 160), 0, 1)).collect();
    let affinity = PrefixAffinityFilter { exploration: 0.3, ..PrefixAffinityFilter::default() };
    s.cluster.routing = RoutingPolicy::Weighted(Weighted {
        profile: Profile::Custom,
        scorers: scorer(Scorer::ActiveRequests),
        filters: vec![Filter::PrefixAffinity(affinity)],
        ..Weighted::default()
    });
    let (_, story) = run(&s);
    let kept_all = |d: &&Decision| (0..4).all(|i| d.excluded(i).is_none());
    let explored = story.decisions.iter().skip(1).step_by(2).filter(kept_all).count();
    // 400 times 0.3, give or take 3.5 standard deviations of 9.2.
    assert!((88..=152).contains(&explored), "{explored}");
}

#[test]
fn active_requests_scores_idle_replicas_1_and_busy_ones_at_most_their_best() {
    let mut s = cluster(3, 4);
    s.workload.requests = (0..300).map(|i| request(i, 400 * i as u64, (0, 0), 60, 12)).collect();
    s.cluster.routing = RoutingPolicy::Weighted(Weighted {
        profile: Profile::Custom,
        scorers: scorer(Scorer::ActiveRequests),
        idle_threshold: 2,
        max_busy_score: 0.5,
        ..Weighted::default()
    });
    let (_, story) = run(&s);
    let mut busy = 0;
    for d in &story.decisions {
        let most = d.seen.iter().map(|v| v.in_flight).max().expect("three replicas");
        for (v, score) in d.seen.iter().zip(&d.scores.totals) {
            let of_busy = f64::from(most - v.in_flight) / f64::from(most) * 0.5;
            let want = if v.in_flight <= 2 { 1.0 } else { of_busy };
            assert_eq!(score.to_bits(), want.to_bits(), "{d:?}");
            busy += usize::from(v.in_flight > 2 && v.in_flight < most);
        }
    }
    assert!(busy > 20, "{busy} scores between");
}

#[test]
fn the_llm_d_1_profiles_are_filters_and_scorers_of_their_own_with_the_routers_own_filters_behind() {
    let own = Filter::Session(tokenyard::scenario::SessionFilter::default());
    for (profile, name) in
        [(Profile::LlmD1, Scorer::TokenLoad), (Profile::LlmD1Decode, Scorer::ActiveRequests)]
    {
        let w = Weighted { profile, filters: vec![own.clone()], ..Weighted::default() };
        let affinity = Filter::PrefixAffinity(PrefixAffinityFilter::default());
        assert_eq!((w.filters(), w.scorers()), (vec![affinity, own.clone()], scorer(name)));
        assert_eq!((w.prefix_block_tokens(), w.prefix_match_tokens()), (Some(64), Some(131_072)));
        assert_eq!(w.token_rule(), (TokenCount::Uncached, TokenUntil::FirstToken));
        assert_eq!(w.ties(), tokenyard::scenario::Ties::Random);
        let larger = Weighted { prefix_block_tokens: 128, prefix_match_tokens: 500, ..w };
        assert_eq!((larger.prefix_block_tokens(), larger.prefix_match_tokens()), (Some(128), Some(500)));
    }
    // The profile of decode replicas beside prefill replicas only counts requests.
    let home = Weighted { profile: Profile::LlmD1Home, filters: vec![own.clone()], ..Weighted::default() };
    assert_eq!((home.filters(), home.scorers()), (vec![own], scorer(Scorer::ActiveRequests)));
    assert_eq!(home.ties(), tokenyard::scenario::Ties::Random);
    let plain = Weighted::default();
    assert_eq!(
        (plain.filters(), plain.prefix_block_tokens(), plain.prefix_match_tokens()),
        (vec![], None, None)
    );
}
