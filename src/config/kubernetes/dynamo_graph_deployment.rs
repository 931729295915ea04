//! Import of `DynamoGraphDeployment` objects: each service that runs a vLLM engine is a pool.

use crate::import::configuration::reader::Unknown;
use crate::import::configuration::sets::PoolOf;
use crate::import::configuration::{Reader, Report, Settings};
use crate::kubernetes::object::{ObjectKind, no_engine};
use crate::kubernetes::pods::{Pods, container_of, rest, role_named};
use crate::routers::container::frontend;
use serde_json::Value;

const SERVICES: &str = "spec.services";

/// An object of this kind.
pub(crate) const DYNAMO_GRAPH_DEPLOYMENT: ObjectKind = ObjectKind { kind: "DynamoGraphDeployment", read };

fn read(source: &Value, report: &mut Report) -> Settings {
    let mut r = Reader::new(source);
    let names: Vec<String> =
        r.get(SERVICES).and_then(Value::as_object).into_iter().flat_map(|map| map.keys().cloned()).collect();
    let mut read = 0;
    for name in &names {
        read += usize::from(service(&mut r, name));
    }
    if read == 0 {
        no_engine(&mut r, &[SERVICES]);
    }
    r.shape("metadata", "each service is a pool with its own name");
    rest(
        &mut r,
        &[
            "apiVersion",
            "kind",
            "status",
            SERVICES,
            "spec.envs",
            "spec.backendFramework",
            "spec.pvcs",
            "spec.restart",
            "spec.annotations",
            "spec.labels",
        ],
    );
    r.finish(Unknown::LeftOut, report);
    Settings::default()
}

/// Reads a service; returns whether it is an engine or a router.
fn service(r: &mut Reader<'_>, name: &str) -> bool {
    let path = format!("{SERVICES}.{name}");
    let word = |r: &mut Reader<'_>, key: &str| {
        r.get(&format!("{path}.{key}")).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let component = word(r, "componentType").to_ascii_lowercase();
    let container = format!("{path}.extraPodSpec.mainContainer");
    let is_worker = component == "worker"
        || (component.is_empty() && (name.contains("Worker") || name.contains("worker")))
        || matches!(component.as_str(), "prefill" | "decode");
    if !is_worker {
        if component == "frontend" || (component.is_empty() && name.eq_ignore_ascii_case("frontend")) {
            frontend(r, &container, &path);
            r.shape(&format!("{path}.componentType"), "the kind of the service");
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
    let of = PoolOf::defined(name);
    let sub = format!("{path}.subComponentType");
    let said = word(r, "subComponentType");
    let role =
        if said.is_empty() { by_flags(r, &container, &path, &of) } else { role_named(r, &sub, &said, &of) };
    let nodes_at = format!("{path}.multinode.nodeCount");
    let nodes = r.whole(&nodes_at, "nodes of a server, whose GPUs are counted together").unwrap_or(1).max(1);
    let replicas = format!("{path}.replicas");
    let own = Pods { name, replicas: &replicas, nodes, role, extra: Vec::new() };
    let gpus = format!("{path}.resources");
    container_of(r, &container, &own, &of, role, Some(&gpus));
    r.shape(&format!("{path}.componentType"), "the kind of the service");
    true
}

/// The role of older objects: a flag of the worker, or the name of the service.
fn by_flags(r: &mut Reader<'_>, container: &str, path: &str, of: &PoolOf) -> Option<&'static str> {
    let args = crate::command::flags::words_at(r, &format!("{container}.args"));
    let all: Vec<String> =
        args.iter().flat_map(|word| word.text.split_whitespace()).map(str::to_owned).collect();
    let has = |flag: &str| all.iter().any(|word| word == flag);
    let role = if has("--is-prefill-worker") || path.to_ascii_lowercase().contains("prefill") {
        "prefill"
    } else if has("--is-decode-worker") || path.to_ascii_lowercase().contains("decode") {
        "decode"
    } else {
        return None;
    };
    r.set_pool_default(of, "role", role.into(), 2);
    Some(role)
}
