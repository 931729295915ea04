//! Documents and objects that are known but not read, with advice on what to do instead.

use crate::import::{CONFIGURATIONS, Import};
use crate::simulators::blis::read::PolicyBundle;
use base::{Diagnostic, Diagnostics, alike};
use serde_json::{Value, json};

/// What is read.
pub const POLICIES: &str = "a policy bundle (admission, priority, routing, scheduler, autoscale), servers of vLLM, SGLang and TensorRT-LLM (commands and scripts that start them, docker-compose, systemd units, Deployments and other objects of Kubernetes, values of charts, recipes of srt-slurm, configuration files, logs, /metrics), routers (an EndpointPickerConfig, flags, values), autoscalers of Kubernetes, workloads (inference-perf, GuideLLM, also in Jobs, BLIS), or a RouteSim configuration";

/// Kinds of objects that are known but not read: kind, description, advice.
const OTHER_KINDS: [(&str, &str, &str); 2] = [
    ("InferencePool", "a pool of the Gateway API", POOLS),
    ("ScaledJob", "KEDA's autoscaler of jobs", "give the ScaledObject of the servers"),
];
const POOLS: &str = "write its replicas and the flags of its engine as cluster.pools";

/// Documents that are known but not read: their top-level keys, description, advice.
const OTHER_DOCUMENTS: [(&[&str], &str, &str); 4] = [
    (
        &["panels", "schemaVersion"],
        "a Grafana dashboard, which has queries and no figures",
        "give the answer of a range query of Prometheus (/api/v1/query_range) to `tokenyard validate`",
    ),
    (&["cluster"], "a scenario", "give it in place of the scenario"),
    (
        &["rules", "prometheus"],
        "rules of the Prometheus adapter",
        "give the autoscaler that reads the metric",
    ),
    (&["scalingStrategy"], "a part of an autoscaler", "give the whole object"),
];

/// Explains why a document without a kind is not read, if it is not a bundle.
pub(crate) fn document(document: &Value) -> Option<Diagnostic> {
    let said = |found: String, fix: String| Diagnostic::error("", found, POLICIES, fix);
    let Some(map) = document.as_object() else {
        let found: String = document.to_string().chars().take(40).collect();
        let fix = "start with the name of a section and a colon";
        return Some(Diagnostic::error("", found, "sections by name", fix));
    };
    let known = |keys: &&(&[&str], &str, &str)| keys.0.iter().all(|key| map.contains_key(*key));
    if map.is_empty() || PolicyBundle.recognises(document) {
        return None;
    }
    if let Some((_, what, fix)) = OTHER_DOCUMENTS.iter().find(known) {
        return Some(said(format!("{what}, which is not read here"), (*fix).to_owned()));
    }
    if let Some(words) = map.get("words").and_then(Value::as_array) {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).take(8).collect();
        let fix = "give the command that starts the server or the router";
        return Some(said(
            format!("the command `{}`, which starts nothing that is read", words.join(" ")),
            fix.to_owned(),
        ));
    }
    let keys: Vec<&str> = map.keys().take(5).map(String::as_str).collect();
    let fix = "give the bundle, or the objects of the autoscalers as `kubectl get -o yaml` or `helm template` writes them";
    Some(said(format!("a document with {}", keys.join(", ")), fix.to_owned()))
}

/// Reports objects whose kinds are not read: a misspelt kind and a file with nothing else are errors; other objects
/// are left out with a warning.
pub(crate) fn kinds(objects: &[Value]) -> Diagnostics {
    let known = kinds_read();
    let kind_of = |object: &Value| object.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
    let kinds: Vec<String> = objects.iter().map(kind_of).collect();
    let has_format = |object: &Value| {
        let flat = crate::import::configuration::reader::flat(object, &|_| None);
        CONFIGURATIONS.iter().any(|format| format.recognises(&flat))
    };
    let read: Vec<bool> = objects.iter().map(has_format).collect();
    let path = |i: usize| if objects.len() > 1 { format!("[{i}].kind") } else { "kind".to_owned() };
    let mut all = Diagnostics::new();
    let mut others: Vec<&str> = Vec::new();
    for (i, kind) in kinds.iter().enumerate().filter(|(i, _)| !read[*i]) {
        let near = alike::nearest(kind, known.iter().copied()).filter(|near| alike::is_slip(kind, near));
        if let Some(near) = near {
            let fix = format!("did you mean \"{near}\"?");
            all.push(Diagnostic::error(path(i), format!("{kind:?}"), known.join(", "), fix));
        } else if !others.contains(&kind.as_str()) {
            others.push(kind);
        }
    }
    if others.is_empty() {
        return all;
    }
    let told: Vec<String> = others.iter().map(|kind| named(kind)).collect();
    let fixes = others.iter().filter_map(|k| OTHER_KINDS.iter().find(|(kind, ..)| kind == k));
    let fix = fixes.map(|(_, _, fix)| *fix).next().unwrap_or("give the objects of the autoscalers");
    let found = format!("{}, which is not read", told.join(", "));
    if read.contains(&true) || !all.is_empty() {
        all.push(Diagnostic::warning("kind", format!("{found}: left out"), known.join(", "), ""));
    } else {
        all.push(Diagnostic::error("kind", found, format!("{}, or a policy bundle", known.join(", ")), fix));
    }
    all
}

fn named(kind: &str) -> String {
    if kind.is_empty() {
        return "an object without a kind".to_owned();
    }
    let known = OTHER_KINDS.iter().find(|(name, ..)| *name == kind);
    known.map_or_else(|| format!("{kind:?}"), |(name, what, _)| format!("\"{name}\", {what}"))
}

/// The kinds that are read: a format that is recognised by the object's kind alone is named after the kind.
fn kinds_read() -> Vec<&'static str> {
    let is_kind =
        |name: &&str| CONFIGURATIONS.iter().any(|format| format.recognises(&json!({ "kind": *name })));
    CONFIGURATIONS.iter().map(|format| format.name()).filter(is_kind).collect()
}
