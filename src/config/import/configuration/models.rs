//! Names of models and GPUs as other programs write them, and those of the catalogue.

use crate::import::configuration::Reader;
use base::Diagnostic;
use engine::perf::{catalogue, known_gpu, known_model, nearest_model, unquantised};

/// What to do about a model outside the catalogue.
pub(crate) const HOW_TO_ADD_A_MODEL: &str = "no shape of this model is known, so the scenario's model stays: `tokenyard model config.json` prints one";

/// The model of the catalogue that a name, an id or a path means.
pub(crate) fn model_named(id: &str) -> Option<&'static str> {
    let id = id.trim().trim_end_matches('/');
    let last = id.rsplit(['/', ':']).next().unwrap_or_default();
    let bare = last.strip_prefix("Meta-").or_else(|| last.strip_prefix("meta-")).unwrap_or(last);
    // A folder of the hub's cache: models--ORG--NAME.
    let cached = id.split('/').find_map(|part| part.strip_prefix("models--")?.split("--").nth(1));
    let all = || [id, last, bare].into_iter().chain(cached);
    let found =
        all().find_map(known_model).or_else(|| all().find_map(|name| known_model(unquantised(name)?.0)));
    found.map(|model| model.name.as_str())
}

/// How the weights of a checkpoint are quantised, by its name, where the catalogue has the model in 16 bits alone.
pub(crate) fn quantised_by_name(id: &str) -> Option<&'static str> {
    let last = id.trim().trim_end_matches('/').rsplit(['/', ':']).next()?;
    let (_, method) = unquantised(last)?;
    let own = known_model(model_named(id)?)?.architecture.bytes_per_param;
    (own >= 2.0 && !method.is_empty()).then_some(method)
}

/// Warns about a model outside the catalogue.
pub(crate) fn unknown_model(r: &mut Reader<'_>, path: &str, id: &str) {
    let names: Vec<&str> = catalogue().architectures.iter().map(|model| model.name.as_str()).collect();
    let near = nearest_model(id, &names);
    let near = near.map_or_else(String::new, |name| format!("; {name:?} is the nearest name"));
    let found = format!("{id:?}, a model of no known shape: left out");
    let allowed = format!("one of the {} models of the catalogue{near}", names.len());
    let fix = "give its shape as cluster.pools[].architecture: `tokenyard model config.json` prints it";
    r.problems.push(Diagnostic::warning(path, found, allowed, fix));
}

/// The GPU of the catalogue that a label means, such as `NVIDIA-H100-80GB-HBM3`.
pub(crate) fn gpu_named(text: &str) -> Option<&'static str> {
    let lower = text.trim().to_ascii_lowercase().replace([' ', '_'], "-");
    let mut name = lower.as_str();
    for vendor in ["nvidia-", "amd-", "geforce-", "instinct-", "tesla-"] {
        name = name.strip_prefix(vendor).unwrap_or(name);
    }
    for tail in ["-shared", "-mig"] {
        name = name.strip_suffix(tail).unwrap_or(name);
    }
    let known = |name: &str| known_gpu(name).map(|gpu| gpu.name.as_str());
    // Boards and memories that labels write after the name: the figures are those of the chip.
    let parts: Vec<&str> = name.split('-').collect();
    let has = |part: &str| parts.contains(&part);
    let memory = parts.iter().find_map(|part| part.strip_suffix("gb")?.parse::<u32>().ok());
    let by_chip = || match *parts.first()? {
        "h100" if has("pcie") => Some("H100-PCIE"),
        "h100" if !has("nvl") => Some("H100"),
        "a100" if memory == Some(40) => Some("A100-40"),
        "a100" if has("pcie") => Some("A100-PCIE"),
        "a100" => Some("A100-80"),
        "rtx" if has("pro") && has("6000") => Some("RTX-PRO-6000"),
        "rtx" if has("4090") => Some("RTX-4090"),
        "rtx" if has("5090") => Some("RTX-5090"),
        "l40s" => Some("L40S"),
        "h200" | "h20" | "b200" | "gb200" | "b300" | "gb300" | "l4" | "a10g" | "mi300x" | "mi325x"
        | "mi355x" => known(parts[0]),
        _ => None,
    };
    // A slice of a GPU is another GPU.
    if parts.iter().any(|part| part.ends_with("g.10gb") || part.contains("g.")) {
        return None;
    }
    known(name).or_else(by_chip)
}

/// Warns about a GPU outside the catalogue.
pub(crate) fn unknown_gpu(r: &mut Reader<'_>, path: &str, text: &str) {
    let names: Vec<&str> = catalogue().gpus.iter().map(|gpu| gpu.name.as_str()).collect();
    let found = format!("{text:?}, a GPU of no known figures: left out");
    let fix = "give its figures as cluster.pools[].hardware";
    r.problems.push(Diagnostic::warning(path, found, names.join(", "), fix));
    r.without_counterpart(path, "no figures of this GPU are known, so the scenario's GPU stays");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_gpus_are_those_of_the_catalogue() {
        for (label, gpu) in [
            ("NVIDIA-H100-80GB-HBM3", Some("H100")),
            ("NVIDIA-H100-PCIe", Some("H100-PCIE")),
            ("NVIDIA-H200", Some("H200")),
            ("NVIDIA-A100-SXM4-80GB", Some("A100-80")),
            ("NVIDIA-A100-SXM4-40GB", Some("A100-40")),
            ("NVIDIA-A100-PCIE-40GB", Some("A100-40")),
            ("NVIDIA-A100-80GB-PCIe", Some("A100-PCIE")),
            ("NVIDIA-L40S", Some("L40S")),
            ("NVIDIA-L4", Some("L4")),
            ("NVIDIA-A10G", Some("A10G")),
            ("NVIDIA-B200", Some("B200")),
            ("NVIDIA-GB200", Some("GB200")),
            ("NVIDIA-H100-80GB-HBM3-SHARED", Some("H100")),
            ("NVIDIA-GeForce-RTX-4090", Some("RTX-4090")),
            ("AMD_Instinct_MI300X", Some("MI300X")),
            ("h100", Some("H100")),
            ("nvidia-h100-80gb", Some("H100")),
            ("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", None),
            ("Tesla-T4", None),
            ("", None),
        ] {
            assert_eq!(gpu_named(label), gpu, "{label}");
        }
    }

    #[test]
    fn ids_and_paths_of_models_are_those_of_the_catalogue() {
        for (id, name) in [
            ("Qwen/Qwen3-32B", Some("qwen3-32b")),
            ("meta-llama/Llama-3.1-8B-Instruct", Some("llama-3.1-8b")),
            ("meta-llama/Meta-Llama-3.1-8B-Instruct", Some("llama-3.1-8b")),
            ("hf://Qwen/Qwen3-32B", Some("qwen3-32b")),
            ("/models/Qwen3-32B/", Some("qwen3-32b")),
            ("/data/hub/models--Qwen--Qwen3-32B/snapshots/0123", Some("qwen3-32b")),
            ("acme/own-7b", None),
            ("", None),
            ("Qwen/Qwen3-32B-AWQ", Some("qwen3-32b")),
            ("Qwen/Qwen3-32B-GPTQ-Int4", Some("qwen3-32b")),
            ("nvidia/Qwen3-32B-NVFP4", Some("qwen3-32b-nvfp4")),
            ("RedHatAI/Qwen3-14B-quantized.w4a16", Some("qwen3-14b")),
            ("-AWQ", None),
        ] {
            assert_eq!(model_named(id), name, "{id}");
        }
    }

    #[test]
    fn the_end_of_a_name_says_how_weights_are_quantised_unless_the_catalogue_does() {
        for (id, method) in [
            ("Qwen/Qwen3-32B-AWQ", Some("awq")),
            ("Qwen/Qwen3-14B-FP8", Some("fp8")),
            ("RedHatAI/Qwen3-14B-quantized.w4a16", Some("gptq")),
            ("Qwen/Qwen3-32B-FP8", None),
            ("Qwen/Qwen3-32B", None),
            ("acme/own-7b-AWQ", None),
        ] {
            assert_eq!(quantised_by_name(id), method, "{id}");
        }
    }
}
