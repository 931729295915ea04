//! Names of expressions for what a replica has done and what waits there, against the same counted from the facts.

use super::common::run;
use super::expressions::{expression, values};
use super::routing::{conversations, targets, weighted};
use tokenyard::engine::{Fact, RequestFact};
use tokenyard::scenario::{
    ClassScores, Client, PriorityPolicy, Profile, RoutingPolicy, Scenario, Scorer, SloClass, Weighted,
    WeightedScorer,
};

/// A mean in which each new value counts 1/32, in whole 32nds.
#[derive(Clone, Copy, Default)]
struct Mean(Option<u64>);

impl Mean {
    fn add(&mut self, x: u64) {
        self.0 = Some(self.0.map_or(32 * x, |sum| sum - sum / 32 + x));
    }

    fn get(self) -> u64 {
        self.0.map_or(0, |sum| sum / 32)
    }
}

/// What the facts say of one replica.
#[derive(Clone, Copy, Default)]
struct Seen {
    present: u32,
    waiting: u32,
    waiting_tokens: u64,
    served: u32,
    ttft: Mean,
    tpot: Mean,
    gap: Mean,
    completed_at: Option<u64>,
}

/// Traffic of two tenants, so much that batches of 8 are full at times; steps compute at most 1,000 tokens.
fn crowded() -> Scenario {
    let mut s = conversations(450.0);
    s.cluster.pools[0].engine.max_num_batched_tokens = 1000.into();
    let first = s.workload.clients[0].clone();
    let tenant = |name: &str| Client { name: name.to_owned(), tenant: name.to_owned(), ..first.clone() };
    s.workload.clients = vec![tenant("a"), tenant("b")];
    s
}

/// What replicas are like before each routing decision, by the facts until then.
fn replay(s: &Scenario, text: &str) -> Vec<([Seen; 4], u32)> {
    let mut s = s.clone();
    s.cluster.routing = weighted(&[(expression(&format!("0 + ({text})")), 1.0)]);
    let (engine, story) = run(&s);
    let of: Vec<_> = engine.records().iter().map(|r| (r.tenant as usize, r.prompt_tokens)).collect();
    let (mut seen, mut in_flight, mut all) = ([Seen::default(); 4], [0_u32; 8], Vec::new());
    for (at, fact) in &story.facts {
        let Fact::Request(fact) = fact else { continue };
        match *fact {
            RequestFact::Admitted { request } => in_flight[of[request.index()].0] += 1,
            RequestFact::Routed { request, .. } => all.push((seen, in_flight[of[request.index()].0])),
            RequestFact::Queued { request, replica, .. } => {
                let s = &mut seen[replica.index()];
                s.present += 1;
                s.waiting += 1;
                s.waiting_tokens += u64::from(of[request.index()].1);
            }
            RequestFact::Scheduled { replica, prefill, .. } => {
                let s = &mut seen[replica.index()];
                s.waiting -= 1;
                s.waiting_tokens -= u64::from(prefill);
            }
            RequestFact::FirstToken { replica, ttft, .. } => seen[replica.index()].ttft.add(ttft.0),
            RequestFact::Completed { request, replica, ttft, e2e, tokens, .. } => {
                in_flight[of[request.index()].0] -= 1;
                let s = &mut seen[replica.index()];
                s.served += 1;
                s.present -= 1;
                if tokens > 1 {
                    s.tpot.add((e2e.0 - ttft.0) / u64::from(tokens - 1));
                }
                if let Some(before) = s.completed_at.replace(at.0) {
                    s.gap.add(at.0 - before);
                }
                if s.present == 0 {
                    s.completed_at = None;
                }
            }
            _ => {}
        }
    }
    all
}

/// Holds a name to what the facts say of it, and that it is not the same all the time.
fn holds(text: &str, want: &dyn Fn(&Seen, u32) -> f64) {
    let s = crowded();
    let found = values(&s, text);
    let facts = replay(&s, text);
    assert_eq!((found.len(), facts.len()), (1200, 1200));
    let mut uneven = 0;
    for ((decision, values), (seen, _)) in found.iter().zip(&facts) {
        for ((value, seen), view) in values.iter().zip(seen).zip(&decision.seen) {
            let want = want(seen, view.running);
            assert!((value - want).abs() < 1e-9 * (1.0 + want), "{text}: {value}, not {want}");
        }
        uneven += u32::from(values.iter().any(|v| (v - values[0]).abs() > 0.0));
    }
    assert!(uneven > 100, "{text}: {uneven}");
}

#[test]
fn what_a_replica_has_done_is_counted_as_it_does_it() {
    holds("served", &|s, _| f64::from(s.served));
    holds("recent_ttft_ms", &|s, _| s.ttft.get() as f64 / 1000.0);
    holds("recent_tpot_ms", &|s, _| s.tpot.get() as f64 / 1000.0);
    holds("tokens_per_s", &|s, running| {
        if s.tpot.get() > 0 { f64::from(running) * 1e6 / s.tpot.get() as f64 } else { 0.0 }
    });
}

#[test]
fn the_wait_is_for_a_place_and_for_the_prompts_before() {
    // Full steps of prompts: 1,000 tokens in 1 + 10 ms.
    let peak = 1000.0 / 0.011;
    holds("wait_s", &|s, running| {
        let before = (s.waiting + running + 1).saturating_sub(8);
        f64::from(before) * s.gap.get() as f64 / 1e6 + s.waiting_tokens as f64 / peak
    });
}

#[test]
fn a_tenants_requests_in_flight_are_those_let_in() {
    let s = crowded();
    let (found, facts) = (values(&s, "tenant_in_flight"), replay(&s, "tenant_in_flight"));
    let mut most = 0;
    for ((_, values), (_, in_flight)) in found.iter().zip(&facts) {
        assert!(
            values.iter().all(|v| (v - f64::from(*in_flight)).abs() < 1e-9),
            "{values:?}, not {in_flight}"
        );
        most = most.max(*in_flight);
    }
    assert!(most > 20, "{most}");
}

#[test]
fn priority_is_what_the_candidates_engine_would_give() {
    let mut s = crowded();
    s.cluster.pools[0].engine.priority = PriorityPolicy::SloClass(ClassScores::default());
    s.workload.clients[0].slo_class = SloClass::Critical;
    s.workload.clients[1].slo_class = SloClass::Batch;
    let (found, classes) = (values(&s, "priority"), values(&s, "class"));
    for ((_, priority), (_, class)) in found.iter().zip(&classes) {
        let want = if class[0] < 1.5 { 100.0 } else { 10.0 };
        assert!(priority.iter().all(|p| (p - want).abs() < 1e-9), "{priority:?} of class {class:?}");
    }
}

#[test]
fn they_are_as_old_as_the_view() {
    let mut s = crowded();
    s.cluster.snapshot_refresh_us = 3_600_000_000;
    for name in ["served", "recent_ttft_ms", "recent_tpot_ms", "tokens_per_s", "wait_s"] {
        let found = values(&s, name);
        assert!(found.iter().all(|(_, v)| v.iter().all(|x| x.abs() < 1e-12)), "{name}");
    }
}

#[test]
fn a_match_of_any_length_gets_the_bonus() {
    let under = |scorer: Scorer, bonus| {
        let scorers = vec![
            WeightedScorer { scorer, weight: 1.0 },
            WeightedScorer { scorer: Scorer::QueueDepth, weight: 1.0 },
        ];
        let mut s = conversations(300.0);
        let (profile, prefix_match_bonus) = (Profile::Custom, bonus);
        s.cluster.routing =
            RoutingPolicy::Weighted(Weighted { profile, scorers, prefix_match_bonus, ..Weighted::default() });
        let (engine, story) = run(&s);
        (targets(&engine), story.decisions)
    };
    let (chosen, decisions) = under(Scorer::PrefixMatch, 0.3);
    assert_eq!(chosen, under(expression("prefix > 0 ? 0.3 : 0"), 0.5).0);
    assert_ne!(chosen, under(Scorer::PrefixMatch, 0.0).0);
    let values = decisions.iter().flat_map(|d| d.scores.parts[0].values.clone());
    let (with, without) = values.partition::<Vec<f64>, _>(|v| *v > 0.0);
    assert!(with.iter().all(|v| (v - 0.3).abs() < 1e-12) && with.len() > 500 && without.len() > 50);
}
