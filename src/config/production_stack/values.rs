//! Import of the values of the chart of vLLM's production stack: each entry of `servingEngineSpec.modelSpec` is a pool, `routerSpec`
//! the router.
//!
//! Source: helm/values.yaml of vllm-project/production-stack. Keys of `vllmConfig` are flags of vLLM in another writing.

use crate::command::flags::Word;
use crate::command::shell::{EngineCommand, release_of};
use crate::import::configuration::reader::Unknown;
use crate::import::configuration::server_identity::{ServerIdentity, labels_of};
use crate::import::configuration::sets::PoolOf;
use crate::import::configuration::{Configuration, Reader, Report, Settings};
use crate::kubernetes::pods::{engine_of, expressions, gpus_of};
use crate::production_stack::parts::{flags_of, lmcache, plain, router};
use crate::vllm::command::release_row;
use crate::vllm::read::Around;
use base::import::Import;
use serde_json::Value;

/// The values of this chart.
pub(crate) struct ProductionStack;

const MODELS: &str = "servingEngineSpec.modelSpec";
const ROUTER: &str = "routerSpec";
/// Keys of `vllmConfig` that are no flags in another writing.
const NO_FLAGS: [&str; 3] = ["extraArgs", "v1", "v0"];

impl Import<Configuration> for ProductionStack {
    fn name(&self) -> &'static str {
        "production-stack-values"
    }

    fn title(&self) -> &'static str {
        "values of vLLM's production stack"
    }

    fn recognises(&self, source: &Value) -> bool {
        source.get("kind").is_none()
            && source.get("servingEngineSpec").is_some_and(|spec| {
                spec.get("modelSpec").is_some_and(Value::is_object)
                    || spec.get("modelSpec").is_some_and(Value::is_array)
            })
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        for i in 0..r.entries(MODELS) {
            servers(&mut r, &format!("{MODELS}.{i}"));
        }
        router(&mut r, ROUTER);
        r.without_counterpart_of_rest("", "it says where servers run, not what they serve");
        r.finish(Unknown::LeftOut, report);
        Settings::default()
    }
}

/// Reads the servers of a model.
fn servers(r: &mut Reader<'_>, at: &str) {
    let name_at = format!("{at}.name");
    let name = r.get(&name_at).and_then(plain).unwrap_or_else(|| "main".to_owned());
    r.shape(&name_at, "the name of the pool");
    let of = PoolOf::defined(&name);
    let labels = labels_of(r.get(&format!("{at}.labels")));
    r.servers.push(ServerIdentity { of: of.clone(), labels, ..ServerIdentity::default() });
    let mut flags = Vec::new();
    let url = format!("{at}.modelURL");
    if let Some(text) = r.get(&url).and_then(plain) {
        flags.push(Word { path: url, text: format!("--model={text}") });
    }
    let config = format!("{at}.vllmConfig");
    flags.extend(flags_of(r, &config, &NO_FLAGS));
    for key in ["v1", "v0"] {
        r.without_counterpart(&format!("{config}.{key}"), "the release says which engine it is");
    }
    let lora = format!("{at}.enableLoRA");
    if r.get(&lora).is_some_and(|on| *on == true) {
        flags.push(Word { path: lora, text: "--enable-lora".to_owned() });
    }
    let settings = lmcache(r, &format!("{at}.lmcacheConfig"), &mut flags);
    flags.extend(crate::command::flags::words_at(r, &format!("{config}.extraArgs")));
    let found = EngineCommand { flags, ..EngineCommand::default() };
    let around = Around { of: of.clone(), whole: true, settings, ..Around::default() };
    let sizes = engine_of(r, &format!("{at}.image"), &found, &format!("{at}.replicaCount"), around);
    let tag = format!("{at}.tag");
    let repository = r.get(&format!("{at}.repository")).and_then(plain).unwrap_or_default();
    if let Some(text) = r.get(&tag).and_then(plain) {
        release_row(r, &tag, &text, release_of(&format!("{repository}:{text}")), &of);
    }
    r.shape(&format!("{at}.repository"), "the image of the server");
    gpus_of(r, &format!("{at}.requestGPU"), 1, sizes.tp * sizes.pp * sizes.dp, sizes);
    let terms = format!("{at}.nodeSelectorTerms");
    for i in 0..r.entries(&terms) {
        expressions(r, &format!("{terms}.{i}.matchExpressions"), &of);
    }
    r.without_counterpart_of_rest(at, "it does not change what the server serves");
}
