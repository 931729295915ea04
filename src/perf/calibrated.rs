//! The calibrated model: a roofline with shares of the peaks and engine costs fitted to measured runs
//! (docs/explanation/model/latency.md).
//!
//! Linear in sums over the batch, except for the experts touched, for layers with a window, and for matrix products,
//! which grow with the batch from its first request on and are never shorter than computing.

use super::experts::{Exchange, Experts};
use super::parts::Parts;
use super::step::StepLoad;
use super::weights::Spread;
use crate::base::Span;
use crate::base::math::round_to_span;
use crate::base::multiply::times;
use crate::scenario::{Architecture, CalibratedCoefficients, CalibratedSettings, EngineGeneration, Hardware};
use serde::{Deserialize, Serialize};

/// The model with shape, hardware and coefficients filled in, in microseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Calibrated {
    /// Per step; then extra per step with prompts, and per step with more tokens than recorded graphs have.
    fixed_us: f64,
    experts_prefill_us: f64,
    without_graph_us: f64,
    sequence_us: f64,
    prompt_us: f64,
    /// Communication between GPUs, per token.
    reduce_us: f64,
    /// Share of computing not hidden behind reading weights.
    shown: f64,
    /// Reading the weights that every step reads.
    weights_us: f64,
    experts: Option<Experts>,
    /// Matrix products, per token.
    token_us: f64,
    /// Reading the cache, per token of context.
    context_us: f64,
    /// Attention of a prompt, per pair of a token and one before it.
    pair_us: f64,
    /// Extra attention in a step that computes more than one token of a prompt, per token of context: every sequence
    /// takes a tile.
    tile_us: f64,
    ahead: bool,
}

/// The work of a model for all GPUs of a replica together.
struct Work {
    weight_bytes: f64,
    expert_bytes: f64,
    cache_bytes: f64,
    token_flop: f64,
    pair_flop: f64,
}

impl Work {
    fn new(c: &CalibratedCoefficients, a: &Architecture, tp: u32) -> Self {
        let parts = Parts::of(a);
        let head = f64::from(a.hidden) * f64::from(a.vocab);
        // The output layer is read in every step, and has 16 bits or more by default.
        let head_bytes = match a.bytes_per_embedding_param {
            own if own > 0.0 => own,
            _ => a.bytes_per_param.max(2.0),
        };
        let [common, routed] =
            [a.bytes_per_param, a.bytes_per_expert_param()].map(|bytes| speed_of_products(c, bytes));
        Self {
            weight_bytes: parts.common * a.bytes_per_param + head * head_bytes,
            expert_bytes: parts.expert * f64::from(a.experts) * a.bytes_per_expert_param(),
            cache_bytes: parts.cached_by(a, tp) * a.bytes_per_kv_value,
            // Experts in fewer bits count fewer operations.
            token_flop: 2.0
                * (parts.common + parts.expert * f64::from(a.experts_per_token) * (common / routed)),
            pair_flop: 4.0 * f64::from(a.heads) * f64::from(a.head_dim()) * parts.attention_layers,
        }
    }
}

impl Calibrated {
    pub(super) fn new(
        s: &CalibratedSettings,
        c: &CalibratedCoefficients,
        a: &Architecture,
        hw: &Hardware,
        spread: Spread,
    ) -> Self {
        let gpus = f64::from(spread.tp);
        let (layers, with_experts) = (f64::from(a.layers), f64::from(a.expert_layers()));
        let work = Work::new(c, a, spread.tp);
        // Microseconds for a byte and for an operation, on all GPUs together.
        let byte_us = 1.0 / (hw.bandwidth_tb_per_s * 1e6 * gpus);
        let flop_us = 1.0 / (hw.tflops * 1e6 * gpus);
        let pair_us = work.pair_flop * flop_us / c.attention_efficiency;
        let parallel = if spread.tp > 1 { layers * c.step_us_per_parallel_layer } else { 0.0 };
        // Two all-reduces in a layer, in 16 bits; a ring passes on 2 (n - 1) / n of what is reduced.
        let megabytes = 2.0 * layers * f64::from(a.hidden) * 2.0 / 1e6;
        let reduce_us = c.reduce_us_per_megabyte * megabytes * 2.0 * (gpus - 1.0) / gpus;
        let exchange = (spread.ranks > 1).then(|| Exchange::new(c, a, spread));
        Self {
            fixed_us: c.step_us
                + layers * c.step_us_per_layer
                + with_experts * c.step_us_per_expert_layer * shared_cost(a)
                + parallel
                + exchange.as_ref().map_or(0.0, |x| x.fixed_us),
            experts_prefill_us: with_experts * c.prefill_us_per_expert_layer,
            without_graph_us: c.step_us_with_prefill,
            sequence_us: c.step_us_per_sequence + layers * c.step_us_per_sequence_layer,
            reduce_us: reduce_us + exchange.as_ref().map_or(0.0, |x| x.token_us),
            shown: c.compute_not_hidden,
            prompt_us: c.step_us_per_prompt,
            weights_us: work.weight_bytes * byte_us / c.weights_efficiency,
            experts: (a.expert_layers() > 0)
                .then(|| Experts::new(a, work.expert_bytes * byte_us / c.weights_efficiency, spread.ranks)),
            token_us: work.token_flop * flop_us / speed_of_products(c, a.bytes_per_param),
            context_us: work.cache_bytes * byte_us / c.kv_efficiency,
            pair_us,
            tile_us: pair_us * c.attention_rows_with_prefill,
            ahead: s.engine >= EngineGeneration::Ahead,
        }
    }

    pub(super) fn schedules_ahead(&self) -> bool {
        self.ahead
    }

    pub(super) fn step(&self, load: &StepLoad<'_>) -> Span {
        if load.prefill.is_empty() {
            return round_to_span(self.any_step(u64::from(load.decode), load.decode, load.decode_context));
        }
        let (mut count, mut double_pairs, mut context) = (u64::from(load.decode), 0, load.decode_context);
        for chunk in load.prefill {
            let (new, before) = (u64::from(chunk.tokens), u64::from(chunk.context) + u64::from(chunk.cached));
            count += new;
            double_pairs += times(2 * before + new.saturating_sub(1), chunk.tokens);
            context += before;
        }
        // The number if no sequence computed more than one token.
        let single = u64::from(load.decode) + load.prefill.len() as u64;
        let prompts = self.experts_prefill_us
            + if count > LARGEST_GRAPH { self.without_graph_us } else { 0.0 }
            + self.prompt_us * load.prefill.len() as f64
            + self.pair_us / 2.0 * float(double_pairs)
            + if count > single { self.tile_us * float(context) } else { 0.0 };
        round_to_span(self.any_step(count, load.decode, context) + prompts)
    }

    /// Time of a step by the tokens that it computes, decoding requests included, and the tokens before them.
    fn any_step(&self, count: u64, decode: u32, context: u64) -> f64 {
        let tokens = float(count);
        let touched = self.experts.as_ref().map_or(0.0, |e| e.read(count));
        self.fixed_us
            + self.matrix_products(self.weights_us + touched, self.token_us * tokens)
            + self.reduce_us * tokens
            + self.sequence_us * f64::from(decode)
            + self.context_us * float(context)
    }

    /// Time of matrix products from their times to read and to compute: part of the computing is hidden behind the
    /// reading, until it is the longer of the two.
    fn matrix_products(&self, read: f64, compute: f64) -> f64 {
        let shown = read + self.shown * compute;
        if shown > compute { shown } else { compute }
    }
}

/// A count of a step, which is far below 2^53. Converted as a signed number, for which processors have an
/// instruction.
fn float(count: u64) -> f64 {
    count as i64 as f64
}

/// Tokens of the largest CUDA graph that vLLM records: a larger step launches its kernels one by one.
const LARGEST_GRAPH: u64 = 512;

/// Speed of matrix products in peaks of 16 bits: a GPU computes twice as fast in 8 bits, and four times in 4.
fn speed_of_products(c: &CalibratedCoefficients, bytes_per_param: f64) -> f64 {
    if bytes_per_param >= 1.5 {
        c.compute_efficiency
    } else if bytes_per_param >= 0.75 {
        c.compute_efficiency_8_bit * 2.0
    } else {
        c.compute_efficiency_4_bit * 4.0
    }
}

/// Extra cost of a layer that computes shared experts beside the routed ones.
fn shared_cost(a: &Architecture) -> f64 {
    if a.shared_experts > 0 { 1.6 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;

    const ONE: Spread = Spread { tp: 1, ranks: 1 };

    fn spread(a: &Architecture, spread: Spread) -> Calibrated {
        let hardware = Hardware { tflops: 1000.0, bandwidth_tb_per_s: 4.0, ..Hardware::default() };
        let c = CalibratedCoefficients {
            weights_efficiency: 0.5,
            kv_efficiency: 0.5,
            compute_efficiency: 0.5,
            attention_efficiency: 0.5,
            compute_not_hidden: 0.6,
            step_us: 100.0,
            step_us_per_layer: 10.0,
            step_us_per_expert_layer: 5.0,
            step_us_per_parallel_layer: 2.0,
            step_us_per_sequence: 3.0,
            step_us_per_sequence_layer: 0.0,
            step_us_per_prompt: 7.0,
            prefill_us_per_expert_layer: 4.0,
            step_us_with_prefill: 11.0,
            ..CalibratedCoefficients::default()
        };
        Calibrated::new(&CalibratedSettings::default(), &c, a, &hardware, spread)
    }

    fn model(a: &Architecture, tp: u32) -> Calibrated {
        spread(a, Spread { tp, ranks: 1 })
    }

    #[test]
    fn a_step_is_the_sum_of_what_it_reads_computes_and_costs() {
        let llama = Architecture::default();
        // Weights: 32 * (2*4096*(4096+1024) + 3*4096*14336) = 6,979,321,856 and the output layer 525,336,576, 2 B each, at
        // 2e6 B/us: 7504.66 us. Compute of 10 tokens: 2 * 6,979,321,856 * 10 at 5e8 FLOP/us: 279.17 us, 0.6 of it shows.
        // Cache: 131,072 B for each of 4000 tokens: 262.14 us. Costs: 100 + 320 + 30.
        let decode = StepLoad { prefill: &[], decode: 10, decode_context: 4000 };
        assert_eq!(model(&llama, 1).step(&decode), Span(8384));
        // A chunk of 100 tokens after 50 that are cached: compute 110 tokens, 3070.9 us; the cache of 50 tokens, 3.28 us; pairs 100 * 50
        // + 4950, 4*4096*32 FLOP each at 5e8: 10.43 us; 7.
        let chunk = [Chunk { context: 0, cached: 50, tokens: 100 }];
        let mixed = StepLoad { prefill: &chunk, decode: 10, decode_context: 4000 };
        assert_eq!(model(&llama, 1).step(&mixed), Span(10_080));
    }

    #[test]
    fn in_a_step_with_prompts_every_sequence_takes_a_tile_of_rows_where_the_kernel_does() {
        let step = |rows: f64, prefill: &[Chunk]| {
            let c = CalibratedCoefficients {
                attention_efficiency: 0.5,
                attention_rows_with_prefill: rows,
                ..CalibratedCoefficients::default()
            };
            let hardware = Hardware { tflops: 1000.0, bandwidth_tb_per_s: 4.0, ..Hardware::default() };
            let model =
                Calibrated::new(&CalibratedSettings::default(), &c, &Architecture::default(), &hardware, ONE);
            model.step(&StepLoad { prefill, decode: 10, decode_context: 4000 }).0
        };
        let chunk = [Chunk { context: 0, cached: 50, tokens: 100 }];
        // 64 rows for each of 4050 tokens of context, 4*4096*32 FLOP a pair at 5e8: 271.8 us.
        assert!(step(64.0, &chunk).abs_diff(step(0.0, &chunk)).abs_diff(272) <= 1);
        assert_eq!(step(64.0, &[]), step(0.0, &[]));
        // A prompt that is cached but for its last token is one more row.
        let last = [Chunk { context: 0, cached: 50, tokens: 1 }];
        assert_eq!(step(64.0, &last), step(0.0, &last));
    }

    #[test]
    fn replicas_that_share_experts_read_their_part_of_what_the_tokens_of_all_touch_and_pass_tokens_on() {
        let mixtral = Architecture { experts: 8, experts_per_token: 2, ..Architecture::default() };
        let step = |tp: u32, ranks: u32, decode: u32| {
            let load = StepLoad { prefill: &[], decode, decode_context: 0 };
            spread(&mixtral, Spread { tp, ranks }).step(&load).0 as f64
        };
        // All experts are 32 * 8 * 3*4096*14336 parameters of 2 B: 45,097.2 us at 2e6 B/us. One token touches a quarter; four replicas
        // with one each touch 1 - 0.75^4 of them, of which each replica reads a quarter: 7707.0 us. Two transfers in each of 32 layers:
        // 64 us; 1.5 copies of 8192 B leave and come back at 3 us a megabyte: 2.4 us.
        assert!((step(1, 4, 1) - step(1, 1, 1) - (7707.0 + 64.0 + 2.4 - 11_274.3)).abs() <= 2.0);
        // With many tokens every expert is touched: 45,097.2 us, or a quarter of it. 509 further tokens compute in both, and pass on 2.4 us.
        let many = 0.75 * -45_097.2 + 64.0 + 512.0 * 2.359;
        assert!((step(1, 4, 512) - step(1, 1, 512) - many).abs() <= 2.0);
        // Of two GPUs each passes on 0.75 copies out and back for half of the tokens, instead of one all-reduce of all: 0.5 * 8192 B more in
        // each layer. Both read half of the 22,548.6 us, in place of all. One transfer more in a layer: 32 us.
        let many = 0.5 * -22_548.6 + 32.0 + 512.0 * 0.393;
        assert!((step(2, 2, 512) - step(2, 1, 512) - many).abs() <= 2.0);
        let dense = |ranks| spread(&Architecture::default(), Spread { tp: 2, ranks });
        assert_eq!(dense(4), dense(1));
    }

    #[test]
    fn the_same_sums_take_the_same_time_and_more_work_takes_longer() {
        let mixtral = Architecture { experts: 8, experts_per_token: 2, ..Architecture::default() };
        let m = model(&mixtral, 2);
        let step = |decode, decode_context| m.step(&StepLoad { prefill: &[], decode, decode_context });
        assert_eq!(step(16, 900), step(16, 900));
        assert!(step(1, 10) < step(2, 20) && step(2, 20) < step(2, 2000) && step(8, 80) < step(64, 640));
        assert!(
            m.step(&StepLoad { prefill: &[], decode: 1, decode_context: 1 })
                < model(&mixtral, 1).step(&StepLoad { prefill: &[], decode: 1, decode_context: 1 })
        );
    }
}
