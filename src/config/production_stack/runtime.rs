//! Import of `VLLMRuntime` objects of vLLM's production stack: a pool, or one of prefill and one of decode servers.
//!
//! Source: the definition of the kind, production-stack.vllm.ai/v1alpha1, and the flags that its operator gives the server.

use crate::command::flags::{Word, words_at};
use crate::command::shell::EngineCommand;
use crate::import::configuration::reader::Unknown;
use crate::import::configuration::server_identity::{ServerIdentity, labels_of};
use crate::import::configuration::sets::PoolOf;
use crate::import::configuration::{Reader, Report, Settings};
use crate::kubernetes::object::ObjectKind;
use crate::kubernetes::pods::{engine_of, expressions, gpus_of, name_of, rest, tier_variables};
use crate::production_stack::parts::{flags_of, lmcache, plain};
use crate::vllm::read::Around;
use serde_json::json;

/// An object of this kind.
pub(crate) const VLLM_RUNTIME: ObjectKind = ObjectKind { kind: "VLLMRuntime", read };

const PREFILL: &str = "spec.topology.prefill";
const DECODE: &str = "spec.topology.decode";
/// Keys of the model and of the server that are no flags in another writing.
const OF_MODEL: [&str; 6] =
    ["modelURL", "enableLoRA", "enableTool", "hfTokenSecret", "hfTokenName", "chatTemplate"];
const OF_SERVER: [&str; 3] = ["extraArgs", "v1", "env"];

fn read(source: &serde_json::Value, report: &mut Report) -> Settings {
    let mut r = Reader::new(source);
    let name = name_of(&mut r);
    let apart = r.get("spec.enablePDDisaggregation").is_some_and(|on| *on == true);
    if apart {
        r.shape("spec.enablePDDisaggregation", "prefill and decode have servers of their own");
        for (at, role) in [(PREFILL, "prefill"), (DECODE, "decode")] {
            servers(&mut r, at, &format!("{name}-{role}"), Some(role));
        }
        r.without_counterpart_of_rest("spec", "the servers of both roles stand in the topology");
    } else {
        servers(&mut r, "spec", &name, None);
        r.without_counterpart("spec.topology", "prefill and decode are not apart");
        let scaled = "give the ScaledObject that the operator makes of it";
        r.without_counterpart("spec.autoscalingConfig", scaled);
        r.without_counterpart_of_rest("spec", "it does not change what the server serves");
    }
    r.shape("metadata", "the pool has the name of the object");
    rest(&mut r, &["apiVersion", "kind", "status", "spec"]);
    r.finish(Unknown::LeftOut, report);
    Settings::default()
}

/// Reads the servers at a path.
fn servers(r: &mut Reader<'_>, at: &str, name: &str, role: Option<&'static str>) {
    let [model, config, cache, deployment] =
        ["model", "vllmConfig", "lmCacheConfig", "deploymentConfig"].map(|key| format!("{at}.{key}"));
    let role = role.or_else(|| role_of_cache(r, &cache));
    let of = PoolOf::defined(name);
    let labels = labels_of(r.get("metadata.labels"));
    r.servers.push(ServerIdentity {
        of: of.clone(),
        labels,
        host: Some(name.to_owned()),
        ..ServerIdentity::default()
    });
    let mut flags = Vec::new();
    let url = format!("{model}.modelURL");
    if let Some(text) = r.get(&url).and_then(plain) {
        flags.push(Word { path: url, text: format!("--model={text}") });
    }
    flags.extend(flags_of(r, &model, &OF_MODEL));
    flags.extend(flags_of(r, &config, &OF_SERVER));
    let lora = format!("{model}.enableLoRA");
    if r.get(&lora).is_some_and(|on| *on == true) {
        flags.push(Word { path: lora, text: "--enable-lora".to_owned() });
    }
    r.without_counterpart(&format!("{config}.v1"), "the release says which engine it is");
    // The operator switches off what the object does not switch on.
    let prefixes = format!("{config}.enablePrefixCaching");
    if r.get(&prefixes).is_none() {
        r.set_pool_usual(&of, "kv.prefix_caching", json!(false), 2);
    }
    let mut settings = lmcache(r, &cache, &mut flags);
    settings.extend(tier_variables(r, &format!("{config}.env")));
    flags.extend(words_at(r, &format!("{config}.extraArgs")));
    if let Some(role) = role {
        r.set_pool_default(&of, "role", json!(role), 2);
    }
    let found = EngineCommand { flags, ..EngineCommand::default() };
    let around = Around { of: of.clone(), whole: true, role, settings, ..Around::default() };
    let replicas = format!("{deployment}.replicas");
    let sizes = engine_of(r, &format!("{deployment}.image.name"), &found, &replicas, around);
    gpus_of(r, &format!("{deployment}.resources.gpu"), 1, sizes.tp * sizes.pp * sizes.dp, sizes);
    let terms = format!("{deployment}.nodeSelectorTerms");
    for i in 0..r.entries(&terms) {
        expressions(r, &format!("{terms}.{i}.matchExpressions"), &of);
    }
    r.without_counterpart_of_rest(&cache, "it concerns the connection between processes");
    for section in [&model, &config, &deployment] {
        r.without_counterpart_of_rest(section, "it does not change what the server serves");
    }
}

/// The role that the cache of a server has in handing prompts over.
fn role_of_cache(r: &mut Reader<'_>, cache: &str) -> Option<&'static str> {
    let path = format!("{cache}.kvRole");
    let role = match r.get(&path).and_then(plain)?.as_str() {
        "kv_producer" => "prefill",
        "kv_consumer" => "decode",
        _ => return None,
    };
    r.note(&path, &format!("role {role}"));
    Some(role)
}
