//! The calibrated model: a roofline with shares of the peaks and engine costs fitted to measured runs
//! (docs/explanation/model/latency.md).
//!
//! Linear in sums over the batch, except for the experts touched, for layers with a window, and for matrix products,
//! which grow with the batch from its first request on and are never shorter than computing.

use super::experts::{Exchange, Experts};
use super::parts::Parts;
use super::placed::Placed;
use super::rates::Rates;
use super::spread::Spread;
use super::step_load::{Chunk, StepLoad};
use base::Span;
use base::math::round_to_span;
use base::multiply::times;
use document::{Architecture, CalibratedCoefficients, EngineGeneration, Hardware};
use serde::{Deserialize, Serialize};

/// The model with shape, hardware and coefficients filled in, in microseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Calibrated {
    /// Per step; then extra per step with prompts, and per step with more tokens than recorded graphs have.
    fixed_us: f64,
    experts_prefill_us: f64,
    without_graph_us: f64,
    /// What its layers add to that.
    layers_without_graph_us: f64,
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
    /// Sorting a token to its experts and back.
    copies_us: f64,
    /// Reading the cache, per token of context; then, per token in the window of each sequence.
    context_us: f64,
    window_us: f64,
    /// Latest tokens of a sequence that layers with a window read; 0 without such layers.
    window: f64,
    /// Attention of a prompt, per pair of a token and one before it; then, per pair within the window.
    pair_us: f64,
    window_pair_us: f64,
    /// Extra attention in a step that computes more than one token of a prompt, per token of context: every sequence
    /// takes a tile.
    tile_us: f64,
    ahead: bool,
    /// Replicas that share experts and step together; 1 if it is this one alone.
    lockstep_ranks: u32,
    /// What experts that are cut, liked unequally or moved change, and a divided cache.
    placed: Option<Box<Placed>>,
    /// Of `token_us` and `reduce_us`, the part of the experts.
    expert_token_us: f64,
    exchange_us: f64,
}

/// The work of a model for all GPUs of a replica together.
struct Work {
    weight_bytes: f64,
    expert_bytes: f64,
    /// Of a token in the layers that read all of them, and in those that read the latest.
    cache_bytes: [f64; 2],
    token_flop: f64,
    /// Of these, in routed experts.
    expert_token_flop: f64,
    /// What half a tile of rows computes in each expert, in all of them.
    padding_flop: f64,
    pair_flop: [f64; 2],
}

impl Work {
    fn new(c: &CalibratedCoefficients, a: &Architecture, tp: u32, rates: &Rates) -> Self {
        let parts = Parts::of(a);
        let head = f64::from(a.hidden) * f64::from(a.vocab);
        // The output layer is read in every step, and has 16 bits or more by default.
        let head_bytes = match a.bytes_per_embedding_param {
            own if own > 0.0 => own,
            _ => a.bytes_per_param.max(2.0),
        };
        let cached = parts.cached_by(a, tp) * a.bytes_per_kv_value;
        let pair_flop = 4.0 * f64::from(a.heads) * f64::from(a.head_dim()) * parts.attention_layers;
        // Experts in fewer bits count fewer operations.
        let fewer = rates.common / rates.routed;
        let [all, latest] = reading(a);
        Self {
            weight_bytes: parts.common * a.bytes_per_param + head * head_bytes,
            expert_bytes: parts.expert * f64::from(a.experts) * a.bytes_per_expert_param(),
            cache_bytes: [cached * all, cached * latest],
            token_flop: 2.0 * (parts.common + parts.expert * f64::from(a.experts_per_token) * fewer),
            expert_token_flop: 2.0 * parts.expert * f64::from(a.experts_per_token) * fewer,
            padding_flop: parts.expert * fewer * f64::from(a.experts) * c.expert_tile_rows,
            pair_flop: [pair_flop * all, pair_flop * latest],
        }
    }
}

/// Shares of what is cached for a token that are read for all tokens, and for the latest or chosen ones.
fn reading(a: &Architecture) -> [f64; 2] {
    let with_window = if a.sliding_window > 0 { f64::from(a.sliding_layers) } else { 0.0 };
    let layers = f64::from(a.full_layers()) + f64::from(a.sliding_layers);
    if a.index_topk > 0 {
        // The index reads its keys for all tokens.
        let index =
            if a.kv_latent > 0 { INDEX_BYTES / (f64::from(a.kv_latent) * a.bytes_per_kv_value) } else { 0.0 };
        [index.min(1.0), 1.0]
    } else if with_window > 0.0 && layers > 0.0 {
        [1.0 - with_window / layers, with_window / layers]
    } else {
        [1.0, 0.0]
    }
}

/// Bytes of a token's key in the index of sparse attention: 128 numbers of 8 bits and a scale (DeepSeek-V3.2's config.json:
/// `index_head_dim`).
const INDEX_BYTES: f64 = 132.0;

impl Calibrated {
    pub(super) fn new(
        engine: EngineGeneration,
        c: &CalibratedCoefficients,
        a: &Architecture,
        hw: &Hardware,
        spread: Spread,
    ) -> Self {
        let gpus = f64::from(spread.tp);
        let (layers, with_experts) = (f64::from(a.layers), f64::from(a.expert_layers()));
        let rates = Rates::new(c, a, hw);
        let work = Work::new(c, a, spread.tp, &rates);
        // Microseconds for a byte and for an operation, on all GPUs together.
        let byte_us = 1.0 / (hw.bandwidth_tb_per_s * 1e6 * gpus);
        let flop_us = 1.0 / (hw.tflops * 1e6 * gpus);
        let [pair_us, window_pair_us] = work.pair_flop.map(|flop| flop * flop_us / c.attention_efficiency);
        let [context_us, window_us] = work.cache_bytes.map(|bytes| bytes * byte_us / c.kv_efficiency);
        let state_us = 2.0 * a.state_kib_per_request * 1024.0 * byte_us / c.kv_efficiency;
        let parallel = if spread.tp > 1 {
            let doublings = f64::from(spread.tp.ilog2());
            layers * c.step_us_per_parallel_layer + layers * c.step_us_per_parallel_doubling * doublings
        } else {
            0.0
        };
        let products_us = flop_us / rates.common;
        // Two all-reduces in a layer, in 16 bits; a ring passes on 2 (n - 1) / n of what is reduced.
        let megabytes = 2.0 * layers * f64::from(a.hidden) * 2.0 / 1e6;
        let reduce_us = c.reduce_us_per_megabyte * megabytes * 2.0 * (gpus - 1.0) / gpus;
        let exchange = (spread.ranks > 1).then(|| Exchange::new(c, a, spread));
        Self {
            fixed_us: c.step_us
                + layers * c.step_us_per_layer
                + expert_layers_us(c, a, rates.experts_in_8_bits)
                + if rates.converts { layers * c.step_us_per_converted_layer } else { 0.0 }
                + parallel
                + exchange.as_ref().map_or(0.0, |x| x.fixed_us),
            experts_prefill_us: with_experts * c.prefill_us_per_expert_layer,
            without_graph_us: c.step_us_with_prefill + layers * c.step_us_per_layer_without_graph,
            layers_without_graph_us: layers * c.step_us_per_layer_without_graph,
            sequence_us: c.step_us_per_sequence + layers * c.step_us_per_sequence_layer + state_us,
            reduce_us: reduce_us + exchange.as_ref().map_or(0.0, |x| x.token_us),
            shown: c.compute_not_hidden,
            prompt_us: c.step_us_per_prompt,
            weights_us: work.weight_bytes * byte_us / c.weights_efficiency,
            experts: (a.expert_layers() > 0).then(|| {
                let read = work.expert_bytes * byte_us / c.weights_efficiency;
                Experts::new(a, read, work.padding_flop * products_us, spread)
            }),
            token_us: work.token_flop * flop_us / rates.common,
            copies_us: with_experts * f64::from(a.experts_per_token) * c.expert_us_per_copy,
            context_us,
            window_us,
            window: if a.index_topk > 0 { f64::from(a.index_topk) } else { f64::from(a.sliding_window) },
            pair_us,
            window_pair_us,
            tile_us: pair_us * c.attention_rows_with_prefill,
            ahead: engine >= EngineGeneration::Ahead,
            lockstep_ranks: if spread.lockstep { spread.ranks } else { 1 },
            placed: None,
            expert_token_us: work.expert_token_flop * flop_us / rates.common,
            exchange_us: exchange.as_ref().map_or(0.0, |x| x.token_us),
        }
    }

    /// The same with what experts that are cut, liked unequally or moved change, and a divided cache.
    pub(super) fn with(self, placed: Option<Placed>) -> Self {
        Self { placed: placed.map(Box::new), ..self }
    }

    /// What that is.
    pub(super) fn placed(&self) -> Option<&Placed> {
        self.placed.as_deref()
    }

    /// Experts were moved, or lie in order again.
    pub(super) fn set_balanced(&mut self, is_balanced: bool) {
        if let Some(placed) = &mut self.placed {
            placed.set_balanced(is_balanced);
        }
    }

    pub(super) fn schedules_ahead(&self) -> bool {
        self.ahead
    }

    pub(super) fn lockstep_ranks(&self) -> u32 {
        self.lockstep_ranks
    }

    /// What a step takes longer without a recorded graph.
    pub(super) fn without_graph(&self) -> Span {
        round_to_span(self.layers_without_graph_us)
    }

    /// Time of a step where other replicas in lock step with this one have as many tokens each.
    pub(super) fn step(&self, load: &StepLoad<'_>) -> Span {
        self.step_with(load, |own| own * u64::from(self.lockstep_ranks))
    }

    /// Time of a step where they have that many tokens together.
    pub(super) fn step_beside(&self, load: &StepLoad<'_>, others: u64) -> Span {
        self.step_with(load, |own| own + others)
    }

    /// Time of a step by the tokens that are sent to its experts, for its own tokens.
    #[inline(always)]
    fn step_with(&self, load: &StepLoad<'_>, sent: impl Fn(u64) -> u64) -> Span {
        if load.prefill.is_empty() {
            let own = u64::from(load.rows());
            let sequences = u64::from(load.decode);
            let rows = [own, sent(own)];
            if let Some(placed) = &self.placed {
                return round_to_span(self.placed_step(placed, rows, load, (load.decode_context, sequences)));
            }
            return round_to_span(self.any_step(rows, load.decode, load.decode_context, sequences));
        }
        let (mut count, mut double_pairs, mut context) = (u64::from(load.rows()), 0, load.decode_context);
        for chunk in load.prefill {
            let (new, before) = (u64::from(chunk.tokens), u64::from(chunk.context) + u64::from(chunk.cached));
            count += new;
            double_pairs += times(2 * before + new.saturating_sub(1), chunk.tokens);
            context += before;
        }
        let sequences = u64::from(load.decode) + load.prefill.len() as u64;
        // The number if no sequence of a prompt computed more than one token.
        let single = u64::from(load.verified()) + load.prefill.len() as u64;
        let prompts = self.experts_prefill_us
            + if count > LARGEST_GRAPH { self.without_graph_us } else { 0.0 }
            + self.prompt_us * load.prefill.len() as f64
            + self.pair_us / 2.0 * float(double_pairs)
            + if count > single { self.tile_us * float(context) } else { 0.0 };
        let prompts = if self.window_pair_us > 0.0 { prompts + self.windows_of(load) } else { prompts };
        let rows = [count, sent(count)];
        let step = match &self.placed {
            Some(placed) => self.placed_step(placed, rows, load, (context, sequences)),
            None => self.any_step(rows, load.decode, context, sequences),
        };
        round_to_span(step + prompts)
    }

    /// The same as [`Self::any_step`] where experts are cut, liked unequally or moved, or the cache is divided.
    #[cold]
    fn placed_step(
        &self,
        placed: &Placed,
        [count, sent]: [u64; 2],
        load: &StepLoad<'_>,
        (context, sequences): (u64, u64),
    ) -> f64 {
        let (tokens, all) = (float(count), placed.all(sent));
        let [touched, padding] = self.experts.as_ref().map_or([0.0; 2], |e| e.read_by(placed, sent, all));
        // Of cut experts every rank computes as much.
        let (of_experts, times) = match placed.cut {
            Some(_) => (float(all) / f64::from(placed.ranks()), 1.0),
            None => (tokens, placed.imbalance()),
        };
        let computed = (self.token_us - self.expert_token_us) * tokens
            + (self.expert_token_us * of_experts + padding) * times;
        let (exchanged, copied) = match placed.cut {
            Some(cut) => (cut.own_us * tokens + cut.all_us * float(all), float(all)),
            None => (self.exchange_us * tokens, tokens),
        };
        let latest = float(context).min(self.window * float(sequences));
        let decode = f64::from(load.decode);
        let divided = &placed.divided;
        let spared = divided.spared * self.context_us * float(load.decode_context);
        let gathered = if load.decode > 0 { divided.step_us + divided.request_us * decode } else { 0.0 };
        self.fixed_us
            + self.matrix_products(self.weights_us + touched, computed)
            + (self.reduce_us - self.exchange_us) * tokens
            + exchanged
            + self.sequence_us * decode
            + self.context_us * float(context)
            + self.window_us * latest
            + self.copies_us * copied
            - spared
            + gathered
    }

    /// Attention of prompts in layers with a window.
    fn windows_of(&self, load: &StepLoad<'_>) -> f64 {
        let pairs = |chunk: &Chunk| {
            let new = f64::from(chunk.tokens);
            let before = f64::from(chunk.context) + f64::from(chunk.cached) + (new - 1.0) / 2.0;
            new * before.min(self.window)
        };
        self.window_pair_us * load.prefill.iter().map(pairs).sum::<f64>()
    }

    /// Time of a step by the tokens that it computes, decoding requests included, those that are sent to its experts,
    /// the tokens before them, and the sequences.
    fn any_step(&self, [count, sent]: [u64; 2], decode: u32, context: u64, sequences: u64) -> f64 {
        let tokens = float(count);
        let [touched, padding] = self.experts.as_ref().map_or([0.0; 2], |e| e.read(sent));
        let time = self.fixed_us
            + self.matrix_products(self.weights_us + touched, self.token_us * tokens + padding)
            + self.reduce_us * tokens
            + self.sequence_us * f64::from(decode)
            + self.context_us * float(context);
        if self.window > 0.0 || self.copies_us > 0.0 {
            let latest = float(context).min(self.window * float(sequences));
            time + self.window_us * latest + self.copies_us * tokens
        } else {
            time
        }
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

/// Time of a step for layers with experts, whatever it computes: their kernels, choosing among the experts, converting to 8
/// bits, and shared experts beside the routed ones.
fn expert_layers_us(c: &CalibratedCoefficients, a: &Architecture, in_8_bits: bool) -> f64 {
    let layers = f64::from(a.expert_layers());
    let own = c.step_us_per_expert_layer + if in_8_bits { c.step_us_per_8_bit_expert_layer } else { 0.0 };
    let sorted = layers * c.step_us_per_expert * f64::from(a.experts);
    if c.step_us_per_shared_layer > 0.0 {
        let shared = if a.shared_experts > 0 { c.step_us_per_shared_layer } else { 0.0 };
        return layers * (own + shared) + sorted;
    }
    let shared = if a.shared_experts > 0 { 1.6 } else { 1.0 };
    layers * own * shared + sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: EngineGeneration = EngineGeneration::Latest;
    const ONE: Spread = Spread { tp: 1, ranks: 1, lockstep: false };

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
        Calibrated::new(USUAL, &c, a, &hardware, spread)
    }

    fn model(a: &Architecture, tp: u32) -> Calibrated {
        spread(a, Spread { tp, ranks: 1, lockstep: false })
    }

    #[test]
    fn a_step_is_the_sum_of_what_it_reads_computes_and_costs() {
        let llama = Architecture::default();
        // Weights: 32 * (2*4096*(4096+1024) + 3*4096*14336) = 6,979,321,856 and the output layer 525,336,576, 2 B each, at
        // 2e6 B/us: 7504.66 us. Compute of 10 tokens: 2 * 6,979,321,856 * 10 at 5e8 FLOP/us: 279.17 us, 0.6 of it shows.
        // Cache: 131,072 B for each of 4000 tokens: 262.14 us. Costs: 100 + 320 + 30.
        let decode = StepLoad { prefill: &[], decode: 10, decode_context: 4000, drafts: 0, padding: 0 };
        assert_eq!(model(&llama, 1).step(&decode), Span(8384));
        // A chunk of 100 tokens after 50 that are cached: compute 110 tokens, 3070.9 us; the cache of 50 tokens, 3.28 us; pairs 100 * 50
        // + 4950, 4*4096*32 FLOP each at 5e8: 10.43 us; 7.
        let chunk = [Chunk { context: 0, cached: 50, tokens: 100 }];
        let mixed = StepLoad { prefill: &chunk, decode: 10, decode_context: 4000, drafts: 0, padding: 0 };
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
            let model = Calibrated::new(USUAL, &c, &Architecture::default(), &hardware, ONE);
            model.step(&StepLoad { prefill, decode: 10, decode_context: 4000, drafts: 0, padding: 0 }).0
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
            let load = StepLoad { prefill: &[], decode, decode_context: 0, drafts: 0, padding: 0 };
            spread(&mixtral, Spread { tp, ranks, lockstep: false }).step(&load).0 as f64
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
        let dense = |ranks| spread(&Architecture::default(), Spread { tp: 2, ranks, lockstep: false });
        assert_eq!(dense(4), dense(1));
    }

    #[test]
    fn the_same_sums_take_the_same_time_and_more_work_takes_longer() {
        let mixtral = Architecture { experts: 8, experts_per_token: 2, ..Architecture::default() };
        let m = model(&mixtral, 2);
        let step = |decode, decode_context| {
            m.step(&StepLoad { prefill: &[], decode, decode_context, drafts: 0, padding: 0 })
        };
        assert_eq!(step(16, 900), step(16, 900));
        assert!(step(1, 10) < step(2, 20) && step(2, 20) < step(2, 2000) && step(8, 80) < step(64, 640));
        assert!(
            m.step(&StepLoad { prefill: &[], decode: 1, decode_context: 1, drafts: 0, padding: 0 })
                < model(&mixtral, 1).step(&StepLoad {
                    prefill: &[],
                    decode: 1,
                    decode_context: 1,
                    drafts: 0,
                    padding: 0
                })
        );
    }
}
