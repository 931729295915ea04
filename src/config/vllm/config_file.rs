//! Import of the file of vLLM's `--config`: YAML whose keys are the flags of `vllm serve`.

use crate::command::flags::Flags;
use crate::import::configuration::reader::Unknown;
use crate::import::configuration::sets::PoolOf;
use crate::import::configuration::{Configuration, Reader, Report, Settings};
use crate::vllm::command::pool_name;
use crate::vllm::map::FLAGS;
use crate::vllm::read::{Around, engine};
use base::import::Import;
use serde_json::Value;

/// Keys that only this file has: one of them is enough, two of the others are.
const OWN: [&str; 12] = [
    "max-num-seqs",
    "max-num-batched-tokens",
    "gpu-memory-utilization",
    "tensor-parallel-size",
    "pipeline-parallel-size",
    "data-parallel-size",
    "enable-prefix-caching",
    "kv-cache-dtype",
    "max-model-len",
    "long-prefill-token-threshold",
    "served-model-name",
    "scheduling-policy",
];

/// Keys of other documents that are not this file.
const OTHERS: [&str; 10] = [
    "kind",
    "apiVersion",
    "cluster",
    "words",
    "metrics",
    "log",
    "tokenyard",
    "modelArtifacts",
    "kv_cache_config",
    "kv_cache_retention_config",
];

/// The file of `--config`.
pub(crate) struct VllmConfig;

impl Import<Configuration> for VllmConfig {
    fn name(&self) -> &'static str {
        "vllm-config"
    }

    fn title(&self) -> &'static str {
        "the --config file of vLLM"
    }

    fn recognises(&self, source: &Value) -> bool {
        let Some(map) = source.as_object() else { return false };
        let own = |key: &String| OWN.contains(&key.replace('_', "-").as_str());
        !OTHERS.iter().any(|key| map.contains_key(*key)) && map.keys().any(own)
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        let flags = Flags::of_section(&mut r, "", FLAGS);
        let name = pool_name(&flags);
        let of = name.map_or_else(PoolOf::default, |name| PoolOf::unnamed(&name));
        // A command beside it may say the rest.
        engine(&mut r, flags, &Around { of, ..Around::default() });
        r.finish(Unknown::LeftOut, report);
        Settings::default()
    }
}
