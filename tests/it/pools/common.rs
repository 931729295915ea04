//! Pools, traffic and runs for the laws.

use crate::support::documents::{explicit, fitted, piece};
use crate::support::start;
pub(crate) use crate::support::{edit, run};
use tokenyard::base::Micros;
use tokenyard::scenario::{
    Arrivals, Client, ExplicitRequest, Hardware, KvBlocks, Lengths, Pool, PrefixGroups, Scenario,
};
use tokenyard::session::Session;

/// A pool with a cache of 40,000 tokens, a price per replica, and steps of `step_us` + 10 µs a prompt token.
pub(crate) fn pool(name: &str, replicas: u32, block_tokens: u32, step_us: f64, usd_per_hour: f64) -> Pool {
    let mut pool = Pool { name: name.to_owned(), model: name.to_owned(), replicas, ..Pool::default() };
    pool.hardware = Some(Hardware { usd_per_hour, ..Hardware::default() });
    pool.kv.block_tokens = block_tokens;
    pool.kv.blocks = KvBlocks::Count(40_000 / block_tokens);
    pool.latency = fitted(step_us, 10.0, 20.0);
    pool
}

/// Poisson arrivals that ask for `model`, with one of five prefixes of 100 tokens and sessions.
pub(crate) fn client(name: &str, model: &str, rate_per_s: f64) -> Client {
    Client {
        name: name.to_owned(),
        model: model.to_owned(),
        arrivals: Arrivals::Poisson { rate_per_s },
        prompt_tokens: Lengths::Constant { tokens: 60 },
        output_tokens: Lengths::Constant { tokens: 12 },
        prefix: PrefixGroups::new(5, 100),
        sessions: 7,
        ..Client::default()
    }
}

/// These pools and clients until all requests are done, `requests` of them.
pub(crate) fn scenario(pools: Vec<Pool>, clients: Vec<Client>, requests: u64) -> Scenario {
    let mut s = Scenario::default();
    s.run.horizon_s = 0.0;
    s.run.warmup_s = 0.0;
    s.run.max_requests = requests;
    s.cluster.pools = pools;
    s.workload.clients = clients;
    s
}

/// A request for `model` of `tokens` tokens of text 1 and then `own` tokens of text 2, with one token of answer.
pub(crate) fn listed(arrival_us: u64, model: &str, tokens: u32, own: u32) -> ExplicitRequest {
    ExplicitRequest {
        model: model.to_owned(),
        ..explicit(
            arrival_us,
            [piece(1, tokens), piece(2, own)].into_iter().filter(|p| p.tokens > 0).collect(),
            &piece(3, 1),
        )
    }
}

/// A session of the scenario, run to its end.
pub(crate) fn session(s: &Scenario) -> Session {
    let mut session = start(s);
    session.advance(Micros::MAX, u64::MAX);
    session
}
