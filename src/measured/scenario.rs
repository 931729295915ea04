//! A result as a scenario: the cluster of one that the user gives, and the traffic that the file tells of.
//!
//! Requests with the time they were sent arrive then; a limit of requests in flight becomes a closed loop; a rate is drawn. No tool
//! writes texts that can be told apart, so all prompts are taken as different. Where a file does not tell what was sent, the
//! traffic of the user's scenario is run.

use super::benchmark::Benchmark;
use crate::base::dist;
use crate::base::rng::{Purpose, Stream};
use crate::perf;
use crate::scenario::{
    Arrivals, Client, ContextGrowth, Conversation, ConversationClock, ExplicitOutput, ExplicitPiece,
    ExplicitRequest, KvBlocks, LatencyModel, Lengths, RateProfile, Rounds, Run, Scenario, ThinkTime,
    WeightedLength, Window, limits,
};

/// A run of what was measured.
#[derive(Clone, Debug)]
pub struct Replay {
    base: Scenario,
    traffic: Traffic,
    /// What is run, in words.
    pub says: String,
    /// KV blocks that fit by themselves, where the server told how many there are.
    pub(super) auto_blocks: Option<u32>,
}

#[derive(Clone, Debug)]
enum Traffic {
    /// That of the scenario.
    Own,
    Listed(Vec<ExplicitRequest>),
    Drawn {
        lengths: Vec<[u32; 2]>,
        mean_gap_s: f64,
        cv: f64,
    },
    Closed(Box<Client>),
}

/// Different lengths of a closed loop.
const MOST_LENGTHS: usize = 512;
/// Users of a closed loop begin one after the other, this far apart.
const APART_US: f64 = 10.0;
/// Longer than any closed loop.
const CLOSED_S: f64 = 1_000_000.0;

/// Makes a run of a result on the cluster of a scenario.
pub fn replay(b: &Benchmark, scenario: &Scenario) -> Replay {
    let mut base = Scenario { edits: Vec::new(), ..scenario.clone() };
    base.observe.anomalies = false;
    let auto_blocks = b.engine.blocks.and(auto_blocks(&base));
    set_engine(b, &mut base);
    let lengths = lengths(b);
    let closed = b.load.concurrency.filter(|_| b.load.at_once);
    let starts: Option<Vec<u64>> = b.requests.iter().map(|r| r.start_us).collect();
    let (traffic, says) = match (starts.filter(|s| !s.is_empty()), closed, b.load.rate_per_s) {
        (Some(starts), ..) => {
            let says = format!("{} requests, each sent when it was", starts.len());
            (Traffic::Listed(listed(&starts, &lengths)), says)
        }
        (None, Some(in_flight), _) if !lengths.is_empty() => {
            let in_flight = in_flight.clamp(1, 65_536);
            let says = format!("{} requests, {in_flight} in flight", lengths.len());
            (Traffic::Closed(Box::new(client(in_flight, &lengths))), says)
        }
        (None, _, Some(rate)) if !lengths.is_empty() && rate <= limits::RATE_PER_S => {
            let says = format!("{} requests at {rate} a second", lengths.len());
            let cv = b.load.gap_cv.unwrap_or(1.0);
            (Traffic::Drawn { lengths, mean_gap_s: 1.0 / rate, cv }, says)
        }
        (None, None, None) if b.load.at_once && !lengths.is_empty() => {
            let says = format!("{} requests, all sent at once", lengths.len());
            (Traffic::Listed(listed(&vec![0; lengths.len()], &lengths)), says)
        }
        _ => (Traffic::Own, "the scenario's own traffic: the file does not tell what was sent".to_owned()),
    };
    if !matches!(traffic, Traffic::Own) {
        base.run = Run { horizon_s: 0.0, warmup_s: 0.0, warmup_requests: 0, max_requests: 0 };
        base.workload.trace = None;
        base.workload.clients = Vec::new();
        base.workload.requests = Vec::new();
    }
    Replay { base, traffic, says, auto_blocks }
}

impl Replay {
    /// Whether arrivals are drawn, so that seeds differ.
    pub fn is_drawn(&self) -> bool {
        matches!(self.traffic, Traffic::Own | Traffic::Drawn { .. })
    }

    /// How many requests it has at least; 0 if the scenario's own traffic is run.
    pub(super) fn requests(&self) -> usize {
        match &self.traffic {
            Traffic::Own => 0,
            Traffic::Listed(list) => list.len(),
            Traffic::Drawn { lengths, .. } => lengths.len(),
            Traffic::Closed(client) => match client.conversation.as_ref().map(|c| &c.rounds) {
                Some(Rounds::Constant { rounds }) => *rounds as usize,
                _ => 0,
            },
        }
    }

    /// The scenario with a seed.
    pub fn scenario(&self, seed: u64) -> Scenario {
        let mut scenario = Scenario { seed, ..self.base.clone() };
        match &self.traffic {
            Traffic::Own => {}
            Traffic::Listed(list) => scenario.workload.requests.clone_from(list),
            Traffic::Drawn { lengths, mean_gap_s, cv } => {
                let mut stream = Stream::new(seed, Purpose::Arrivals, 0);
                scenario.workload.requests =
                    listed(&drawn(&mut stream, lengths.len(), *mean_gap_s, *cv), lengths);
            }
            Traffic::Closed(client) => {
                scenario.run.horizon_s = CLOSED_S;
                scenario.workload.clients = vec![(**client).clone()];
            }
        }
        scenario
    }

    /// The scenario that it begins with.
    pub(super) fn seed(&self) -> u64 {
        self.base.seed
    }

    /// Sets the latency model of the pools with a GPU.
    pub(super) fn set_latency(&mut self, gpu: &str, model: &LatencyModel) {
        set_latency(&mut self.base, gpu, model);
    }
}

/// Sets the latency model of the pools with a GPU.
pub(super) fn set_latency(scenario: &mut Scenario, gpu: &str, model: &LatencyModel) {
    for pool in scenario.cluster.pools.iter_mut().filter(|pool| pool.gpu == gpu) {
        pool.latency = model.clone();
    }
}

/// The blocks of a replica of the first pool where the scenario leaves them open.
fn auto_blocks(scenario: &Scenario) -> Option<u32> {
    let mut pool = scenario.cluster.pools.first()?.clone();
    pool.kv.blocks = KvBlocks::Auto;
    perf::resolve(&pool, scenario.cluster.compat, "").ok().map(|r| r.blocks.0)
}

/// What the server said of its KV cache goes to every pool.
pub(super) fn set_engine(b: &Benchmark, scenario: &mut Scenario) {
    for pool in &mut scenario.cluster.pools {
        let facts = &b.engine;
        pool.kv.block_tokens =
            facts.block_tokens.filter(|n| *n <= limits::BLOCK_TOKENS).unwrap_or(pool.kv.block_tokens);
        let of_tokens = facts.kv_tokens.map(|tokens| tokens / pool.kv.block_tokens.max(1));
        let blocks = facts.blocks.or(of_tokens).filter(|n| (1..=limits::KV_BLOCKS).contains(n));
        pool.kv.blocks = blocks.map_or(pool.kv.blocks, KvBlocks::Count);
        let share = facts.gpu_memory_utilization.filter(|x| *x <= 1.0);
        pool.kv.gpu_memory_utilization = share.unwrap_or(pool.kv.gpu_memory_utilization);
        pool.kv.prefix_caching = facts.prefix_caching.unwrap_or(pool.kv.prefix_caching);
        if let LatencyModel::Calibrated(settings) = &mut pool.latency {
            settings.clock = b.clock;
        }
    }
}

/// Lengths of prompt and answer of each request: measured ones, or the means.
fn lengths(b: &Benchmark) -> Vec<[u32; 2]> {
    let sound = |prompt: f64, output: f64| {
        let most = f64::from(limits::REQUEST_TOKENS / 2);
        [prompt.round().clamp(1.0, most) as u32, output.round().clamp(1.0, most) as u32]
    };
    if !b.requests.is_empty() {
        let of = |r: &super::Request| sound(r.prompt_tokens.into(), r.output_tokens.into());
        return b.requests.iter().map(of).collect();
    }
    let means = b.load.prompt_tokens.zip(b.load.output_tokens);
    let count = b.load.requests.filter(|n| *n > 0).map(|n| (n as usize).min(limits::EXPLICIT_REQUESTS));
    match (means, count) {
        (Some((prompt, output)), Some(n)) => vec![sound(prompt, output); n],
        _ => Vec::new(),
    }
}

/// Requests with texts of their own, the first at 0.
fn listed(starts: &[u64], lengths: &[[u32; 2]]) -> Vec<ExplicitRequest> {
    let first = starts.iter().copied().min().unwrap_or(0);
    let make = |(i, (start, [prompt, output])): (usize, (&u64, &[u32; 2]))| {
        let text = 2 * i as u32;
        ExplicitRequest {
            id: format!("{i:06}"),
            arrival_us: (start - first).min(limits::HORIZON_US),
            prompt: vec![ExplicitPiece { text, tokens: *prompt, offset: 0 }],
            output: ExplicitOutput { text: text + 1, tokens: *output, offset: 0 },
            tenant: String::new(),
            slo_class: String::new(),
            model: String::new(),
            session: String::new(),
        }
    };
    starts.iter().zip(lengths).enumerate().map(make).collect()
}

/// Times at which `n` requests are sent.
fn drawn(stream: &mut Stream, n: usize, mean_gap_s: f64, cv: f64) -> Vec<u64> {
    let mut at = 0.0;
    let mut times = Vec::with_capacity(n);
    for _ in 0..n {
        at += if cv < limits::CV_MIN {
            mean_gap_s
        } else if (cv - 1.0).abs() < 1e-9 {
            dist::exponential(stream, mean_gap_s)
        } else {
            dist::gamma(stream, mean_gap_s, cv)
        };
        times.push((at * 1e6) as u64);
    }
    times
}

/// So many conversations without memory, each with its share of the requests.
fn client(in_flight: u32, lengths: &[[u32; 2]]) -> Client {
    let rounds = (lengths.len() as u32).max(in_flight).div_ceil(in_flight);
    let step = lengths.len().div_ceil(MOST_LENGTHS).max(1);
    let of = |side: usize| {
        let mut all: Vec<u32> = lengths.iter().map(|both| both[side]).collect();
        all.sort_unstable();
        let kept: Vec<u32> = all.iter().copied().skip(step / 2).step_by(step).collect();
        if kept.first() == kept.last() {
            return Lengths::Constant { tokens: kept.first().copied().unwrap_or(1) };
        }
        let weighted = |tokens: u32| WeightedLength { tokens, weight: 1.0 };
        Lengths::Empirical { lengths: kept.into_iter().map(weighted).collect() }
    };
    let end_s = APART_US * (f64::from(in_flight) + 0.5) / 1e6;
    Client {
        arrivals: Arrivals::Constant { rate_per_s: 1e6 / APART_US },
        rate_profile: RateProfile::Windows { windows: vec![Window { start_s: 0.0, end_s }] },
        prompt_tokens: of(0),
        output_tokens: of(1),
        conversation: Some(Conversation {
            rounds: Rounds::Constant { rounds },
            think_time: ThinkTime::Constant { think_s: 0.0 },
            clock: ConversationClock::Closed,
            context_growth: ContextGrowth::None,
            max_context_tokens: limits::REQUEST_TOKENS,
        }),
        ..Client::default()
    }
}
