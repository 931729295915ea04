//! Values of "auto" batch limits: the defaults that vLLM's server chooses by GPU.

use super::catalogue;
use document::{Compat, Pool};

/// Memory of one GPU in GiB from which vLLM chooses large batches.
const LARGE_GPU_GIB: f64 = 70.0;
/// Requests in a batch and tokens in a step on such a GPU, unless it is an A100.
const LARGE: [u32; 2] = [1024, 8192];
/// The same on all other GPUs, and on a GPU with unknown memory.
const SMALL: [u32; 2] = [256, 2048];

/// Most requests in a batch and most tokens in a step of a pool. As in vLLM, a batch chosen by "auto" is not larger
/// than the tokens of a step; tokens chosen by "auto" are at least the requests of a batch. BLIS has only the small
/// limits.
pub(super) fn batch_limits(pool: &Pool, compat: Compat) -> [u32; 2] {
    let engine = &pool.engine;
    let gpu = pool.hardware.as_ref().or_else(|| catalogue::gpu(&pool.gpu).map(|g| &g.hardware));
    let ample = gpu.is_some_and(|g| g.memory_gib >= LARGE_GPU_GIB);
    let a100 = pool.gpu.to_ascii_lowercase().contains("a100");
    let [seqs, tokens] = if ample && !a100 && compat == Compat::None { LARGE } else { SMALL };
    let given = engine.max_num_seqs.count();
    let tokens = engine.max_num_batched_tokens.count().unwrap_or_else(|| tokens.max(given.unwrap_or(0)));
    [given.unwrap_or_else(|| seqs.min(tokens)), tokens]
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::{BatchLimit, Hardware};

    fn pool(gpu: &str, seqs: BatchLimit, tokens: BatchLimit) -> Pool {
        let mut pool = Pool { gpu: gpu.to_owned(), ..Pool::default() };
        pool.engine.max_num_seqs = seqs;
        pool.engine.max_num_batched_tokens = tokens;
        pool
    }

    #[test]
    fn auto_is_what_vllm_chooses_for_the_gpu() {
        let auto = |gpu| batch_limits(&pool(gpu, BatchLimit::Auto, BatchLimit::Auto), Compat::None);
        assert_eq!(auto("H100"), [1024, 8192]);
        assert_eq!(auto("A100-80"), [256, 2048]);
        assert_eq!(auto("a100-sxm4-80gb"), [256, 2048]);
        assert_eq!(auto("L40S"), [256, 2048]);
        assert_eq!(auto("MI300X"), [1024, 8192]);
        assert_eq!(auto("nobody's"), [256, 2048]);
        let own = |memory_gib| {
            let mut pool = pool("B200", BatchLimit::Auto, BatchLimit::Auto);
            pool.hardware = Some(Hardware { memory_gib, ..Hardware::default() });
            batch_limits(&pool, Compat::None)
        };
        assert_eq!((own(69.9), own(70.0)), ([256, 2048], [1024, 8192]));
        let blis = batch_limits(&pool("H100", BatchLimit::Auto, BatchLimit::Auto), Compat::Blis);
        assert_eq!(blis, [256, 2048]);
    }

    #[test]
    fn a_number_stands_and_the_other_limit_goes_with_it() {
        let limits = |seqs, tokens| batch_limits(&pool("H100", seqs, tokens), Compat::None);
        assert_eq!(limits(7.into(), BatchLimit::Auto), [7, 8192]);
        assert_eq!(limits(9000.into(), BatchLimit::Auto), [9000, 9000]);
        assert_eq!(limits(BatchLimit::Auto, 100.into()), [100, 100]);
        assert_eq!(limits(64.into(), 8.into()), [64, 8]);
    }
}
