//! Models from a published `config.json`: their shape, and a scenario with them.

use base::{Diagnostics, json};
use document::LatencyModel;
use engine::perf::ReadModel;
use serde_json::json;

/// The shape of the model that a Hugging Face `config.json` describes.
pub fn architecture_from_hf(text: &str) -> Result<ReadModel, Diagnostics> {
    engine::perf::architecture_from_hf(text)
}

/// A scenario, as JSON, whose only pool serves that model with calibrated latency; all other settings have defaults.
/// Also returns the model as read.
pub fn scenario_from_hf(name: &str, text: &str) -> Result<(String, ReadModel), Diagnostics> {
    let model = architecture_from_hf(text)?;
    let pool = json!({
        "model": name,
        "architecture": json::tree(&model.architecture),
        "latency": json::tree(&LatencyModel::default()),
    });
    let scenario = json!({ "cluster": { "pools": [pool] } });
    let mut text = json::indented(&scenario);
    text.push('\n');
    Ok((text, model))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;

    #[test]
    fn what_comes_out_is_a_scenario_that_runs() {
        let config = r#"{"num_hidden_layers": 24, "hidden_size": 2048, "num_attention_heads": 16,
            "num_key_value_heads": 4, "intermediate_size": 8192, "vocab_size": 50000, "torch_dtype": "float16"}"#;
        let (text, model) = scenario_from_hf("tiny", config).expect("a good config");
        // Whether embeddings are tied is not said.
        assert_eq!(model.warnings.len(), 1, "{:?}", model.warnings);
        assert_eq!(Session::check(&text), []);
        assert!(text.contains("\"model\": \"tiny\""), "{text}");
        assert!(scenario_from_hf("tiny", "[]").is_err());
    }
}
