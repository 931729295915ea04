//! Import of `DynamoGraphDeployment` objects: each service that runs a vLLM engine is a pool.

use crate::import::configuration::reader::Unknown;
use crate::import::configuration::sets::PoolOf;
use crate::import::configuration::{Reader, Report, Settings};
use crate::kubernetes::object::{ObjectKind, no_engine};
use crate::kubernetes::pods::{Pods, container_of, engine_container, gpu_selectors, rest, role_named};
use crate::routers::container::frontend;
use serde_json::Value;

/// Where services stand, and the keys of each, by the version of the object.
struct Shape {
    /// The path of all of them.
    at: &'static str,
    kind: &'static str,
}

/// `v1alpha1`: a map of services with `extraPodSpec.mainContainer`.
const SERVICES: Shape = Shape { at: "spec.services", kind: "componentType" };
/// `v1beta1`: a list of components with `podTemplate`.
const COMPONENTS: Shape = Shape { at: "spec.components", kind: "type" };

/// An object of this kind.
pub(crate) const DYNAMO_GRAPH_DEPLOYMENT: ObjectKind = ObjectKind { kind: "DynamoGraphDeployment", read };

fn read(source: &Value, report: &mut Report) -> Settings {
    let mut r = Reader::new(source);
    let mut read = 0;
    for shape in [SERVICES, COMPONENTS] {
        let keys: Vec<String> = r
            .get(shape.at)
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(|map| map.keys().cloned())
            .collect();
        for key in &keys {
            read += usize::from(service(&mut r, &shape, key));
        }
    }
    if read == 0 {
        no_engine(&mut r, &[SERVICES.at, COMPONENTS.at]);
    }
    r.shape("metadata", "each service is a pool with its own name");
    rest(
        &mut r,
        &[
            "apiVersion",
            "kind",
            "status",
            SERVICES.at,
            COMPONENTS.at,
            "spec.envs",
            "spec.env",
            "spec.backendFramework",
            "spec.pvcs",
            "spec.restart",
            "spec.annotations",
            "spec.labels",
            "spec.topologyConstraint",
        ],
    );
    r.finish(Unknown::LeftOut, report);
    Settings::default()
}

/// A word below a path; empty if there is none.
fn word(r: &mut Reader<'_>, path: &str, key: &str) -> String {
    r.get(&format!("{path}.{key}")).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The container of a service: the only one of older objects; else the one with an engine or a router, of the name `main`, or the first.
fn container(r: &mut Reader<'_>, path: &str) -> String {
    let older = format!("{path}.extraPodSpec.mainContainer");
    if r.get(&older).is_some() {
        return older;
    }
    let spec = format!("{path}.podTemplate.spec");
    if let Some(found) = engine_container(r, &spec) {
        return found;
    }
    let all = format!("{spec}.containers");
    let main = (0..r.entries(&all)).find(|i| word(r, &format!("{all}.{i}"), "name") == "main");
    format!("{all}.{}", main.unwrap_or(0))
}

/// Reads a service; returns whether it is an engine or a router.
fn service(r: &mut Reader<'_>, shape: &Shape, key: &str) -> bool {
    let path = format!("{}.{key}", shape.at);
    let said = word(r, &path, "name");
    let name = if key.parse::<u32>().is_ok() && !said.is_empty() { said } else { key.to_owned() };
    r.shape(&format!("{path}.name"), "the name of the pool");
    let kind = format!("{path}.{}", shape.kind);
    let component = word(r, &path, shape.kind).to_ascii_lowercase();
    let is_worker = component == "worker"
        || (component.is_empty() && (name.contains("Worker") || name.contains("worker")))
        || matches!(component.as_str(), "prefill" | "decode");
    if !is_worker {
        if component == "frontend" || (component.is_empty() && name.eq_ignore_ascii_case("frontend")) {
            let container = container(r, &path);
            frontend(r, &container, &path);
            r.shape(&kind, "the kind of the service");
            r.without_counterpart_of_rest(&path, "the flags say what the router does");
            return true;
        }
        let why = match component.as_str() {
            "planner" => "the planner: give its configuration for the autoscaler",
            _ => "a service without an engine",
        };
        r.without_counterpart(&path, why);
        return false;
    }
    let container = container(r, &path);
    let of = PoolOf::defined(&name);
    let sub = format!("{path}.subComponentType");
    let said = word(r, &path, "subComponentType");
    let role = match (said.as_str(), component.as_str()) {
        ("", "prefill" | "decode") => role_named(r, &kind, &component, &of),
        ("", _) => by_flags(r, &container, &name, &of),
        _ => role_named(r, &sub, &said, &of),
    };
    let nodes_at = format!("{path}.multinode.nodeCount");
    let nodes = r.whole(&nodes_at, "nodes of a server, whose GPUs are counted together").unwrap_or(1).max(1);
    let replicas = format!("{path}.replicas");
    gpu_selectors(r, &format!("{path}.podTemplate.spec"), &of);
    gpu_selectors(r, &format!("{path}.extraPodSpec"), &of);
    let own = Pods { name: &name, replicas: &replicas, nodes, role, extra: Vec::new() };
    let gpus = format!("{path}.resources");
    let gpus = if r.get(&gpus).is_some() { Some(gpus) } else { None };
    container_of(r, &container, &own, &of, role, gpus.as_deref());
    if !r.mappings.iter().any(|m| m.key == kind) {
        r.shape(&kind, "the kind of the service");
    }
    r.without_counterpart_of_rest(&path, "it says where the service runs, not what it serves");
    true
}

/// The role of older objects: a flag of the worker, or the name of the service.
fn by_flags(r: &mut Reader<'_>, container: &str, name: &str, of: &PoolOf) -> Option<&'static str> {
    let args = crate::command::flags::words_at(r, &format!("{container}.args"));
    let all: Vec<String> =
        args.iter().flat_map(|word| word.text.split_whitespace()).map(str::to_owned).collect();
    let has = |flag: &str| all.iter().any(|word| word == flag);
    let mode = all.iter().position(|word| word == "--disaggregation-mode").and_then(|at| all.get(at + 1));
    let mode = mode
        .map(String::as_str)
        .or_else(|| all.iter().find_map(|word| word.strip_prefix("--disaggregation-mode=")));
    let lower = name.to_ascii_lowercase();
    let role = match mode {
        Some("prefill") => "prefill",
        Some("decode") => "decode",
        None if has("--is-prefill-worker") || lower.contains("prefill") => "prefill",
        None if has("--is-decode-worker") || lower.contains("decode") => "decode",
        Some(_) | None => return None,
    };
    r.set_pool_default(of, "role", role.into(), 2);
    Some(role)
}
