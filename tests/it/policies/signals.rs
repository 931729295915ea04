//! Signals beside queue and cache: what a scorer makes of them, against the same counted from the facts.

use super::common::{engine, run};
use super::routing::conversations;
use super::scorers::smallest_first;
use crate::support::documents::scenario;
use serde_json::json;
use tokenyard::base::{Micros, ReplicaId, math};
use tokenyard::engine::{Decision, Fact, RequestFact, Sink};
use tokenyard::scenario::{Profile, RoutingPolicy, Scenario, Scorer, Ties, Weighted, WeightedScorer};

/// A mean in which each new value counts 1/32, in whole 32nds.
#[derive(Clone, Copy, Default)]
struct Mean(Option<u64>);

impl Mean {
    fn add(&mut self, x: u64) {
        self.0 = Some(self.0.map_or(32 * x, |sum| sum - sum / 32 + x));
    }

    fn get(self) -> Option<f64> {
        self.0.map(|sum| (sum / 32) as f64)
    }
}

/// What the facts say of one replica.
#[derive(Clone, Copy, Default)]
struct Seen {
    in_flight: u32,
    tokens_in_flight: u64,
    waiting: u32,
    waiting_tokens: u64,
    present: u32,
    idle_since: u64,
    ttft: Mean,
    tpot: Mean,
    prefill: Mean,
    cached: Mean,
    peak: Option<(f64, u64)>,
}

/// Counts facts, and compares every decision with what they say.
struct Watch {
    scorer: Scorer,
    prompts: Vec<u32>,
    seen: [Seen; 4],
    now: u64,
    decisions: u32,
    uneven: u32,
}

impl Watch {
    fn values(&self) -> Vec<f64> {
        let of = |f: &dyn Fn(&Seen) -> f64| self.seen.iter().map(f).collect::<Vec<f64>>();
        let known = |f: &dyn Fn(&Seen) -> Option<f64>| {
            let known: Vec<f64> = self.seen.iter().filter_map(f).collect();
            self.seen.iter().map(|s| f(s).map_or(1.0, |x| score_among(x, &known))).collect()
        };
        match self.scorer {
            Scorer::TokenLoad => of(&|s| 1.0 - (s.tokens_in_flight as f64).min(5000.0) / 5000.0),
            Scorer::LoadAware => of(&|s| 0.5 * (1.0 - f64::from(s.waiting.min(6)) / 6.0)),
            Scorer::PromptTokensWaiting => smallest_first(&of(&|s| s.waiting_tokens as f64)),
            Scorer::CacheHitRate => of(&|s| match (s.cached.0, s.prefill.0) {
                (Some(cached), Some(prefill)) => cached as f64 / prefill as f64,
                _ => 0.0,
            }),
            Scorer::RecentTtft => known(&|s| s.ttft.get()),
            Scorer::RecentTpot => known(&|s| s.tpot.get()),
            Scorer::IdleTime => {
                let idle = |s: &Seen| if s.in_flight == 0 { (self.now - s.idle_since) as f64 } else { 0.0 };
                smallest_first(&of(&|s| -idle(s)))
            }
            _ => self.peaks(),
        }
    }

    fn peaks(&self) -> Vec<f64> {
        let mean = |s: &Seen| s.peak.map(|(mean, at)| mean * fade(self.now - at));
        let fastest = self.seen.iter().filter_map(mean).fold(f64::INFINITY, f64::min);
        let unknown = if fastest.is_finite() { fastest } else { 1.0 };
        let load = |s: &Seen| mean(s).unwrap_or(unknown) * (f64::from(s.in_flight) + 1.0);
        smallest_first(&self.seen.iter().map(load).collect::<Vec<_>>())
    }
}

/// The score of `x`, which is among `known`.
fn score_among(x: f64, known: &[f64]) -> f64 {
    let (low, high) = known.iter().fold((f64::MAX, f64::MIN), |(l, h), &k| (l.min(k), h.max(k)));
    if high > low { (high - x) / (high - low) } else { 1.0 }
}

fn fade(us: u64) -> f64 {
    math::exp(-(us as f64 / 1e6) / 10.0)
}

impl Sink for Watch {
    fn fact(&mut self, at: Micros, fact: Fact) {
        // A request is admitted and routed at the same instant here.
        self.now = at.0;
        match fact {
            Fact::Request(RequestFact::Routed { request, replica }) => {
                let s = &mut self.seen[replica.index()];
                s.in_flight += 1;
                s.tokens_in_flight += u64::from(self.prompts[request.index()]);
            }
            Fact::Request(RequestFact::Queued { request, replica, .. }) => {
                let s = &mut self.seen[replica.index()];
                s.present += 1;
                s.waiting += 1;
                s.waiting_tokens += u64::from(self.prompts[request.index()]);
            }
            Fact::Request(RequestFact::Scheduled { replica, prefill, cached, .. }) => {
                let s = &mut self.seen[replica.index()];
                s.waiting -= 1;
                s.waiting_tokens -= u64::from(prefill);
                s.prefill.add(u64::from(prefill));
                s.cached.add(u64::from(cached));
            }
            Fact::Request(RequestFact::FirstToken { replica, ttft, .. }) => {
                self.seen[replica.index()].ttft.add(ttft.0);
            }
            Fact::Request(RequestFact::Completed { request, replica, ttft, e2e, tokens, .. }) => {
                let s = &mut self.seen[replica.index()];
                s.in_flight -= 1;
                s.present -= 1;
                s.tokens_in_flight -= u64::from(self.prompts[request.index()]);
                if s.present == 0 {
                    s.idle_since = at.0;
                }
                if tokens > 1 {
                    s.tpot.add((e2e.0 - ttft.0) / u64::from(tokens - 1));
                }
                let x = ttft.0 as f64;
                let mean = match s.peak {
                    Some((mean, before)) if x < mean => {
                        let w = fade(at.0 - before);
                        mean * w + x * (1.0 - w)
                    }
                    _ => x,
                };
                s.peak = Some((mean, at.0));
            }
            _ => {}
        }
    }

    fn wants_decision(&self, _: tokenyard::base::RequestId, _: usize) -> bool {
        true
    }

    fn decision(&mut self, _: Micros, d: &Decision) {
        let (found, expected) = (&d.scores.parts[0].values, self.values());
        for (x, y) in found.iter().zip(&expected) {
            assert!((x - y).abs() < 1e-12, "{:?}: {found:?}, from the facts {expected:?}", self.scorer);
        }
        self.decisions += 1;
        self.uneven += u32::from(expected.iter().any(|x| (x - expected[0]).abs() > 1e-9));
    }
}

/// Four replicas under one scorer, with low thresholds.
fn under(scorer: &Scorer, rate_per_s: f64) -> Scenario {
    let mut s = conversations(rate_per_s);
    s.cluster.routing_latency_us = 0;
    s.cluster.routing = RoutingPolicy::Weighted(Weighted {
        profile: Profile::Custom,
        scorers: vec![WeightedScorer { scorer: scorer.clone(), weight: 1.0 }],
        token_threshold: 5000,
        waiting_threshold: 6,
        // A replica without known latencies ties with the only known one.
        ties: match scorer {
            Scorer::RecentTtft | Scorer::RecentTpot => Ties::Random,
            _ => Ties::Lowest,
        },
        ..Weighted::default()
    });
    s
}

/// Runs with a watch on every decision.
fn watch(scorer: &Scorer, rate_per_s: f64) {
    let s = under(scorer, rate_per_s);
    let prompts = run(&s).0.records().iter().map(|r| r.prompt_tokens).collect();
    let mut watch = Watch {
        scorer: scorer.clone(),
        prompts,
        seen: [Seen::default(); 4],
        now: 0,
        decisions: 0,
        uneven: 0,
    };
    engine(&s).advance(Micros::MAX, u64::MAX, &mut watch);
    assert_eq!(watch.decisions, 1200);
    assert!(watch.uneven > 100, "{scorer:?}: {} decisions with different scores", watch.uneven);
}

#[test]
fn tokens_in_flight_and_waiting_are_what_was_sent_and_has_not_gone_on() {
    watch(&Scorer::TokenLoad, 300.0);
    watch(&Scorer::LoadAware, 2500.0);
    watch(&Scorer::PromptTokensWaiting, 2500.0);
}

#[test]
fn recent_hit_rates_and_latencies_are_means_in_which_each_new_value_counts_one_of_32() {
    watch(&Scorer::CacheHitRate, 300.0);
    watch(&Scorer::RecentTtft, 300.0);
    watch(&Scorer::RecentTpot, 300.0);
}

#[test]
fn idle_time_begins_when_the_last_request_leaves_and_ends_when_one_is_sent() {
    watch(&Scorer::IdleTime, 100.0);
}

#[test]
fn peak_ewma_knows_the_latencies_of_completed_requests_and_nothing_else() {
    watch(&Scorer::PeakEwma, 300.0);
}

#[test]
fn signals_are_as_old_as_the_views_but_for_tokens_in_flight() {
    let decisions = |scorer| {
        let mut s = under(&scorer, 2500.0);
        s.cluster.snapshot_refresh_us = 50_000;
        run(&s).1.decisions
    };
    let values = |d: &Decision| d.scores.parts[0].values.clone();
    let changes = |scorer: Scorer| {
        let all = decisions(scorer);
        all.windows(2).filter(|w| values(&w[0]) != values(&w[1])).count()
    };
    // 1,200 requests at 2,500 a second come in half a second: ten refreshes.
    assert!(changes(Scorer::PromptTokensWaiting) < 20);
    assert!(changes(Scorer::TokenLoad) > 200);
}

#[test]
fn a_replica_that_an_edit_adds_has_been_idle_since_then() {
    let request = |i: u64, arrival_us: u64| json!({"arrival_us": arrival_us, "prompt": [{"text": i, "tokens": 5}], "output": {"text": 10 + i, "tokens": 2}});
    let document = json!({
        "run": {"horizon_s": 0, "warmup_s": 0},
        "cluster": {
            "pools": [{"replicas": 1, "kv": {"blocks": 100}, "latency": {"fitted": {"step_us": 1000}}}],
            "routing": {"weighted": {"profile": "custom", "scorers": [{"scorer": "idle-time", "weight": 1}]}},
        },
        "workload": {"clients": [], "requests": [request(0, 0), request(1, 2_000_000)]},
        "edits": [{"at_us": 1_000_000, "set": {"cluster.pools[0].replicas": 2}}],
    });
    let scenario = scenario(document);
    let (cluster, _) = crate::support::run(&scenario);
    // The first has been idle for nearly two seconds, the second for one.
    assert_eq!(cluster.replicas().len(), 2);
    let last = cluster.records().iter().last().expect("two requests");
    assert_eq!(last.replica(), Some(ReplicaId(0)));
}
