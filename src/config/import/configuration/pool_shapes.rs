//! Parts of a pool that depend on each other: a shape and figures of another model or GPU do not stay beside a new
//! name, and a part of a shape is completed by the catalogue's.

use document::{Write as _, model_key};
use engine::perf::known_model;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// A pool before sources change it.
pub(crate) struct Before {
    architecture: bool,
    latency: Option<Value>,
    /// Whether the model, the GPU or the number of GPUs changes.
    replaced: bool,
}

/// Prepares a pool for the new values of some fields.
pub(crate) fn prepare(pool: &mut Value, new: &dyn Fn(&str) -> Option<Value>) -> Before {
    let own = |field: &str, usual: Value| pool.get(field).cloned().unwrap_or(usual);
    let key = |value: &Value| model_key(value.as_str().unwrap_or_default());
    let [model, gpu, tp] =
        [own("model", json!("llama-3.1-8b")), own("gpu", json!("H100")), own("tp", json!(1))];
    let other_model = new("model").is_some_and(|name| key(&name) != key(&model));
    let other_gpu = new("gpu").is_some_and(|name| name != gpu);
    let other_tp = new("tp").is_some_and(|n| n.as_f64() != tp.as_f64());
    if let Some(map) = pool.as_object_mut() {
        if other_model {
            map.remove("architecture");
        }
        if other_gpu {
            map.remove("hardware");
        }
    }
    Before {
        architecture: pool.get("architecture").is_some_and(Value::is_object),
        latency: pool.get("latency").cloned(),
        replaced: other_model || other_gpu || other_tp,
    }
}

/// Completes a pool whose fields have their new values.
pub(crate) fn complete(pool: &mut Value, before: &Before, fields: &BTreeSet<String>) {
    let own_family = matches!(family(before.latency.as_ref()), "catalogue" | "fitted" | "piecewise");
    if let Some(map) = pool.as_object_mut() {
        if own_family && before.replaced {
            // Figures of another model say nothing of this one.
            let calibrated = map.get("latency").and_then(|l| l.get("calibrated")).cloned();
            map.insert(
                "latency".to_owned(),
                json!({ "calibrated": calibrated.unwrap_or_else(|| json!({})) }),
            );
        } else if family(before.latency.as_ref()) != "calibrated"
            && let Some(latency) = &before.latency
        {
            map.insert("latency".to_owned(), latency.clone());
        }
    }
    let blocks_said = fields.contains("kv.blocks");
    if before.replaced
        && !blocks_said
        && let Some(blocks) = pool.pointer_mut("/kv/blocks")
    {
        // The blocks of another model say nothing of this one.
        *blocks = json!("auto");
    }
    if !before.architecture && fields.iter().any(|field| field.starts_with("architecture.")) {
        shape(pool);
    }
}

/// The family of step times; calibrated where nothing is said.
fn family(latency: Option<&Value>) -> &str {
    match latency {
        None | Some(Value::Null) => "calibrated",
        Some(Value::String(name)) => name,
        Some(other) => other.as_object().and_then(|map| map.keys().next()).map_or("", String::as_str),
    }
}

/// Completes a part of a shape by the catalogue's; a whole that is equal to the catalogue's is left out.
fn shape(pool: &mut Value) {
    let name = pool.get("model").and_then(Value::as_str).unwrap_or("llama-3.1-8b").to_owned();
    let Some(map) = pool.as_object_mut() else { return };
    let Some(Value::Object(said)) = map.remove("architecture") else { return };
    let Some(known) = known_model(&name) else { return };
    let Value::Object(listed) = known.architecture.write() else { return };
    let mut whole: Map<String, Value> = listed.clone();
    whole.extend(said);
    let same = listed.iter().all(|(key, value)| {
        let said = whole.get(key);
        said == Some(value)
            || said
                .and_then(Value::as_f64)
                .zip(value.as_f64())
                .is_some_and(|(a, b)| a.to_bits() == b.to_bits())
    });
    if !same || whole.len() != listed.len() {
        map.insert("architecture".to_owned(), Value::Object(whole));
    }
}
