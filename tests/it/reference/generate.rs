//! Small random cases at difficult settings: tight caches, starved budgets, shared and re-sent texts, bursts, cut-off
//! ends, pools that differ.
//!
//! What a case draws, each independently unless said otherwise:
//!
//! | of | is drawn from |
//! |---|---|
//! | mode | 60 % default, 40 % blis |
//! | pools | two thirds one, one third 2 to 4, every figure below drawn anew for each |
//! | replicas | one pool: 1 to 10; several: 1 to 3 in each |
//! | tokens in a block | 1 to 64, in a quarter of the cases 1; rarely 1,024 |
//! | blocks of a cache | 3 to 12 in two fifths; else from half of what the longest request needs to 8 times that; or thousands |
//! | output tokens | none to 60; in two fifths up to three times the first pool's cache, 180 at most |
//! | prompt tokens | 1 to 120 for each piece; shared, repeated, continued from an earlier request, or its own |
//! | most requests in a batch | 1, 2, 3, 4, 8, 64, or the limit of a scenario |
//! | token budget | 1, 2, 3, 5, 8, 20, 64, 512, 8192, or the limit |
//! | longest piece of a prompt | none, 1 to 33 tokens, or the limit |
//! | step time | nothing, fractions of a microsecond, a constant, by tokens, all of these, or the largest coefficients |
//! | queueing delay, output overhead | none, small, or the largest coefficient |
//! | scheduler and priority | fcfs in half of the pools, else any of four and three |
//! | prefix caching | off in one pool of eight |
//! | whole prompts | have to fit in half of the pools (default mode) |
//! | preemption | off in one pool of five (default mode) |
//! | who makes room | the latest in three of five, else the least urgent or the cheapest (default mode) |
//! | watermark | none in three quarters, else an eighth, a quarter or half (default mode) |
//! | routing | round robin, least loaded, busiest, least KV |
//! | signals | fresh, or up to 1 us, 500 us, 20 ms or an hour old |
//! | latencies of the gateway | none, 1 us, about 100 us, or an hour |
//! | requests | 1 to 100, together or up to 120 ms apart, in any order; in three tenths all of the same lengths |
//! | horizon | none (default mode), early, late, or the limit |

use crate::reference::case::{Case, Compat, Config, PoolConfig, Record, RequestLine, Segment};

/// A generator of its own (splitmix64), so that the cases do not move with anybody else's.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x9e37_79b9_7f4a_7c15)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn range(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high - low + 1)
    }

    /// One of a few values, all equally likely.
    pub(crate) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.range(0, of.len() as u64 - 1) as usize]
    }

    /// Yes in `percent` of the calls.
    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.range(0, 99) < percent
    }
}

/// The limits of a scenario, for corners at the far end: this generator shares no code with the simulator.
const LONGEST_LATENCY_US: u64 = 3_600_000_000;
const LARGEST_COEFFICIENT_US: f64 = 1e9;
pub(crate) const LONGEST_RUN_US: u64 = 2_592_000_000_000;

/// Case number `seed`.
pub(crate) fn case(seed: u64) -> Case {
    let mut dice = Dice::new(seed);
    let d = &mut dice;
    let compat = if d.chance(60) { Compat::None } else { Compat::Blis };
    let block = d.pick(&[1, 1, 1, 2, 3, 4, 4, 5, 8, 16, 16, 16, 32, 64]);
    let block = if d.chance(2) { 1024 } else { block };
    let longest = d.pick(&[3, 12, 40, 120]) as u32;
    let tight = d.chance(40);
    let blocks = d.range(3, 12);
    let longest_answer = if tight {
        d.range(1, 3 * blocks * block).min(180) as u32
    } else {
        d.pick(&[1, 2, 8, 30, 60]) as u32
    };
    let requests = requests(d, longest, longest_answer);
    let longest = u64::from(longest + longest_answer);
    let first = if tight { blocks } else { cache(d, longest.div_ceil(block)) };
    let pools = if d.chance(67) { 1 } else { d.range(2, 4) };
    let mut pools: Vec<PoolConfig> = (0..pools)
        .map(|k| {
            let block = if k == 0 { block } else { d.pick(&[1, 2, 3, 4, 5, 8, 16, 32]) };
            let blocks = if k == 0 { first } else { cache(d, longest.div_ceil(block)) };
            let replicas = if pools == 1 { d.pick(&[1, 1, 1, 2, 3, 4, 5, 6, 8, 10]) } else { d.range(1, 3) };
            pool(d, compat, (block, blocks), replicas)
        })
        .collect();
    let config = config(d, compat, pools.remove(0), pools, &requests);
    let record = Record { max_steps_per_instance: if d.chance(50) { 400 } else { 0 }, itl: d.chance(50) };
    Case { name: format!("generated {seed}"), config, requests, record }
}

/// Blocks of a cache in which the longest request of its own text needs `one`.
fn cache(d: &mut Dice, one: u64) -> u64 {
    match d.range(0, 9) {
        0 | 1 => d.range(3, 12),
        2 | 3 => d.range(one.div_ceil(2), one + 1),
        4..=6 => d.range(one, 3 * one + 2),
        7 => d.range(3 * one, 8 * one + 8),
        8 => 5000,
        _ => d.pick(&[1, 2, 300, 20_000]),
    }
}

fn pool(d: &mut Dice, compat: Compat, (block, blocks): (u64, u64), replicas: u64) -> PoolConfig {
    let alpha = match d.range(0, 15) {
        0..=7 => [0.0; 3],
        8..=10 => [d.range(0, 900) as f64 / 3.0, d.range(0, 40) as f64 / 7.0, d.range(0, 90) as f64 / 4.0],
        11..=14 => [250.0, 0.0, 0.0],
        _ => [LARGEST_COEFFICIENT_US, 0.0, LARGEST_COEFFICIENT_US],
    };
    let beta = match d.range(0, 17) {
        0 | 1 => vec![0.0, 0.0, 0.0],
        2..=4 => vec![0.4, 0.3, 0.2],
        5..=7 => vec![100.0, 0.0, 0.0],
        8 | 9 => vec![0.0, 7.5, 3.25],
        10 => vec![LARGEST_COEFFICIENT_US; 3],
        _ => vec![d.range(50, 2000) as f64, d.range(0, 160) as f64 / 8.0, d.range(0, 80) as f64 / 8.0],
    };
    let schedulers = ["fcfs", "sjf", "priority-fcfs", "reverse-priority"];
    let (scheduler, priority) = if d.chance(50) {
        ("fcfs", "constant")
    } else {
        (d.pick(&schedulers), d.pick(&["constant", "slo-based", "inverted-slo"]))
    };
    PoolConfig {
        num_instances: replicas as usize,
        total_kv_blocks: blocks.max(1) as usize,
        block_size_tokens: block as usize,
        max_num_running_reqs: d.pick(&[1, 2, 3, 4, 8, 64, 64, 65_536]),
        max_num_scheduled_tokens: d.pick(&[1, 2, 3, 5, 8, 20, 64, 512, 8192, 8192, 1 << 20]),
        long_prefill_token_threshold: d.pick(&[0, 0, 0, 0, 1, 2, 5, 16, 33, 1 << 20]),
        alpha_coeffs: alpha,
        beta_coeffs: beta,
        scheduler: scheduler.to_owned(),
        priority_policy: priority.to_owned(),
        without_prefix_caching: d.chance(12),
        whole_prompts: d.chance(50) && compat == Compat::None,
        without_preemption: d.chance(20) && compat == Compat::None,
        victim: if d.chance(40) && compat == Compat::None {
            d.pick(&["lowest-priority", "cheapest-to-recompute"]).to_owned()
        } else {
            String::new()
        },
        watermark_permille: if d.chance(25) && compat == Compat::None { d.pick(&[125, 250, 500]) } else { 0 },
    }
}

fn config(
    d: &mut Dice,
    compat: Compat,
    pool: PoolConfig,
    more_pools: Vec<PoolConfig>,
    requests: &[RequestLine],
) -> Config {
    let last = requests.iter().map(|r| r.arrival_us).max().unwrap_or(0);
    // Without an end, a batch under the rules of BLIS may preempt itself for ever: an end after so many steps of the
    // quickest pool.
    let step = std::iter::once(&pool).chain(&more_pools).map(|p| p.beta_coeffs[0] as u64).min().unwrap_or(0);
    let bounded = last + (step + 30) * d.range(5, 300);
    let bounded = if compat == Compat::Blis { bounded.min(2000 * (step + 10)) } else { bounded };
    let horizon_us = match d.range(0, 7) {
        0 | 1 => d.range(1, bounded),
        2 if compat == Compat::None => LONGEST_RUN_US,
        3..=5 if compat == Compat::None => 0,
        _ => bounded,
    };
    let rarely = |d: &mut Dice, usual: u64| if d.chance(2) { LONGEST_LATENCY_US } else { usual };
    let (admission, routing) = (d.pick(&[0, 0, 0, 1, 170]), d.pick(&[0, 0, 0, 1, 90]));
    Config {
        compat,
        pool,
        more_pools,
        horizon_us,
        admission_latency_us: rarely(d, admission),
        routing_latency_us: rarely(d, routing),
        snapshot_refresh_interval_us: d.pick(&[0, 0, 0, 1, 500, 20_000, LONGEST_LATENCY_US]),
        routing_policy: d
            .pick(&[
                "round-robin",
                "round-robin",
                "least-loaded",
                "least-loaded",
                "always-busiest",
                "least-kv",
            ])
            .to_owned(),
        admission_policy: "always-admit".to_owned(),
        latency_backend: "blackbox".to_owned(),
        kv_cpu_blocks: 0,
    }
}

fn requests(d: &mut Dice, longest: u32, longest_answer: u32) -> Vec<RequestLine> {
    let count = d.pick(&[1, 2, 4, 8, 8, 15, 15, 30, 30, 30, 30, 100]);
    let gap = d.pick(&[0, 1, 30, 400, 400, 3000, 3000, 15_000, 60_000]);
    let equal = d.chance(30);
    let texts = d.pick(&[1, 2, 5]);
    let sharing = d.pick(&[0, 50, 90]);
    let turns = d.pick(&[0, 0, 40]);
    let mut now = d.pick(&[0, 0, 7]);
    let mut all: Vec<RequestLine> = Vec::new();
    for k in 0..count {
        let own = 1000 + 10 * k as u32;
        let mut input = Vec::new();
        if !all.is_empty() && d.chance(turns) {
            // The next turn of an earlier conversation: its prompt and (part of) its answer come again.
            let before = &all[d.range(0, all.len() as u64 - 1) as usize];
            input.extend(&before.input);
            let seen = before.output.n - if d.chance(30) { before.output.n / 2 } else { 0 };
            input.push(Segment { n: seen, ..before.output });
        } else if d.chance(sharing) {
            let o = if d.chance(10) { 3 } else { 0 };
            input.push(Segment { s: d.range(1, texts) as u32, n: d.range(1, u64::from(longest)) as u32, o });
        }
        if input.iter().map(|s| s.n).sum::<u32>() == 0 || d.chance(60) {
            let n = if equal { u64::from(longest) } else { d.range(1, u64::from(longest)) };
            input.push(Segment { s: own, n: n as u32, o: 0 });
        }
        let n = match equal {
            true => u64::from(longest_answer),
            false if d.chance(15) => d.range(0, 1),
            false => d.range(0, u64::from(longest_answer)),
        };
        let output = Segment { s: own + 1, n: n as u32, o: 0 };
        all.push(RequestLine { id: format!("request_{k}"), arrival_us: now, input, output });
        if !d.chance(35) {
            now += d.range(0, 2 * gap);
        }
    }
    if d.chance(15) {
        all.reverse();
    }
    all
}
