//! Names of models: those of scenarios as ids of Hugging Face.

use document::{Pool, model_key};
use engine::perf::catalogue;

/// Ids of models by their keys, where the catalogue has none or has lost the capital letters.
const IDS: [(&str, &str); 34] = [
    ("llama-3.1-8b", "meta-llama/Llama-3.1-8B-Instruct"),
    ("llama-3.1-70b", "meta-llama/Llama-3.1-70B-Instruct"),
    ("llama-3.3-70b", "meta-llama/Llama-3.3-70B-Instruct"),
    ("llama-3.1-405b", "meta-llama/Llama-3.1-405B-Instruct"),
    ("llama-2-7b", "meta-llama/Llama-2-7b-hf"),
    ("llama-2-70b", "meta-llama/Llama-2-70b-hf"),
    ("llama-4-scout-17b-16e", "meta-llama/Llama-4-Scout-17B-16E-Instruct"),
    ("qwen2.5-7b", "Qwen/Qwen2.5-7B-Instruct"),
    ("qwen2.5-72b", "Qwen/Qwen2.5-72B-Instruct"),
    ("qwen3-8b", "Qwen/Qwen3-8B"),
    ("qwen3-8b-fp8", "Qwen/Qwen3-8B-FP8"),
    ("qwen3-14b", "Qwen/Qwen3-14B"),
    ("qwen3-32b", "Qwen/Qwen3-32B"),
    ("qwen3-32b-fp8", "Qwen/Qwen3-32B-FP8"),
    ("qwen3-30b-a3b", "Qwen/Qwen3-30B-A3B"),
    ("qwen3-30b-a3b-fp8", "Qwen/Qwen3-30B-A3B-FP8"),
    ("qwen3-235b-a22b", "Qwen/Qwen3-235B-A22B"),
    ("qwen3-235b-a22b-fp8", "Qwen/Qwen3-235B-A22B-FP8"),
    ("deepseek-v3", "deepseek-ai/DeepSeek-V3"),
    ("deepseek-v3.2", "deepseek-ai/DeepSeek-V3.2"),
    ("deepseek-v2-lite", "deepseek-ai/DeepSeek-V2-Lite"),
    ("mixtral-8x7b", "mistralai/Mixtral-8x7B-Instruct-v0.1"),
    ("mixtral-8x22b", "mistralai/Mixtral-8x22B-Instruct-v0.1"),
    ("mistral-small-24b", "mistralai/Mistral-Small-24B-Instruct-2501"),
    ("glm-4.5", "zai-org/GLM-4.5"),
    ("glm-4.5-air", "zai-org/GLM-4.5-Air"),
    ("glm-5", "zai-org/GLM-5"),
    ("kimi-k2", "moonshotai/Kimi-K2-Instruct"),
    ("gemma-3-4b", "google/gemma-3-4b-it"),
    ("gemma-3-12b", "google/gemma-3-12b-it"),
    ("gemma-3-27b", "google/gemma-3-27b-it"),
    ("phi-4", "microsoft/phi-4"),
    ("gpt-oss-20b", "openai/gpt-oss-20b"),
    ("gpt-oss-120b", "openai/gpt-oss-120b"),
];

/// The id of a pool's model at Hugging Face; an error is its name in the scenario, where no id is known.
pub(crate) fn hub_id(pool: &Pool) -> Result<String, String> {
    let name = pool.model.trim();
    if name.contains('/') {
        return Ok(name.to_owned());
    }
    let key = model_key(name);
    let known = IDS.iter().find(|(of, _)| model_key(of) == key).map(|(_, id)| (*id).to_owned());
    let listed =
        || catalogue().coefficients.iter().find(|row| model_key(&row.name) == key).map(|row| row.id.clone());
    known.or_else(listed).ok_or_else(|| name.to_owned())
}

/// Whether two names are of one model.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    model_key(one) == model_key(other)
}
