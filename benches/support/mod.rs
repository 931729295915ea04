//! The scenarios of all benchmarks. `rows -- --scenarios DIR` writes them as files, so that the module and the page run the same.
//!
//! Traffic: prompts and answers of about N(512, 128) tokens at 15 requests per second and replica, which keeps an
//! H100 with Llama 3.1 8B busy without letting queues grow.

use tokenyard::base::Micros;
use tokenyard::scenario::{
    Arrivals, Client, KvBlocks, LatencyModel, Lengths, Observe, Pool, PrefixGroups, RoutingPolicy, Run,
    Scenario, Weighted,
};
use tokenyard::session::view::FrameQuery;

const RATE_PER_REPLICA_S: f64 = 15.0;

/// Simulated time after which as many requests leave as arrive.
pub(crate) const IN_FULL_SWING: Micros = Micros(30_000_000);

/// Requests in number, replicas in number, and the router.
pub(crate) fn scenario(requests: u64, replicas: u32, routing: RoutingPolicy) -> Scenario {
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

/// Replicas with batches of at most 256 requests and 2,048 tokens, and the catalogue's step times, so that figures stay
/// comparable when calibrated coefficients are fitted again.
pub(crate) fn pool(name: &str, replicas: u32) -> Pool {
    let latency = LatencyModel::Catalogue;
    let mut pool = Pool { name: name.to_owned(), replicas, latency, ..Pool::default() };
    pool.engine.max_num_seqs = 256.into();
    pool.engine.max_num_batched_tokens = 2048.into();
    pool
}

/// A million requests, the most that a page runs, with every routing decision kept and anomalies looked for.
pub(crate) fn watched(replicas: u32) -> Scenario {
    let mut scenario = scenario(0, replicas, weighted());
    scenario.run.max_requests = 1_000_000;
    if replicas > 256 {
        // As much as their batches fill, so that a page has room for the blocks of all of them.
        scenario.cluster.pools[0].kv.blocks = KvBlocks::Count(8192);
    }
    scenario.observe = Observe { counterfactual_k: replicas.min(64), anomalies: true, ..Observe::default() };
    scenario
}

/// The weighted router as it comes.
pub(crate) fn weighted() -> RoutingPolicy {
    RoutingPolicy::Weighted(Weighted::default())
}

/// How much of each replica a page can draw; the same as in www/src/state/run/detail.ts.
pub(crate) fn detail(replicas: usize) -> FrameQuery {
    let (queue, batch, cells) = match replicas {
        0..=8 => (24, 96, 182),
        9..=64 => (0, 24, 48),
        _ => (0, 0, 0),
    };
    FrameQuery { queue, batch, cells, ..FrameQuery::default() }
}
