//! Small clusters, traffic and runs for the laws.

use tokenyard::base::Micros;
use tokenyard::engine::{Cluster, Decision, Fact, Halt, Sink};
use tokenyard::scenario::{
    Arrivals, Client, FittedCoefficients, KvBlocks, LatencyModel, Lengths, Pool, Scenario,
};
use tokenyard::workload::Source;

/// Everything that happened, in order, and every routing decision.
#[derive(Default)]
pub(crate) struct Story {
    pub(crate) facts: Vec<(Micros, Fact)>,
    pub(crate) decisions: Vec<Decision>,
}

impl Sink for Story {
    fn fact(&mut self, at: Micros, fact: Fact) {
        self.facts.push((at, fact));
    }

    fn wants_decisions(&self) -> bool {
        true
    }

    fn decision(&mut self, decision: &Decision) {
        self.decisions.push(decision.clone());
    }
}

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

/// The engine of a scenario at time zero.
pub(crate) fn engine(s: &Scenario) -> Cluster {
    let compat = s.cluster.compat;
    let resolve = |p| tokenyard::perf::resolve(p, compat, "pool").expect("explicit coefficients");
    let resolved: Vec<_> = s.cluster.pools.iter().map(resolve).collect();
    Cluster::new(s, &resolved, Source::new(s, None))
}

/// Runs to the end with the scenario's edits, checking the invariants on the way.
pub(crate) fn run(s: &Scenario) -> (Cluster, Story) {
    let mut engine = engine(s);
    let mut story = Story::default();
    for edit in &s.edits {
        engine.advance(Micros(edit.at_us - 1), u64::MAX, &mut story);
        engine.apply(&edit.change, Micros(edit.at_us), &mut story);
        engine.verify(true);
    }
    while engine.advance(Micros::MAX, 101, &mut story) == Halt::Events {
        engine.verify(false);
    }
    engine.verify(true);
    (engine, story)
}
