//! The engine at full speed, through the session and nothing else.
//!
//! `run`: whole runs from scenario to last request with nobody watching, under the cheapest router and under the weighted one.
//! `watched`: seconds of a cluster in full swing as a page sees them, with event log, anomalies, every routing decision and
//! 60 frames a second; throughput is simulated seconds per second.
//!
//! `cargo bench` prints medians with confidence intervals. `rows` prints one figure of a whole process instead.

mod support;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use support::{IN_FULL_SWING, detail, pool, scenario, weighted};
use tokenyard::base::{Micros, Span, json};
use tokenyard::scenario::{PrefixGroups, RoutingPolicy, Scenario};
use tokenyard::session::{Audience, Session, Stop};

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
        for (router, routing) in [("least-loaded", RoutingPolicy::LeastLoaded), ("weighted", weighted())] {
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
    let mut scenario = scenario(requests, 4, weighted());
    scenario.workload.clients[0].prefix = PrefixGroups { groups: 40, tokens: 256 };
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

criterion_group!(benches, runs, watching);
criterion_main!(benches);
