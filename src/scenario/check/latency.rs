//! Meaning of a pool's latency model, architecture and GPU: the ranges of every figure.
//!
//! What depends on the catalogue (whether a name is known, whether the model fits) is found when the pool is resolved.

use crate::scenario::report::Report;
use crate::scenario::{Architecture, Hardware, LatencyModel, PiecewiseRates, Pool, RooflineSettings, limits};

const NOT_NEGATIVE: &str = "times cannot be negative";

/// Reports what is out of range.
pub(super) fn check_latency(path: &str, p: &Pool, r: &mut Report) {
    let share = p.kv.gpu_memory_utilization;
    let share_path = format!("{path}.kv.gpu_memory_utilization");
    r.float(&share_path, share, limits::MEMORY_SHARE_MIN, 1.0, "vLLM's default is 0.9");
    if let Some(a) = &p.architecture {
        check_architecture(&format!("{path}.architecture"), a, r);
        if p.latency == LatencyModel::Catalogue {
            r.warning(
                format!("{path}.architecture"),
                "a model of your own with the catalogue's coefficients",
                "roofline or cross-model latency",
                "the step times are those of `model`: choose another `latency` to use this one",
            );
        }
    }
    if let Some(h) = &p.hardware {
        check_hardware(&format!("{path}.hardware"), h, r);
    }
    check_model(&format!("{path}.latency"), &p.latency, r);
}

fn check_model(path: &str, latency: &LatencyModel, r: &mut Report) {
    match latency {
        LatencyModel::Catalogue => {}
        LatencyModel::Fitted(c) => {
            let path = format!("{path}.fitted");
            overheads(&path, [c.queueing_us, c.queueing_us_per_prompt_token, c.output_us_per_token], r);
            let steps = [
                ("step_us", c.step_us),
                ("step_us_per_prefill_token", c.step_us_per_prefill_token),
                ("step_us_per_decode_token", c.step_us_per_decode_token),
            ];
            times(&path, &steps, r);
        }
        LatencyModel::Roofline(c) => check_roofline(&format!("{path}.roofline"), c, r),
        LatencyModel::CrossModel(c) => {
            let path = format!("{path}.cross-model");
            overheads(&path, [c.queueing_us, c.queueing_us_per_prompt_token, c.output_us_per_token], r);
            let steps = [
                ("step_us_per_layer", c.step_us_per_layer),
                ("step_us_per_decode_token_and_million_keys", c.step_us_per_decode_token_and_million_keys),
                ("step_us_per_token_with_experts", c.step_us_per_token_with_experts),
                ("step_us_with_tensor_parallelism", c.step_us_with_tensor_parallelism),
            ];
            times(&path, &steps, r);
        }
        LatencyModel::Piecewise(c) => check_piecewise(&format!("{path}.piecewise"), c, r),
    }
}

fn check_roofline(path: &str, c: &RooflineSettings, r: &mut Report) {
    overheads(path, [c.queueing_us, c.queueing_us_per_prompt_token, c.output_us_per_token], r);
    for (field, share) in [
        ("prefill_efficiency", c.prefill_efficiency),
        ("decode_efficiency", c.decode_efficiency),
        ("bandwidth_efficiency", c.bandwidth_efficiency),
    ] {
        let field = format!("{path}.{field}");
        r.float(&field, share, limits::EFFICIENCY_MIN, 1.0, "it is a share of the GPU's peak");
    }
    let steps = [
        ("step_us", c.step_us),
        ("step_us_per_layer", c.step_us_per_layer),
        ("all_reduce_us", c.all_reduce_us),
    ];
    times(path, &steps, r);
}

fn check_piecewise(path: &str, c: &PiecewiseRates, r: &mut Report) {
    overheads(path, [c.queueing_us, c.queueing_us_per_prompt_token, c.output_us_per_token], r);
    for (field, rate) in [
        ("prefill_tokens_per_s", c.prefill_tokens_per_s),
        ("single_decode_tokens_per_s", c.single_decode_tokens_per_s),
        ("saturated_decode_tokens_per_s", c.saturated_decode_tokens_per_s),
    ] {
        let field = format!("{path}.{field}");
        r.float(&field, rate, limits::TOKENS_PER_S_MIN, limits::TOKENS_PER_S, "a rate cannot be zero");
    }
    let batch = format!("{path}.saturation_batch");
    r.int(&batch, c.saturation_batch, 1, limits::BATCH, "1 means saturated by a single request");
    if c.saturated_decode_tokens_per_s < c.single_decode_tokens_per_s {
        r.warning(
            format!("{path}.saturated_decode_tokens_per_s"),
            format!("{} tokens/s, fewer than one request alone gets", c.saturated_decode_tokens_per_s),
            "at least single_decode_tokens_per_s",
            "it is the throughput of all requests together, not of each",
        );
    }
}

fn overheads(path: &str, [queueing, per_prompt_token, output]: [f64; 3], r: &mut Report) {
    times(
        path,
        &[
            ("queueing_us", queueing),
            ("queueing_us_per_prompt_token", per_prompt_token),
            ("output_us_per_token", output),
        ],
        r,
    );
}

fn times(path: &str, fields: &[(&str, f64)], r: &mut Report) {
    for (field, us) in fields {
        r.float(&format!("{path}.{field}"), *us, 0.0, limits::COEFFICIENT_US, NOT_NEGATIVE);
    }
}

fn check_architecture(path: &str, a: &Architecture, r: &mut Report) {
    let as_published = "take it from the model's config.json";
    for (field, found, min, max) in [
        ("layers", a.layers, 1, limits::LAYERS),
        ("hidden", a.hidden, 1, limits::WIDTH),
        ("heads", a.heads, 1, limits::HEADS),
        ("kv_heads", a.kv_heads, 0, limits::HEADS),
        ("head_dim", a.head_dim, 0, limits::WIDTH),
        ("kv_latent", a.kv_latent, 0, limits::WIDTH),
        ("intermediate", a.intermediate, 0, limits::WIDTH),
        ("vocab", a.vocab, 1, limits::VOCABULARY),
        ("experts", a.experts, 0, limits::EXPERTS),
        ("experts_per_token", a.experts_per_token, 0, limits::EXPERTS),
        ("shared_experts", a.shared_experts, 0, limits::EXPERTS),
        ("expert_intermediate", a.expert_intermediate, 0, limits::WIDTH),
        ("dense_layers", a.dense_layers, 0, limits::LAYERS),
    ] {
        r.int(&format!("{path}.{field}"), found, min, max, as_published);
    }
    for (field, found) in
        [("bytes_per_param", a.bytes_per_param), ("bytes_per_kv_value", a.bytes_per_kv_value)]
    {
        let field = format!("{path}.{field}");
        r.float(&field, found, limits::NUMBER_BYTES_MIN, limits::NUMBER_BYTES, "2 means 16 bits");
    }
    if a.heads > 0 && a.head_dim == 0 && !a.hidden.is_multiple_of(a.heads) {
        r.error(
            format!("{path}.heads"),
            format!("{} heads share a width of {}", a.heads, a.hidden),
            "a divisor of `hidden`",
            "heads are equally wide: correct one of the two, or give `head_dim`",
        );
    }
    if a.kv_heads > 0 && !a.heads.is_multiple_of(a.kv_heads) {
        r.error(
            format!("{path}.kv_heads"),
            format!("{} heads share {} KV heads", a.heads, a.kv_heads),
            "a divisor of `heads`",
            "groups of queries are equally large: correct one of the two",
        );
    }
    if a.experts > 0 && !(1..=a.experts).contains(&a.experts_per_token) {
        r.error(
            format!("{path}.experts_per_token"),
            format!("{} of {} experts for each token", a.experts_per_token, a.experts),
            format!("1 to {}", a.experts),
            "use 0 `experts` for a dense model",
        );
    }
    if a.dense_layers > a.layers && a.layers > 0 {
        r.error(
            format!("{path}.dense_layers"),
            format!("{} of {} layers", a.dense_layers, a.layers),
            "at most `layers`",
            "use 0 if every layer has experts",
        );
    }
}

fn check_hardware(path: &str, h: &Hardware, r: &mut Report) {
    for (field, found, min, max) in [
        ("memory_gib", h.memory_gib, 1.0, limits::MEMORY_GIB),
        ("tflops", h.tflops, limits::TFLOPS_MIN, limits::TFLOPS),
        (
            "bandwidth_tb_per_s",
            h.bandwidth_tb_per_s,
            limits::BANDWIDTH_TB_PER_S_MIN,
            limits::BANDWIDTH_TB_PER_S,
        ),
        ("usd_per_hour", h.usd_per_hour, 0.0, limits::USD_PER_HOUR),
    ] {
        r.float(&format!("{path}.{field}"), found, min, max, "take it from the data sheet or the price list");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Diagnostics, Severity};
    use crate::scenario::{CrossModelCoefficients, FittedCoefficients, Scenario, check};

    fn problems(change: impl FnOnce(&mut Pool)) -> Diagnostics {
        let mut scenario = Scenario::default();
        change(&mut scenario.cluster.pools[0]);
        match check(scenario) {
            Ok((_, warnings)) => warnings,
            Err(problems) => problems,
        }
    }

    #[test]
    fn every_figure_out_of_range_is_reported_at_once() {
        let found = problems(|pool| {
            pool.kv.gpu_memory_utilization = 1.5;
            pool.architecture = Some(Architecture {
                layers: 0,
                hidden: 4095,
                kv_heads: 5,
                bytes_per_param: 0.0,
                experts: 4,
                experts_per_token: 5,
                ..Architecture::default()
            });
            pool.hardware = Some(Hardware { memory_gib: -1.0, tflops: f64::NAN, ..Hardware::default() });
            pool.latency = LatencyModel::Roofline(RooflineSettings {
                decode_efficiency: 1.2,
                all_reduce_us: -3.0,
                ..RooflineSettings::default()
            });
        });
        let paths: Vec<&str> = found.iter().map(|d| d.path.trim_start_matches("cluster.pools[0].")).collect();
        assert_eq!(
            paths,
            [
                "kv.gpu_memory_utilization",
                "architecture.layers",
                "architecture.bytes_per_param",
                "architecture.heads",
                "architecture.kv_heads",
                "architecture.experts_per_token",
                "hardware.memory_gib",
                "hardware.tflops",
                "latency.roofline.decode_efficiency",
                "latency.roofline.all_reduce_us",
            ]
        );
    }

    #[test]
    fn each_family_has_its_ranges() {
        let one = |latency: LatencyModel| {
            let found = problems(|pool| pool.latency = latency);
            assert_eq!(found.len(), 1, "{found:?}");
            found[0].path.replace("cluster.pools[0].latency.", "")
        };
        let fitted = FittedCoefficients { step_us: -1.0, ..FittedCoefficients::default() };
        assert_eq!(one(LatencyModel::Fitted(fitted)), "fitted.step_us");
        let cross =
            CrossModelCoefficients { queueing_us: f64::INFINITY, ..CrossModelCoefficients::default() };
        assert_eq!(one(LatencyModel::CrossModel(cross)), "cross-model.queueing_us");
        let rates = PiecewiseRates { prefill_tokens_per_s: 0.0, ..PiecewiseRates::default() };
        assert_eq!(one(LatencyModel::Piecewise(rates)), "piecewise.prefill_tokens_per_s");
        let rates = PiecewiseRates { saturation_batch: 0, ..PiecewiseRates::default() };
        assert_eq!(one(LatencyModel::Piecewise(rates)), "piecewise.saturation_batch");
        let rates = PiecewiseRates { saturated_decode_tokens_per_s: 50.0, ..PiecewiseRates::default() };
        assert_eq!(one(LatencyModel::Piecewise(rates)), "piecewise.saturated_decode_tokens_per_s");
    }

    #[test]
    fn a_shape_that_nothing_reads_is_pointed_out() {
        let found = problems(|pool| pool.architecture = Some(Architecture::default()));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(
            (found[0].severity, found[0].path.as_str()),
            (Severity::Warning, "cluster.pools[0].architecture")
        );
    }
}
