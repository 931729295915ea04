//! The engine at full speed, through the session and nothing else.
//!
//! `run`: whole runs from scenario to last request with nobody watching, under the cheapest router and under the weighted one.
//! `watched`: seconds of a cluster in full swing as a page sees them, with event log, anomalies, every routing decision and
//! 60 frames a second; throughput is simulated seconds per second.
//!
//! Traffic: prompts and answers of about N(512, 128) tokens at 15 requests per second and replica, which keeps an
//! H100 with Llama 3.1 8B busy without letting queues grow. `cargo bench` prints medians with confidence intervals.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use tokenyard::base::{Micros, Span, json};
use tokenyard::scenario::{
    Arrivals, Client, Lengths, Observe, Pool, PrefixGroups, RoutingPolicy, Run, Scenario, Weighted,
};
use tokenyard::session::view::FrameQuery;
use tokenyard::session::{Audience, Session, Stop};

const RATE_PER_REPLICA_S: f64 = 15.0;

/// Frames per second of the person watching.
const FRAMES_PER_S: u64 = 60;

/// Simulated time after which as many requests leave as arrive.
const IN_FULL_SWING: Micros = Micros(30_000_000);

fn scenario(requests: u64, replicas: u32, routing: RoutingPolicy) -> Scenario {
    let tokens = Lengths::Gaussian { mean_tokens: 512.0, sd_tokens: 128.0, min_tokens: 16, max_tokens: 1024 };
    let mut scenario = Scenario {
        run: Run { horizon_s: 0.0, warmup_s: 0.0, max_requests: requests, ..Run::default() },
        ..Scenario::default()
    };
    scenario.cluster.pools = vec![pool("main", replicas)];
    scenario.cluster.routing = routing;
    scenario.workload.clients = vec![Client {
        arrivals: Arrivals::Poisson { rate_per_s: RATE_PER_REPLICA_S * f64::from(replicas) },
        prompt_tokens: tokens.clone(),
        output_tokens: tokens,
        prefix: PrefixGroups::default(),
        ..Client::default()
    }];
    scenario
}

/// Replicas with batches of at most 256 requests and 2,048 tokens.
fn pool(name: &str, replicas: u32) -> Pool {
    let mut pool = Pool { name: name.to_owned(), replicas, ..Pool::default() };
    pool.engine.max_num_seqs = 256.into();
    pool.engine.max_num_batched_tokens = 2048.into();
    pool
}

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
        let weighted = RoutingPolicy::Weighted(Weighted::default());
        for (router, routing) in [("least-loaded", RoutingPolicy::LeastLoaded), ("weighted", weighted)] {
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
    group.finish();
}

/// Two replicas with blocks of 16 tokens and two with blocks of 64: every prompt, of which the first 256 tokens are one of 40
/// texts, is hashed in both sizes.
fn two_pools(requests: u64) -> Scenario {
    let mut scenario = scenario(requests, 4, RoutingPolicy::Weighted(Weighted::default()));
    scenario.workload.clients[0].prefix = PrefixGroups { groups: 40, tokens: 256 };
    scenario.cluster.pools = vec![pool("small blocks", 2), pool("large blocks", 2)];
    scenario.cluster.pools[1].kv.block_tokens = 64;
    scenario
}

/// A cluster that has been watched until it was in full swing.
fn watched(replicas: u32) -> Session {
    let mut scenario = scenario(0, replicas, RoutingPolicy::Weighted(Weighted::default()));
    scenario.run.horizon_s = 1000.0;
    scenario.observe = Observe { counterfactual_k: replicas, anomalies: true, ..Observe::default() };
    let (mut session, _) = Session::start(scenario, None, Audience::Live).expect("a sound scenario");
    assert!(session.advance(IN_FULL_SWING, u64::MAX) == Stop::Until, "the run ended early");
    session
}

/// How much of each replica a page can draw; the same as in www/src/state/detail.ts.
fn detail(replicas: usize) -> FrameQuery {
    let (queue, batch, cells) = match replicas {
        0..=8 => (24, 96, 182),
        9..=64 => (0, 24, 48),
        _ => (0, 0, 0),
    };
    FrameQuery { queue, batch, cells, ..FrameQuery::default() }
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

criterion_group!(benches, runs, watching);
criterion_main!(benches);
