//! What the laws share: clusters that are queues, their traffic, and the rule by which a mean agrees.

use crate::support::documents::{explicit, fitted, piece, without_clients};
use tokenyard::base::Micros;
use tokenyard::engine::{Cluster, Fact, Halt, Ignore, Record, Records, RequestState, Sink};
use tokenyard::scenario::{
    AdmissionPolicy, Arrivals, Client, ConcurrencyLimit, ExplicitRequest, KvBlocks, Lengths, OverLimit, Pool,
    Scenario, WeightedLength,
};

/// Mean service time of the single-step queues, in microseconds.
pub(crate) const SERVICE_US: f64 = 1000.0;

/// Step time coefficients in microseconds: fixed, per prompt token, per decoding request.
pub(crate) type Beta = [f64; 3];

/// An empty cluster of `replicas` engines with batches of at most `seqs` requests.
pub(crate) fn cluster(replicas: u32, seqs: u32, [step, prefill, decode]: Beta) -> Scenario {
    let mut s = without_clients();
    let mut pool = Pool { replicas, ..Pool::default() };
    pool.engine.max_num_seqs = seqs.into();
    pool.engine.max_num_batched_tokens = (1 << 20).into();
    pool.kv.blocks = KvBlocks::Count(1 << 20);
    pool.kv.prefix_caching = false;
    pool.latency = fitted(step, prefill, decode);
    s.cluster.pools = vec![pool];
    s
}

/// `requests` requests of constant lengths.
pub(crate) fn constant_lengths(
    mut s: Scenario,
    arrivals: Arrivals,
    prompt: u32,
    output: u32,
    requests: u64,
) -> Scenario {
    s.workload.clients = vec![Client {
        arrivals,
        prompt_tokens: Lengths::Constant { tokens: prompt },
        output_tokens: Lengths::Constant { tokens: output },
        ..Client::default()
    }];
    s.run.max_requests = requests;
    s
}

pub(crate) fn poisson(rate_per_s: f64) -> Arrivals {
    Arrivals::Poisson { rate_per_s }
}

/// One request of the list: its text is its own.
pub(crate) fn listed(number: u32, arrival_us: u64, prompt: u32, output: u32) -> ExplicitRequest {
    ExplicitRequest {
        id: format!("r{number}"),
        ..explicit(arrival_us, vec![piece(2 * number, prompt)], &piece(2 * number + 1, output))
    }
}

/// The cluster of a scenario, before its first event.
pub(crate) fn engine(s: &Scenario) -> Cluster {
    // A client that is drawn several times needs distinct names.
    let mut s = s.clone();
    for (i, client) in s.workload.clients.iter_mut().enumerate().skip(1) {
        client.name = format!("{}-{i}", client.name);
    }
    for (i, pool) in s.cluster.pools.iter_mut().enumerate().skip(1) {
        pool.name = format!("{}-{i}", pool.name);
    }
    crate::support::cluster(&s)
}

/// Runs to the end, or the horizon.
pub(crate) fn run(s: &Scenario) -> Cluster {
    run_watched(s, &mut Ignore)
}

/// The same with a reader of facts.
pub(crate) fn run_watched<S: Sink>(s: &Scenario, sink: &mut S) -> Cluster {
    let mut engine = engine(s);
    assert_eq!(engine.advance(Micros::MAX, u64::MAX, sink), Halt::Finished);
    engine.verify(true);
    engine
}

/// A reader of facts that keeps what it hears, as `(instant, fact)`.
#[derive(Default)]
pub(crate) struct Heard(pub(crate) Vec<(u64, Fact)>);

impl Sink for Heard {
    fn fact(&mut self, at: Micros, fact: Fact) {
        self.0.push((at.0, fact));
    }
}

/// A client with arrivals and lengths, the second of which is that of the answer.
pub(crate) fn client(arrivals: Arrivals, prompt_tokens: Lengths, output_tokens: Lengths) -> Client {
    Client { arrivals, prompt_tokens, output_tokens, ..Client::default() }
}

/// `requests` requests of single steps; at 1 us a prompt token, prompt lengths are service times.
pub(crate) fn single_steps(
    mut s: Scenario,
    arrivals: Arrivals,
    prompt_tokens: Lengths,
    requests: u64,
) -> Scenario {
    s.workload.clients = vec![client(arrivals, prompt_tokens, Lengths::Constant { tokens: 1 })];
    s.run.max_requests = requests;
    s
}

/// Two lengths, the first with probability `share`.
pub(crate) fn two_lengths(first: u32, share: f64, second: u32) -> Lengths {
    Lengths::Empirical {
        lengths: vec![
            WeightedLength { tokens: first, weight: share },
            WeightedLength { tokens: second, weight: 1.0 - share },
        ],
    }
}

/// Exponential lengths with the mean of the single-step queues.
pub(crate) fn exponential_lengths() -> Lengths {
    Lengths::Exponential { mean_tokens: SERVICE_US, min_tokens: 1, max_tokens: 1 << 19 }
}

/// At most `most` requests in the cluster; what happens to the others.
pub(crate) fn at_most(mut s: Scenario, most: u32, then: OverLimit) -> Scenario {
    s.cluster.admission = AdmissionPolicy::ConcurrencyLimit(ConcurrencyLimit { max_in_flight: most, then });
    s
}

/// 1 for each record of which something holds, 0 for the others.
pub(crate) fn shares(records: &Records, holds: impl Fn(&Record) -> bool) -> Vec<f64> {
    records.iter().map(|r| f64::from(u8::from(holds(&r)))).collect()
}

/// Times in the system of the requests that completed.
pub(crate) fn times(engine: &Cluster) -> Vec<f64> {
    let completed = engine.records().iter().filter(|r| r.state() == RequestState::Completed);
    completed.map(|r| r.e2e.get().expect("it is known").0 as f64).collect()
}

pub(crate) fn waits(engine: &Cluster) -> Vec<f64> {
    engine
        .records()
        .iter()
        .map(|r| (r.first_scheduled.get().expect("it is known").0 - r.arrival.0) as f64)
        .collect()
}

pub(crate) fn ttfts(engine: &Cluster) -> Vec<f64> {
    engine.records().iter().map(|r| r.ttft.get().expect("it is known").0 as f64).collect()
}

/// Mean and its standard error from 30 batch means, the first tenth left out.
pub(crate) fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let kept = &values[values.len() / 10..];
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let batches: Vec<f64> = kept.chunks_exact(kept.len() / 30).map(mean).collect();
    let centre = mean(&batches);
    let spread = batches.iter().map(|b| (b - centre) * (b - centre)).sum::<f64>();
    let n = batches.len() as f64;
    (mean(kept), (spread / (n - 1.0) / n).sqrt())
}

/// The acceptance rule, for a quantity known to lie between `low` and `high`.
pub(crate) fn accept_between(what: &str, values: &[f64], low: f64, high: f64) {
    let (mean, error) = mean_and_error(values);
    let slack = (3.0 * error).max(0.01 * low);
    assert!(error < 0.04 * low, "{what}: a standard error of {error} says nothing about {low}");
    assert!(
        mean > low - slack && mean < high + slack,
        "{what}: {mean} +- {error} simulated, {low} to {high} exact"
    );
}

pub(crate) fn accept(what: &str, values: &[f64], exact: f64) {
    accept_between(what, values, exact, exact);
}
