//! Small clusters, traffic and runs for the laws.

pub(crate) use crate::support::{Story, cluster as engine, edit, run};
use tokenyard::scenario::{
    Arrivals, Client, FittedCoefficients, KvBlocks, LatencyModel, Lengths, Pool, Scenario,
};

/// `replicas` replicas with batches of at most `seqs` requests, ample caches and steps of 1 ms + 10 µs a prompt token.
pub(crate) fn cluster(replicas: u32, seqs: u32) -> Scenario {
    let mut s = Scenario::default();
    s.run.horizon_s = 0.0;
    s.run.warmup_s = 0.0;
    s.workload.clients.clear();
    let mut pool = Pool { replicas, ..Pool::default() };
    pool.engine.max_num_seqs = seqs.into();
    pool.kv.blocks = KvBlocks::Count(1 << 16);
    pool.latency = LatencyModel::Fitted(FittedCoefficients {
        step_us: 1000.0,
        step_us_per_prefill_token: 10.0,
        step_us_per_decode_token: 20.0,
        ..FittedCoefficients::default()
    });
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
