//! The engine at full speed, through the session and nothing else.
//!
//! `run`: whole runs from scenario to last request with nobody watching, under the cheapest router, the weighted one and
//! an expression that says the same.
//! `watched`: seconds of a cluster in full swing as a page sees them, with event log, anomalies, every routing decision and
//! 60 frames a second; throughput is simulated seconds per second.
//! `checkpoint`: a copy of a session.
//! `what-if`: a decision made otherwise, and the account of slow requests.
//! `step`: the time of a step alone, by family of latency model.
//!
//! `cargo bench` prints medians with confidence intervals. `rows` prints one figure of a whole process instead.

mod support;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use support::{IN_FULL_SWING, detail, pool, scenario, weighted};
use tokenyard::base::{Micros, Span, json};
use tokenyard::perf::{self, Chunk, StepLoad};
use tokenyard::scenario::preset::PRESETS;
use tokenyard::scenario::{
    Arrivals, CalibratedSettings, Compat, Expression, FittedCoefficients, KvBlocks, LatencyModel, Lengths,
    Pool, PrefixGroups, Profile, RoutingPolicy, Scenario, Scorer, Weighted, WeightedScorer,
};
use tokenyard::session::{Audience, Session, Stop};
use tokenyard::study::whatif::{Asking, ExplainQuery, Explaining, WhatIfQuery};

/// Frames per second of the person watching.
const FRAMES_PER_S: u64 = 60;

/// Runs to the last request; the number of events says that it did.
fn run(scenario: Scenario) -> u64 {
    let (mut session, _) = Session::start(scenario, None, Audience::Batch).expect("a sound scenario");
    let stop = session.advance(Micros::MAX, u64::MAX);
    assert!(stop == Stop::Finished, "the run ended early: {stop:?}");
    session.events()
}

fn runs(c: &mut Criterion) {
    let mut group = c.benchmark_group("run");
    group.sample_size(10);
    for (size, requests, replicas) in [("1k", 1_000, 1), ("10k", 10_000, 4), ("100k", 100_000, 16)] {
        for (router, routing) in [
            ("least-loaded", RoutingPolicy::LeastLoaded),
            ("weighted", weighted()),
            ("expression", expression()),
        ] {
            let scenario = scenario(requests, replicas, routing);
            group.throughput(Throughput::Elements(requests));
            let name = format!("{size} requests, {replicas} replicas, {router}");
            group.bench_function(name, |b| b.iter(|| black_box(run(scenario.clone()))));
        }
    }
    let mixed = two_pools(10_000);
    group.throughput(Throughput::Elements(10_000));
    let name = "10k requests, 4 replicas in 2 pools, weighted";
    group.bench_function(name, |b| b.iter(|| black_box(run(mixed.clone()))));
    group.throughput(Throughput::Elements(100_000));
    for (name, lockstep) in [("in lock step", true), ("by themselves", false)] {
        let scenario = wide(lockstep);
        let name = format!("100k requests, 64 ranks of one server, {name}");
        group.bench_function(name, |b| b.iter(|| black_box(run(scenario.clone()))));
    }
    group.finish();
}

/// DeepSeek-V3 on 64 H200 that share the experts: wide expert parallelism, with prompts of 512 tokens and answers of 100.
fn wide(lockstep: bool) -> Scenario {
    let mut scenario = scenario(100_000, 64, RoutingPolicy::LeastLoaded);
    let pool = &mut scenario.cluster.pools[0];
    (pool.model, pool.gpu) = ("deepseek-v3".to_owned(), "H200".to_owned());
    (pool.expert_ranks, pool.expert_ranks_lockstep) = (64, lockstep);
    pool.kv.blocks = KvBlocks::Count(40_000);
    pool.latency = LatencyModel::default();
    let client = &mut scenario.workload.clients[0];
    client.arrivals = Arrivals::Poisson { rate_per_s: 150.0 };
    client.prompt_tokens = Lengths::Constant { tokens: 512 };
    client.output_tokens = Lengths::Constant { tokens: 100 };
    scenario
}

/// One expression that says what the weighted router as it comes sums up: prefixes, load and free blocks.
fn expression() -> RoutingPolicy {
    let load = "(max.load > min.load ? (max.load - load) / (max.load - min.load) : 1)";
    let text = format!("(3 * prefix + 2 * {load} + 2 * kv_free) / 7");
    let scorers = vec![WeightedScorer { scorer: Scorer::Expression(Expression(text)), weight: 1.0 }];
    RoutingPolicy::Weighted(Weighted { profile: Profile::Custom, scorers, ..Weighted::default() })
}

/// Two replicas with blocks of 16 tokens and two with blocks of 64: every prompt, of which the first 256 tokens are one of 40
/// texts, is hashed in both sizes.
fn two_pools(requests: u64) -> Scenario {
    let mut scenario = scenario(requests, 4, weighted());
    scenario.workload.clients[0].prefix = PrefixGroups::new(40, 256);
    scenario.cluster.pools = vec![pool("small blocks", 2), pool("large blocks", 2)];
    scenario.cluster.pools[1].kv.block_tokens = 64;
    scenario
}

/// A cluster that has been watched until it was in full swing.
fn watched(replicas: u32) -> Session {
    let (mut session, _) =
        Session::start(support::watched(replicas), None, Audience::Live).expect("a sound scenario");
    assert!(session.advance(IN_FULL_SWING, u64::MAX) == Stop::Until, "the run ended early");
    session
}

/// Plays `seconds` of simulated time at `speed` times real time, a frame of text at a time; returns the length of all.
fn play(session: &mut Session, seconds: u64, speed: u64) -> usize {
    let query = detail(session.engine().replicas().len());
    let frame = |k: u64| {
        session.advance(IN_FULL_SWING + Span(k * speed * 1_000_000 / FRAMES_PER_S), u64::MAX);
        json::compact(&session.frame(&query)).len()
    };
    (1..=seconds * FRAMES_PER_S / speed).map(frame).sum()
}

fn watching(c: &mut Criterion) {
    let mut group = c.benchmark_group("watched");
    group.sample_size(10);
    // Replicas, simulated seconds, and the speed that is the goal.
    for (replicas, seconds, speed) in [(8, 400, 2_000), (64, 40, 200), (256, 10, 30)] {
        let session = watched(replicas);
        group.throughput(Throughput::Elements(seconds));
        let fresh = || session.clone();
        group.bench_function(format!("{replicas} replicas"), |b| {
            b.iter_batched_ref(fresh, |s| black_box(play(s, seconds, speed)), BatchSize::PerIteration);
        });
    }
    group.finish();
}

/// What a copy of a watched session costs: after a hundred thousand requests, and of the default preset sixteen times as large,
/// whose caches hold 1.8 million blocks after five minutes.
fn checkpoints(c: &mut Criterion) {
    let mut group = c.benchmark_group("checkpoint");
    let mut measure = |name: String, session: &Session| {
        group.bench_function(name, |b| b.iter_with_large_drop(|| black_box(session).clone()));
    };
    let started = |scenario| Session::start(scenario, None, Audience::Live).expect("a sound scenario").0;
    for replicas in [8, 64] {
        let mut session = started(support::watched(replicas));
        while session.engine().records().len() < 100_000 {
            session.advance(Micros::MAX, 10_000);
        }
        measure(format!("{replicas} replicas, after 100k requests"), &session);
    }
    let mut session = started(large_preset());
    session.advance(Micros(300_000_000), u64::MAX);
    measure("the default preset sixteen times as large, after 300 s".to_owned(), &session);
    group.finish();
}

/// The default preset with sixteen times the replicas and the traffic, without its edits, for ten minutes.
fn large_preset() -> Scenario {
    let mut scenario =
        PRESETS.iter().find(|p| p.name == "chat-4xh100").expect("the default preset").scenario();
    scenario.run.horizon_s = 600.0;
    scenario.edits.clear();
    scenario.cluster.pools[0].replicas *= 16;
    for client in &mut scenario.workload.clients {
        let (Arrivals::Poisson { rate_per_s } | Arrivals::Constant { rate_per_s }) = &mut client.arrivals
        else {
            unreachable!("the default preset has no other arrivals")
        };
        *rate_per_s *= 16.0;
    }
    scenario
}

/// The time of a thousand steps, of which every fourth has a chunk of a prompt, under the cheapest family and the default one.
fn step_times(c: &mut Criterion) {
    const STEPS: u32 = 1000;
    let mut group = c.benchmark_group("step");
    group.throughput(Throughput::Elements(STEPS.into()));
    let fitted = LatencyModel::Fitted(FittedCoefficients::default());
    let calibrated = LatencyModel::Calibrated(CalibratedSettings::default());
    for (name, model, latency) in [
        ("fitted", "llama-3.1-8b", fitted),
        ("calibrated", "llama-3.1-8b", calibrated.clone()),
        ("calibrated with experts", "mixtral-8x7b", calibrated),
    ] {
        let pool = Pool { model: model.to_owned(), tp: 2, latency, ..pool("main", 1) };
        let model = perf::resolve(&pool, Compat::None, "").expect("a pool that the catalogue knows").model;
        let chunk = [Chunk { context: 0, cached: 64, tokens: 448 }];
        let step = |i: u32| {
            let prefill: &[Chunk] = if i.is_multiple_of(4) { &chunk } else { &[] };
            let decode = black_box(1 + i % 128);
            model
                .step(&StepLoad {
                    prefill,
                    decode,
                    decode_context: u64::from(decode) * 700,
                    drafts: 0,
                    padding: 0,
                })
                .0
        };
        group.bench_function(name, |b| b.iter(|| (0..STEPS).map(step).sum::<u64>()));
    }
    group.finish();
}

/// One alternative of a decision in a cluster of 64 replicas in full swing, run on for ten seconds; and the account of a run.
fn what_if(c: &mut Criterion) {
    let mut group = c.benchmark_group("what-if");
    group.sample_size(10);
    let until = IN_FULL_SWING + Span(10_000_000);
    let (mut asking, _) = Asking::new(support::watched(64), None).expect("a sound scenario");
    let (mut run, _) = Session::start(support::watched(64), None, Audience::Batch).expect("a sound scenario");
    run.advance(IN_FULL_SWING, u64::MAX);
    let request = run.engine().records().len() as u32 - 1;
    let to =
        |to: u32| WhatIfQuery { request, to: Some(to), until_us: Some(until.0), ..WhatIfQuery::default() };
    group.bench_function("one alternative, 64 replicas, 10 s", |b| {
        b.iter(|| black_box(asking.what_if(&to(7)).expect("it was routed")));
    });
    let asked = ExplainQuery { until_us: Some(IN_FULL_SWING.0), ..ExplainQuery::default() };
    group.bench_function("why, 64 replicas, 30 s from the start", |b| {
        b.iter(|| {
            let (mut explaining, _) = Explaining::new(support::watched(64), None).expect("a sound scenario");
            black_box(explaining.explain(&asked).expect("requests have finished"))
        });
    });
    group.finish();
}

criterion_group!(benches, runs, watching, checkpoints, step_times, what_if);
criterion_main!(benches);
