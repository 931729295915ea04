//! Import of `LLMInferenceService` objects of KServe: servers of vLLM, or those of prefill and those of decode, and the router before
//! them. What base configurations add stands in the cluster alone.
//!
//! Source: the API reference of KServe, serving.kserve.io/v1alpha1 and v1alpha2.

use crate::command::flags::Word;
use crate::command::shell_words::split;
use crate::epp::read::ENDPOINT_PICKER_CONFIG;
use crate::import::configuration::reader::Unknown;
use crate::import::configuration::sets::PoolOf;
use crate::import::configuration::{Configuration, Reader, Report, Settings, embedded};
use crate::kubernetes::object::is_of;
use crate::kubernetes::pods::{Pods, container_of, engine_container, gpu_selectors, name_of, rest};
use base::import::Import;
use serde_json::{Value, json};

/// An object of this kind, or of the kind that others build on.
pub(crate) struct LlmInferenceService;

const BASE: &str = "LLMInferenceServiceConfig";

impl Import<Configuration> for LlmInferenceService {
    fn name(&self) -> &'static str {
        "LLMInferenceService"
    }

    fn title(&self) -> &'static str {
        "LLMInferenceService"
    }

    fn recognises(&self, source: &Value) -> bool {
        is_of(source, self.name()) || is_of(source, BASE)
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        let name = name_of(&mut r);
        let apart = r.get("spec.prefill").is_some_and(Value::is_object);
        if apart {
            servers(&mut r, "spec.prefill", &format!("{name}-prefill"), Some("prefill"));
            servers(&mut r, "spec", &format!("{name}-decode"), Some("decode"));
        } else {
            servers(&mut r, "spec", &name, None);
        }
        for at in embedded::places(source, &ENDPOINT_PICKER_CONFIG) {
            embedded::read(&mut r, &at, &ENDPOINT_PICKER_CONFIG);
        }
        r.shape("metadata", "the pool has the name of the object");
        r.without_counterpart(
            "spec.baseRefs",
            "what they add stands in the cluster: give the objects that they name, too",
        );
        for path in ["spec.router", "spec.worker", "spec.prefill.worker"] {
            r.without_counterpart_of_rest(path, "it says where requests and servers go, not what they do");
        }
        rest(&mut r, &["apiVersion", "kind", "status", "spec"]);
        r.finish(Unknown::LeftOut, report);
        Settings::default()
    }
}

/// Reads the servers below a path.
fn servers(r: &mut Reader<'_>, at: &str, name: &str, role: Option<&'static str>) {
    let of = PoolOf::defined(name);
    let template = format!("{at}.template");
    let container = engine_container(r, &template)
        .unwrap_or_else(|| format!("{template}.containers.{}", main(r, &template)));
    let mut extra = Vec::new();
    let said = |r: &mut Reader<'_>, path: &str| match r.get(path) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    if let Some(uri) = said(r, "spec.model.uri") {
        extra.push(Word { path: "spec.model.uri".to_owned(), text: format!("--model={uri}") });
    }
    for (key, flag) in [
        ("tensor", "tensor-parallel-size"),
        ("pipeline", "pipeline-parallel-size"),
        ("data", "data-parallel-size"),
        ("dataLocal", "data-parallel-size-local"),
    ] {
        let path = format!("{at}.parallelism.{key}");
        if let Some(text) = said(r, &path) {
            extra.push(Word { path, text: format!("--{flag}={text}") });
        }
    }
    let expert = format!("{at}.parallelism.expert");
    if r.get(&expert) == Some(&json!(true)) {
        extra.push(Word { path: expert, text: "--enable-expert-parallel".to_owned() });
    }
    extra.extend(more_arguments(r, &format!("{container}.env")));
    if let Some(role) = role {
        r.set_pool_default(&of, "role", json!(role), 2);
    }
    gpu_selectors(r, &template, &of);
    let replicas = format!("{at}.replicas");
    let own = Pods { name, replicas: &replicas, nodes: 1, role, extra };
    container_of(r, &container, &own, &of, role, None);
    r.without_counterpart_of_rest(&template, "it does not change what the server serves");
    r.shape("spec.model.name", "the name of the model that is served");
}

/// The number of the container `main`, or of the first.
fn main(r: &mut Reader<'_>, template: &str) -> usize {
    let all = format!("{template}.containers");
    let is_main =
        |r: &mut Reader<'_>, i: &usize| r.get(&format!("{all}.{i}.name")).is_some_and(|name| name == "main");
    (0..r.entries(&all)).find(|i| is_main(r, i)).unwrap_or(0)
}

/// The arguments in the variable that KServe's images add to their command.
fn more_arguments(r: &mut Reader<'_>, env: &str) -> Vec<Word> {
    let mut all = Vec::new();
    for i in 0..r.entries(env) {
        if r.get(&format!("{env}.{i}.name")).is_none_or(|name| name != "VLLM_ADDITIONAL_ARGS") {
            continue;
        }
        let path = format!("{env}.{i}.value");
        let Some(text) = r.get(&path).and_then(Value::as_str) else { continue };
        let words = split(text).into_iter().filter(|word| word != ";").enumerate();
        all.extend(words.map(|(k, text)| Word { path: format!("{path}.{k}"), text }));
    }
    all
}
