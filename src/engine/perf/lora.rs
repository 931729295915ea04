//! LoRA adapters in figures: how large one is, what its load costs, and what adapters add to a step
//! (docs/explanation/model/adapters.md).

use super::step_load::LONGEST;
use super::{Resolver, catalogue};
use base::math::{round_to_span, truncate_to_span};
use base::{Diagnostic, Span};
use document::{Architecture, Lora, LoraTargets, Pool};
use serde::{Deserialize, Serialize};

const MIB: f64 = 1_048_576.0;

/// Bytes of one number of an adapter: 16 bits, whatever the weights of the model have.
const NUMBER_BYTES: f64 = 2.0;

/// What the replicas of a pool need to know of adapters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoraFigures {
    /// Adapters on the GPU at once.
    pub slots: u32,
    /// Adapters in CPU memory, those on the GPU among them.
    pub cpu_slots: u32,
    /// Bytes of one adapter.
    pub bytes: f64,
    /// The copy of an adapter from CPU memory to the GPU.
    pub cpu_load: Span,
    /// Reading an adapter from disk, before that copy.
    pub disk_load: Span,
    /// What adapters add to a step in microseconds: always, for each different one, and for each token.
    step_us: [f64; 3],
}

impl LoraFigures {
    /// What `adapters` different adapters with `tokens` tokens add to a step.
    pub fn step(&self, adapters: u32, tokens: u64) -> Span {
        if adapters == 0 {
            return Span::ZERO;
        }
        let [fixed, each, per_token] = self.step_us;
        round_to_span(fixed + each * f64::from(adapters) + per_token * tokens as f64).min(LONGEST)
    }
}

/// A projection that has an adapter: numbers in and out, how many there are in the model, and whether its GPUs split the
/// numbers that come out (else those that go in).
struct Projection {
    inputs: f64,
    outputs: f64,
    count: f64,
    splits_output: bool,
}

/// The projections of a model that have adapters.
fn projections(a: &Architecture, targets: LoraTargets) -> Vec<Projection> {
    let (hidden, layers) = (f64::from(a.hidden), f64::from(a.layers));
    let queries = f64::from(a.heads) * f64::from(a.head_dim());
    let keys = f64::from(a.kv_heads()) * f64::from(a.head_dim());
    let wide = |inputs, outputs, count| Projection { inputs, outputs, count, splits_output: true };
    let narrow = |inputs, outputs, count| Projection { inputs, outputs, count, splits_output: false };
    let mut all = vec![wide(hidden, queries, layers), narrow(queries, hidden, layers)];
    if a.kv_latent > 0 {
        // Down to the latent, and from it to the keys and values of each head.
        let latent = f64::from(a.kv_latent);
        all.extend([wide(hidden, latent, layers), wide(latent, 2.0 * queries, layers)]);
    } else {
        all.push(wide(hidden, keys, 2.0 * layers));
    }
    if targets == LoraTargets::All {
        let with_experts = f64::from(a.expert_layers());
        let mut feed = |width: u32, count: f64| {
            let width = f64::from(width);
            all.extend([wide(hidden, width, 2.0 * count), narrow(width, hidden, count)]);
        };
        feed(a.intermediate(), layers - with_experts);
        feed(a.expert_intermediate(), with_experts * (f64::from(a.experts) + f64::from(a.shared_experts)));
    }
    all
}

/// Bytes of one adapter: rank x (inputs + outputs) numbers for each projection.
fn adapter_bytes(a: &Architecture, lora: &Lora) -> f64 {
    let numbers: f64 = projections(a, lora.targets).iter().map(|p| (p.inputs + p.outputs) * p.count).sum();
    numbers * f64::from(lora.rank) * NUMBER_BYTES
}

/// Bytes that one adapter takes on all GPUs of a replica together. Of its two matrices the one on the side that the GPUs
/// split is split too; each GPU has the other in whole.
fn slot_bytes(a: &Architecture, lora: &Lora, tp: u32) -> f64 {
    let tp = f64::from(tp.max(1));
    let of = |p: &Projection| {
        let (split, whole) = if p.splits_output { (p.outputs, p.inputs) } else { (p.inputs, p.outputs) };
        (split + whole * tp) * p.count
    };
    projections(a, lora.targets).iter().map(of).sum::<f64>() * f64::from(lora.rank) * NUMBER_BYTES
}

/// The model's shape, if it is known.
fn shape(pool: &Pool) -> Option<&Architecture> {
    let known = || catalogue::architecture(&pool.model).map(|known| &known.architecture);
    pool.architecture.as_ref().or_else(known)
}

/// Bytes that the GPU slots of a replica take away from its KV cache; 0 without adapters.
pub(super) fn memory_bytes(pool: &Pool) -> f64 {
    let Some(lora) = &pool.lora else { return 0.0 };
    let slot = if lora.adapter_mib > 0.0 {
        lora.adapter_mib * MIB
    } else {
        shape(pool).map_or(0.0, |a| slot_bytes(a, lora, pool.tp))
    };
    slot * f64::from(lora.max_loras)
}

/// The figures of a pool, if it serves adapters; `path` is the pool's.
pub(super) fn figures(pool: &Pool, path: &str) -> Result<Option<LoraFigures>, Diagnostic> {
    let Some(lora) = &pool.lora else { return Ok(None) };
    let bytes = if lora.adapter_mib > 0.0 {
        lora.adapter_mib * MIB
    } else {
        let a = shape(pool).ok_or_else(|| {
            Diagnostic::error(
                format!("{path}.lora.adapter_mib"),
                format!("no size, of adapters for the model {:?} without a known shape", pool.model),
                "a size in MiB, or a model with a shape",
                "give lora.adapter_mib or the pool's architecture",
            )
        })?;
        adapter_bytes(a, lora)
    };
    let layers = shape(pool).map_or(1, |a| a.layers);
    // A scenario with numbers out of range is resolved too, so that all its problems are reported at once.
    let load = |ms: f64, gb_per_s: f64| {
        let us = ms * 1e3 + bytes / (gb_per_s * 1e3);
        truncate_to_span(if us.is_finite() { us.clamp(0.0, LONGEST.0 as f64) } else { 0.0 })
    };
    Ok(Some(LoraFigures {
        slots: lora.max_loras,
        cpu_slots: lora.cpu_loras(),
        bytes,
        cpu_load: load(lora.cpu_load_ms, lora.cpu_gb_per_s),
        disk_load: load(lora.disk_load_ms, lora.disk_gb_per_s),
        step_us: [
            lora.step_us_per_layer * f64::from(layers),
            lora.step_us_per_adapter,
            lora.step_us_per_token,
        ],
    }))
}

impl Resolver<'_> {
    /// Its adapters, if it serves any.
    pub(super) fn lora(&mut self) -> Option<LoraFigures> {
        let found = figures(self.pool, self.path);
        self.keep(found).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf::resolve;
    use base::Blocks;
    use document::{Compat, KvBlocks, LatencyModel, RooflineSettings};

    fn pool(lora: Lora) -> Pool {
        let latency = LatencyModel::Roofline(RooflineSettings::default());
        Pool { lora: Some(lora), latency, ..Pool::default() }
    }

    #[test]
    fn an_adapter_is_as_large_as_a_published_one() {
        let llama = Architecture::default();
        // 32 * 16 * (q 8192 + k, v 2 * 5120 + o 8192) = 13,631,488 and with gate, up and down 3 * 18,432 more:
        // 41,943,040 trainable parameters, as PEFT counts them for rank 16.
        let all = adapter_bytes(&llama, &Lora::default());
        assert_eq!(all as u64, 2 * 41_943_040);
        let attention = Lora { targets: LoraTargets::Attention, ..Lora::default() };
        assert_eq!(adapter_bytes(&llama, &attention) as u64, 2 * 13_631_488);
        let wide = Lora { rank: 64, ..Lora::default() };
        assert_eq!(adapter_bytes(&llama, &wide) as u64, 4 * 2 * 41_943_040);
        // On one GPU a slot holds the adapter, on two the whole side of each projection twice:
        // 32 * 16 * (q 4096 + k, v 2 * 4096 + o 4096 + gate, up 2 * 4096 + down 4096) numbers more.
        assert_eq!(slot_bytes(&llama, &Lora::default(), 1) as u64, 2 * 41_943_040);
        assert_eq!(slot_bytes(&llama, &Lora::default(), 2) as u64, 2 * (41_943_040 + 512 * 28_672));
    }

    #[test]
    fn experts_have_adapters_of_their_own() {
        let mixtral = Architecture { experts: 8, experts_per_token: 2, ..Architecture::default() };
        let dense = adapter_bytes(&Architecture::default(), &Lora::default());
        // Seven experts more in each of 32 layers.
        let more = 7.0 * 32.0 * 16.0 * 3.0 * (4096.0 + 14_336.0) * 2.0;
        assert_eq!(adapter_bytes(&mixtral, &Lora::default()) as u64, (dense + more) as u64);
    }

    #[test]
    fn slots_take_blocks_of_the_cache() {
        let blocks = |lora: Lora| resolve(&pool(lora), Compat::None, "p").map(|r| r.blocks);
        // 26,312.9 blocks of 2 MiB without adapters; an adapter of rank 16 takes 80 MiB, which are 40 blocks.
        assert_eq!(blocks(Lora::default()), Ok(Blocks(26_272)));
        assert_eq!(blocks(Lora { max_loras: 8, ..Lora::default() }), Ok(Blocks(26_312 - 320)));
        assert_eq!(blocks(Lora { adapter_mib: 200.0, ..Lora::default() }), Ok(Blocks(26_312 - 100)));
        let mut given = pool(Lora::default());
        given.kv.blocks = KvBlocks::Count(77);
        assert_eq!(resolve(&given, Compat::None, "p").map(|r| r.blocks), Ok(Blocks(77)));
        let mut listed = pool(Lora { max_loras: 8, ..Lora::default() });
        listed.latency = LatencyModel::Catalogue;
        assert_eq!(resolve(&listed, Compat::None, "p").map(|r| r.blocks), Ok(Blocks(29_205 - 320)));
        let far_too_many = blocks(Lora { max_loras: 1024, ..Lora::default() }).unwrap_err();
        assert_eq!(far_too_many[0].path, "p.lora.max_loras", "{far_too_many:?}");
    }

    #[test]
    fn loads_and_steps_take_what_the_settings_say() {
        let lora = Lora {
            adapter_mib: 13.0 * 1e9 / MIB,
            cpu_load_ms: 3.0,
            disk_load_ms: 100.0,
            disk_gb_per_s: 6.5,
            step_us_per_layer: 10.0,
            step_us_per_adapter: 25.0,
            step_us_per_token: 0.5,
            ..Lora::default()
        };
        let f = figures(&pool(lora), "p").unwrap().expect("it serves adapters");
        assert_eq!((f.cpu_load, f.disk_load), (Span(1_003_000), Span(2_100_000)));
        // 32 layers of 10 us, two adapters of 25 us, 9 tokens of 0.5 us, rounded.
        assert_eq!([f.step(2, 9), f.step(0, 9), f.step(1, 0)], [Span(375), Span(0), Span(345)]);
        assert_eq!(f.cpu_slots, 1);
        let mut unknown = pool(Lora::default());
        unknown.model = "mine".to_owned();
        assert_eq!(figures(&unknown, "p").unwrap_err().path, "p.lora.adapter_mib");
    }
}
