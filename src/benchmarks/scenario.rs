//! Turns a result into a scenario: the cluster of the user's scenario, and the traffic of the file.
//!
//! Requests with a time of sending arrive at that time; a limit of requests in flight becomes a closed loop; arrivals
//! at a rate are drawn, with or without such a limit (`capped`). No tool records which prompts share text, so all
//! prompts are taken as different. If a file does not say what was sent, a load is assumed: the requests that it lists
//! are sent one after the other, else the traffic of the user's scenario is run.

use super::replayed::{ClosedLoop, equally_likely, gap, listed_request, piece, send_closed_loop};
use super::simulated::{Simulated, run};
use super::{capped, model_names, told};
use crate::import::benchmark::{Benchmark, Request};
use base::Diagnostics;
use base::rng::{Purpose, Stream};
use document::{
    Client, ExplicitRequest, KvBlocks, LatencyClock, LatencyModel, Lengths, Rounds, Run, Scenario, limits,
};
use engine::perf;
use std::cell::RefCell;

/// A run of what was measured.
#[derive(Clone, Debug)]
pub struct Replay {
    base: Scenario,
    traffic: Traffic,
    /// The simulated load, in words.
    pub says: String,
    /// Whether the load is a guess, as the file does not say what was sent.
    pub assumed: bool,
    /// The parts of the load that the file lacks, where it is assumed.
    pub(super) missing: Vec<&'static str>,
    /// Reasons not to trust the comparison.
    pub(super) warnings: Vec<String>,
    /// Which requests count in the figures, in order of arrival; those beyond its end count.
    counted: Vec<bool>,
    /// KV blocks that fit by themselves, if the server reported its number.
    pub(super) auto_blocks: Option<u32>,
}

#[derive(Clone, Debug)]
enum Traffic {
    /// That of the scenario.
    Own,
    Listed(Vec<ExplicitRequest>),
    /// Requests that are due at times, with a limit of requests in flight: one is sent at its time, or when one of those before it
    /// ends, if that is later.
    Due {
        lengths: Vec<[u32; 2]>,
        at: Vec<u64>,
        cap: u32,
    },
    Drawn {
        lengths: Vec<[u32; 2]>,
        mean_gap_s: f64,
        cv: f64,
        /// Most requests in flight: the client holds others back.
        cap: Option<u32>,
    },
    Closed(Box<Client>),
}

/// Different lengths of a closed loop.
const MOST_LENGTHS: usize = 512;

/// Makes a run of a result on the cluster of a scenario.
pub fn replay(b: &Benchmark, scenario: &Scenario) -> Replay {
    let mut base = Scenario { edits: Vec::new(), ..scenario.clone() };
    base.observe.anomalies = false;
    let auto_blocks = b.engine.blocks.and(auto_blocks(&base));
    set_engine(b, &mut base);
    let (traffic, says, assumed) = traffic(b);
    if !matches!(traffic, Traffic::Own) {
        base.run = Run { horizon_s: 0.0, warmup_s: 0.0, warmup_requests: 0, max_requests: 0 };
        base.workload.trace = None;
        base.workload.clients = Vec::new();
        base.workload.requests = Vec::new();
    }
    let warnings = model_names::another_model(b, scenario).into_iter().collect();
    let counted = if b.requests.iter().all(|r| r.counted) { Vec::new() } else { in_order(b) };
    let missing = if assumed { told::missing(b) } else { Vec::new() };
    Replay { base, traffic, says, assumed, missing, warnings, counted, auto_blocks }
}

/// The load, its description, and whether it is assumed.
fn traffic(b: &Benchmark) -> (Traffic, String, bool) {
    if b.load.own_traffic {
        return (Traffic::Own, "the scenario's own traffic".to_owned(), false);
    }
    let lengths = lengths(b);
    let n = lengths.len();
    let of = of_lengths(&lengths);
    let starts: Option<Vec<i64>> = b.requests.iter().map(|r| r.start_us).collect();
    let starts = starts.filter(|s| !s.is_empty() && from_first(s).iter().all(|us| *us <= limits::HORIZON_US));
    let closed = b.load.concurrency.filter(|_| b.load.at_once);
    let sent_s = b.load.rate_per_s.map(|rate| n as f64 / rate);
    let bearable = sent_s.is_some_and(|s| s < limits::HORIZON_S);
    let cap = b.load.concurrency.filter(|cap| *cap > 0 && (*cap as usize) < n);
    match (starts, closed, b.load.rate_per_s) {
        (Some(starts), ..) if cap.is_some() => {
            let cap = cap.unwrap_or(1).min(65_536);
            let says = format!("{n} requests, each sent when it was, at most {cap} in flight{HELD}");
            let (at, lengths) = in_order_of_sending(&from_first(&starts), &lengths);
            (Traffic::Due { lengths, at, cap }, says, false)
        }
        (Some(starts), ..) => {
            let says = format!("{} requests, each sent when it was", starts.len());
            (Traffic::Listed(listed(&from_first(&starts), &lengths)), says, false)
        }
        (None, Some(in_flight), _) if n > 0 => {
            let in_flight = in_flight.clamp(1, 65_536);
            let says = format!("{n} requests, {in_flight} in flight,{of}");
            (Traffic::Closed(Box::new(client(in_flight, &lengths))), says, false)
        }
        (None, _, Some(rate)) if n > 0 && rate <= limits::RATE_PER_S && bearable => {
            let cv = b.load.gap_cv.unwrap_or(1.0);
            let even = if cv < limits::CV_MIN { ", evenly spaced" } else { "" };
            let held = cap.map_or_else(String::new, |cap| format!(", at most {cap} in flight{HELD}"));
            let says = format!("{n} requests at {rate} a second{even}{held},{of}");
            (Traffic::Drawn { lengths, mean_gap_s: 1.0 / rate, cv, cap }, says, false)
        }
        (None, None, None) if b.load.at_once && n > 0 => {
            let says = format!("{n} requests, all sent at once,{of}");
            (Traffic::Listed(listed(&vec![0; n], &lengths)), says, false)
        }
        // A server counts traffic that only its user knows.
        _ if n > 0 && b.clock == LatencyClock::Client => {
            let says = format!(
                "{n} requests{of}, one after the other, which is assumed: the file does not say when they \
                were sent"
            );
            (Traffic::Closed(Box::new(client(1, &lengths))), says, true)
        }
        _ => (Traffic::Own, format!("the scenario's own traffic, which is assumed: {}", untold(b)), true),
    }
}

/// What a limit of requests in flight means.
const HELD: &str = " (the client holds the others back; TTFT counts from sending)";

/// Times and lengths in the order of the times.
fn in_order_of_sending(starts: &[u64], lengths: &[[u32; 2]]) -> (Vec<u64>, Vec<[u32; 2]>) {
    let mut all: Vec<(u64, [u32; 2])> = starts.iter().copied().zip(lengths.iter().copied()).collect();
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().unzip()
}

/// The part of the load that the file does not contain.
fn untold(b: &Benchmark) -> &'static str {
    let told = b.load.rate_per_s.is_some() || b.load.concurrency.is_some() || b.load.at_once;
    let lengths = b.load.prompt_tokens.is_some() && b.load.output_tokens.is_some();
    match (told, lengths, b.load.requests.is_some_and(|n| n > 0)) {
        (true, true, true) => "its rate is out of the range that is run",
        (true, true, false) => "the file does not say how many requests were sent",
        (true, false, _) => "the file does not say how long prompts and answers were",
        (false, ..) => "the file does not say what was sent",
    }
}

/// The lengths in words.
fn of_lengths(lengths: &[[u32; 2]]) -> String {
    let of = |side: usize| {
        let (least, most) = (lengths.iter().map(|l| l[side]).min(), lengths.iter().map(|l| l[side]).max());
        match (least, most) {
            (Some(least), Some(most)) if least < most => format!("{least} to {most}"),
            (Some(all), _) => all.to_string(),
            (None, _) => String::new(),
        }
    };
    format!(" of {} and {} tokens", of(0), of(1))
}

/// Instants from the first one on.
fn from_first(starts: &[i64]) -> Vec<u64> {
    let first = starts.iter().copied().min().unwrap_or(0);
    starts.iter().map(|start| start.abs_diff(first)).collect()
}

/// Which requests are counted, in order of arrival.
fn in_order(b: &Benchmark) -> Vec<bool> {
    let mut order: Vec<usize> = (0..b.requests.len()).collect();
    order.sort_by_key(|i| b.requests[*i].start_us);
    order.into_iter().map(|i| b.requests[i].counted).collect()
}

impl Replay {
    /// Whether arrivals are drawn, so that seeds differ.
    pub fn is_drawn(&self) -> bool {
        matches!(self.traffic, Traffic::Own | Traffic::Drawn { .. })
    }

    /// Least number of its requests; 0 if the scenario's own traffic is run.
    pub(super) fn requests(&self) -> usize {
        match &self.traffic {
            Traffic::Own => 0,
            Traffic::Listed(list) => list.len(),
            Traffic::Drawn { lengths, .. } | Traffic::Due { lengths, .. } => lengths.len(),
            Traffic::Closed(client) => match client.conversation.as_ref().map(|c| &c.rounds) {
                Some(Rounds::Constant { rounds }) => *rounds as usize,
                _ => 0,
            },
        }
    }

    /// Runs it with a seed.
    pub(super) fn run(&self, seed: u64) -> Result<Simulated, Diagnostics> {
        let (lengths, cap) = match &self.traffic {
            Traffic::Drawn { lengths, cap: Some(cap), .. } | Traffic::Due { lengths, cap, .. } => {
                (lengths, *cap)
            }
            Traffic::Drawn { cap: None, .. } | Traffic::Own | Traffic::Listed(_) | Traffic::Closed(_) => {
                return run(self.scenario(seed), &self.counted);
            }
        };
        let mut closed = self.clone();
        closed.traffic = Traffic::Closed(Box::new(client(cap, lengths)));
        let begin = run(closed.scenario(seed), &[])?;
        let last = RefCell::new(Vec::new());
        let sent_at = |sent: &[u64]| {
            let mut scenario = self.scenario(seed);
            scenario.workload.requests = listed(sent, lengths);
            scenario
        };
        let found = capped::run_capped(cap, &self.arrivals(seed), begin, &|sent| {
            sent.clone_into(&mut last.borrow_mut());
            run(sent_at(sent), &[])
        })?;
        // The search needs the durations of all requests, also of those that do not count.
        let counts = !matches!(self.traffic, Traffic::Due { .. }) || !self.counted.contains(&false);
        if counts { Ok(found) } else { run(sent_at(&last.into_inner()), &self.counted) }
    }

    /// Number of runs per seed.
    pub(super) fn runs(&self) -> usize {
        match &self.traffic {
            Traffic::Drawn { cap: Some(_), .. } | Traffic::Due { .. } => capped::RUNS,
            Traffic::Drawn { cap: None, .. } | Traffic::Own | Traffic::Listed(_) | Traffic::Closed(_) => 1,
        }
    }

    /// Times at which requests are due.
    fn arrivals(&self, seed: u64) -> Vec<u64> {
        match &self.traffic {
            Traffic::Drawn { lengths, mean_gap_s, cv, .. } => {
                drawn(&mut Stream::new(seed, Purpose::Arrivals, 0), lengths.len(), *mean_gap_s, *cv)
            }
            Traffic::Due { at, .. } => at.clone(),
            Traffic::Own | Traffic::Listed(_) | Traffic::Closed(_) => Vec::new(),
        }
    }

    /// The scenario with a seed, without the limit of requests in flight of a rate.
    pub fn scenario(&self, seed: u64) -> Scenario {
        let mut scenario = Scenario { seed, ..self.base.clone() };
        match &self.traffic {
            Traffic::Own => {}
            Traffic::Listed(list) => scenario.workload.requests.clone_from(list),
            Traffic::Drawn { lengths, .. } | Traffic::Due { lengths, .. } => {
                scenario.workload.requests = listed(&self.arrivals(seed), lengths);
            }
            Traffic::Closed(client) => send_closed_loop(&mut scenario, (**client).clone()),
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

/// The blocks of a replica of the first pool if the scenario leaves them open.
fn auto_blocks(scenario: &Scenario) -> Option<u32> {
    let mut pool = scenario.cluster.pools.first()?.clone();
    pool.kv.blocks = KvBlocks::Auto;
    perf::resolve(&pool, scenario.cluster.compat, "").ok().map(|r| r.blocks.0)
}

/// The server's facts about its KV cache go to every pool.
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
        let of = |r: &Request| sound(r.prompt_tokens.into(), r.output_tokens.into());
        return b.requests.iter().map(of).collect();
    }
    let means = b.load.prompt_tokens.zip(b.load.output_tokens);
    let count = b.load.requests.filter(|n| *n > 0).map(|n| (n as usize).min(limits::EXPLICIT_REQUESTS));
    match (means, count) {
        (Some((prompt, output)), Some(n)) => vec![sound(prompt, output); n],
        _ => Vec::new(),
    }
}

/// Requests with texts of their own.
fn listed(starts: &[u64], lengths: &[[u32; 2]]) -> Vec<ExplicitRequest> {
    let first = starts.iter().copied().min().unwrap_or(0);
    let make = |(i, (start, [prompt, output])): (usize, (&u64, &[u32; 2]))| {
        let (number, text) = (i as u32, 2 * i as u32);
        let arrival_us = (start - first).min(limits::HORIZON_US);
        listed_request(number, arrival_us, vec![piece(text, *prompt)], &piece(text + 1, *output))
    };
    starts.iter().zip(lengths).enumerate().map(make).collect()
}

/// Times at which `n` requests are sent.
fn drawn(stream: &mut Stream, n: usize, mean_gap_s: f64, cv: f64) -> Vec<u64> {
    let mut at = 0.0;
    let mut times = Vec::with_capacity(n);
    for _ in 0..n {
        at += gap(stream, mean_gap_s, cv);
        times.push((at * 1e6) as u64);
    }
    times
}

/// A closed loop of requests of these lengths.
fn client(in_flight: u32, lengths: &[[u32; 2]]) -> Client {
    let step = lengths.len().div_ceil(MOST_LENGTHS).max(1);
    let of = |side: usize| {
        let mut all: Vec<u32> = lengths.iter().map(|both| both[side]).collect();
        all.sort_unstable();
        let kept: Vec<u32> = all.iter().copied().skip(step / 2).step_by(step).collect();
        if kept.first() == kept.last() {
            return Lengths::Constant { tokens: kept.first().copied().unwrap_or(1) };
        }
        equally_likely(kept.into_iter())
    };
    let requests = lengths.len() as u32;
    ClosedLoop { in_flight, requests, prompt_tokens: of(0), output_tokens: of(1) }.client()
}
