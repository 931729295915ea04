//! Filters by label of a router with two stages: the pods that the profile of a stage chooses among have the role of that stage.

use crate::epp::read::stages::{Plugin, Used};
use crate::import::configuration::reader::Reader;
use crate::import::configuration::server_identity::{NamedBy, labels_of};
use serde_json::Value;

/// The types of filters by label.
const FILTERS: [&str; 3] = ["by-label", "by-label-selector", "label-selector-filter"];

/// Whether a plugin filters pods by label.
pub(super) fn is_filter(kind: &str) -> bool {
    FILTERS.contains(&kind)
}

/// Gives the pods that filters name their roles. A filter of both stages says nothing of roles.
pub(super) fn roles(r: &mut Reader<'_>, home: &Used<'_, '_>, prefill: &Used<'_, '_>) {
    for (own, other, role) in [(home, prefill, "decode"), (prefill, home, "prefill")] {
        for (plugin, ..) in own.iter().filter(|(plugin, ..)| is_filter(plugin.kind)) {
            if !other.iter().any(|(of_other, ..)| of_other.at == plugin.at) {
                role_of(r, plugin, role);
            }
        }
    }
}

fn role_of(r: &mut Reader<'_>, plugin: &Plugin<'_>, stage: &'static str) {
    let parameters = format!("{}.parameters", plugin.at);
    let named = named(r, &parameters);
    if named.is_empty() {
        return;
    }
    let below = format!("{parameters}.");
    r.mappings.retain(|m| !m.key.starts_with(&below) && m.key != parameters);
    r.set_aside(&parameters);
    r.note(&format!("{}.type", plugin.at), &format!("the pools of the {stage} stage, by their labels"));
    if r.get(&format!("{parameters}.label")).is_some() {
        r.note(&format!("{parameters}.label"), "the label of the values below");
    }
    r.without_counterpart(
        &format!("{parameters}.allowsNoLabel"),
        "pools without the label keep the role that their objects give them",
    );
    for (path, value, labels) in named {
        let role = match value.as_str() {
            "both" | "prefill-decode" | "decode-prefill" | "encode-prefill-decode" => "mixed",
            _ => stage,
        };
        r.note(&path, &format!("role {role}"));
        r.role_of_servers(&path, role, NamedBy::Labels(labels));
    }
}

/// The path of a value, the value, and the labels of pods that it stands for.
type Named = (String, String, Vec<(String, String)>);

/// What a filter names: each value of its label, or all labels of its selector together.
fn named(r: &mut Reader<'_>, parameters: &str) -> Vec<Named> {
    let mut all = Vec::new();
    if let Some(label) = r.word(&format!("{parameters}.label")).map(str::to_owned) {
        for i in 0..r.entries(&format!("{parameters}.validValues")) {
            let path = format!("{parameters}.validValues.{i}");
            if let Some(value) = r.word(&path).map(str::to_owned) {
                all.push((path, value.clone(), vec![(label.clone(), value)]));
            }
        }
    }
    let section = format!("{parameters}.matchLabels");
    let same = labels_of(r.get(&section));
    if let Some((key, value)) = same.first().cloned() {
        all.push((format!("{section}.{key}"), value, same.clone()));
    }
    for i in 0..r.entries(&format!("{parameters}.matchExpressions")) {
        let at = format!("{parameters}.matchExpressions.{i}");
        let operator = r.get(&format!("{at}.operator")).and_then(Value::as_str);
        let key = r.word(&format!("{at}.key")).map(str::to_owned);
        let Some(key) = key.filter(|_| operator == Some("In")) else { continue };
        for k in 0..r.entries(&format!("{at}.values")) {
            let path = format!("{at}.values.{k}");
            if let Some(value) = r.word(&path).map(str::to_owned) {
                let mut labels = same.clone();
                labels.push((key.clone(), value.clone()));
                all.push((path, value, labels));
            }
        }
    }
    // Labels that expressions narrow do not stand alone.
    if all.len() > 1 && !same.is_empty() {
        all.remove(0);
    }
    all
}
