//! Small random cases that try to hurt: tight caches, starved budgets, shared and re-sent texts, bursts, cut-off ends.

use crate::reference::case::{Case, Compat, Config, Record, RequestLine, Segment};

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

/// Case number `seed`.
pub(crate) fn case(seed: u64) -> Case {
    let mut dice = Dice::new(seed);
    let d = &mut dice;
    let compat = if d.chance(60) { Compat::None } else { Compat::Blis };
    let block = d.pick(&[1, 2, 3, 4, 4, 5, 8, 16, 16, 32, 64]);
    let longest = d.pick(&[3, 12, 40, 120]) as u32;
    let longest_answer = d.pick(&[1, 2, 8, 30, 60]) as u32;
    let requests = requests(d, longest, longest_answer);
    let config = config(d, compat, block, u64::from(longest + longest_answer), &requests);
    let record = Record { max_steps_per_instance: if d.chance(50) { 400 } else { 0 }, itl: d.chance(50) };
    Case { name: format!("generated {seed}"), config, requests, record }
}

fn config(d: &mut Dice, compat: Compat, block: u64, longest: u64, requests: &[RequestLine]) -> Config {
    let one = longest.div_ceil(block);
    let blocks = match d.range(0, 9) {
        0..=2 => d.range(one.div_ceil(2), one + 1),
        3..=6 => d.range(one, 3 * one + 2),
        7 => d.range(3 * one, 8 * one + 8),
        _ => 5000,
    };
    let alpha = match d.range(0, 3) {
        0 | 1 => [0.0; 3],
        2 => [d.range(0, 900) as f64 / 3.0, d.range(0, 40) as f64 / 7.0, d.range(0, 90) as f64 / 4.0],
        _ => [250.0, 0.0, 0.0],
    };
    let beta = match d.range(0, 5) {
        0 => vec![0.0, 0.0, 0.0],
        1 => vec![0.4, 0.3, 0.2],
        2 => vec![100.0, 0.0, 0.0],
        3 => vec![0.0, 7.5, 3.25],
        _ => vec![d.range(50, 2000) as f64, d.range(0, 160) as f64 / 8.0, d.range(0, 80) as f64 / 8.0],
    };
    let last = requests.iter().map(|r| r.arrival_us).max().unwrap_or(0);
    // Without an end, a batch under the rules of BLIS may preempt itself for ever.
    let bounded = last + (beta[0] as u64 + 30) * d.range(5, 300);
    let horizon_us = match d.range(0, 3) {
        0 => d.range(1, bounded),
        1 | 2 if compat == Compat::None => 0,
        _ => bounded,
    };
    Config {
        compat,
        num_instances: d.pick(&[1, 1, 1, 2, 3, 4]),
        total_kv_blocks: blocks.max(1) as usize,
        block_size_tokens: block as usize,
        max_num_running_reqs: d.pick(&[1, 2, 3, 4, 8, 64, 64]),
        max_num_scheduled_tokens: d.pick(&[1, 2, 3, 5, 8, 20, 64, 512, 8192, 8192]),
        long_prefill_token_threshold: d.pick(&[0, 0, 0, 1, 2, 5, 16, 33]),
        alpha_coeffs: alpha,
        beta_coeffs: beta,
        horizon_us,
        admission_latency_us: d.pick(&[0, 0, 0, 1, 170]),
        routing_latency_us: d.pick(&[0, 0, 0, 1, 90]),
        snapshot_refresh_interval_us: d.pick(&[0, 0, 1, 500, 20_000]),
        routing_policy: d.pick(&["round-robin", "least-loaded", "least-loaded"]).to_owned(),
        admission_policy: "always-admit".to_owned(),
        scheduler: "fcfs".to_owned(),
        priority_policy: "constant".to_owned(),
        latency_backend: "blackbox".to_owned(),
        kv_cpu_blocks: 0,
    }
}

fn requests(d: &mut Dice, longest: u32, longest_answer: u32) -> Vec<RequestLine> {
    let count = d.pick(&[1, 2, 4, 8, 8, 15, 15, 30, 30, 100]);
    let gap = d.pick(&[0, 1, 30, 400, 3000]);
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
            input.push(Segment { s: own, n: d.range(1, u64::from(longest)) as u32, o: 0 });
        }
        let n = if d.chance(15) { d.range(0, 1) } else { d.range(0, u64::from(longest_answer)) };
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
