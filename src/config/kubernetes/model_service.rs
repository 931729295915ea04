//! Import of the values of llm-d's chart for model servers (`llm-d-modelservice`): a pool of prefill and one of decode
//! servers. The chart writes the model and the parallelism into the command.

use crate::command::flags::Word;
use crate::import::configuration::reader::Unknown;
use crate::import::configuration::sets::PoolOf;
use crate::import::configuration::{Configuration, Reader, Report, Settings};
use crate::kubernetes::pods::{Pods, container_of, gpu_of_text, rest};
use base::import::Import;
use serde_json::{Value, json};

const ROLES: [&str; 2] = ["prefill", "decode"];

/// The values of this chart.
pub(crate) struct ModelService;

impl Import<Configuration> for ModelService {
    fn name(&self) -> &'static str {
        "modelservice-values"
    }

    fn title(&self) -> &'static str {
        "values of llm-d's model servers"
    }

    fn recognises(&self, source: &Value) -> bool {
        let artifacts = source.get("modelArtifacts").is_some_and(Value::is_object);
        let has = |role: &&str| source.get(*role).is_some_and(Value::is_object);
        artifacts && ROLES.iter().any(has) && source.get("kind").is_none()
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        let used: Vec<&'static str> = ROLES.into_iter().filter(|role| is_used(&mut r, role)).collect();
        for role in ROLES {
            if used.contains(&role) {
                servers(&mut r, role, used.len() > 1);
            } else {
                r.without_counterpart(role, "no servers of this role are made");
            }
        }
        let name = r.get("modelArtifacts.name").is_some();
        if name {
            r.shape("modelArtifacts.name", "the name of the model that is served");
        }
        let known = [
            "modelArtifacts",
            "multinode",
            "routing",
            "accelerator",
            "serviceAccount",
            "serviceAccountOverride",
            "schedulerName",
            "nameOverride",
            "fullnameOverride",
            "monitoring",
            "requester",
            "dra",
            "global",
            "labels",
            "annotations",
            "common",
        ];
        rest(&mut r, &known);
        r.finish(Unknown::LeftOut, report);
        Settings::default()
    }
}

/// Whether servers of a role are made.
fn is_used(r: &mut Reader<'_>, role: &str) -> bool {
    let has = r.get(role).is_some_and(Value::is_object);
    let made = r.get(&format!("{role}.create")).and_then(Value::as_bool).unwrap_or(true);
    let some = r.get(&format!("{role}.replicas")).and_then(Value::as_u64) != Some(0);
    has && made && some
}

/// Reads the servers of a role.
fn servers(r: &mut Reader<'_>, role: &'static str, apart: bool) {
    let of = PoolOf::defined(role);
    let mut extra = Vec::new();
    for (path, flag) in [
        ("modelArtifacts.uri".to_owned(), "--model"),
        (format!("{role}.parallelism.tensor"), "--tensor-parallel-size"),
        (format!("{role}.parallelism.data"), "--data-parallel-size"),
    ] {
        let text = match r.get(&path) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => continue,
        };
        extra.push(Word { path, text: format!("{flag}={text}") });
    }
    let workers = r.get(&format!("{role}.parallelism.workers")).and_then(Value::as_u64).unwrap_or(1);
    for key in ["acceleratorTypes.labelValue", "acceleratorTypes.labelValues.0"] {
        let path = format!("{role}.{key}");
        gpu_of_text(r, &path, &of);
    }
    let replicas = format!("{role}.replicas");
    let own = Pods { name: role, replicas: &replicas, nodes: workers.max(1), role: None, extra };
    let given = if apart { Some(role) } else { None };
    if given.is_some() {
        r.set_pool_default(&of, "role", json!(role), 2);
    }
    container_of(r, &format!("{role}.containers.0"), &own, &of, given, None);
    rest(r, &[role]);
}
