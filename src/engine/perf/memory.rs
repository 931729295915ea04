//! How many KV blocks fit beside a model in the memory of its GPUs (docs/explanation/model/cache.md).

use super::lora;
use super::parts::Parts;
use super::placed::{redundant_bytes, token_share};
use super::spread::Spread;
use super::states::{StateBlocks, counts_by_kind};
use base::Diagnostic;
use base::small::decimal::fixed;
use document::{Architecture, Compat, EngineGeneration, Hardware, LatencyModel, Pool, limits};

/// Memory for activations at the largest batch, in GiB, of a dense model.
const ACTIVATIONS_GIB: f64 = 5.5;
/// The same with experts, whose buffers hold several copies of each token.
const ACTIVATIONS_WITH_EXPERTS_GIB: f64 = 8.0;
/// Memory outside the framework's reach on one GPU alone, in GiB: the driver's context.
const OUTSIDE_GIB: f64 = 0.15;
/// The same on each of several GPUs, which also keep buffers for their communication.
const OUTSIDE_PARALLEL_GIB: f64 = 0.6;

/// Memory of a GPU taken by the driver, in GiB and as a share. Measured on H100, A100 and RTX 4090.
const DRIVER_GIB: f64 = 0.45;
const DRIVER_SHARE: f64 = 0.0045;
/// Measured memory of the engine on each GPU besides weights and blocks, in GiB: always, with several GPUs, and for
/// each entry of the vocabulary. Each of nine recorded counts without images is met within 1.5 %.
const KEPT_GIB: f64 = 0.195;
const KEPT_PARALLEL_GIB: f64 = 0.46;
const KEPT_GIB_PER_VOCABULARY: f64 = 7.06e-6;
/// Additional memory of releases without scheduling ahead, in GiB on each GPU: from one recorded count, and the loads
/// carried by servers of two other experiments.
const KEPT_EARLIER_GIB: f64 = 1.7;

pub(super) const GIB: f64 = 1_073_741_824.0;

/// Weights of the whole model.
pub(super) fn parameters(a: &Architecture) -> f64 {
    let parts = Parts::of(a);
    let (hidden, experts) = (f64::from(a.hidden), f64::from(a.experts));
    let routers = experts * hidden * f64::from(a.expert_layers());
    // Two normalisations in each layer and one at the end.
    let norms = f64::from(a.layers) * 2.0 * hidden + hidden;
    parts.embeddings + parts.common + parts.expert * experts + routers + norms
}

/// Bytes of the weights of a replica, where `ranks` replicas share the routed experts.
pub(super) fn weight_bytes(a: &Architecture, ranks: u32) -> f64 {
    let parts = Parts::of(a);
    let routed = parts.expert * f64::from(a.experts);
    let elsewhere = routed * (1.0 - 1.0 / f64::from(ranks));
    // Weights of another size are corrected separately, so that the result for a shape without any is unchanged to
    // the bit.
    (parameters(a) - elsewhere) * a.bytes_per_param
        + (routed - elsewhere) * (a.bytes_per_expert_param() - a.bytes_per_param)
        + if a.bytes_per_embedding_param > 0.0 {
            parts.embeddings * (a.bytes_per_embedding_param - a.bytes_per_param)
        } else {
            0.0
        }
}

/// Bytes that one token takes in the caches of all GPUs of a replica together, by which their memory is divided; BLIS
/// divides it by the bytes on one of them.
fn token_bytes(a: &Architecture, tp: u32, compat: Compat) -> f64 {
    let parts = Parts::of(a);
    if compat == Compat::Blis && a.kv_latent == 0 {
        return parts.cached * a.bytes_per_kv_value / f64::from(tp);
    }
    parts.cached_by(a, tp) * a.bytes_per_kv_value
}

/// The same without the layers that requests hold by themselves, where kinds of layers count apart: BLIS counts them alike.
fn full_token_bytes(a: &Architecture, tp: u32, compat: Compat) -> f64 {
    if compat == Compat::None && counts_by_kind(a) {
        return Parts::of(a).cached_full_by(a, tp) * a.bytes_per_kv_value;
    }
    token_bytes(a, tp, compat)
}

/// Bytes of one token in the caches of `tp` GPUs together, in all layers (docs/explanation/disaggregation.md), `share` times as large.
pub(super) fn kv_bytes_per_token(a: &Architecture, tp: u32, share: f64) -> u64 {
    let bytes = Parts::of(a).cached_by(a, tp) * a.bytes_per_kv_value * share;
    bytes.clamp(1.0, limits::KV_BYTES_PER_TOKEN.into()) as u64
}

/// What a running request holds besides the blocks of its tokens, where kinds of layers count apart.
pub(super) fn states(a: &Architecture, tp: u32, block_tokens: u32) -> StateBlocks {
    if counts_by_kind(a) {
        StateBlocks::new(a, full_token_bytes(a, tp, Compat::None), block_tokens)
    } else {
        StateBlocks::default()
    }
}

/// Bytes that one block takes in the caches of all GPUs of a replica together, counted as [`token_bytes`] does.
pub(super) fn block_bytes(a: &Architecture, tp: u32, compat: Compat, block_tokens: u32) -> f64 {
    token_bytes(a, tp, compat) * f64::from(block_tokens)
}

/// The slots of adapters leave no memory for a KV block; `path` is the pool's.
pub(super) fn no_room_for_slots(slots: f64, free: f64, path: &str) -> Diagnostic {
    Diagnostic::error(
        format!("{path}.lora.max_loras"),
        format!(
            "{} GiB of LoRA slots in {} GiB that are left beside the model",
            fixed(slots / GIB, 1),
            fixed(free / GIB, 1)
        ),
        "room for one KV block at least",
        "use fewer slots or a lower rank, more GPUs, or give kv.blocks yourself",
    )
}

/// The needs of a replica.
pub(super) struct Fit<'a> {
    pub(super) architecture: &'a Architecture,
    pub(super) hardware: &'a Hardware,
    pub(super) spread: Spread,
    /// Stages that share the layers.
    pub(super) stages: u32,
    /// Memory of a drafter.
    pub(super) drafter_gib: f64,
    /// By how much a token's cache is larger than that of the model's layers on each GPU.
    pub(super) token_share: f64,
    /// Copies of experts beside the first of each, in all ranks together.
    pub(super) redundant: u32,
    /// Usable share of the memory.
    pub(super) utilization: f64,
    pub(super) block_tokens: u32,
    pub(super) compat: Compat,
    /// The release with measured memory besides weights and blocks; without one, BLIS's assumption holds.
    pub(super) measured: Option<EngineGeneration>,
    /// Bytes of the slots of adapters.
    pub(super) slots: f64,
}

/// Memory of a replica, in GiB.
struct MemoryBudget {
    usable: f64,
    weights: f64,
    /// Activations, and memory of the driver and communication.
    buffers: f64,
    block: f64,
}

impl MemoryBudget {
    fn free(&self) -> f64 {
        self.usable - (self.weights + self.buffers)
    }

    fn blocks(&self) -> u64 {
        let free = self.free();
        let block = ((self.block * GIB) as u64).max(1);
        if free > 0.0 { (free * GIB) as u64 / block } else { 0 }
    }
}

impl<'a> Fit<'a> {
    /// The needs of a replica of a pool.
    pub(super) fn of(
        pool: &Pool,
        architecture: &'a Architecture,
        hardware: &'a Hardware,
        compat: Compat,
    ) -> Self {
        let measured = match &pool.latency {
            LatencyModel::Calibrated(s) if compat == Compat::None => Some(s.engine),
            _ => None,
        };
        Self {
            architecture,
            hardware,
            spread: Spread::of(pool),
            stages: pool.pp.max(1),
            drafter_gib: pool.engine.speculative.as_ref().map_or(0.0, |s| s.memory_gib),
            token_share: token_share(pool, architecture),
            redundant: pool.experts.eplb.as_ref().map_or(0, |eplb| eplb.redundant),
            utilization: pool.kv.gpu_memory_utilization,
            block_tokens: pool.kv.block_tokens.max(1),
            compat,
            measured,
            slots: lora::memory_bytes(pool),
        }
    }
}

impl Fit<'_> {
    /// Whole blocks that fit; the error names what is lacking. `path` is the pool's.
    pub(super) fn blocks(&self, path: &str) -> Result<u64, Diagnostic> {
        let mut budget = self.of_stage(self.budget(self.spread.tp));
        if self.drafter_gib > 0.0 {
            budget.buffers += self.drafter_gib;
        }
        let free = budget.free() * GIB;
        if budget.blocks() == 0 {
            return Err(self.does_not_fit(&budget, path));
        }
        let slots = self.slots * self.share();
        if slots > 0.0 {
            budget.buffers += slots / GIB;
        }
        match budget.blocks() {
            0 => Err(no_room_for_slots(slots, free, path)),
            blocks => Ok(blocks),
        }
    }

    /// Weights, buffers and a block of the stage with the most layers, in GiB.
    pub(super) fn shares(&self) -> [f64; 3] {
        let budget = self.of_stage(self.budget(self.spread.tp));
        [budget.weights, budget.buffers + self.drafter_gib + self.slots * self.share() / GIB, budget.block]
    }

    /// The part of the layers on the stage of a pipeline with the most of them.
    fn share(&self) -> f64 {
        let layers = self.architecture.layers;
        if self.stages < 2 { 1.0 } else { f64::from(layers.div_ceil(self.stages)) / f64::from(layers.max(1)) }
    }

    /// The memory of the stage of a pipeline with the most layers: it has a part of the layers and of every block, and
    /// one of the two tables of embeddings. All stages have as many blocks as this one.
    fn of_stage(&self, whole: MemoryBudget) -> MemoryBudget {
        if self.stages < 2 {
            return whole;
        }
        let (a, share) = (self.architecture, self.share());
        let bytes = if a.bytes_per_embedding_param > 0.0 { a.bytes_per_embedding_param } else { 2.0 };
        let tables = (Parts::of(a).embeddings * bytes / GIB).min(whole.weights);
        MemoryBudget {
            weights: (whole.weights - tables) * share + tables / 2.0,
            block: whole.block * share,
            ..whole
        }
    }

    fn budget(&self, gpus: u32) -> MemoryBudget {
        let without = match self.measured {
            Some(engine) => self.measured_budget(gpus, engine),
            None => self.assumed_budget(gpus),
        };
        let copies = redundant_bytes(self.architecture, self.spread.ranks, self.redundant) / GIB;
        let weights = if copies > 0.0 { without.weights + copies } else { without.weights };
        MemoryBudget { block: without.block * self.token_share, weights, ..without }
    }

    fn assumed_budget(&self, gpus: u32) -> MemoryBudget {
        let (a, tp) = (self.architecture, f64::from(gpus));
        let activations = if a.experts > 0 { ACTIVATIONS_WITH_EXPERTS_GIB } else { ACTIVATIONS_GIB };
        let outside = if gpus > 1 { OUTSIDE_PARALLEL_GIB * tp } else { OUTSIDE_GIB };
        MemoryBudget {
            usable: self.hardware.memory_gib * self.utilization * tp,
            weights: weight_bytes(a, self.spread.ranks) / GIB,
            buffers: activations + outside,
            block: full_token_bytes(a, gpus, self.compat) * f64::from(self.block_tokens.max(1)) / GIB,
        }
    }

    fn measured_budget(&self, gpus: u32, engine: EngineGeneration) -> MemoryBudget {
        let (a, tp) = (self.architecture, f64::from(gpus));
        let parallel = if gpus > 1 || self.spread.ranks > 1 { KEPT_PARALLEL_GIB } else { 0.0 };
        let earlier = if engine < EngineGeneration::Ahead { KEPT_EARLIER_GIB } else { 0.0 };
        // Embeddings have 16 bits by default.
        let wider = if a.bytes_per_embedding_param > 0.0 {
            0.0
        } else {
            Parts::of(a).embeddings * (2.0 - a.bytes_per_param).max(0.0)
        };
        MemoryBudget {
            usable: (self.hardware.memory_gib * (1.0 - DRIVER_SHARE) - DRIVER_GIB) * self.utilization * tp,
            weights: (weight_bytes(a, self.spread.ranks) + wider) / GIB,
            buffers: (KEPT_GIB + parallel + earlier + KEPT_GIB_PER_VOCABULARY * f64::from(a.vocab)) * tp,
            block: full_token_bytes(a, gpus, self.compat) * f64::from(self.block_tokens.max(1)) / GIB,
        }
    }

    fn does_not_fit(&self, budget: &MemoryBudget, path: &str) -> Diagnostic {
        let own = self.spread.tp;
        let more = (1..=6)
            .map(|doublings| own.saturating_mul(1 << doublings))
            .find(|gpus| *gpus <= limits::TP && self.of_stage(self.budget(*gpus)).blocks() > 0);
        let more = more.map_or_else(|| "larger GPUs".to_owned(), |gpus| format!("more GPUs (tp {gpus})"));
        Diagnostic::error(
            format!("{path}.tp"),
            format!(
                "{} GiB of weights and {} GiB of activations and buffers in {} GiB of usable memory of {} GPU{}",
                fixed(budget.weights, 1),
                fixed(budget.buffers, 1),
                fixed(budget.usable, 1),
                own,
                if own == 1 { "" } else { "s" },
            ),
            format!("{} GiB more, for one KV block at least", fixed(budget.block - budget.free(), 1)),
            format!(
                "use {more}, smaller weights or a larger kv.gpu_memory_utilization, or give kv.blocks yourself"
            ),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::catalogue;
    use super::*;

    /// A whole model in nine tenths of the memory, with blocks of 16 tokens and nothing beside.
    fn fit<'a>(architecture: &'a Architecture, hardware: &'a Hardware, tp: u32) -> Fit<'a> {
        Fit {
            architecture,
            hardware,
            spread: Spread { tp, ranks: 1, lockstep: false },
            stages: 1,
            drafter_gib: 0.0,
            token_share: 1.0,
            redundant: 0,
            utilization: 0.9,
            block_tokens: 16,
            compat: Compat::None,
            measured: None,
            slots: 0.0,
        }
    }

    fn blocks(model: &str, gpu: &str, tp: u32, block_tokens: u32) -> Result<u64, Diagnostic> {
        let architecture = &catalogue::architecture(model).expect("in the catalogue").architecture;
        let hardware = &catalogue::gpu(gpu).expect("in the catalogue").hardware;
        Fit { block_tokens, ..fit(architecture, hardware, tp) }.blocks("p")
    }

    #[test]
    fn parameters_are_those_of_the_published_models() {
        for (model, billions) in [
            ("llama-3.1-8b", 8.030_261_248),
            ("llama-3.1-70b", 70.553_706_496),
            ("llama-2-7b", 6.738_415_616),
            ("mixtral-8x7b", 46.702_792_704),
        ] {
            let found = parameters(&catalogue::architecture(model).expect("listed").architecture);
            assert_eq!(found as u64, (billions * 1e9_f64).round() as u64, "{model}");
        }
    }

    #[test]
    fn blocks_of_a_small_model_on_one_gpu() {
        // (80 * 0.9 - 8,030,261,248 * 2 / 2^30 - 5.5 - 0.15) GiB / (32 * 2 * 8 * 128 * 2 * 16 B = 2 MiB) = 26,312.9
        assert_eq!(blocks("llama-3.1-8b", "H100", 1, 16), Ok(26_312));
        assert_eq!(blocks("llama-3.1-8b", "A100", 1, 16), Ok(26_312));
        assert_eq!(blocks("llama-3.1-8b", "H100", 1, 32), Ok(13_156));
        assert_eq!(blocks("qwen2.5-7b", "H100", 1, 16), Ok(61_048));
        assert_eq!(blocks("codellama-34b", "H100", 1, 16), Ok(1193));
    }

    /// The catalogue's counts leave nothing for activations and buffers; a GPU's share of them is what fits otherwise.
    #[test]
    fn the_catalogue_has_as_many_blocks_more_as_buffers_would_take() {
        let mut seen = 0;
        for row in &catalogue::catalogue().coefficients {
            let published =
                ["llama-3.1-8b", "llama-3.3-70b", "llama-3.1-nemotron-70b", "qwen2.5-7b", "mixtral-8x7b"];
            if !published.contains(&row.name.as_str()) {
                continue;
            }
            let a = &catalogue::architecture(&row.name).expect("in the catalogue").architecture;
            let outside_gib = if row.tp > 1 { 0.6 * f64::from(row.tp) } else { 0.15 };
            let buffers_gib = outside_gib + if a.experts > 0 { 8.0 } else { 5.5 };
            let buffers = buffers_gib * GIB / (token_bytes(a, row.tp, Compat::None) * 16.0);
            let found = blocks(&row.name, &row.gpu, row.tp, 16).expect("it fits") as f64 + buffers;
            let listed = f64::from(row.fitting_blocks());
            assert!((found - listed).abs() < 2.5, "{} tp {}: {found} {listed}", row.name, row.tp);
            seen += 1;
        }
        assert_eq!(seen, 17);
    }

    #[test]
    fn a_block_is_spread_over_all_gpus_of_a_replica() {
        // (80 * 0.9 * 8 - 14.958 - 5.5 - 0.6 * 8) GiB / 2 MiB = 281,980
        assert_eq!(blocks("llama-3.1-8b", "H100", 8, 16), Ok(281_980));
        // Twice as many GPUs as KV heads: each keeps a whole head, so a block takes twice the memory.
        // (80 * 0.9 * 16 - 14.958 - 5.5 - 0.6 * 16) GiB / 4 MiB = 287,217
        assert_eq!(blocks("llama-3.1-8b", "H100", 16, 16), Ok(287_217));
        assert_eq!(blocks("mixtral-8x7b", "H100", 8, 16), Ok(243_819));
    }

    #[test]
    fn replicas_that_share_experts_have_room_for_more_blocks() {
        let mixtral = &catalogue::architecture("mixtral-8x7b").expect("in the catalogue").architecture;
        // 46,702,792,704 parameters, of which 32 * 8 * 3*4096*14336 are experts: three of four are elsewhere.
        let elsewhere = 0.75 * 45_097_156_608.0;
        assert!((weight_bytes(mixtral, 1) / 2.0 - 46_702_792_704.0).abs() < 1.0);
        assert!((weight_bytes(mixtral, 4) / 2.0 - (46_702_792_704.0 - elsewhere)).abs() < 1.0);
        let blocks = |ranks| {
            Fit {
                spread: Spread { tp: 2, ranks, lockstep: false },
                measured: Some(EngineGeneration::Ahead),
                ..fit(mixtral, &catalogue::gpu("H100").expect("in the catalogue").hardware, 2)
            }
            .blocks("p")
            .expect("it fits")
        };
        // 16 tokens take 2 MiB on both GPUs together.
        assert_eq!(blocks(4) - blocks(1), (elsewhere * 2.0 / f64::from(2 << 20)).round() as u64);
    }

    /// Blocks as servers recorded them, with vLLM 0.15 to 0.20.
    #[test]
    fn measured_memory_gives_the_recorded_blocks_within_two_percent() {
        use EngineGeneration::{Ahead, Latest, Synchronous};
        let recorded = [
            ("llama-2-7b", "H100", 1, 7463, Ahead),
            ("llama-2-70b", "H100", 4, 31_356, Ahead),
            ("llama-3.1-70b", "H100", 4, 30_251, Ahead),
            ("llama-3.1-70b", "H100", 4, 7209 * 4, Synchronous),
            ("mixtral-8x7b", "H100", 2, 27_510, Ahead),
            ("codellama-34b", "H100", 2, 26_602, Ahead),
            ("yi-34b", "H100", 2, 20_793, Ahead),
            ("mistral-nemo", "H100", 2, 48_009, Ahead),
            ("mistral-nemo", "H100", 1, 19_251, Ahead),
            ("llama-3.1-8b", "A100-40", 1, 9929, Latest),
            ("llama-3.1-8b", "RTX-4090", 1, 2588, Latest),
        ];
        for (model, gpu, tp, blocks, engine) in recorded {
            let architecture = &catalogue::architecture(model).expect("in the catalogue").architecture;
            let hardware = &catalogue::gpu(gpu).expect("in the catalogue").hardware;
            let fit = Fit { measured: Some(engine), ..fit(architecture, hardware, tp) };
            let found = fit.blocks("p").expect("it fits") as f64;
            let error = found / f64::from(blocks) - 1.0;
            assert!(error.abs() < 0.02, "{model} tp {tp} {gpu}: {error}");
        }
    }

    #[test]
    fn every_further_gpu_adds_room() {
        for x in &catalogue::catalogue().architectures {
            let tps = [1, 2, 4, 8, 16, 32, 64];
            let counts: Vec<u64> =
                tps.iter().map(|tp| blocks(&x.name, "L40S", *tp, 16).unwrap_or(0)).collect();
            let heads = x.architecture.kv_heads();
            let split = tps.iter().filter(|tp| **tp <= heads).count();
            assert!(x.architecture.kv_latent > 0 || counts[..split].is_sorted(), "{}: {counts:?}", x.name);
            assert!(counts[6] > 0, "{}: {counts:?}", x.name);
        }
    }

    #[test]
    fn blocks_of_layers_with_full_attention_are_smaller_and_requests_hold_the_rest() {
        let fit = |model: &str, compat: Compat| {
            let known = catalogue::architecture(model).expect("in the catalogue");
            Fit {
                compat,
                measured: Some(EngineGeneration::V018),
                ..fit(&known.architecture, &catalogue::gpu("B200").expect("in the catalogue").hardware, 1)
            }
            .blocks("p")
            .expect("it fits")
        };
        // 18 of 36 layers have a window: half of the bytes for each block.
        let [all, full] = [Compat::Blis, Compat::None].map(|compat| fit("gpt-oss-120b", compat));
        assert!(full == 2 * all || full == 2 * all + 1, "{all} {full}");
        // 10 of 62 layers have none.
        let [all, full] = [Compat::Blis, Compat::None].map(|compat| fit("gemma-3-27b", compat) as f64);
        assert!((full / all - 6.2).abs() < 1e-3, "{all} {full}");
        assert_eq!(fit("llama-3.1-70b-fp8", Compat::Blis), fit("llama-3.1-70b-fp8", Compat::None));
        let oss = &catalogue::architecture("gpt-oss-120b").expect("in the catalogue").architecture;
        assert_eq!(states(oss, 2, 16).of(5000, 16), 9);
    }

    #[test]
    fn what_does_not_fit_says_by_how_much_and_what_would_help() {
        let e = blocks("llama-3.1-70b", "H100", 1, 16).unwrap_err();
        assert_eq!(e.path, "p.tp");
        assert_eq!(
            e.found,
            "131.4 GiB of weights and 5.7 GiB of activations and buffers in 72.0 GiB of usable memory of 1 GPU"
        );
        // 131.4 + 5.65 - 72 = 65.07
        assert!(e.allowed.starts_with("65.1 GiB more"), "{e}");
        assert!(e.fix.contains("tp 2"), "{e}");
    }
}
