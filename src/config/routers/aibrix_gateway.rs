//! Import of the router of AIBrix: the variable `ROUTING_ALGORITHM` of its gateway's plugins, in any object with a
//! container.

use crate::import::configuration::{Configuration, Reader, Report, Settings};
use crate::kubernetes::object::{is_object, object};
use base::import::Import;
use serde_json::{Value, json};

/// The gateway of AIBrix.
pub(crate) struct AibrixGateway;

impl Import<Configuration> for AibrixGateway {
    fn name(&self) -> &'static str {
        "aibrix-gateway"
    }

    fn title(&self) -> &'static str {
        "the gateway of AIBrix"
    }

    fn recognises(&self, source: &Value) -> bool {
        is_object(source) && variable(source, "").is_some()
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        object(source, report, |r| {
            gateway(r);
            Vec::new()
        })
    }
}

const NAME: &str = "ROUTING_ALGORITHM";

/// The path of the variable.
fn variable(value: &Value, path: &str) -> Option<String> {
    let map = value.as_object()?;
    if map.get("name").is_some_and(|name| name == NAME) && map.contains_key("value") {
        return Some(path.to_owned());
    }
    map.iter().find_map(|(key, inner)| {
        let below = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        variable(inner, &below)
    })
}

fn gateway(r: &mut Reader<'_>) {
    let Some(at) = variable(r.source, "") else { return };
    let path = format!("{at}.value");
    r.shape(&format!("{at}.name"), "the name of the variable");
    let field = "cluster.routing";
    let found = match r.word(&path) {
        Some("random") => Some((json!("random"), "")),
        Some("least-request") => {
            Some((json!("least-loaded"), "waiting requests count as the router sees them"))
        }
        Some("least-kv-cache") => Some((json!("least-kv"), "")),
        Some("power-of-two") => Some((json!({ "power-of-d": { "d": 2 } }), "")),
        Some("session-affinity") => {
            Some((json!({ "session-affinity": {} }), "a new session goes to the least loaded replica"))
        }
        Some("prefix-cache" | "prefix-cache-preble") => {
            Some((json!({ "prefix-overlap": {} }), "the cached share is weighed against the load"))
        }
        Some(_) => {
            let known = [
                "random",
                "least-request",
                "least-kv-cache",
                "power-of-two",
                "session-affinity",
                "prefix-cache",
            ];
            r.unknown(&path, "an algorithm that is not simulated", &known);
            None
        }
        None => None,
    };
    if let Some((routing, differs)) = found {
        if differs.is_empty() {
            r.note(&path, field);
        } else {
            r.near(&path, field, differs);
        }
        r.set(&path, field, routing);
    }
    r.without_counterpart_of_rest("", "only the algorithm of the gateway is read from this object");
}
