//! Open loops: requests at a rate, stage after stage, with drawn arrivals and lengths.

use super::experiment::{Experiment, number, number_at};
use crate::base::dist;
use crate::base::rng::{Purpose, Stream};
use crate::scenario::{ExplicitOutput, ExplicitPiece, ExplicitRequest};
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

/// How long texts are.
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

/// What prompts have in common.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Prompts {
    /// Tokens at the beginning that a group shares.
    pub(super) shared: u32,
    /// The prompts go round: so many different ones; 0 for prompts that are all different.
    pub(super) distinct: u32,
    pub(super) per_group: u32,
}

/// An open loop.
#[derive(Clone, Debug)]
pub(super) struct Open {
    pub(super) stages: Vec<Stage>,
    pub(super) prompts: Prompts,
    pub(super) input: Length,
    pub(super) output: Length,
}

/// Texts of groups, of prompts of a cycle, and of prompts that occur once.
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

    /// `n` lengths, whose mean is the one that was counted.
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

    /// Reads a number, a distribution, or a system prompt with a question; `mean` is the mean that was counted.
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
        let whole = at("realised_mean").or_else(|| at("mean")).unwrap_or(parts);
        (whole >= 1.0).then(|| Self::Fixed(mean.unwrap_or(whole).round() as u32))
    }
}

impl Prompts {
    /// What an experiment says of its prompts.
    pub(super) fn read(e: &Experiment) -> Self {
        let count = |key: &str| e.count(&format!("/workload/prefix/{key}"));
        let assumed = e.at("/workload/prefix/assumed").map(|_| 100);
        let per_group = count("prompts_per_group").unwrap_or(10).max(1);
        let groups = count("groups").map(|g| g.saturating_mul(per_group));
        let distinct = count("distinct_prompts").or(groups).or(assumed).unwrap_or(0);
        let system = e.count("/workload/input_tokens/system");
        let shared = count("shared_tokens_in_group").or(system).unwrap_or(0);
        Self { shared: if distinct > 0 { shared } else { 0 }, distinct: distinct.min(100_000), per_group }
    }

    /// The prompt of request `i` with so many tokens.
    pub(super) fn prompt(&self, i: u32, tokens: u32) -> Vec<ExplicitPiece> {
        if self.distinct == 0 {
            return vec![piece(ONCE + i, tokens)];
        }
        let prompt = i % self.distinct;
        let shared = self.shared.min(tokens.saturating_sub(1));
        let mut pieces = Vec::new();
        if shared > 0 {
            pieces.push(piece(GROUPS + prompt / self.per_group, shared));
        }
        pieces.push(piece(CYCLE + prompt, (tokens - shared).max(1)));
        pieces
    }
}

pub(super) fn piece(text: u32, tokens: u32) -> ExplicitPiece {
    ExplicitPiece { text, tokens, offset: 0 }
}

/// A request of a list; its answer is a text of its own.
pub(super) fn request(i: u32, arrival_us: u64, prompt: Vec<ExplicitPiece>, output: u32) -> ExplicitRequest {
    ExplicitRequest {
        id: format!("{i:06}"),
        arrival_us,
        prompt,
        output: ExplicitOutput { text: (1 << 28) + i, tokens: output.max(1), offset: 0 },
        tenant: String::new(),
        slo_class: String::new(),
        model: String::new(),
        session: String::new(),
    }
}

impl Open {
    /// The requests of a seed, and the stage of each.
    pub(super) fn requests(&self, seed: u64) -> (Vec<ExplicitRequest>, Vec<u32>) {
        let (mut requests, mut stage_of) = (Vec::new(), Vec::new());
        let mut begin_s = 0.0;
        let mut i = 0;
        for (number, stage) in (0..).zip(&self.stages) {
            let stream = |purpose| Stream::new(seed, purpose, number);
            let inputs = self.input.draws(stage.requests, &mut stream(Purpose::PromptLengths));
            let outputs = self.output.draws(stage.requests, &mut stream(Purpose::OutputLengths));
            let times = stage.times(&mut stream(Purpose::Arrivals));
            for ((input, output), at) in inputs.into_iter().zip(outputs).zip(times) {
                let arrival_us = ((begin_s + at) * 1e6).round().max(0.0) as u64;
                requests.push(request(i, arrival_us, self.prompts.prompt(i, input), output));
                stage_of.push(number);
                i += 1;
            }
            begin_s += stage.seconds;
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
            at += if (self.cv - 1.0).abs() < 1e-9 {
                dist::exponential(stream, 1.0)
            } else if self.cv > 0.0 {
                dist::gamma(stream, 1.0, self.cv)
            } else {
                1.0
            };
            times.push(at);
        }
        times.pop();
        times.iter().map(|t| t / at * self.seconds).collect()
    }
}
