//! Small clusters, traffic and runs for the laws.

use crate::support::documents::{fitted, without_clients};
pub(crate) use crate::support::{Story, cluster as engine, edit, run};
use tokenyard::scenario::{Arrivals, Client, KvBlocks, Lengths, Pool, Scenario};

/// `replicas` replicas with batches of at most `seqs` requests, ample caches and steps of 1 ms + 10 µs a prompt token.
pub(crate) fn cluster(replicas: u32, seqs: u32) -> Scenario {
    let mut s = without_clients();
    let mut pool = Pool { replicas, ..Pool::default() };
    pool.engine.max_num_seqs = seqs.into();
    pool.kv.blocks = KvBlocks::Count(1 << 16);
    pool.latency = fitted(1000.0, 10.0, 20.0);
    s.cluster.pools = vec![pool];
    s
}

/// A client with Poisson arrivals and lognormal lengths.
pub(crate) fn client(name: &str, rate_per_s: f64) -> Client {
    let lengths = |median_tokens, max_tokens| Lengths::Lognormal {
        median_tokens,
        sigma: 0.8,
        min_tokens: 1,
        max_tokens,
    };
    Client {
        name: name.to_owned(),
        arrivals: Arrivals::Poisson { rate_per_s },
        prompt_tokens: lengths(120.0, 2000),
        output_tokens: lengths(12.0, 200),
        ..Client::default()
    }
}
