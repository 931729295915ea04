//! A plain second implementation of llm-d 1.0's routing: the filter prefix-affinity and the scorer token-load, with the
//! router's memory of prompts. Lists of tokens stand in for hashes, and everything is counted anew from lists.

use std::collections::BTreeMap;

/// The settings of one case.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) threshold: f64,
    pub(crate) keeps_all: bool,
    pub(crate) max_penalty_ms: f64,
    /// Prompt tokens per second; 0 for those of the replica's pool.
    pub(crate) peak: u32,
    pub(crate) uncached: bool,
    pub(crate) until_first_token: bool,
    pub(crate) token_threshold: u32,
    /// Blocks remembered for each replica.
    pub(crate) index_blocks: usize,
    /// Tokens of a block in the memory; 0 for those of the replica's pool.
    pub(crate) block_tokens: usize,
    /// Tokens of a prompt that are remembered; 0 for all.
    pub(crate) match_tokens: usize,
}

/// A replica: tokens in a block and prompt tokens per second of its pool, and what it was sent.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) block_tokens: usize,
    pub(crate) peak: f64,
    /// The beginnings of prompts in whole blocks, the oldest first.
    pub(crate) remembered: Vec<Vec<u64>>,
}

/// What was sent and counts yet.
struct Sent {
    replica: usize,
    prompt: u64,
    uncached: u64,
    has_first_token: bool,
}

pub(crate) struct Sticky {
    pub(crate) rules: Rules,
    pub(crate) places: Vec<Place>,
    sent: BTreeMap<u32, Sent>,
    /// Decisions in which the filter left something out, and those in which it did not because of the load.
    pub(crate) narrowed: usize,
    pub(crate) saturated: usize,
}

/// What the router does with a request.
#[derive(Debug, PartialEq)]
pub(crate) struct Expected {
    /// By replica: the share of the prompt if it is too small.
    pub(crate) left_out: Vec<Option<f64>>,
    pub(crate) scores: Vec<f64>,
    pub(crate) chosen: usize,
}

impl Sticky {
    pub(crate) fn new(rules: Rules, places: Vec<Place>) -> Self {
        Self { rules, places, sent: BTreeMap::new(), narrowed: 0, saturated: 0 }
    }

    /// The beginnings of a prompt in whole blocks, as far as they are remembered.
    fn beginnings(&self, replica: usize, prompt: &[u64]) -> (usize, Vec<Vec<u64>>) {
        let size = match self.rules.block_tokens {
            0 => self.places[replica].block_tokens,
            own => own,
        };
        let most = if self.rules.match_tokens == 0 { usize::MAX } else { self.rules.match_tokens };
        let blocks = prompt.len().min(most) / size;
        (size, (1..=blocks).map(|k| prompt[..k * size].to_vec()).collect())
    }

    /// Blocks of a prompt that a replica was sent before, blocks in all, and tokens in the former.
    fn matched(&self, replica: usize, prompt: &[u64]) -> (usize, usize, u64) {
        let (size, all) = self.beginnings(replica, prompt);
        let known = all.iter().take_while(|b| self.places[replica].remembered.contains(b)).count();
        (known, all.len(), (known * size) as u64)
    }

    /// Tokens on a replica that are uncached and wait for their first token.
    fn waiting(&self, replica: usize) -> u64 {
        let counts = |s: &&Sent| s.replica == replica && !s.has_first_token;
        self.sent.values().filter(counts).map(|s| s.uncached).sum()
    }

    /// Tokens on a replica as token-load counts them.
    fn load(&self, replica: usize, prompt: &[u64]) -> u64 {
        let counts = |s: &&Sent| s.replica == replica && !(self.rules.until_first_token && s.has_first_token);
        let tokens = |s: &Sent| if self.rules.uncached { s.uncached } else { s.prompt };
        let there: u64 = self.sent.values().filter(counts).map(tokens).sum();
        let projected = prompt.len() as u64 - self.matched(replica, prompt).2;
        there + if self.rules.uncached { projected } else { 0 }
    }

    fn kept(&mut self, prompt: &[u64]) -> Vec<bool> {
        let all = vec![true; self.places.len()];
        if self.places.len() <= 1 || self.rules.threshold <= 0.0 || self.rules.keeps_all {
            return all;
        }
        let is_sticky = |r: usize| self.share(r, prompt) >= self.rules.threshold;
        let sticky: Vec<bool> = (0..self.places.len()).map(is_sticky).collect();
        if !sticky.contains(&true) {
            return all;
        }
        if self.rules.max_penalty_ms > 0.0 && sticky.contains(&false) {
            let ttft_ms = |r: usize| {
                let peak =
                    if self.rules.peak == 0 { self.places[r].peak } else { f64::from(self.rules.peak) };
                self.waiting(r) as f64 / peak * 1000.0
            };
            let least = |of: bool| {
                let those = (0..self.places.len()).filter(|&r| sticky[r] == of);
                those.map(ttft_ms).fold(f64::INFINITY, f64::min)
            };
            if least(true) - least(false) > self.rules.max_penalty_ms {
                self.saturated += 1;
                return all;
            }
        }
        self.narrowed += usize::from(sticky.contains(&false));
        sticky
    }

    fn share(&self, replica: usize, prompt: &[u64]) -> f64 {
        match self.matched(replica, prompt) {
            (_, 0, _) => 0.0,
            (known, all, _) => known as f64 / all as f64,
        }
    }

    /// Routes a request, the lowest replica among equals.
    pub(crate) fn route(&mut self, request: u32, prompt: &[u64]) -> Expected {
        let kept = self.kept(prompt);
        let most = f64::from(self.rules.token_threshold);
        let score =
            |r: usize| if kept[r] { 1.0 - (self.load(r, prompt) as f64).min(most) / most } else { 0.0 };
        let scores: Vec<f64> = (0..kept.len()).map(score).collect();
        let mut chosen = kept.iter().position(|&k| k).expect("one is kept");
        for r in 0..kept.len() {
            if kept[r] && scores[r] > scores[chosen] {
                chosen = r;
            }
        }
        let left_out = (0..kept.len()).map(|r| (!kept[r]).then(|| self.share(r, prompt))).collect();
        let uncached = prompt.len() as u64 - self.matched(chosen, prompt).2;
        let sent = Sent { replica: chosen, prompt: prompt.len() as u64, uncached, has_first_token: false };
        self.sent.insert(request, sent);
        for beginning in self.beginnings(chosen, prompt).1 {
            let remembered = &mut self.places[chosen].remembered;
            if let Some(at) = remembered.iter().position(|b| *b == beginning) {
                remembered.remove(at);
            } else if remembered.len() >= self.rules.index_blocks {
                remembered.remove(0);
            }
            remembered.push(beginning);
        }
        Expected { left_out, scores, chosen }
    }

    pub(crate) fn first_token(&mut self, request: u32) {
        if let Some(sent) = self.sent.get_mut(&request) {
            sent.has_first_token = true;
        }
    }

    pub(crate) fn left(&mut self, request: u32) {
        self.sent.remove(&request);
    }
}
