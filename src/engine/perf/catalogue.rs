//! The catalogue: the built-in table of fitted coefficients by model, GPU and tensor parallelism.
//!
//! The data and their sources are in `catalogue.json`. A pool's names are matched leniently: case, the publisher
//! before the slash and words common to chat models (`-instruct`, `-hf`, a release number) do not matter.

use base::{Diagnostic, alike, json};
use document::{Architecture, Hardware, Pool, model_key};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// Tokens in the blocks that `kv_blocks` counts.
pub(super) const BLOCK_TOKENS: u64 = 16;

/// One row: a model on a GPU at a tensor parallelism.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Short name, as used in scenarios.
    pub name: String,
    /// Full name, publisher included.
    pub id: String,
    /// GPU.
    pub gpu: String,
    /// Tensor parallelism.
    pub tp: u32,
    /// Version of vLLM that was measured.
    pub vllm: String,
    /// Queueing delay per request and per prompt token, output overhead per token, in microseconds.
    pub alpha_us: [f64; 3],
    /// Step time: fixed, per prefill token and per decoding request, in microseconds.
    pub beta_us: [f64; 3],
    /// Blocks of `BLOCK_TOKENS` tokens in the KV cache of one replica, as published: counted once for each GPU.
    pub kv_blocks: u32,
}

impl Row {
    /// Tokens that the published blocks hold.
    pub(super) fn listed_tokens(&self) -> u64 {
        u64::from(self.kv_blocks) * BLOCK_TOKENS
    }

    /// Blocks that fit: the published count divided the memory of all GPUs by a block's share of one
    /// (docs/explanation/model/cache.md).
    pub(super) fn fitting_blocks(&self) -> u32 {
        self.kv_blocks / self.tp.max(1)
    }
}

/// One GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gpu {
    /// Name, as used in scenarios.
    pub name: String,
    /// Other names, in lower case.
    pub aliases: Vec<String>,
    /// Its figures.
    pub hardware: Hardware,
}

impl Gpu {
    fn is_called(&self, lower: &str) -> bool {
        self.name.eq_ignore_ascii_case(lower) || self.aliases.iter().any(|a| a == lower)
    }
}

/// The shape of one model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownModel {
    /// Name, as used in scenarios.
    pub name: String,
    /// Models of the same shape.
    pub aliases: Vec<String>,
    /// Its shape.
    pub architecture: Architecture,
}

impl KnownModel {
    fn is_called(&self, key: &str) -> bool {
        self.name == key || self.aliases.iter().any(|a| a == key)
    }
}

/// The whole table.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    /// Where the figures come from.
    pub sources: Vec<String>,
    /// What the columns mean.
    pub units: String,
    /// The GPUs.
    pub gpus: Vec<Gpu>,
    /// Shapes of models, sorted by name.
    pub architectures: Vec<KnownModel>,
    /// The rows, sorted by name, GPU and tensor parallelism.
    pub coefficients: Vec<Row>,
}

/// The built-in table.
pub fn catalogue() -> &'static Catalogue {
    static TABLE: OnceLock<Catalogue> = OnceLock::new();
    TABLE.get_or_init(|| {
        let tree =
            serde_json::from_str(include_str!("catalogue.json")).expect("the built-in catalogue is JSON");
        json::data(&tree).expect("the built-in catalogue has its own shape")
    })
}

/// The GPU called `name`, if it is known.
pub(super) fn gpu(name: &str) -> Option<&'static Gpu> {
    let lower = name.trim().to_ascii_lowercase();
    catalogue().gpus.iter().find(|g| g.is_called(&lower))
}

/// The model called `name`, if its shape is known.
pub(super) fn architecture(name: &str) -> Option<&'static KnownModel> {
    let short = model_key(name);
    catalogue().architectures.iter().find(|a| a.is_called(&short))
}

/// The shape that a pool takes from the catalogue.
pub(super) fn find_architecture(pool: &Pool, path: &str) -> Result<&'static KnownModel, Diagnostic> {
    architecture(&pool.model).ok_or_else(|| {
        let names: Vec<&str> = catalogue().architectures.iter().map(|a| a.name.as_str()).collect();
        let some = ["llama-3.1-8b", "qwen3-32b", "gpt-oss-120b", "deepseek-v3"];
        Diagnostic::error(
            format!("{path}.model"),
            format!("no shape of a model \"{}\"", pool.model),
            format!("one of {} models of the catalogue, such as {}", names.len(), some.join(", ")),
            format!(
                "{}for other models give `architecture`, for example from the model's config.json",
                suggested_model(&model_key(&pool.model), &names)
            ),
        )
    })
}

/// The GPU that a pool takes from the catalogue.
pub(super) fn find_gpu(pool: &Pool, path: &str) -> Result<&'static Gpu, Diagnostic> {
    gpu(&pool.gpu).ok_or_else(|| unknown_gpu(pool, path))
}

/// Price of a replica: that of its GPUs.
pub(super) fn price(pool: &Pool) -> f64 {
    let hardware = pool.hardware.as_ref().or_else(|| gpu(&pool.gpu).map(|g| &g.hardware));
    hardware.map_or(0.0, |h| h.usd_per_hour) * f64::from(super::gpus(pool))
}

/// The row for a pool; the error lists what exists.
pub(super) fn find(pool: &Pool, path: &str) -> Result<&'static Row, Diagnostic> {
    let name = model_key(&pool.model);
    let of_model: Vec<&Row> = catalogue().coefficients.iter().filter(|r| r.name == name).collect();
    if of_model.is_empty() {
        return Err(unknown_model(pool, path, &name));
    }
    let Some(gpu) = gpu(&pool.gpu) else {
        return Err(unknown_gpu(pool, path));
    };
    of_model.iter().copied().find(|r| r.gpu == gpu.name && r.tp == pool.tp).ok_or_else(|| {
        let have: Vec<String> = of_model.iter().map(|r| format!("{} with tp {}", r.gpu, r.tp)).collect();
        let (field, fix) = match of_model.iter().find(|r| r.gpu == gpu.name) {
            Some(r) => ("tp", format!("set tp to {}, or give coefficients of your own as `latency`", r.tp)),
            None => ("gpu", "choose one of these, or give coefficients of your own as `latency`".to_owned()),
        };
        Diagnostic::error(
            format!("{path}.{field}"),
            format!("no measurements of {name} on {} with tp {}", gpu.name, pool.tp),
            have.join(", "),
            fix,
        )
    })
}

fn unknown_model(pool: &Pool, path: &str, short: &str) -> Diagnostic {
    let mut names: Vec<&str> = catalogue().coefficients.iter().map(|r| r.name.as_str()).collect();
    names.dedup();
    let near = suggested_model(short, &names);
    Diagnostic::error(
        format!("{path}.model"),
        format!("unknown model \"{}\"", pool.model),
        names.join(", "),
        format!(
            "{near}models outside the list need another `latency`, such as roofline with an `architecture`"
        ),
    )
}

fn unknown_gpu(pool: &Pool, path: &str) -> Diagnostic {
    let names: Vec<&str> = catalogue().gpus.iter().map(|g| g.name.as_str()).collect();
    Diagnostic::error(
        format!("{path}.gpu"),
        format!("unknown GPU \"{}\"", pool.gpu),
        names.join(", "),
        format!("{}for other GPUs give `hardware`", suggested(&pool.gpu, &names)),
    )
}

/// Suggests the model nearest in meaning, if there is one.
fn suggested_model(what: &str, names: &[&str]) -> String {
    let near = super::nearest_model(what, names);
    near.map_or_else(String::new, |name| format!("did you mean `{name}`? If not, "))
}

/// Suggests the name most like `what`, if there is one.
fn suggested(what: &str, names: &[&str]) -> String {
    let near = alike::nearest(what, names.iter().copied());
    near.map_or_else(String::new, |name| format!("did you mean `{name}`? If not, "))
}

pub(super) fn shape(pool: &Pool) -> Option<&Architecture> {
    pool.architecture.as_ref().or_else(|| architecture(&pool.model).map(|found| &found.architecture))
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::Precision;

    fn pool(model: &str, gpu: &str, tp: u32) -> Pool {
        Pool { model: model.to_owned(), gpu: gpu.to_owned(), tp, ..Pool::default() }
    }

    #[test]
    fn every_row_can_be_found_by_both_of_its_names_and_by_nothing_else() {
        for row in &catalogue().coefficients {
            for name in [&row.name, &row.id] {
                assert_eq!(find(&pool(name, &row.gpu, row.tp), "p").unwrap(), row);
            }
        }
    }

    #[test]
    fn names_match_leniently() {
        let want = &find(&pool("llama-3.1-8b", "H100", 1), "p").unwrap().id;
        assert_eq!(want, "meta-llama/llama-3.1-8b-instruct");
        for (model, gpu) in [
            ("Llama-3.1-8B-Instruct", "h100-sxm"),
            ("meta-llama/Llama-3.1-8B", "H100-80GB"),
            (" llama-3.1-8b ", "h100"),
        ] {
            assert_eq!(&find(&pool(model, gpu, 1), "p").unwrap().id, want);
        }
    }

    #[test]
    fn every_shape_can_be_found_by_all_of_its_names() {
        let shapes = &catalogue().architectures;
        assert!(shapes.is_sorted_by(|a, b| a.name < b.name));
        for shape in shapes {
            for name in shape.aliases.iter().chain([&shape.name]) {
                assert_eq!(architecture(name), Some(shape));
            }
        }
        assert_eq!(
            architecture("mistralai/Mixtral-8x7B-Instruct-v0.1").map(|m| m.architecture.experts),
            Some(8)
        );
        let e = find_architecture(&pool("qwen3-14", "H100", 1), "p").unwrap_err();
        assert_eq!(e.path, "p.model");
        assert!(e.fix.starts_with("did you mean `qwen3-14b`?"), "{e}");
    }

    #[test]
    fn published_checkpoints_are_found_with_their_formats_and_layers() {
        use Precision::{Auto, Fp8, Mxfp4, Nvfp4, W4a16};
        for (name, formats) in [
            ("MiniMaxAI/MiniMax-M2.5", (Fp8, Auto)),
            ("moonshotai/Kimi-K2.5", (Auto, W4a16)),
            ("nvidia/Llama-3.1-8B-Instruct-FP8", (Fp8, Auto)),
            ("Qwen/Qwen3-32B-FP8", (Fp8, Auto)),
            ("amd/DeepSeek-R1-MXFP4", (Auto, Mxfp4)),
            ("nvidia/DeepSeek-R1-0528-NVFP4", (Auto, Nvfp4)),
            ("nvidia/Llama-3.3-70B-Instruct-NVFP4", (Nvfp4, Auto)),
            ("deepseek-ai/DeepSeek-R1-0528", (Fp8, Auto)),
            ("zai-org/GLM-5-FP8", (Fp8, Auto)),
            ("Qwen/Qwen3-235B-A22B-Instruct-2507", (Auto, Auto)),
        ] {
            let a = &architecture(name).unwrap_or_else(|| panic!("{name}")).architecture;
            assert_eq!((a.precision, a.expert_precision), formats, "{name}");
        }
        let of = |name: &str| {
            let a = &architecture(name).expect("in the catalogue").architecture;
            (a.full_layers(), a.sliding_layers, a.linear_layers, a.index_topk)
        };
        assert_eq!(of("google/gemma-3-27b-it"), (10, 52, 0, 0));
        assert_eq!(of("Qwen/Qwen3-Next-80B-A3B-Instruct"), (12, 0, 36, 0));
        assert_eq!(of("Qwen/Qwen3.5-397B-A17B"), (15, 0, 45, 0));
        assert_eq!(of("deepseek-ai/DeepSeek-V3.2"), (61, 0, 0, 2048));
    }

    #[test]
    fn a_name_means_one_model() {
        let mut names: Vec<&String> =
            catalogue().architectures.iter().flat_map(|m| m.aliases.iter().chain([&m.name])).collect();
        names.sort();
        assert!(names.windows(2).all(|two| two[0] != two[1]), "{names:?}");
    }

    #[test]
    fn gpt_oss_has_layers_with_a_window_and_experts_of_four_bits() {
        let oss = &architecture("gpt-oss-120b").expect("in the catalogue").architecture;
        assert_eq!((oss.sliding_layers, oss.sliding_window, oss.full_layers()), (18, 128, 18));
        assert_eq!((oss.bytes_per_param, oss.bytes_per_expert_param), (2.0, 0.53125));
        assert_eq!(oss.expert_precision, Precision::Mxfp4);
    }

    #[test]
    fn every_gpu_is_found_by_its_names_and_its_peaks_make_sense() {
        let gpus = &catalogue().gpus;
        for (i, g) in gpus.iter().enumerate() {
            for name in g.aliases.iter().chain([&g.name]) {
                assert_eq!(gpu(name).map(|found| &found.name), Some(&g.name), "{name}");
            }
            assert!(gpus[..i].iter().all(|other| other.name != g.name));
            let h = &g.hardware;
            // Half the bits, twice the rate, or no such units.
            let twice = h.tflops_fp8 / h.tflops;
            assert!(h.tflops_fp8.to_bits() == 0 || (1.9..2.1).contains(&twice), "{}: {twice}", g.name);
            let four = h.tflops_fp4 / h.tflops_fp8;
            assert!(h.tflops_fp4.to_bits() == 0 || (1.9..4.1).contains(&four), "{}: {four}", g.name);
            assert!(h.link_gb_per_s >= 64.0, "{}", g.name);
        }
    }

    #[test]
    fn a_replica_costs_what_its_gpus_cost_by_any_of_their_names_and_an_unknown_gpu_has_no_price() {
        let cost = |gpu: &str| price(&pool("any", gpu, 2));
        assert_eq!((cost("H100"), cost("h100_sxm")), (7.0, 7.0));
        assert_eq!((cost("H200"), cost("b300_sxm")), (6.78, 13.98));
        assert_eq!((cost("H20").to_bits(), cost("nobody's").to_bits()), (0, 0));
    }

    #[test]
    fn what_is_not_there_is_named_with_what_is() {
        let e = find(&pool("lama-3.1-8b", "H100", 1), "cluster.pools[0]").unwrap_err();
        assert_eq!(e.path, "cluster.pools[0].model");
        assert!(e.fix.contains("did you mean `llama-3.1-8b`?"), "{e}");
        assert!(e.allowed.contains("qwen2.5-7b"), "{e}");
        let e = find(&pool("llama-3.1-8b", "H10", 1), "p").unwrap_err();
        assert_eq!(e.path, "p.gpu");
        assert!(e.fix.starts_with("did you mean `H100`?"), "{e}");
        let e = find(&pool("llama-3.1-8b", "H100", 3), "p").unwrap_err();
        assert_eq!(e.path, "p.tp");
        assert!(e.allowed.contains("H100 with tp 2"), "{e}");
        let e = find(&pool("codellama-34b", "A100", 16), "p").unwrap_err();
        assert!(e.allowed.contains("H100 with tp 1"), "{e}");
    }
}
