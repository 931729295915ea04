//! Sizing: the queueing model's three coefficients for a pool, from its latency model. `tokenyard size` starts from
//! them, and so does the traffic of an imported fleet.
//!
//! Latency models are not linear. The line taken here goes through a decoding batch of one request and one of up to
//! 64 requests of these lengths; a second batch with twice the context gives the cost of a token of context, and a
//! whole prompt alone that of its tokens. The queueing model has one cost for a token: those of prompt and answer are
//! averaged by work. With speculative decoding the time of a token is that of a step, drafting included, divided by the
//! tokens that the step is expected to yield. With stages a batch is spread evenly over those under way.

use super::{Chunk, StepLoad, StepModel, resolve};
use base::Diagnostics;
use document::{Cluster, Compat, Pool, Scenario, check_start};
use queueing::{Params, RequestSize};

/// The larger of the two batches of the line.
const LARGE_BATCH: u32 = 64;

/// The figures of a pool.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolCoefficients {
    /// The coefficients.
    pub params: Params,
    /// Most requests in a batch.
    pub max_batch: u32,
    /// Tokens that the KV cache of a replica holds.
    pub kv_tokens: u64,
    /// Prompt tokens per second in full steps of prompt tokens, and the tokens of such a step.
    pub peak_prefill: (f64, u32),
    /// Parts of TTFT and ITL outside the engine, in milliseconds.
    pub outside_ms: [f64; 2],
    /// The source of the pool's figures.
    pub source: String,
}

/// The coefficients of a pool for requests of these lengths; all problems of the pool at once.
pub fn pool_coefficients(pool: &Pool, size: RequestSize) -> Result<PoolCoefficients, Diagnostics> {
    let cluster = Cluster { pools: vec![pool.clone()], ..Cluster::default() };
    let (checked, _) = check_start(Scenario { cluster, ..Scenario::default() })?;
    let pool = &checked.get().cluster.pools[0];
    let resolved = resolve(pool, Compat::None, "cluster.pools[0]")?;
    let model = &resolved.model;
    let ms = |us: u64| us as f64 / 1000.0;
    let prompt = size.input_tokens.round() as u32;
    let output = ms(model.output_overhead().0);
    Ok(PoolCoefficients {
        params: line(model, pool, prompt, size.output_tokens),
        max_batch: resolved.max_num_seqs,
        kv_tokens: u64::from(resolved.blocks.0) * u64::from(pool.kv.block_tokens),
        peak_prefill: (resolved.peak_prefill_tokens_per_s(), resolved.max_num_batched_tokens),
        outside_ms: [ms(model.queueing(prompt).0) + output, output],
        source: resolved.source,
    })
}

/// The line through two batches.
fn line(model: &StepModel, pool: &Pool, prompt: u32, output: f64) -> Params {
    let input = f64::from(prompt);
    let context = input + output / 2.0;
    let decode = |batch: u32, context: f64| {
        let batch = batch.div_ceil(pool.pp.max(1));
        let decode_context = (f64::from(batch) * context) as u64;
        let plain = StepLoad { prefill: &[], decode: batch, decode_context, drafts: 0, padding: 0 };
        let Some(s) = &pool.engine.speculative else { return model.step(&plain).0 as f64 / 1000.0 };
        let load = StepLoad { drafts: batch * s.tokens, ..plain };
        let us = model.step(&load).0 + model.drafting(&s.drafter, s.tokens, &load).0;
        us as f64 / 1000.0 / s.expected_tokens()
    };
    let many = f64::from(LARGE_BATCH);
    let (one, all, deep) =
        (decode(1, context), decode(LARGE_BATCH, context), decode(LARGE_BATCH, 2.0 * context));
    let each = (all - one) / (many - 1.0);
    let alpha = (one - each).max(0.0);
    let gamma = ((deep - all) / (many * context)).max(0.0);
    let of_answer = (each - gamma * context).max(0.0);
    let of_prompt = if prompt == 0 {
        of_answer
    } else {
        let whole = [Chunk { context: 0, cached: 0, tokens: prompt }];
        let load = StepLoad { prefill: &whole, decode: 0, decode_context: 0, drafts: 0, padding: 0 };
        ((model.step(&load).0 as f64 / 1000.0 - alpha) / input - gamma).max(0.0)
    };
    let beta = (of_prompt * input + of_answer * output) / (input + output);
    Params { alpha, beta, gamma }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::{DraftPass, Drafter, FittedCoefficients, LatencyModel, Speculative};

    fn of(latency: LatencyModel) -> Result<PoolCoefficients, Diagnostics> {
        let size = RequestSize { input_tokens: 512.0, output_tokens: 128.0 };
        pool_coefficients(&Pool { latency, ..Pool::default() }, size)
    }

    #[test]
    fn the_queueing_models_own_world_gives_its_own_coefficients_back() {
        let fitted = FittedCoefficients {
            step_us: 6958.0,
            step_us_per_prefill_token: 42.0,
            step_us_per_decode_token: 42.0,
            step_us_per_context_token: 0.1,
            ..FittedCoefficients::default()
        };
        let found = of(LatencyModel::Fitted(fitted)).unwrap().params;
        let near = |x: f64, exact: f64| (x / exact - 1.0).abs() < 2e-3;
        assert!(
            near(found.alpha, 6.958) && near(found.beta, 0.042) && near(found.gamma, 0.0001),
            "{found:?}"
        );
    }

    #[test]
    fn a_token_takes_the_time_of_a_step_over_the_tokens_that_it_yields() {
        let fitted = FittedCoefficients {
            step_us: 6000.0,
            step_us_per_prefill_token: 42.0,
            step_us_per_decode_token: 40.0,
            ..FittedCoefficients::default()
        };
        let size = RequestSize { input_tokens: 512.0, output_tokens: 128.0 };
        let mut pool = Pool { latency: LatencyModel::Fitted(fitted), ..Pool::default() };
        let drafter = Drafter::OnePass(DraftPass { share: 0.5, fixed_us: 0.0 });
        pool.engine.speculative =
            Some(Speculative { tokens: 1, acceptance: 0.5, drafter, ..Speculative::default() });
        let found = pool_coefficients(&pool, size).unwrap().params;
        // (6000 + 2 * 40 n) * 1.5 / 1.5: alpha 6 ms, and 80 us a request that decodes; 42 us a token of a prompt.
        let beta = (0.042 * 512.0 + 0.080 * 128.0) / 640.0;
        assert!((found.alpha - 6.0).abs() < 1e-3, "{found:?}");
        assert!((found.beta / beta - 1.0).abs() < 1e-3, "{found:?}");
    }

    #[test]
    fn other_models_give_coefficients_that_are_positive() {
        let found = of(LatencyModel::default()).unwrap();
        assert!(found.params.are_positive(), "{found:?}");
        assert!(found.outside_ms[0] > 0.0, "{found:?}");
    }

    #[test]
    fn a_pool_out_of_its_ranges_is_refused_with_the_path() {
        let size = RequestSize { input_tokens: 512.0, output_tokens: 128.0 };
        let problems = pool_coefficients(&Pool { tp: 0, ..Pool::default() }, size).unwrap_err();
        assert!(problems.iter().any(|p| p.path == "cluster.pools[0].tp"), "{problems:?}");
    }
}
