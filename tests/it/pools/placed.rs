//! Experts that are cut, liked unequally or moved, and a divided cache: steps and memory against their closed forms (`together`: t18, t21,
//! t28, t41), and what they leave as it was.

use tokenyard::perf::{Resolved, StepLoad, resolve};
use tokenyard::scenario::{
    Architecture, CalibratedCoefficients, CalibratedSettings, Compat, ContextParallelism, Eplb,
    ExpertPlacement, ExpertSkew, ExpertSplit, Hardware, KvBlocks, LatencyModel, Pool,
};

/// A model of the size of DeepSeek-V3 on eight ranks of one GPU with room for it.
fn pool() -> Pool {
    let coefficients = CalibratedCoefficients {
        weights_efficiency: 1.0,
        kv_efficiency: 0.8,
        compute_efficiency: 1.0,
        expert_us_per_copy: 0.0,
        ..CalibratedCoefficients::default()
    };
    Pool {
        architecture: Some(Architecture {
            layers: 61,
            dense_layers: 3,
            hidden: 7168,
            heads: 64,
            kv_heads: 1,
            head_dim: 128,
            kv_latent: 576,
            bytes_per_kv_value: 1.0,
            bytes_per_param: 1.0,
            vocab: 129_280,
            experts: 256,
            experts_per_token: 8,
            expert_intermediate: 2048,
            ..Architecture::default()
        }),
        hardware: Some(Hardware {
            memory_gib: 200.0,
            bandwidth_tb_per_s: 8.0,
            tflops: 4000.0,
            ..Hardware::default()
        }),
        latency: LatencyModel::Calibrated(CalibratedSettings {
            coefficients: Some(coefficients),
            ..CalibratedSettings::default()
        }),
        expert_ranks: 8,
        expert_ranks_lockstep: true,
        replicas: 8,
        ..Pool::default()
    }
}

fn resolved(pool: &Pool) -> Resolved {
    resolve(pool, Compat::None, "pool").unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn with(placement: ExpertPlacement) -> Pool {
    Pool { experts: placement, ..pool() }
}

/// Microseconds of a step with eight decoding requests on this rank and on each of the seven others.
fn step(pool: &Pool) -> u64 {
    let load = StepLoad { decode: 8, decode_context: 80_000, ..StepLoad::default() };
    resolved(pool).model.step_beside(&load, 56).0
}

#[test]
fn an_imbalance_of_one_and_equal_weights_are_as_nothing() {
    let even = step(&pool());
    for skew in [ExpertSkew::Imbalance(1.0), ExpertSkew::Zipf(0.0), ExpertSkew::Weights(vec![3.0; 256])] {
        let found = step(&with(ExpertPlacement { skew: skew.clone(), ..ExpertPlacement::default() }));
        assert!(found.abs_diff(even) <= 1, "{skew:?}: {found} and {even}");
    }
    let skewed = |f: f64| {
        step(&with(ExpertPlacement { skew: ExpertSkew::Imbalance(f), ..ExpertPlacement::default() }))
    };
    assert!(skewed(1.5) > even && skewed(2.0) > skewed(1.5));
}

#[test]
fn experts_cut_over_ranks_with_as_many_tokens_each_take_what_spread_ones_take() {
    // As many GPUs as a token has experts: both splits pass on as many bytes.
    let cut = ExpertPlacement { split: ExpertSplit::Tensor, ..ExpertPlacement::default() };
    let [spread, cut] = [pool(), with(cut)].map(|pool| step(&pool));
    assert!(cut.abs_diff(spread) <= 1, "{cut} and {spread}");
    let blocks = |placement| resolved(&with(placement)).blocks.0;
    let of_cut = ExpertPlacement { split: ExpertSplit::Tensor, ..ExpertPlacement::default() };
    assert_eq!(blocks(of_cut), blocks(ExpertPlacement::default()));
}

#[test]
fn copies_of_experts_take_memory() {
    // 58 layers, 3 · 7,168 · 2,048 bytes an expert, 32 copies over 8 ranks.
    let copies = 58 * 3 * 7168 * 2048 * 4_u64;
    let eplb = Eplb { redundant: 32, ..Eplb::default() };
    let with_copies =
        resolved(&with(ExpertPlacement { eplb: Some(eplb), ..ExpertPlacement::default() })).blocks.0;
    let block = 61 * 576 * 16_u64;
    let fewer = u64::from(resolved(&pool()).blocks.0 - with_copies);
    assert!(fewer.abs_diff(copies / block) <= 1, "{fewer} blocks fewer, {} are as large", copies / block);
}

#[test]
fn a_cache_divided_by_eight_has_room_for_eight_times_as_much_and_is_read_in_an_eighth_of_the_time() {
    let one = Pool { tp: 8, expert_ranks: 1, expert_ranks_lockstep: false, replicas: 1, ..pool() };
    let dcp = |size| Pool { dcp: Some(ContextParallelism { size, us_per_layer: 0.0 }), ..one.clone() };
    let blocks = |pool: &Pool| f64::from(resolved(pool).blocks.0);
    assert!((blocks(&dcp(8)) / blocks(&one) - 8.0).abs() < 1e-3);
    let took = |pool: &Pool, decode_context: u64| {
        resolved(pool).model.step(&StepLoad { decode: 1, decode_context, ..StepLoad::default() }).0 as f64
    };
    let context = 2_000_000;
    let read = |pool: &Pool| took(pool, context) - took(pool, 0);
    // 2,000,000 · 61 · 576 bytes on each of eight GPUs at 0.8 · 8 TB/s.
    let whole = 2e6 * 61.0 * 576.0 / 6.4e6;
    assert!((read(&one) - whole).abs() < 2.0 && (read(&dcp(8)) - whole / 8.0).abs() < 2.0);
    let bytes = |pool: &Pool| resolved(pool).kv_bytes_per_token.expect("the shape is known");
    assert_eq!((bytes(&one), bytes(&dcp(8))), (61 * 576 * 8, 61 * 576));
}

#[test]
fn what_does_not_fit_the_shape_is_refused() {
    let path = |pool: &Pool| {
        let problems = resolve(pool, Compat::None, "pool").err().unwrap_or_default();
        problems.first().map_or_else(String::new, |d| d.path.clone())
    };
    let skew = |skew| with(ExpertPlacement { skew, ..ExpertPlacement::default() });
    assert_eq!(path(&skew(ExpertSkew::Weights(vec![1.0; 8]))), "pool.experts.skew.weights");
    let mut dense = skew(ExpertSkew::Zipf(1.0));
    dense.architecture = Some(Architecture::default());
    assert_eq!(path(&dense), "pool.experts.skew");
    let eplb = Eplb { redundant: 3, ..Eplb::default() };
    let uneven = with(ExpertPlacement { eplb: Some(eplb), ..ExpertPlacement::default() });
    assert_eq!(path(&uneven), "pool.experts.eplb.redundant");
    let dcp = Pool { tp: 8, dcp: Some(ContextParallelism { size: 3, us_per_layer: 0.0 }), ..pool() };
    assert_eq!(path(&dcp), "pool.dcp.size");
    // Eight GPUs and four KV heads: a token is on two of them.
    let mut grouped =
        Pool { kv: Pool::default().kv, dcp: Some(ContextParallelism { size: 2, us_per_layer: 0.0 }), ..dcp };
    grouped.architecture =
        Some(Architecture { kv_latent: 0, kv_heads: 4, ..grouped.architecture.expect("a shape") });
    grouped.kv.blocks = KvBlocks::Count(1000);
    assert_eq!(path(&grouped), "");
    grouped.dcp = Some(ContextParallelism { size: 4, us_per_layer: 0.0 });
    assert_eq!(path(&grouped), "pool.dcp.size");
}
