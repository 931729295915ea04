//! Import of `ServingRuntime` and `ClusterServingRuntime` objects of KServe whose container runs an engine: the flags of all pools
//! that use it. The model and the number of servers are those of an `InferenceService`.

use crate::command::shell::{EngineCommand, EngineKind, engine_command};
use crate::import::configuration::reader::Unknown;
use crate::import::configuration::sets::PoolOf;
use crate::import::configuration::{Configuration, Reader, Report, Settings};
use crate::kubernetes::object::{is_of, no_engine};
use crate::kubernetes::pods::{engine_container, gpu_selectors, rest, words};
use crate::vllm::read::Around;
use crate::{sglang, trtllm, vllm};
use base::import::Import;
use serde_json::Value;

/// An object of this kind, for a namespace or the whole cluster.
pub(crate) struct ServingRuntime;

impl Import<Configuration> for ServingRuntime {
    fn name(&self) -> &'static str {
        "ServingRuntime"
    }

    fn title(&self) -> &'static str {
        "ServingRuntime"
    }

    fn recognises(&self, source: &Value) -> bool {
        is_of(source, self.name()) || is_of(source, "ClusterServingRuntime")
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        match engine_container(&mut r, "spec") {
            None => no_engine(&mut r, &["spec"]),
            Some(container) => {
                let all = words(&mut r, &container);
                let found = engine_command(&all)
                    .unwrap_or_else(|| EngineCommand { flags: all, ..EngineCommand::default() });
                let around = Around { of: PoolOf::default(), ..Around::default() };
                match found.kind {
                    EngineKind::Vllm => vllm::command::command(&mut r, &found, &around),
                    EngineKind::Sglang => sglang::read::command(&mut r, &found, &around),
                    EngineKind::Trtllm => trtllm::read::command(&mut r, &found, &around),
                };
                gpu_selectors(&mut r, "spec", &PoolOf::default());
                r.without_counterpart_of_rest(
                    "spec",
                    "it says which models may use the runtime, not what they do",
                );
            }
        }
        r.shape("metadata", "pools use the runtime whatever its name");
        rest(&mut r, &["apiVersion", "kind", "status", "spec"]);
        r.finish(Unknown::LeftOut, report);
        Settings::default()
    }
}
