//! Step times of the latency models against figures worked out by hand from docs/explanation/model/latency.md, on published models.
//!
//! Peaks of an H100: 989.5e12 operations/s, of which 0.65 in prefill, 0.12 in decode and 0.1 outside matrix products;
//! 3.35e12 B/s, of which 0.72, that is 2.412e12 B/s. L layers, d hidden, h heads of width e, k KV heads, F feed-forward.

use tokenyard::base::Span;
use tokenyard::perf::{Chunk, StepLoad, resolve};
use tokenyard::scenario::{
    Architecture, Compat, CrossModelCoefficients, KvBlocks, LatencyModel, Pool, RooflineSettings,
};

fn pool(model: &str, tp: u32, latency: LatencyModel) -> Pool {
    let mut pool = Pool { model: model.to_owned(), tp, latency, ..Pool::default() };
    pool.kv.blocks = KvBlocks::Count(1);
    pool
}

fn step(pool: &Pool, prefill: &[(u32, u32)], decode: (u32, u64)) -> Span {
    let model = resolve(pool, Compat::None, "pool").expect("a known model").model;
    let prefill: Vec<Chunk> =
        prefill.iter().map(|&(context, tokens)| Chunk { context, cached: 0, tokens }).collect();
    model.step(&StepLoad {
        prefill: &prefill,
        decode: decode.0,
        decode_context: decode.1,
        drafts: 0,
        padding: 0,
    })
}

fn roofline(model: &str, tp: u32) -> Pool {
    pool(model, tp, LatencyModel::Roofline(RooflineSettings::default()))
}

/// llama-3.1-8b, 10 decodes over 40,000 tokens of context.
#[test]
fn grouped_queries_read_a_quarter_of_the_cache() {
    let grouped = roofline("llama-3.1-8b", 1);
    // Weights: 32 * (2*4096*4096 + 2*4096*1024 + 3*4096*14336) * 2 B = 13,958,643,712 B. Cache of a token:
    // 2*8*128*2*32 = 131,072 B, read 40,000 and written 10 times. Activations: 4096*2*32*10 B.
    // 19,205,455,872 B / 2.412e12 = 7962.46 us; arithmetic takes 1354 us. 7962.46 + 32*20 + 500 = 9102.46
    assert_eq!(step(&grouped, &[], (10, 40_000)), Span(9102));
    let mut whole = grouped;
    whole.architecture = Some(Architecture { kv_heads: 32, ..Architecture::default() });
    // Weights 15,569,256,448 B, four times the cache: 36,548,640,768 B = 15152.84 us. + 1140 = 16292.84
    assert_eq!(step(&whole, &[], (10, 40_000)), Span(16_293));
}

/// llama-3.1-70b, a chunk of 512 tokens after 1,024 and 3 decodes over 6,000: both groups, each with its own bound.
#[test]
fn tensor_parallelism_divides_work_and_bytes_and_adds_two_reductions_a_layer() {
    // Prefill computes: M = 80 * (2*512*(2*8192*8192 + 2*8192*1024 + 3*8192*28672) + 4*8192*512*1279.5) = 7.1811e13,
    // V = 80 * (5*64*512*1279.5 + 2*8192*512) = 1.7442e10: 7.1811e13/6.43175e14 + 1.7442e10/9.895e13 s = 111,827.35 us,
    // longer than its bytes. Decode reads: 136,902,082,560 B of weights + 6,003 * 327,680 B + 3,932,160 B = 57,575.90 us,
    // longer than its arithmetic. Both shrink with tp; 80*20 us of layers and 500 us do not, 2*80*20 us are added.
    let loads: [(u32, f64); 4] = [
        (1, 111_827.346 + 57_575.903 + 2100.0),
        (2, 55_913.673 + 28_787.951 + 2100.0 + 3200.0),
        (4, 27_956.837 + 14_393.976 + 2100.0 + 3200.0),
        (8, 13_978.418 + 7196.988 + 2100.0 + 3200.0),
    ];
    for (tp, us) in loads {
        let found = step(&roofline("llama-3.1-70b", tp), &[(1024, 512)], (3, 6000));
        assert_eq!(found, Span(us.round() as u64), "tp {tp}");
    }
}

/// mixtral-8x7b on two GPUs: 2 of 8 experts for each token.
#[test]
fn a_batch_reads_the_experts_that_its_tokens_reach() {
    let mixtral = roofline("mixtral-8x7b", 2);
    // Attention: 32 * (2*4096*4096 + 2*4096*1024) = 1,342,177,280 weights; one expert of all layers:
    // 32 * 3*4096*14336 = 5,637,144,576. T tokens reach 8 * (1 - 0.75^T) experts: 2, 5.46875, 8.
    // Each token besides: cache 131,072 B for itself and each of 1,000 before it, activations 262,144 B; all of it / 2.
    // Overheads: 32*20 + 2*32*20 + 500 = 2420 us.
    for (tokens, us) in [(1, 5257.96), (4, 13_446.62), (64, 20_997.60)] {
        let found = step(&mixtral, &[], (tokens, 1000 * u64::from(tokens)));
        assert_eq!(found, Span((us + 2420.0_f64).round() as u64), "{tokens}");
    }
    // A prompt of 1,024 computes with two experts and reads all eight: M = (2*1024 * (1,342,177,280 + 2*5,637,144,576)
    // + 4*4096*1024*511.5*32) / 2 = 1.30566e13, V = 1.47508e9: 20,300.18 + 14.91 us; reading takes 19,336.92 us.
    assert_eq!(step(&mixtral, &[(0, 1024)], (0, 0)), Span(22_735));
}

/// deepseek-v2-lite: one dense layer, 26 with 64 experts of 1,408 (6 a token) and 2 shared ones; a latent of 576.
#[test]
fn shared_experts_dense_layers_and_latents_are_counted_where_they_are() {
    // Always read: attention 27 * 4*2048*2048 = 452,984,832; dense 3*2048*10944 = 67,239,936; shared
    // 2 * 26*3*2048*1408 = 2 * 224,919,552. Four tokens reach 64 * (1 - (58/64)^4) = 20.831 of 64 experts.
    // The latents of 8,004 tokens, 576*2*27 = 31,104 B each, are whole on every GPU, all else is shared out:
    // 11,560,122,048 B on one GPU (4792.75 us), 5,904,539,232 B on each of two (2447.98 us).
    assert_eq!(step(&roofline("deepseek-v2-lite", 1), &[], (4, 8000)), Span(5833)); // + 27*20 + 500
    assert_eq!(step(&roofline("deepseek-v2-lite", 2), &[], (4, 8000)), Span(4568)); // + 2*27*20 more
}

/// llama-3.1-70b with weights of 4 bits and a cache of 8 on two GPUs, 16 decodes over 64,000 tokens.
#[test]
fn quantised_weights_and_caches_move_fewer_bytes_and_compute_as_before() {
    let mut quantised = roofline("llama-3.1-70b", 2);
    quantised.architecture = Some(Architecture {
        layers: 80,
        hidden: 8192,
        heads: 64,
        intermediate: 28_672,
        bytes_per_param: 0.5,
        bytes_per_kv_value: 1.0,
        ..Architecture::default()
    });
    // Bytes on a GPU: (34,225,520,640 + 64,016 * 163,840 + 10,485,760) / 2 = 22,362,193,920 B = 9271.22 us. Arithmetic is
    // that of 16 bits: (2*16*68,451,041,280 + 4*8192*64,000*80) / 2 at 1.1874e14/s and
    // (5*64*64,000 + 2*8192*16) * 80 / 2 at 9.895e13/s = 9938.51 us, now the longer one. + 80*20 + 2*80*20 + 500
    assert_eq!(step(&quantised, &[], (16, 64_000)), Span(15_239));
    quantised.architecture = None;
    // With 16 bits: (136,902,082,560 + 64,016 * 327,680 + 20,971,520) / 2 B, the longer one again.
    let bytes: f64 = (136_902_082_560.0 + 64_016.0 * 327_680.0 + 20_971_520.0) / 2.0;
    let us = bytes / 2.412e12 * 1e6 + 5300.0;
    assert_eq!(step(&quantised, &[], (16, 64_000)), Span(us.round() as u64));
}

/// qwen2.5-7b on four GPUs: four KV heads of 128, one on each.
#[test]
fn the_cross_model_counts_the_keys_on_one_gpu() {
    let cross = |tp| pool("qwen2.5-7b", tp, LatencyModel::CrossModel(CrossModelCoefficients::default()));
    // 116.11 * 28 + 1226.868 * 100 * (28*4*128/4 * 1e-6 = 0.003584) + 9445.157 = 13,135.95
    assert_eq!(step(&cross(4), &[(0, 700)], (100, 5)), Span(13_135));
    // On one GPU: four times the keys, no fourth term. 3251.08 + 1226.868 * 100 * 0.014336 = 5009.92
    assert_eq!(step(&cross(1), &[(0, 700)], (100, 5)), Span(5009));
}
