//! Import of the objects of a Kubernetes cluster. An autoscaler becomes settings of `cluster.pools[].scaling`, the
//! configuration of a router fields of `cluster`. Each key is reported with its final result, after other objects and the pools are
//! considered. The files next to this folder read the kinds of objects.
//!
//! Sources of the keys: the API references of Kubernetes (autoscaling/v2), KEDA (keda.sh/v1alpha1) and llm-d.

use super::reader::{Unknown, flat};
use super::{Mapping, ReadText, Reader, Report, Settings, unread};
use crate::base::diag::has_errors;
use crate::base::{Diagnostic, Diagnostics};
use crate::exchange::import::CONFIGURATIONS;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The kinds that are read: a format that is recognised by the object's kind alone is named after the kind.
pub(crate) fn kinds() -> Vec<&'static str> {
    let is_kind =
        |name: &&str| CONFIGURATIONS.iter().any(|format| format.recognises(&json!({ "kind": *name })));
    CONFIGURATIONS.iter().map(|format| format.name()).filter(is_kind).collect()
}

/// Whether an object is of a kind.
pub(crate) fn is_of(object: &Value, kind: &str) -> bool {
    object.get("kind").and_then(Value::as_str) == Some(kind)
}

/// Reads an object: the keys of every kind here, the rest with `own`.
pub(crate) fn object(
    source: &Value,
    report: &mut Report,
    own: impl FnOnce(&mut Reader<'_>) -> Vec<Patch>,
) -> Settings {
    let mut r = Reader::new(source);
    r.without_counterpart("apiVersion", "every version is read the same way");
    r.without_counterpart("metadata", "only the target of an autoscaler has a name here");
    r.without_counterpart("status", "it is what a cluster reports");
    r.get("kind");
    let autoscalers = own(&mut r);
    r.finish(Unknown::LeftOut, report);
    Settings { autoscalers, ..Settings::default() }
}

/// The settings of an object, or of an entry of one, and the pools that they apply to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Patch {
    /// Prefix of the paths of its keys.
    pub(crate) start: String,
    /// Name of its target: it applies only to the pool of that name, if there is one.
    pub(crate) target: Option<String>,
    /// Its model: it applies only to pools that serve this model.
    pub(crate) model: Option<String>,
    pub(crate) scaling: Map<String, Value>,
    /// Settings with a rank: another object's plain setting overrides them, and so does one of a higher rank.
    pub(crate) weak: Vec<(u8, &'static str, Value)>,
}

/// Whether a document is an object of Kubernetes.
pub(crate) fn is_object(document: &Value) -> bool {
    document.get("kind").is_some() || document.get("apiVersion").is_some()
}

/// Puts the autoscalers into a scenario document: all or none.
pub(crate) fn apply(
    objects: &[Value],
    read_text: ReadText<'_>,
    scenario: &mut Value,
) -> Result<Report, Diagnostics> {
    let mut problems = unread::kinds(objects);
    // Each with the number of its object.
    let mut mappings: Vec<(usize, Mapping)> = Vec::new();
    let mut patches: Vec<(usize, Patch)> = Vec::new();
    let mut fields: Map<String, Value> = Map::new();
    let within = |text: &str| {
        let may_be = text.contains(": ") && text.contains('\n');
        may_be.then(|| read_text(text)).flatten().filter(Value::is_object)
    };
    // If there are several objects, each message names its own.
    let own = |i: usize, path: &str| {
        if objects.len() > 1 { format!("[{i}].{path}") } else { path.to_owned() }
    };
    for (i, object) in objects.iter().enumerate() {
        let format = CONFIGURATIONS.iter().find(|f| is_object(object) && f.recognises(object));
        let Some(format) = format else { continue };
        let mut report = Report::default();
        let settings = format.read(&flat(object, &within), &mut report);
        fields.extend(settings.cluster);
        patches.extend(settings.autoscalers.into_iter().map(|patch| (i, patch)));
        mappings.extend(report.mappings.into_iter().map(|m| (i, m)));
        problems.extend(report.problems.into_iter().map(|d| Diagnostic { path: own(i, &d.path), ..d }));
    }
    let mut pools = pools_of(scenario);
    let names: Vec<String> = pools.iter().map(|pool| name_of(pool).to_owned()).collect();
    let mut heard = Heard::default();
    for (i, pool) in pools.iter_mut().enumerate() {
        let about = patches.iter().map(|(_, patch)| patch).enumerate();
        let of_pool: Vec<(usize, &Patch)> = about.filter(|(_, p)| is_about(p, pool, &names)).collect();
        problems.extend(settle(&of_pool, pool, i, &mut heard));
    }
    if has_errors(&problems) {
        return Err(problems);
    }
    if let Some(cluster) = object_at(scenario, "cluster") {
        cluster.insert("pools".to_owned(), Value::Array(pools));
        for (field, value) in fields {
            match (cluster.get_mut(&field), value) {
                // Transfers are no matter of a router: they stay as they are.
                (Some(Value::Object(there)), Value::Object(given)) if field == "disaggregation" => {
                    there.extend(given);
                }
                (_, value) => {
                    cluster.insert(field, value);
                }
            }
        }
    }
    let nobodys = patches.iter().enumerate().filter(|(i, _)| !heard.about.contains(i));
    problems.extend(
        nobodys.map(|(_, (object, p))| Diagnostic { path: own(*object, &p.start), ..about_nobody(p) }),
    );
    let end = |(i, mapping)| {
        let mapping = heard.in_the_end(i, mapping, &patches);
        Mapping { key: own(i, &mapping.key), ..mapping }
    };
    Ok(Report { mappings: mappings.into_iter().map(end).collect(), problems })
}

fn object_at<'a>(value: &'a mut Value, key: &str) -> Option<&'a mut Map<String, Value>> {
    value.as_object_mut()?.entry(key).or_insert_with(|| json!({})).as_object_mut()
}

/// The pools of a document, or the default pool if it names none.
fn pools_of(scenario: &Value) -> Vec<Value> {
    let named = scenario.pointer("/cluster/pools").and_then(Value::as_array);
    named.cloned().unwrap_or_else(|| vec![json!({})])
}

/// The name of a pool, or the default name.
fn name_of(pool: &Value) -> &str {
    pool.get("name").and_then(Value::as_str).unwrap_or("main")
}

/// The result of the patches: which apply to a pool, and which of their settings take effect.
#[derive(Default)]
struct Heard {
    about: BTreeSet<usize>,
    settings: BTreeSet<(usize, String)>,
}

impl Heard {
    /// A mapping of an object, corrected if its setting takes effect nowhere.
    fn in_the_end(&self, object: usize, mapping: Mapping, patches: &[(usize, Patch)]) -> Mapping {
        let of_key = |(_, (from, patch)): &(usize, &(usize, Patch))| {
            *from == object && mapping.key.starts_with(&patch.start)
        };
        let longest = patches.iter().enumerate().filter(of_key).max_by_key(|(_, (_, p))| p.start.len());
        let (Some((i, (_, patch))), Some(setting)) = (longest, setting_of(&mapping.becomes)) else {
            return mapping;
        };
        if !mapping.has_counterpart || self.settings.contains(&(i, setting.to_owned())) {
            return mapping;
        }
        let why = if !self.about.contains(&i) {
            about_nobody(patch).found
        } else if self.settings.iter().any(|(_, other)| other == setting) {
            "another object's value holds".to_owned()
        } else {
            format!("the policy that holds knows no {setting}")
        };
        Mapping { becomes: format!("no counterpart: {why}"), has_counterpart: false, ..mapping }
    }
}

/// The setting of `scaling` that a note names at its beginning.
fn setting_of(becomes: &str) -> Option<&str> {
    if becomes.starts_with("policy.") {
        return Some("policy");
    }
    let rest = becomes.strip_prefix("scaling.")?;
    rest.split(|c: char| c != '_' && !c.is_ascii_alphanumeric()).next()
}

/// Reports that a patch applies to no pool.
fn about_nobody(patch: &Patch) -> Diagnostic {
    let found = match &patch.model {
        Some(model) => format!("no pool serves the model {model:?}"),
        None => "no pool has the name of its target".to_owned(),
    };
    let fix = "nothing of it is used: give the model of the pool this name, if that pool is meant";
    Diagnostic::warning("", found, "the model of a pool", fix)
}

/// Whether a patch applies to a pool: by the name of its target if a pool has that name, by its model, or to all
/// pools.
fn is_about(patch: &Patch, pool: &Value, names: &[String]) -> bool {
    let plain = |s: &str| s.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    let serves = |model: &str| {
        let own = pool.get("model").and_then(Value::as_str);
        own.is_none_or(|own| plain(model).contains(&plain(own)) || plain(own).contains(&plain(model)))
    };
    let targeted = patch.target.as_ref().filter(|t| names.contains(t)).is_none_or(|t| name_of(pool) == t);
    targeted && patch.model.as_deref().is_none_or(serves)
}

/// Puts all settings of a pool into it. Contradictions between two objects are a problem.
fn settle(patches: &[(usize, &Patch)], pool: &mut Value, index: usize, heard: &mut Heard) -> Diagnostics {
    let mut problems = Diagnostics::new();
    let mut said: Map<String, Value> = Map::new();
    heard.about.extend(patches.iter().map(|(i, _)| i));
    let keys: BTreeSet<&String> = patches.iter().flat_map(|(_, p)| p.scaling.keys()).collect();
    for key in keys {
        let sayers: Vec<(usize, &Patch, &Value)> =
            patches.iter().filter_map(|(i, p)| Some((*i, *p, p.scaling.get(key)?))).collect();
        if sayers.iter().any(|(.., value)| *value != sayers[0].2) {
            let path = format!("cluster.pools[{index}].scaling.{key}");
            problems.push(said_differently(path, &sayers, name_of(pool)));
        }
        heard.settings.extend(sayers.iter().map(|(i, ..)| (*i, key.clone())));
        said.insert(key.clone(), sayers[0].2.clone());
    }
    for key in ["policy", "optimizer", "priority"] {
        let policy = said.get("policy").and_then(Value::as_object).and_then(|p| p.keys().next());
        // Policies without variants have no optimiser.
        let fits = key == "policy" || policy.is_some_and(|name| name.starts_with("wva-"));
        let weak = || {
            let all = patches.iter().flat_map(|(i, p)| p.weak.iter().map(|weak| (*i, weak)));
            all.filter(|(_, (_, of, _))| *of == key)
        };
        let highest = weak().max_by_key(|(_, (rank, ..))| *rank).filter(|_| fits && !said.contains_key(key));
        if let Some((_, (.., value))) = highest {
            let same = weak().filter(|(_, (.., other))| other == value);
            heard.settings.extend(same.map(|(i, _)| (i, key.to_owned())));
            said.insert(key.to_owned(), value.clone());
        }
    }
    // Invalid pools are reported when the scenario is parsed.
    if let Some(scaling) = object_at(pool, "scaling").filter(|_| problems.is_empty() && !said.is_empty()) {
        scaling.extend(said);
    }
    problems
}

/// Reports several values for one setting of a pool: either objects contradict each other, or no pool has the name of
/// their target.
fn said_differently(path: String, sayers: &[(usize, &Patch, &Value)], pool: &str) -> Diagnostic {
    let values: BTreeSet<String> = sayers.iter().map(|(.., value)| value.to_string()).collect();
    let found = listed(&values.into_iter().collect::<Vec<_>>(), "and");
    let targets: BTreeSet<&str> = sayers.iter().filter_map(|(_, p, _)| p.target.as_deref()).collect();
    if targets.len() > 1 && !targets.contains(pool) {
        let names = listed(&targets.into_iter().map(str::to_owned).collect::<Vec<_>>(), "or");
        let fix = format!(
            "no pool is named {names}, so that all of them apply to the pool \"{pool}\": give the pools these names"
        );
        return Diagnostic::error(path, found, "one value for a pool", fix);
    }
    Diagnostic::error(path, found, "one value", "keep one of the objects that say it")
}

/// `a, b and c`.
fn listed(all: &[String], last: &str) -> String {
    match all {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
    }
}

/// The name of an autoscaler's target.
pub(crate) fn target(r: &mut Reader<'_>) -> Option<String> {
    r.without_counterpart("spec.scaleTargetRef.apiVersion", "every version is read the same way");
    r.without_counterpart("spec.scaleTargetRef.kind", "pools are all of a kind");
    let name = r.word("spec.scaleTargetRef.name")?.to_owned();
    r.note("spec.scaleTargetRef.name", "the pool of this name, or all if none has it");
    Some(name)
}

/// Copies a whole number of replicas.
pub(crate) fn replicas(r: &mut Reader<'_>, path: &str, to: &str, scaling: &mut Map<String, Value>) {
    if let Some(n) = r.whole(path, &format!("scaling.{to}")) {
        scaling.insert(to.to_owned(), json!(n));
    }
}
