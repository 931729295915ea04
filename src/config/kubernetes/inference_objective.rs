//! Import of the objectives of the Gateway API (`InferenceObjective`, and its former kind `InferenceModel`): the priority
//! of requests that name one. Bands of priority exist where `cluster.flow_control` does.

use crate::import::configuration::{Configuration, Reader, Report, Settings};
use crate::kubernetes::object::{is_of, object};
use base::import::Import;
use serde_json::{Value, json};

/// An object of this kind.
pub(crate) struct InferenceObjective;

impl Import<Configuration> for InferenceObjective {
    fn name(&self) -> &'static str {
        "InferenceObjective"
    }

    fn title(&self) -> &'static str {
        "InferenceObjective"
    }

    fn recognises(&self, source: &Value) -> bool {
        is_of(source, self.name()) || is_of(source, FORMER)
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        object(source, report, |r| {
            objective(r);
            Vec::new()
        })
    }
}

const FORMER: &str = "InferenceModel";
const BELOW: [&str; 3] = ["background", "batch", "sheddable"];

fn objective(r: &mut Reader<'_>) {
    r.without_counterpart("spec.poolRef", "cluster.pools are one fleet");
    for key in ["modelName", "targetModels"] {
        r.without_counterpart(&format!("spec.{key}"), "a client names its model in workload.clients[].model");
    }
    let criticality = "spec.criticality";
    if let Some(word) = r.word(criticality) {
        let class = match word {
            "Critical" => "critical",
            "Sheddable" => "sheddable",
            _ => "standard",
        };
        r.near(criticality, &format!("the class {class} of a client"), "each client says its own class");
    }
    let path = "spec.priority";
    let name = r.get("metadata.name").and_then(Value::as_str).unwrap_or_default().to_lowercase();
    let Some(priority) = r.get(path).and_then(Value::as_i64) else {
        r.score(path, "the class of a client");
        return;
    };
    let class = match priority {
        ..0 => BELOW.into_iter().find(|class| name.contains(class)).unwrap_or("sheddable"),
        0 => "standard",
        1.. => "critical",
    };
    r.near(
        path,
        &format!("the class {class} of a client, and the band of that class"),
        "requests have the class of their client, not the name of an objective",
    );
    r.set_default(path, &format!("cluster.flow_control.priorities.{class}"), json!(priority), 1);
}
