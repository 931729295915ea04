//! Entries of the `ConfigMaps` of llm-d's autoscaler that are no analyser's: its controller, service classes, and scaling
//! to zero.

use crate::capability::Capability::{
    self, Coordinator, GpuLimits, MeasurementAge, Nodes, OneController, PoolsMeasured,
};
use crate::import::configuration::Reader;
use crate::import::configuration::patch::Patch;
use crate::import::configuration::quantities::seconds_of;
use base::Diagnostic;
use serde_json::{Value, json};

/// Keys of the controller, which stand in the data or in an entry `config.yaml`.
const CONTROLLER: [(&str, Option<Capability>); 16] = [
    (INTERVAL, None),
    (ZERO, None),
    ("PROMETHEUS_BASE_URL", Some(PoolsMeasured)),
    ("PROMETHEUS_TLS_INSECURE_SKIP_VERIFY", Some(PoolsMeasured)),
    ("PROMETHEUS_CA_CERT_PATH", Some(PoolsMeasured)),
    ("PROMETHEUS_METRICS_CACHE_TTL", Some(MeasurementAge)),
    ("PROMETHEUS_METRICS_CACHE_CLEANUP_INTERVAL", Some(MeasurementAge)),
    ("PROMETHEUS_METRICS_CACHE_FETCH_INTERVAL", Some(MeasurementAge)),
    ("PROMETHEUS_METRICS_CACHE_FRESH_THRESHOLD", Some(MeasurementAge)),
    ("PROMETHEUS_METRICS_CACHE_STALE_THRESHOLD", Some(MeasurementAge)),
    ("PROMETHEUS_METRICS_CACHE_UNAVAILABLE_THRESHOLD", Some(MeasurementAge)),
    ("EXPERIMENTAL_COORDINATOR_ENABLED", Some(Coordinator)),
    ("COORDINATOR_INTERVAL", Some(Coordinator)),
    ("WVA_LIMITED_MODE", Some(GpuLimits)),
    ("WVA_NODE_SELECTOR", Some(Nodes)),
    ("LEADER_ELECTION_ID", Some(OneController)),
];
const INTERVAL: &str = "GLOBAL_OPT_INTERVAL";
const ZERO: &str = "WVA_SCALE_TO_ZERO";

/// The settings of the controller, if an entry or the data has its keys.
pub(crate) fn controller(r: &mut Reader<'_>, names: &[String]) -> Option<Patch> {
    let mut places = vec!["data".to_owned()];
    places.extend(names.iter().map(|name| format!("data.{name}")));
    let mut patch = Patch::default();
    let mut any = false;
    for at in places {
        let has = r.get(&at).is_some_and(|value| CONTROLLER.iter().any(|(key, _)| value.get(*key).is_some()));
        if !has {
            continue;
        }
        any = true;
        for (key, why) in CONTROLLER.iter().filter_map(|(key, why)| Some((key, (*why)?))) {
            r.without_counterpart(&format!("{at}.{key}"), why.sentence());
        }
        let interval = format!("{at}.{INTERVAL}");
        if let Some(s) = r.duration(&interval, "scaling.tick_s") {
            patch.weak.push((1, "tick_s", json!(s)));
        }
        let zero = format!("{at}.{ZERO}");
        if let Some(on) = r.get(&zero).map(|v| v == "true" || *v == Value::Bool(true)) {
            r.note(&zero, "scaling.min, where no object says it");
            patch.weak.push((0, "min", json!(u32::from(!on))));
        }
    }
    any.then_some(patch)
}

/// Scaling to zero of all models or of one, if an entry says it.
pub(crate) fn scale_to_zero(r: &mut Reader<'_>, at: &str) -> Option<Patch> {
    const ON: &str = "enable_scale_to_zero";
    const AFTER: &str = "retention_period";
    let value = r.get(at)?;
    if [ON, AFTER].iter().all(|key| value.get(*key).is_none()) {
        return None;
    }
    let mut patch = Patch { start: at.to_owned(), ..Patch::default() };
    patch.model = r.word(&format!("{at}.model_id")).map(str::to_owned);
    r.note(&format!("{at}.model_id"), "pools that serve it");
    r.without_counterpart(&format!("{at}.namespace"), "there are no namespaces");
    let on_at = format!("{at}.{ON}");
    if let Some(on) = r.flag(&on_at, "scaling.min, where no object says it") {
        let rank = 1 + u8::from(patch.model.is_some());
        patch.weak.push((rank, "min", json!(u32::from(!on))));
    }
    let after = format!("{at}.{AFTER}");
    if r.get(&after).and_then(Value::as_str).is_some_and(|text| seconds_of(text).is_none()) {
        let found = r.get(&after).map_or_else(String::new, Value::to_string);
        r.problems.push(Diagnostic::error(after.clone(), found, "a duration", "such as 30s, 5m or 1h"));
    }
    let why = "the analyser removes the last replica as soon as nothing asks for it";
    r.without_counterpart(&after, why);
    Some(patch)
}

/// A service class: its entry, its name, its priority.
struct Class {
    at: String,
    priority: i64,
}

/// The service classes, the smallest number first; true if there is one.
pub(crate) fn service_classes(r: &mut Reader<'_>, names: &[String]) -> bool {
    const CLASSES: [&str; 5] = ["critical", "standard", "sheddable", "batch", "background"];
    let mut found: Vec<Class> = Vec::new();
    for name in names {
        let at = format!("data.{name}");
        let Some(value) = r.get(&at) else { continue };
        let models = value.get("data").and_then(Value::as_object);
        let is_one = models.is_some_and(|all| {
            all.values().any(|m| m.get("slo-ttft").is_some() || m.get("slo-tpot").is_some())
        });
        if is_one {
            let priority = value.get("priority").and_then(Value::as_i64).unwrap_or(i64::MAX);
            found.push(Class { at, priority });
        }
    }
    found.sort_by_key(|class| class.priority);
    let mut rows = Vec::new();
    for (rank, Class { at, .. }) in found.iter().enumerate() {
        let class = if found.len() == 1 { "standard" } else { CLASSES[rank.min(CLASSES.len() - 1)] };
        r.near(
            &format!("{at}.name"),
            &format!("the class {class}"),
            "there are five classes with fixed names",
        );
        let differs = "the smallest number is the most urgent class";
        r.near(&format!("{at}.priority"), &format!("the class {class}"), differs);
        if rank >= CLASSES.len() {
            r.without_counterpart(&format!("{at}.data"), "there are five classes");
            continue;
        }
        let mut targets = json!({ "class": class, "ttft_ms": 0.0, "tpot_ms": 0.0 });
        for i in 0..r.entries(&format!("{at}.data")) {
            let one = format!("{at}.data.{i}");
            if i > 0 {
                r.without_counterpart(
                    &one,
                    "the objectives of a class hold for all models: those of the first model",
                );
                continue;
            }
            let differs = "the objectives of a class hold for all models";
            r.near(&format!("{one}.model"), &format!("slo.classes[{rank}]"), differs);
            for (key, field) in [("slo-ttft", "ttft_ms"), ("slo-tpot", "tpot_ms")] {
                let path = format!("{one}.{key}");
                if let Some(ms) = r.number(&path, &format!("slo.classes[{rank}].{field}")) {
                    targets[field] = json!(ms);
                }
            }
        }
        rows.push(targets);
    }
    if let Some(first) = found.first() {
        r.set(&format!("{}.name", first.at), "slo.classes", Value::Array(rows));
    }
    !found.is_empty()
}
