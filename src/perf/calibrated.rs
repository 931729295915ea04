//! The calibrated model: a roofline whose shares of the peaks and engine costs were fitted to measured runs
//! (docs/model.md, 2.5).
//!
//! Linear in sums over the batch but for the experts touched and for matrix products, which take a little more than the
//! longer of reading weights and computing.

use super::catalogue;
use super::step::StepLoad;
use crate::base::math::{pow, round_to_span};
use crate::base::{Span, json};
use crate::scenario::{Architecture, CalibratedCoefficients, CalibratedSettings, EngineGeneration, Hardware};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// Coefficients that were fitted to measurements on one GPU.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// GPU, as named in the catalogue.
    pub gpu: String,
    /// Release of the engine.
    pub engine: EngineGeneration,
    /// How many measured experiments they rest on; 0 for those taken over from another GPU.
    pub experiments: u32,
    /// The coefficients.
    pub coefficients: CalibratedCoefficients,
}

impl Calibration {
    /// What the coefficients rest on, in a few words.
    pub(super) fn says(&self) -> String {
        match self.experiments {
            0 => "coefficients taken over from other measurements".to_owned(),
            n => format!("coefficients fitted to {n} experiments on {}", self.gpu),
        }
    }
}

/// The built-in coefficients.
pub fn calibrations() -> &'static [Calibration] {
    static TABLE: OnceLock<Vec<Calibration>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let tree = serde_json::from_str(include_str!("calibrated.json")).expect("the built-in table is JSON");
        json::data(&tree).expect("the built-in table has its own shape")
    })
}

/// The coefficients for a GPU and a release: those measured on it with that release, or else with the nearest one, older
/// before newer; for a GPU without any, those of an H100.
pub(super) fn calibration(gpu: &str, engine: EngineGeneration) -> &'static Calibration {
    let name = catalogue::gpu(gpu).map_or(gpu, |g| &g.name);
    let on = |name: &str| {
        let rows = || calibrations().iter().filter(|c| c.gpu == name);
        let older = rows().filter(|c| c.engine <= engine).max_by_key(|c| c.engine);
        older.or_else(|| rows().min_by_key(|c| c.engine))
    };
    on(name).or_else(|| on("H100")).expect("the built-in table has an H100")
}

/// The model with shape, hardware and coefficients filled in, in microseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Calibrated {
    /// Every step; further for a step with prefill.
    fixed_us: f64,
    prefill_us: f64,
    sequence_us: f64,
    prompt_us: f64,
    /// Reading the weights that every step reads.
    weights_us: f64,
    experts: Option<Experts>,
    /// Matrix products, per token.
    token_us: f64,
    /// Reading the cache, per token of context.
    context_us: f64,
    /// Attention of a prompt, per pair of a token and one before it.
    pair_us: f64,
    ahead: bool,
}

/// Weights of which a step reads what its tokens are sent to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Experts {
    /// Reading all of them.
    all_us: f64,
    /// Share of the experts that a token is not sent to.
    idle: f64,
}

/// What a model asks of all GPUs of a replica together.
struct Work {
    weight_bytes: f64,
    expert_bytes: f64,
    cache_bytes: f64,
    token_flop: f64,
    pair_flop: f64,
}

impl Work {
    fn new(a: &Architecture, tp: f64) -> Self {
        let (layers, hidden) = (f64::from(a.layers), f64::from(a.hidden));
        let queries = f64::from(a.heads) * f64::from(a.head_dim());
        let keys = f64::from(a.kv_heads()) * f64::from(a.head_dim());
        let with_experts = f64::from(a.expert_layers());
        let attention = (2.0 * hidden * (queries + keys)) * layers;
        let dense = 3.0 * hidden * f64::from(a.intermediate()) * (layers - with_experts);
        let expert = 3.0 * hidden * f64::from(a.expert_intermediate()) * with_experts;
        let always = attention + dense + expert * f64::from(a.shared_experts);
        let head = hidden * f64::from(a.vocab);
        // Every GPU keeps the whole latent, and at least one head.
        let cached = if a.kv_latent > 0 {
            f64::from(a.kv_latent) * tp
        } else {
            2.0 * keys.max(tp * f64::from(a.head_dim()))
        };
        Self {
            // The output layer is read in every step, and stays in 16 bits or more.
            weight_bytes: always * a.bytes_per_param + head * a.bytes_per_param.max(2.0),
            expert_bytes: expert * f64::from(a.experts) * a.bytes_per_param,
            cache_bytes: layers * cached * a.bytes_per_kv_value,
            token_flop: 2.0 * (always + expert * f64::from(a.experts_per_token)),
            pair_flop: 4.0 * queries * layers,
        }
    }
}

impl Calibrated {
    pub(super) fn new(
        s: &CalibratedSettings,
        c: &CalibratedCoefficients,
        a: &Architecture,
        hw: &Hardware,
        tp: u32,
    ) -> Self {
        let gpus = f64::from(tp);
        let (layers, with_experts) = (f64::from(a.layers), f64::from(a.expert_layers()));
        let work = Work::new(a, gpus);
        // Microseconds for a byte and for an operation, on all GPUs together.
        let byte_us = 1.0 / (hw.bandwidth_tb_per_s * 1e6 * gpus);
        let flop_us = 1.0 / (hw.tflops * 1e6 * gpus);
        let parallel = if tp > 1 { layers * c.step_us_per_parallel_layer } else { 0.0 };
        let products = flop_us / (c.compute_efficiency * speed_up(a.bytes_per_param));
        Self {
            fixed_us: c.step_us
                + layers * c.step_us_per_layer
                + with_experts * c.step_us_per_expert_layer
                + parallel,
            prefill_us: c.step_us_with_prefill,
            sequence_us: c.step_us_per_sequence,
            prompt_us: c.step_us_per_prompt,
            weights_us: work.weight_bytes * byte_us / c.weights_efficiency,
            experts: (a.expert_layers() > 0).then(|| Experts {
                all_us: work.expert_bytes * byte_us / c.weights_efficiency,
                idle: 1.0 - f64::from(a.experts_per_token) / f64::from(a.experts),
            }),
            token_us: work.token_flop * products,
            context_us: work.cache_bytes * byte_us / c.kv_efficiency,
            pair_us: work.pair_flop * flop_us / c.attention_efficiency,
            ahead: s.engine >= EngineGeneration::Ahead,
        }
    }

    pub(super) fn schedules_ahead(&self) -> bool {
        self.ahead
    }

    pub(super) fn step(&self, load: &StepLoad<'_>) -> Span {
        let (mut tokens, mut double_pairs, mut context) = (u64::from(load.decode), 0, load.decode_context);
        for chunk in load.prefill {
            let (new, before) = (u64::from(chunk.tokens), u64::from(chunk.context) + u64::from(chunk.cached));
            tokens += new;
            double_pairs += new * (2 * before + new.saturating_sub(1));
            context += before;
        }
        let tokens = tokens as f64;
        let touched = self.experts.as_ref().map_or(0.0, |e| e.all_us * (1.0 - pow(e.idle, tokens)));
        let mut us = self.fixed_us
            + longer_of(self.weights_us + touched, self.token_us * tokens)
            + self.sequence_us * f64::from(load.decode)
            + self.context_us * context as f64;
        if !load.prefill.is_empty() {
            us += self.prefill_us
                + self.prompt_us * load.prefill.len() as f64
                + self.pair_us / 2.0 * double_pairs as f64;
        }
        round_to_span(us)
    }
}

/// How many times faster than in 16 bits matrix products are: twice in 8 bits. Smaller weights are widened before they are
/// multiplied.
fn speed_up(bytes_per_param: f64) -> f64 {
    if (0.9..1.5).contains(&bytes_per_param) { 2.0 } else { 1.0 }
}

/// A little more than the longer of two times that overlap: the fourth root of the sum of their fourth powers.
fn longer_of(a: f64, b: f64) -> f64 {
    let (long, short) = if a > b { (a, b) } else { (b, a) };
    if long <= 0.0 {
        return 0.0;
    }
    let share = short / long;
    let square = share * share;
    long * (1.0 + square * square).sqrt().sqrt()
}
