//! Replay of open loops: requests at a rate, stage after stage, with drawn arrivals and lengths.

use super::experiment::{Experiment, number, number_at};
use base::dist;
use base::rng::{Purpose, Stream};
use benchmarks::replayed::{gap, listed_request, piece};
use document::{ExplicitPiece, ExplicitRequest};
use serde_json::Value;

/// Requests at one rate.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stage {
    pub(super) per_s: f64,
    pub(super) seconds: f64,
    pub(super) requests: u32,
    /// Variation of the gaps; 1 is Poisson.
    pub(super) cv: f64,
}

/// Distribution of lengths of texts.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Length {
    Fixed(u32),
    Lognormal {
        median: f64,
        sigma: f64,
        min: f64,
        max: f64,
        mean: Option<f64>,
    },
    /// Whole numbers, all equally likely.
    Uniform {
        min: u32,
        max: u32,
    },
}

/// Shared parts of prompts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Prompts {
    /// Tokens of the prefix that a group shares.
    pub(super) shared: u32,
    /// Number of different prompts, which repeat in a cycle; 0 if all prompts are different.
    pub(super) distinct: u32,
    pub(super) per_group: u32,
    /// Order of the cycle; by number if empty.
    pub(super) order: Vec<u32>,
}

/// An open loop.
#[derive(Clone, Debug)]
pub(super) struct Open {
    pub(super) stages: Vec<Stage>,
    pub(super) prompts: Prompts,
    pub(super) input: Length,
    pub(super) output: Length,
    /// Seconds between the end of a stage and the beginning of the next: time to answer all its requests.
    pub(super) pause_s: f64,
}

/// Families of texts: of groups, of prompts of a cycle, and of prompts that occur once.
const GROUPS: u32 = 1;
const CYCLE: u32 = 1 << 20;
const ONCE: u32 = 1 << 24;

impl Length {
    fn draw(&self, scale: f64, stream: &mut Stream) -> f64 {
        match *self {
            Self::Fixed(n) => f64::from(n),
            Self::Uniform { min, max } => f64::from(min + stream.below(max.saturating_sub(min) + 1)),
            Self::Lognormal { median, sigma, min, max, .. } => {
                (dist::lognormal(stream, median, sigma).clamp(min, max) * scale).round().clamp(1.0, max * 2.0)
            }
        }
    }

    /// `n` lengths with the recorded mean.
    fn draws(&self, n: u32, stream: &mut Stream) -> Vec<u32> {
        let drawn: Vec<f64> = (0..n).map(|_| self.draw(1.0, stream)).collect();
        let scale = match self {
            Self::Lognormal { mean: Some(mean), .. } if n > 0 => {
                mean * f64::from(n) / drawn.iter().sum::<f64>()
            }
            _ => 1.0,
        };
        drawn.iter().map(|x| (x * scale).round().max(1.0) as u32).collect()
    }

    /// Reads a number, a distribution, or a system prompt with a question; `mean` is the recorded mean.
    pub(super) fn read(value: &Value, mean: Option<f64>) -> Option<Self> {
        if let Some(n) = number(value) {
            return Some(Self::Fixed(n.round().max(1.0) as u32));
        }
        let at = |key| number_at(value, key);
        if value.get("distribution").and_then(Value::as_str) == Some("lognormal") {
            let (min, max) = (at("min").unwrap_or(1.0), at("max").unwrap_or(131_072.0));
            return Some(Self::Lognormal { median: at("median")?, sigma: at("sigma")?, min, max, mean });
        }
        if value.get("distribution").and_then(Value::as_str) == Some("uniform") {
            let (min, max) = (at("min")? as u32, at("max")? as u32);
            return (min <= max).then_some(Self::Uniform { min: min.max(1), max: max.max(1) });
        }
        let parts = at("system").unwrap_or(0.0) + at("question").unwrap_or(0.0);
        let whole = at("mean").filter(|_| at("realised_mean").is_none()).unwrap_or(parts * growth(value));
        (whole >= 1.0).then(|| Self::Fixed(mean.unwrap_or(whole).round() as u32))
    }
}

/// Ratio of actual to requested tokens of a system prompt with a question. They are drawn as tokens, sent as text and
/// tokenised again: 1.05 times as many in the runs that recorded both numbers.
fn growth(length: &Value) -> f64 {
    const OF_DRAWN_TEXT: f64 = 1.05;
    let at = |key| number_at(length, key);
    let parts = at("system").unwrap_or(0.0) + at("question").unwrap_or(0.0);
    match (at("system"), at("realised_mean")) {
        (_, Some(realised)) if parts > 0.0 => realised / parts,
        (Some(_), None) => OF_DRAWN_TEXT,
        _ => 1.0,
    }
}

impl Prompts {
    /// An experiment's description of its prompts.
    pub(super) fn read(e: &Experiment) -> Self {
        let count = |key: &str| e.count(&format!("/workload/prefix/{key}"));
        let assumed = e.at("/workload/prefix/assumed").map(|_| 100);
        let per_group = count("prompts_per_group").unwrap_or(10).max(1);
        let groups = count("groups").map(|g| g.saturating_mul(per_group));
        let distinct = count("distinct_prompts").or(groups).or(assumed).unwrap_or(0);
        let system = e.count("/workload/input_tokens/system");
        let declared = count("shared_tokens_in_group").or(system).unwrap_or(0);
        let grown = e.at("/workload/input_tokens").map_or(1.0, growth);
        let shared = (f64::from(declared) * grown).round() as u32;
        let shared = if distinct > 0 { shared } else { 0 };
        Self { shared, distinct: distinct.min(100_000), per_group, order: Vec::new() }
    }

    /// The same in the order of a seed: the client mixes its prompts once, before its first stage.
    fn mixed(&self, seed: u64) -> Self {
        let mut order: Vec<u32> = (0..self.distinct).collect();
        let mut stream = Stream::new(seed, Purpose::PromptOrder, 0);
        for i in (1..order.len()).rev() {
            order.swap(i, stream.below(i as u32 + 1) as usize);
        }
        Self { order, ..self.clone() }
    }

    /// The prompt with `tokens` tokens of request `i` of the run, which is number `in_stage` of its stage. Each stage
    /// restarts the cycle.
    pub(super) fn prompt(&self, i: u32, in_stage: u32, tokens: u32) -> Vec<ExplicitPiece> {
        if self.distinct == 0 {
            return vec![piece(ONCE + i, tokens)];
        }
        let place = in_stage % self.distinct;
        let prompt = self.order.get(place as usize).copied().unwrap_or(place);
        let shared = self.shared.min(tokens.saturating_sub(1));
        let mut pieces = Vec::new();
        if shared > 0 {
            pieces.push(piece(GROUPS + prompt / self.per_group, shared));
        }
        pieces.push(piece(CYCLE + prompt, (tokens - shared).max(1)));
        pieces
    }
}

/// A request of a list; its answer is a text of its own.
pub(super) fn request(i: u32, arrival_us: u64, prompt: Vec<ExplicitPiece>, output: u32) -> ExplicitRequest {
    listed_request(i, arrival_us, prompt, &piece((1 << 28) + i, output.max(1)))
}

impl Open {
    /// The requests of a seed, and the stage of each.
    pub(super) fn requests(&self, seed: u64) -> (Vec<ExplicitRequest>, Vec<u32>) {
        let (mut requests, mut stage_of) = (Vec::new(), Vec::new());
        let prompts = self.prompts.mixed(seed);
        let mut begin_s = 0.0;
        let mut i = 0;
        for (number, stage) in (0..).zip(&self.stages) {
            let stream = |purpose| Stream::new(seed, purpose, number);
            let inputs = self.input.draws(stage.requests, &mut stream(Purpose::PromptLengths));
            let outputs = self.output.draws(stage.requests, &mut stream(Purpose::OutputLengths));
            let times = stage.times(&mut stream(Purpose::Arrivals));
            for (in_stage, ((input, output), at)) in (0..).zip(inputs.into_iter().zip(outputs).zip(times)) {
                let arrival_us = ((begin_s + at) * 1e6).round().max(0.0) as u64;
                requests.push(request(i, arrival_us, prompts.prompt(i, in_stage, input), output));
                stage_of.push(number);
                i += 1;
            }
            begin_s += stage.seconds + self.pause_s;
        }
        (requests, stage_of)
    }
}

impl Stage {
    /// The same with fewer requests, at the same rate.
    pub(super) fn shorten(&mut self, most: u32) {
        if self.requests > most {
            self.seconds *= f64::from(most) / f64::from(self.requests);
            self.requests = most;
        }
    }

    /// When its requests arrive, in seconds: gaps drawn, and stretched to the length of the stage.
    fn times(&self, stream: &mut Stream) -> Vec<f64> {
        let mut at = 0.0;
        let mut times: Vec<f64> = Vec::new();
        for _ in 0..=self.requests {
            at += gap(stream, 1.0, self.cv);
            times.push(at);
        }
        times.pop();
        times.iter().map(|t| t / at * self.seconds).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fleet(input: &Value) -> Experiment {
        let document = json!({"id": "h", "group": "H", "model": "m", "gpu": "H100", "measured": [],
            "workload": {"input_tokens": input, "prefix": {"groups": 20, "prompts_per_group": 3}}});
        super::super::read(&document.to_string()).unwrap().0.remove(0)
    }

    fn open(input: &Value) -> Open {
        let stage = Stage { per_s: 10.0, seconds: 6.0, requests: 60, cv: 1.0 };
        Open {
            stages: vec![stage.clone(), stage],
            prompts: Prompts::read(&fleet(input)),
            input: Length::read(input, None).unwrap(),
            output: Length::Fixed(10),
            pause_s: 100.0,
        }
    }

    #[test]
    fn a_ladder_goes_round_its_mixed_prompts_anew_in_each_stage_and_waits_between_them() {
        let open = open(&json!({"system": 800, "question": 200}));
        let (requests, stage_of) = open.requests(1);
        let (first, second) = requests.split_at(60);
        let prompts = |of: &[ExplicitRequest]| of.iter().map(|r| r.prompt.clone()).collect::<Vec<_>>();
        assert_eq!((prompts(first), stage_of[60]), (prompts(second), 1));
        assert!(second[0].arrival_us > 106_000_000 && first[59].arrival_us < 6_000_000);
        let groups: Vec<u32> = first.iter().map(|r| r.prompt[0].text).collect();
        assert!(!groups.is_sorted());
        assert!((GROUPS..=GROUPS + 19).all(|g| groups.iter().filter(|x| **x == g).count() == 3));
        assert_ne!(prompts(first), prompts(&open.requests(2).0[..60]));
    }

    #[test]
    fn drawn_text_has_more_tokens_than_requested() {
        let tokens = |input: &Value| {
            let prompt = open(input).requests(1).0[0].prompt.clone();
            [prompt[0].tokens, prompt[0].tokens + prompt[1].tokens]
        };
        assert_eq!(tokens(&json!({"system": 800, "question": 200})), [840, 1050]);
        let realised = json!({"system": 800, "question": 200, "realised_mean": 1100});
        assert_eq!(tokens(&realised), [880, 1100]);
    }
}
