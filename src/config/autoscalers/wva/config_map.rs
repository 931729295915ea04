//! Import of a `ConfigMap`: the analyser settings of llm-d's autoscaler, its service classes and its controller, and any
//! configuration of another format in an entry, such as that of a router.

use crate::autoscalers::wva::controller;
use crate::autoscalers::wva::map::{self, Analyser};
use crate::import::configuration::patch::Patch;
use crate::import::configuration::{Configuration, Reader, embedded};
use base::Diagnostic;
use base::import::Import;
use serde_json::{Map, Value, json};

/// The entry that those of models inherit from.
const DEFAULT: &str = "data.default";

/// Further keys of the entries, which only they have.
const BESIDE: [&str; 5] = ["tuningEnabled", "analyzerName", "model_id", "enableLimiter", "analyzers"];

/// The entries: `default` of an analyser, those of models, which override it, and those of other `formats`.
pub(crate) fn config_map(r: &mut Reader<'_>, formats: &[&dyn Import<Configuration>]) -> Vec<Patch> {
    let data = r.get("data").and_then(Value::as_object);
    let names: Vec<String> = data.map(|d| d.keys().cloned().collect()).unwrap_or_default();
    let mut found: Vec<Patch> = controller::controller(r, &names).into_iter().collect();
    let mut is_read = !found.is_empty() || controller::service_classes(r, &names);
    let mut others = Vec::new();
    for name in &names {
        let at = format!("data.{name}");
        if r.mappings.iter().any(|m| m.key == at || m.key.starts_with(&format!("{at}."))) {
            continue;
        }
        let format = r
            .get(&at)
            .and_then(|value| formats.iter().find(|format| value.is_object() && format.recognises(value)));
        if let Some(format) = format {
            r.note(&at, &format!("read as {}", format.title()));
            found.extend(embedded::read(r, &at, *format).autoscalers);
            is_read = true;
        } else if let Some(patch) = controller::scale_to_zero(r, &at).or_else(|| entry(r, &at)) {
            found.push(patch);
            is_read = true;
        } else if !r.problems.iter().any(|d| d.path == at) {
            others.push(at);
        }
    }
    left_out(r, &others, is_read);
    if is_read {
        r.note("kind", "the settings in its entries");
    } else {
        r.without_counterpart("kind", "no entry has a format that is read");
    }
    found
}

/// The keys by which an entry is known.
fn known_keys() -> Vec<&'static str> {
    map::keys().into_iter().chain(BESIDE).collect()
}

/// Entries of no format that is read: a warning if there is nothing else.
fn left_out(r: &mut Reader<'_>, others: &[String], is_read: bool) {
    for at in others {
        r.without_counterpart(at, "this entry has no format that is read");
        if !is_read {
            let allowed = known_keys().join(", ");
            let found = "an entry of no format that is read, which is left out";
            let fix = "give the ConfigMap of a router, an analyser or a workload";
            r.problems.push(Diagnostic::warning(at, found, allowed, fix));
        }
    }
}

/// The settings of an entry; `None` if it is not an analyser's.
fn entry(r: &mut Reader<'_>, at: &str) -> Option<Patch> {
    let known = known_keys();
    let value = r.get(at)?;
    if let Some(text) = value.as_str().filter(|text| known.iter().any(|key| text.contains(key))) {
        let found: String = text.chars().take(40).collect();
        let fix = "correct the text there: `key: value`, one a line";
        r.problems.push(Diagnostic::error(
            at,
            format!("{found:?}"),
            "YAML with the keys of an analyser",
            fix,
        ));
        return None;
    }
    if !known.iter().any(|key| value.get(key).is_some()) {
        return None;
    }
    r.without_counterpart(&format!("{at}.namespace"), "there are no namespaces");
    r.without_counterpart(&format!("{at}.tuningEnabled"), "the queueing model always learns");
    r.without_counterpart(&format!("{at}.analyzerName"), "the keys beside it say which analyser it is");
    r.without_counterpart(&format!("{at}.limiters"), "the GPUs of a pool are in scaling.gpus");
    let model = r.word(&format!("{at}.model_id")).map(str::to_owned);
    r.note(&format!("{at}.model_id"), "pools that serve it");
    // A model's entry overrides `default`, key by key.
    let mut patch = Patch { start: at.to_owned(), model, ..Patch::default() };
    let rank = 1 + u8::from(patch.model.is_some());
    let inherits = if patch.model.is_some() && at != DEFAULT { Some(DEFAULT) } else { None };
    match (analyser_policy(r, at, inherits), &patch.model) {
        (Some(policy), Some(_)) => _ = patch.scaling.insert("policy".to_owned(), policy),
        (Some(policy), None) => patch.weak.push((rank, "policy", policy)),
        (None, _) => {}
    }
    if let Some(limited) = r.flag(&format!("{at}.enableLimiter"), "scaling.optimizer, greedy or cost-aware") {
        let optimizer = if limited { "greedy" } else { "cost-aware" };
        patch.weak.push((rank, "optimizer", json!(optimizer)));
    }
    if let Some(priority) = priority(r, at) {
        patch.weak.push((rank, "priority", json!(priority)));
    }
    Some(patch)
}

/// Weight of a model: its priority times the score of its analyser. If there are several analysers, the first is read.
fn priority(r: &mut Reader<'_>, at: &str) -> Option<f64> {
    let priority = r.quantity(&format!("{at}.priority"), "scaling.priority");
    let mut score = None;
    for i in 0..r.entries(&format!("{at}.analyzers")) {
        let one = format!("{at}.analyzers.{i}");
        if i > 0 {
            r.without_counterpart(&one, "one analyser decides here, the first");
            continue;
        }
        for key in ["name", "type", "enabled"] {
            r.without_counterpart(&format!("{one}.{key}"), "the keys of the entry say which analyser it is");
        }
        score = r.quantity(&format!("{one}.score"), "a factor of scaling.priority");
    }
    (priority.is_some() || score.is_some()).then(|| priority.unwrap_or(1.0) * score.unwrap_or(1.0))
}

/// The policy that the keys of an entry select, with those of the entry that it inherits from. Keys of another analyser
/// are reported.
fn analyser_policy(r: &mut Reader<'_>, at: &str, inherits: Option<&str>) -> Option<Value> {
    let mut set: Vec<(Option<String>, &str, f64)> = Vec::new();
    for key in map::keys() {
        let path = format!("{at}.{key}");
        if let Some(x) = r.silent_quantity(&path) {
            set.push((Some(path), key, x));
        } else if let Some(x) = inherits.and_then(|from| r.silent_quantity(&format!("{from}.{key}"))) {
            set.push((None, key, x));
        }
    }
    if set.iter().all(|(path, ..)| path.is_none()) {
        return None;
    }
    let setting = |of: Analyser, key: &str| of.settings().find(|setting| setting.theirs == key);
    let later = [Analyser::Queueing, Analyser::SaturationV2].into_iter().find(|of| {
        set.iter()
            .any(|(_, key, _)| setting(*of, key).is_some() && setting(Analyser::SaturationV1, key).is_none())
    });
    let own = later.unwrap_or(Analyser::SaturationV1);
    let name = own.policy();
    let mut fields = Map::new();
    for (path, key, x) in set {
        let found = setting(own, key);
        fields.extend(found.map(|setting| (setting.field.to_owned(), json!(x))));
        match (path, found) {
            (Some(path), Some(setting)) => r.note(&path, &format!("policy.{name}.{}", setting.field)),
            (Some(path), None) => {
                let why = format!("the other keys select {name}, which has no such setting");
                r.without_counterpart(&path, &why);
            }
            (None, _) => {}
        }
    }
    one_target_alone(r, at, &fields);
    Some(json!({ name: fields }))
}

/// Reports one of the two targets without the other: the analyser refuses its entry then.
fn one_target_alone(r: &mut Reader<'_>, at: &str, fields: &Map<String, Value>) {
    let [has, lacks] = match (fields.contains_key("ttft_ms"), fields.contains_key("itl_ms")) {
        (true, false) => ["targetTTFT", "targetITL"],
        (false, true) => ["targetITL", "targetTTFT"],
        (true, true) | (false, false) => return,
    };
    let found = format!("{has} without {lacks}");
    let fix = format!("add {lacks}, or remove {has} to infer both");
    r.problems.push(Diagnostic::error(format!("{at}.{has}"), found, "both targets, or neither", fix));
}
