//! Pure models of how long things take, and the catalogue of measured hardware: no state, no randomness.

mod catalogue;
mod step;

pub use catalogue::{Catalogue, Gpu, Row, catalogue};
pub use step::{Chunk, Fitted, StepLoad, StepModel};

use crate::base::{Blocks, Diagnostic};
use crate::scenario::{KvBlocks, LatencyModel, Pool, limits};
use serde::{Deserialize, Serialize};

/// A pool's hardware figures, resolved against the catalogue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resolved {
    /// Its latency model.
    pub model: StepModel,
    /// Blocks of one replica's KV cache.
    pub blocks: Blocks,
    /// Price of one replica in US dollars per hour; 0 if unknown.
    pub usd_per_hour: f64,
    /// Which measurements the figures come from; empty if all are the scenario's own.
    pub source: String,
}

/// One entry of the catalogue, for lists to choose from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelEntry {
    /// Model, as named in scenarios.
    pub model: &'static str,
    /// GPU.
    pub gpu: &'static str,
    /// Tensor parallelism.
    pub tp: u32,
    /// What `"auto"` KV blocks come to, in blocks of 16 tokens.
    pub kv_blocks: Blocks,
    /// Price of one replica in US dollars per hour; 0 if unknown.
    pub usd_per_hour: f64,
}

/// All models of the catalogue, by name, GPU and tensor parallelism.
pub fn models() -> Vec<ModelEntry> {
    let entry = |row: &'static Row| ModelEntry {
        model: &row.name,
        gpu: &row.gpu,
        tp: row.tp,
        kv_blocks: Blocks(row.kv_blocks),
        usd_per_hour: price(&row.gpu, row.tp),
    };
    catalogue().coefficients.iter().map(entry).collect()
}

/// Resolves a pool; `path` is where it stands in the scenario, for messages.
///
/// A pool with coefficients and a number of blocks of its own may name any model and GPU; whatever it leaves to the
/// catalogue must be there.
pub fn resolve(pool: &Pool, path: &str) -> Result<Resolved, Diagnostic> {
    let row = match (&pool.latency, pool.kv.blocks) {
        (LatencyModel::Fitted(_), KvBlocks::Count(_)) => None,
        (LatencyModel::Catalogue, _) | (LatencyModel::Fitted(_), KvBlocks::Auto) => {
            Some(catalogue::find(pool, path)?)
        }
    };
    let measured = |row: &Row| StepModel::Fitted(Fitted { alpha_us: row.alpha_us, beta_us: row.beta_us });
    let model = match (&pool.latency, row) {
        (LatencyModel::Fitted(own), _) => StepModel::Fitted(own.into()),
        (LatencyModel::Catalogue, row) => measured(row.expect("looked up above")),
    };
    let blocks = match (pool.kv.blocks, row) {
        (KvBlocks::Count(n), _) => Blocks(n),
        (KvBlocks::Auto, row) => auto_blocks(row.expect("looked up above"), pool, path)?,
    };
    let source =
        row.map_or_else(String::new, |r| format!("{}, {}, TP {}, vLLM {}", r.id, r.gpu, r.tp, r.vllm));
    Ok(Resolved { model, blocks, usd_per_hour: price(&pool.gpu, pool.tp), source })
}

/// As many blocks of the pool's size as fit in the bytes of the catalogue's blocks.
fn auto_blocks(row: &Row, pool: &Pool, path: &str) -> Result<Blocks, Diagnostic> {
    let tokens = u64::from(row.kv_blocks) * catalogue::BLOCK_TOKENS;
    let blocks = tokens / u64::from(pool.kv.block_tokens.max(1));
    if blocks > u64::from(limits::KV_BLOCKS) {
        return Err(Diagnostic::error(
            format!("{path}.kv.block_tokens"),
            format!("{}, which makes {blocks} blocks of the {tokens} tokens that fit", pool.kv.block_tokens),
            format!("at most {} blocks", limits::KV_BLOCKS),
            format!("use blocks of at least {} tokens", tokens.div_ceil(u64::from(limits::KV_BLOCKS))),
        ));
    }
    Ok(Blocks(blocks as u32))
}

fn price(gpu: &str, tp: u32) -> f64 {
    catalogue::gpu(gpu).map_or(0.0, |g| g.usd_per_hour * f64::from(tp))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Span;
    use crate::scenario::{FittedCoefficients, KvCache};

    #[test]
    fn the_default_pool_is_llama_8b_on_one_h100() {
        let r = resolve(&Pool::default(), "p").unwrap();
        assert_eq!(r.source, "meta-llama/llama-3.1-8b-instruct, H100, TP 1, vLLM 0.8.4");
        assert_eq!(r.blocks, Blocks(29_205));
        assert!((r.usd_per_hour - 3.5).abs() < 1e-12);
        // 232.46191091038054 + 1.752360364195244 * 1000 = 1984.82
        assert_eq!(r.model.queueing(1000), Span(1984));
        assert_eq!(r.model.output_overhead(), Span(3357));
        // 5752.705191348184 + 17.25086436834028 * 512 + 5.999143920128404 * 10 = 14645.14
        let prefill = [Chunk { context: 0, tokens: 512 }];
        assert_eq!(
            r.model.step(&StepLoad { prefill: &prefill, decode: 10, decode_context: 4000 }),
            Span(14_645)
        );
    }

    #[test]
    fn blocks_of_another_size_hold_the_same_bytes() {
        let with = |block_tokens| {
            let kv = KvCache { block_tokens, ..KvCache::default() };
            resolve(&Pool { kv, ..Pool::default() }, "p").map(|r| r.blocks)
        };
        // 29,205 * 16 = 467,280 tokens
        assert_eq!(with(32), Ok(Blocks(14_602)));
        assert_eq!(with(1), Ok(Blocks(467_280)));
        let kv = KvCache { block_tokens: 1, ..KvCache::default() };
        let big = Pool { model: "llama-3.3-70b".into(), tp: 8, kv, ..Pool::default() };
        let e = resolve(&big, "p").unwrap_err();
        assert_eq!(e.path, "p.kv.block_tokens");
        // 728,405 * 16 = 11,654,480 tokens need blocks of 3 to stay below 4,194,304
        assert_eq!(e.fix, "use blocks of at least 3 tokens");
    }

    #[test]
    fn a_pool_that_says_everything_itself_needs_no_catalogue() {
        let own = FittedCoefficients { step_us: 7.0, ..FittedCoefficients::default() };
        let mut pool = Pool {
            model: "mine".into(),
            gpu: "B200".into(),
            tp: 2,
            latency: LatencyModel::Fitted(own),
            kv: KvCache { blocks: KvBlocks::Count(9), ..KvCache::default() },
            ..Pool::default()
        };
        let r = resolve(&pool, "p").unwrap();
        assert_eq!((r.blocks, r.source.as_str()), (Blocks(9), ""));
        assert_eq!(r.model.step(&StepLoad::default()), Span(7));
        assert!(r.usd_per_hour.abs() < 1e-12);
        pool.kv.blocks = KvBlocks::Auto;
        assert_eq!(resolve(&pool, "p").unwrap_err().path, "p.model");
    }

    #[test]
    fn the_list_to_choose_from_is_sorted_and_has_no_doubles() {
        let keys: Vec<_> = models().iter().map(|m| (m.model, m.gpu, m.tp)).collect();
        assert_eq!(keys.len(), 85);
        assert!(keys.is_sorted() && keys.windows(2).all(|w| w[0] != w[1]));
    }
}
