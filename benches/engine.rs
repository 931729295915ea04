//! The engine at full speed, through the session and nothing else: whole runs from scenario to last request.
//!
//! Traffic: prompts and answers of about N(512, 128) tokens at 15 requests per second and replica, which keeps an
//! H100 with Llama 3.1 8B busy without letting queues grow. `cargo bench` prints medians with confidence intervals.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use tokenyard::base::Micros;
use tokenyard::scenario::{
    Arrivals, Client, Lengths, Pool, PrefixGroups, RoutingPolicy, Run, Scenario, Weighted,
};
use tokenyard::session::frame::Stop;
use tokenyard::session::{Audience, Session};

const RATE_PER_REPLICA_S: f64 = 15.0;

fn scenario(requests: u64, replicas: u32, routing: RoutingPolicy) -> Scenario {
    let tokens = Lengths::Gaussian { mean_tokens: 512.0, sd_tokens: 128.0, min_tokens: 16, max_tokens: 1024 };
    let mut scenario = Scenario {
        run: Run { horizon_s: 0.0, warmup_s: 0.0, max_requests: requests, ..Run::default() },
        ..Scenario::default()
    };
    scenario.cluster.pools = vec![Pool { replicas, ..Pool::default() }];
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

/// Runs to the last request; the number of events says that it did.
fn run(scenario: Scenario) -> u64 {
    let (mut session, _) = Session::start(scenario, None, Audience::Batch).expect("a sound scenario");
    let stop = session.advance(Micros::MAX, u64::MAX);
    assert!(stop == Stop::Finished, "the run ended early: {stop:?}");
    session.events()
}

fn engine(c: &mut Criterion) {
    let cases = [
        ("1k requests, 1 replica", 1_000, 1, RoutingPolicy::LeastLoaded),
        ("10k requests, 4 replicas", 10_000, 4, RoutingPolicy::LeastLoaded),
        ("100k requests, 16 replicas", 100_000, 16, RoutingPolicy::LeastLoaded),
        ("100k requests, 16 replicas, weighted", 100_000, 16, RoutingPolicy::Weighted(Weighted::default())),
    ];
    let mut group = c.benchmark_group("run");
    group.sample_size(10);
    for (name, requests, replicas, routing) in cases {
        let scenario = scenario(requests, replicas, routing);
        group.throughput(Throughput::Elements(requests));
        group.bench_function(name, |b| b.iter(|| black_box(run(scenario.clone()))));
    }
    group.finish();
}

criterion_group!(benches, engine);
criterion_main!(benches);
