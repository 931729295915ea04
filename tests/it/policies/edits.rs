//! Effects of edits on requests in progress, and the state that survives them.

use super::common::{Story, client, cluster, edit, engine, run};
use super::routing::{conversations, every_policy};
use crate::support::documents::{explicit, piece};
use crate::support::{adopt, plan};
use tokenyard::base::{Micros, ReplicaId};
use tokenyard::engine::{Cluster, DropReason, Fact, FleetFact, Ignore, Replica, RequestFact, RequestState};
use tokenyard::policy::ReplicaPhase;
use tokenyard::policy::routing::Term;
use tokenyard::scenario::{
    AdmissionPolicy, Change, Client, ExplicitRequest, KvBlocks, OverLimit, PrefixGroups, Profile, RateLimit,
    RoutingPolicy, Scenario, Scorer, SessionAffinity, TimedEdit, TokenBucket, Weighted, WeightedScorer,
};

/// Requests of `prompt` and `output` tokens at these instants, the prompts all of text `text`.
fn listed(at_us: &[u64], text: u32, prompt: u32, output: u32) -> Vec<ExplicitRequest> {
    let request = |(i, &arrival_us): (u32, &u64)| ExplicitRequest {
        id: format!("r{text}-{i}"),
        ..explicit(arrival_us, vec![piece(text, prompt)], &piece(1000 * text + i, output))
    };
    (0..).zip(at_us).map(request).collect()
}

fn edited(s: &Scenario, at_us: u64, change: Change) -> Scenario {
    let edit = TimedEdit::new(at_us, change);
    Scenario { edits: vec![edit], ..s.clone() }
}

fn weighted_policy(weight: f64, prefix_index_blocks: u32) -> RoutingPolicy {
    let row = |(scorer, weight)| WeightedScorer { scorer, weight };
    let scorers = [(Scorer::QueueDepth, 1.0), (Scorer::PrefixAffinity, weight)].map(row).to_vec();
    let settings = Weighted { profile: Profile::Custom, scorers, prefix_index_blocks, ..Weighted::default() };
    RoutingPolicy::Weighted(settings)
}

fn weighted(weight: f64, prefix_index_blocks: u32) -> Change {
    edit::routing(&weighted_policy(weight, prefix_index_blocks))
}

/// What prefix-affinity says of each replica in decision `k`.
fn affinities(story: &Story, k: usize) -> Vec<f64> {
    let parts = &story.decisions[k].scores.parts;
    let part = parts.iter().find(|p| p.term == Term::Scorer(Scorer::PrefixAffinity));
    part.expect("prefix-affinity scores").values.clone()
}

#[test]
fn the_same_policy_once_more_changes_nothing() {
    for routing in every_policy() {
        let mut s = conversations(90.0);
        s.cluster.routing = routing.clone();
        let (plain, _) = run(&s);
        let (again, _) = run(&edited(&s, 4_000_000, edit::routing(&routing)));
        assert!(plain.records() == again.records(), "{routing:?}");
    }
    let bucket = TokenBucket { capacity_tokens: 3000.0, then: OverLimit::Delay, ..TokenBucket::default() };
    let rate = RateLimit { requests_per_s: 70.0, then: OverLimit::Delay, ..RateLimit::default() };
    for admission in [AdmissionPolicy::TokenBucket(bucket), AdmissionPolicy::RateLimit(rate)] {
        let mut s = conversations(90.0);
        s.cluster.admission = admission.clone();
        let (plain, _) = run(&s);
        let (again, _) = run(&edited(&s, 4_000_000, edit::admission(&admission)));
        assert!(plain.records() == again.records());
    }
}

/// One prompt of four blocks, then the edits, then the prompt again: what the router's memory says of it.
fn remembered(edits: &[Change]) -> Vec<f64> {
    let mut s = cluster(2, 4);
    s.workload.requests = listed(&[0, 5_000_000], 7, 64, 4);
    s.cluster.routing = weighted_policy(1.0, 100);
    let timed = |(i, change): (u64, &Change)| TimedEdit::new(1_000_000 + i, change.clone());
    s.edits = (0..).zip(edits).map(timed).collect();
    affinities(&run(&s).1, 1)
}

#[test]
fn a_weight_that_moves_keeps_what_the_router_remembers_of_prompts() {
    assert_eq!(remembered(&[weighted(3.0, 100)]), [1.0, 0.0]);
    let between = edit::routing(&RoutingPolicy::RoundRobin);
    assert_eq!(remembered(&[between, weighted(1.0, 100)]), [0.0, 0.0], "another policy has no such memory");
}

#[test]
fn a_smaller_memory_of_prompts_forgets_the_oldest_blocks() {
    // The first block of the prompt was recorded first, and no prefix is found without it.
    assert_eq!(remembered(&[weighted(1.0, 4)]), [1.0, 0.0]);
    assert_eq!(remembered(&[weighted(1.0, 3)]), [0.0, 0.0]);
}

#[test]
fn sessions_stay_where_they_were_when_fewer_are_remembered() {
    let sticky = |max_sessions| {
        RoutingPolicy::SessionAffinity(SessionAffinity { max_sessions, ..SessionAffinity::default() })
    };
    let mut s = conversations(90.0);
    s.workload.clients = vec![Client { sessions: 5, ..client("chat", 90.0) }];
    s.cluster.routing = sticky(100);
    let (engine, _) = run(&edited(&s, 4_000_000, edit::routing(&sticky(5))));
    let mut homes = [None; 6];
    for r in engine.records() {
        assert_eq!(
            *homes[r.session as usize].get_or_insert(r.replica()),
            r.replica(),
            "session {}",
            r.session
        );
    }
}

/// Whether a bucket of 600 admits the second of two requests of 500 tokens, with these edits between them.
fn lets_in_second(edits: &[AdmissionPolicy]) -> bool {
    let mut s = cluster(1, 4);
    s.workload.requests = listed(&[0, 2_000_000], 7, 500, 4);
    s.cluster.admission = bucket(600.0);
    let timed = |(i, policy): (u64, &AdmissionPolicy)| TimedEdit::new(1_000_000 + i, edit::admission(policy));
    s.edits = (0..).zip(edits).map(timed).collect();
    run(&s).0.census().admitted == 2
}

/// A bucket of tokens into which next to nothing flows.
fn bucket(capacity_tokens: f64) -> AdmissionPolicy {
    AdmissionPolicy::TokenBucket(TokenBucket {
        capacity_tokens,
        refill_tokens_per_s: 0.001,
        ..TokenBucket::default()
    })
}

#[test]
fn a_bucket_keeps_its_level_through_an_edit_of_its_size() {
    assert!(!lets_in_second(&[]));
    assert!(!lets_in_second(&[bucket(5000.0)]), "a larger bucket is not a fuller one");
    assert!(!lets_in_second(&[bucket(550.0)]));
    assert!(lets_in_second(&[AdmissionPolicy::AlwaysAdmit, bucket(600.0)]), "a new bucket is full");
}

#[test]
fn requests_admitted_before_count_against_a_new_limit() {
    let mut s = cluster(1, 4);
    s.workload.requests = listed(&[0, 0, 100_000], 7, 64, 2000);
    let limit = tokenyard::scenario::ConcurrencyLimit { max_in_flight: 2, then: OverLimit::Reject };
    let (engine, _) = run(&edited(&s, 50_000, edit::admission(&AdmissionPolicy::ConcurrencyLimit(limit))));
    let states: Vec<RequestState> = engine.records().iter().map(|r| r.state()).collect();
    assert_eq!(states, [RequestState::Completed, RequestState::Completed, RequestState::Rejected]);
}

#[test]
fn the_head_of_the_admission_queue_is_decided_before_new_arrivals_when_its_turn_has_come() {
    let mut s = cluster(1, 4);
    s.workload.requests = listed(&[0, 0, 100_000], 7, 64, 4);
    let rate = RateLimit { requests_per_s: 10.0, burst: 1, per_tenant: false, then: OverLimit::Delay };
    s.cluster.admission = AdmissionPolicy::RateLimit(rate);
    let (engine, _) = run(&s);
    let routed: Vec<u64> = engine.records().iter().map(|r| r.routed.get().expect("it is known").0).collect();
    assert_eq!(routed, [0, 100_000, 200_000]);
}

#[test]
fn the_highest_numbers_leave_first_and_come_back_last() {
    let mut s = cluster(4, 4);
    s.workload.requests = listed(&[9_000_000], 7, 64, 4);
    let change = |(i, replicas): (u64, u32)| TimedEdit::new(1_000_000 * (i + 1), edit::replicas(0, replicas));
    s.edits = (0..).zip([2, 3, 5]).map(change).collect();
    let (_, story) = run(&s);
    let moves: Vec<(bool, u32)> = story
        .facts
        .iter()
        .filter_map(|(_, fact)| match fact {
            Fact::Fleet(FleetFact::Serving { replica, .. }) => Some((true, replica.0)),
            Fact::Fleet(FleetFact::Draining { replica }) => Some((false, replica.0)),
            _ => None,
        })
        .collect();
    assert_eq!(moves, [(false, 3), (false, 2), (true, 2), (true, 3), (true, 4)]);
}

/// Two replicas that get the same prompt in turn; the second is taken away at 1 s and comes back at 3 s. How much of its
/// prompt the second one's later request finds cached, when the earlier one has `output` tokens.
fn cached_on_return(output: u32) -> u32 {
    let mut s = cluster(2, 4);
    s.cluster.routing = RoutingPolicy::RoundRobin;
    s.workload.requests = listed(&[0, 0, 4_000_000, 4_000_000], 7, 64, output);
    let change = |at_us, replicas| TimedEdit::new(at_us, edit::replicas(0, replicas));
    s.edits = vec![change(1_000_000, 1), change(3_000_000, 2)];
    let (engine, _) = run(&s);
    assert_eq!(engine.records().at(3).replica(), Some(ReplicaId(1)));
    engine.records().at(3).cached_tokens
}

#[test]
fn a_replica_that_was_empty_comes_back_with_an_empty_cache() {
    assert_eq!(cached_on_return(4), 0);
    assert_eq!(cached_on_return(10_000), 48, "one that was still at work keeps it");
}

#[test]
fn a_replica_drains_while_it_has_requests_and_is_stopped_then() {
    let mut s = cluster(2, 4);
    s.cluster.routing = RoutingPolicy::RoundRobin;
    s.workload.requests = listed(&[0, 0], 7, 64, 200);
    let (mut engine, mut plan) = (engine(&s), plan(&s));
    let phases =
        |engine: &Cluster| -> Vec<ReplicaPhase> { engine.replicas().iter().map(Replica::phase).collect() };
    let mut scale = |engine: &mut Cluster, at: u64, replicas: u32| {
        engine.advance(Micros(at), u64::MAX, &mut Ignore);
        adopt(engine, &mut plan, &edit::replicas(0, replicas), Micros(at), &mut Ignore);
        engine.verify(true);
    };
    scale(&mut engine, 50_000, 1);
    assert_eq!(phases(&engine), [ReplicaPhase::Serving, ReplicaPhase::Draining]);
    scale(&mut engine, 50_000, 3);
    assert_eq!(phases(&engine), [ReplicaPhase::Serving; 3]);
    scale(&mut engine, 60_000, 1);
    assert_eq!(phases(&engine)[1..], [ReplicaPhase::Draining, ReplicaPhase::Stopped]);
    engine.advance(Micros::MAX, u64::MAX, &mut Ignore);
    engine.verify(true);
    assert_eq!(phases(&engine), [ReplicaPhase::Serving, ReplicaPhase::Stopped, ReplicaPhase::Stopped]);
}

#[test]
fn a_smaller_batch_preempts_no_request() {
    let mut s = cluster(1, 4);
    s.workload.requests = listed(&[0, 0, 0, 0, 100_000], 7, 64, 500);
    let change = edit::max_num_seqs(0, 1);
    let (engine, _) = run(&edited(&s, 200_000, change));
    let r = engine.records();
    assert_eq!(engine.replicas()[0].totals().preemptions, 0);
    assert!(r.at(3).finish() == r.at(0).finish() && r.at(4).first_scheduled == r.at(3).finish());
}

#[test]
fn a_smaller_cache_takes_blocks_as_they_become_free() {
    let mut s = cluster(1, 4);
    s.workload.requests = listed(&[0, 10_000], 7, 64, 200);
    s.workload.requests.extend(listed(&[3_000_000], 8, 64, 4));
    let mut engine = engine(&s);
    engine.advance(Micros(50_000), u64::MAX, &mut Ignore);
    let before = engine.replicas()[0].kv().used();
    adopt(&mut engine, &mut plan(&s), &edit::kv_blocks(0, 3), Micros(50_000), &mut Ignore);
    let kv = |engine: &Cluster| (engine.replicas()[0].kv().used(), engine.replicas()[0].kv().total());
    assert_eq!(kv(&engine), (before, before), "what is held is held on to, and nothing is free");
    engine.advance(Micros::MAX, u64::MAX, &mut Ignore);
    engine.verify(true);
    assert_eq!(kv(&engine), (0, 3));
    assert!(engine.records().iter().any(|r| r.drop == Some(DropReason::PromptExceedsKvCache)));
}

#[test]
fn before_the_first_refresh_a_router_sees_empty_replicas() {
    let mut s = cluster(2, 4);
    s.cluster.snapshot_refresh_us = 1_000_000;
    s.cluster.pools[0].kv.blocks = KvBlocks::Count(500);
    s.workload.requests = listed(&[0, 300_000, 600_000, 1_000_000], 7, 64, 2000);
    let (_, story) = run(&s);
    let seen = |k: usize| -> Vec<(u32, u32, u32, u32)> {
        story.decisions[k].seen.iter().map(|v| (v.running, v.kv_used, v.kv_total, v.in_flight)).collect()
    };
    assert_eq!(seen(0), [(0, 0, 500, 0), (0, 0, 500, 0)]);
    // Only what the gateway counts itself is known of the requests under way.
    assert_eq!(seen(2), [(0, 0, 500, 1), (0, 0, 500, 1)]);
    let third = seen(3);
    assert!(third.iter().all(|v| v.0 >= 1 && v.1 > 0), "{third:?}");
}

#[test]
fn a_batch_that_lost_all_requests_takes_the_head_of_the_queue_in_the_same_step() {
    // Both hold three blocks as the cache shrinks to three. The elder needs a fourth: the younger is preempted for it, its
    // blocks are gone, and the elder has outgrown what is left.
    let mut s = cluster(1, 4);
    s.cluster.pools[0].kv.blocks = KvBlocks::Count(12);
    s.cluster.pools[0].kv.prefix_caching = false;
    s.workload.requests = listed(&[0, 12_000], 7, 32, 200);
    s.workload.requests[1].output.tokens = 10;
    let (engine, story) = run(&edited(&s, 15_000, edit::kv_blocks(0, 3)));
    let dropped = story
        .facts
        .iter()
        .find_map(|(at, f)| matches!(f, Fact::Request(RequestFact::Dropped { .. })).then_some(*at));
    let mut scheduled = story.facts.iter().filter_map(|(at, f)| match f {
        Fact::Request(RequestFact::Scheduled { request, .. }) if request.0 == 1 => Some(*at),
        _ => None,
    });
    assert_eq!(engine.records().at(0).drop, Some(DropReason::OutgrewKvCache));
    assert_eq!(engine.records().at(1).state(), RequestState::Completed);
    assert!(dropped.is_some() && scheduled.next_back() == dropped);
    assert_eq!(engine.replicas()[0].totals().preemptions, 1);
}

#[test]
fn clients_share_no_prefixes_with_each_other() {
    let prefix = PrefixGroups::new(1, 256);
    let mut s = cluster(1, 64);
    s.run.max_requests = 60;
    let twin = |name: &str| Client { prefix: prefix.clone(), ..client(name, 20.0) };
    s.workload.clients = vec![twin("a"), twin("b")];
    let (engine, _) = run(&s);
    for name in 0..2 {
        let mine: Vec<u32> =
            engine.records().iter().filter(|r| r.client == name).map(|r| r.cached_tokens).collect();
        assert_eq!(mine[0], 0, "the first of a client finds nothing of the other's");
        assert!(mine[1..].iter().all(|&tokens| tokens == 256), "{mine:?}");
    }
}
