//! The sources of an import, each read by its format: what their keys mean, and the fields that they set.

use crate::import::configuration::mapping::{Mapping, Standing};
use crate::import::configuration::merge::Conflict;
pub(crate) use crate::import::configuration::read_sources::ReadSources;
use crate::import::configuration::reader::{DottedKeys, flat, within};
use crate::import::configuration::server_identity::{RouterRole, ServerIdentity};
use crate::import::configuration::sets::{Field, PoolOf, SAID, Set};
use crate::import::configuration::{
    Configuration, Report, Settings, router_roles, servers, unread as unread_kinds,
};
use crate::import::{CONFIGURATIONS, Import};
use crate::kubernetes::object;
use base::{Diagnostic, Diagnostics};
use serde_json::{Map, Value};

/// The format of a source.
pub(crate) fn format_of(source: &Value) -> Option<&'static dyn Import<Configuration>> {
    CONFIGURATIONS.iter().copied().find(|format| format.recognises(source))
}

/// Reads all sources whose format is known.
pub(crate) fn read_all(sources: &[Value]) -> ReadSources {
    let mut all = ReadSources::default();
    for (i, source) in sources.iter().enumerate() {
        let Some(format) = format_of(source) else { continue };
        let mut report = Report::default();
        let mut settings = format.read(source, &mut report);
        let scenario = std::mem::take(&mut settings.scenario);
        if !scenario.is_null() {
            if all.scenario.is_some() {
                let fix = "import them one after the other";
                let twice = Diagnostic::error("", "two whole scenarios", "one", fix);
                all.problems.push((i as u32, twice));
            }
            all.scenario = Some(scenario);
        }
        all.sets.extend(sets_of(i, settings, &report));
        let document = i;
        all.roles.extend(report.roles.drain(..).map(|role| RouterRole { document, ..role }));
        all.servers.extend(report.servers.drain(..).map(|one| ServerIdentity { document, ..one }));
        let mut mappings = report.mappings;
        let rows = silent(source, &mappings, &report.problems);
        mappings.extend(rows);
        all.mappings.extend(mappings.into_iter().map(|m| Mapping { document: i as u32, ..m }));
        all.problems.extend(report.problems.into_iter().map(|d| (i as u32, d)));
    }
    let roles = router_roles::find(&mut all, sources);
    servers::tell_apart(&mut all, sources);
    router_roles::give(&mut all, &roles);
    all
}

/// All sets of a source: those of its report, and those of its settings.
fn sets_of(document: usize, settings: Settings, report: &Report) -> Vec<Set> {
    let set = |field, value, rank| Set { document, rank, ..Set::said("", field, value) };
    let every = |field: String| Field::Pool(PoolOf::default(), field);
    let mut all: Vec<Set> = report.sets.iter().map(|set| Set { document, ..set.clone() }).collect();
    let cluster = settings.cluster.into_iter();
    all.extend(cluster.map(|(k, v)| set(Field::Scenario(format!("cluster.{k}")), v, SAID)));
    all.extend(settings.engine.into_iter().map(|(k, v)| set(every(format!("engine.{k}")), v, SAID)));
    let scaling: Map<String, Value> = settings.scaling.unwrap_or_default();
    all.extend(scaling.into_iter().map(|(k, v)| set(every(format!("scaling.{k}")), v, SAID)));
    for patch in settings.autoscalers {
        let of = PoolOf { name: patch.target, model: patch.model, ..PoolOf::default() };
        let of_pool = |key: &str| Field::Pool(of.clone(), format!("scaling.{key}"));
        let said = patch.scaling.into_iter().map(|(k, v)| (of_pool(&k), v, SAID));
        let weak = patch.weak.into_iter().map(|(rank, k, v)| (of_pool(k), v, rank));
        let start = patch.start;
        all.extend(
            said.chain(weak)
                .map(|(field, value, rank)| Set { start: start.clone(), ..set(field, value, rank) }),
        );
    }
    all
}

/// Rows for the keys that no mapping and no problem is about.
pub(crate) fn silent(source: &Value, mappings: &[Mapping], problems: &[Diagnostic]) -> Vec<Mapping> {
    let mut keys = Vec::new();
    leaves(source, "", &mut Vec::new(), &mut keys);
    let mut known: Vec<&str> = mappings.iter().map(|m| m.key.as_str()).collect();
    known.extend(mappings.iter().map(|m| m.last.as_str()).filter(|last| !last.is_empty()));
    known.extend(problems.iter().map(|d| d.path.as_str()).filter(|path| !path.is_empty()));
    known.sort_unstable();
    let has = |path: &str| known.binary_search(&path).is_ok();
    let is_said = |leaf: &Leaf| {
        let key = leaf.key.as_str();
        let from = known.partition_point(|k| *k < key);
        // What is known of keys beside it that begin as it does says nothing of it.
        let below = |k: &&str| within(k, key) && !leaf.beside.iter().any(|other| within(k, other));
        has(key)
            || leaf.above.iter().any(|end| has(&key[..*end]))
            || known[from..].iter().take_while(|k| k.starts_with(key)).any(below)
    };
    keys.retain(|leaf| !is_said(leaf));
    let shape = |key: &str| matches!(key, "kind" | "apiVersion" | "version" | "metadata.name");
    keys.into_iter()
        .map(|Leaf { key, found, .. }| {
            let (standing, becomes) = if shape(&key) {
                (Standing::Shape, "the kind of the document".to_owned())
            } else {
                (Standing::Ignored, "no counterpart: this key has no effect on a simulation".to_owned())
            };
            Mapping { key, found, standing, becomes, ..Mapping::default() }
        })
        .collect()
}

/// A value of a source that is no section.
struct Leaf {
    /// Its path.
    key: String,
    found: String,
    /// The lengths of the paths of the sections that it stands in: keys may contain dots.
    above: Vec<usize>,
    /// The paths of keys beside it that begin with it and a dot.
    beside: Vec<String>,
}

/// The values of a source.
fn leaves(value: &Value, path: &str, above: &mut Vec<usize>, keys: &mut Vec<Leaf>) {
    let Some(map) = value.as_object() else { return };
    let dotted = DottedKeys::of(map);
    for (key, inner) in map {
        let full = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        match inner {
            Value::Object(section) if !section.is_empty() => {
                above.push(full.len());
                leaves(inner, &full, above, keys);
                above.pop();
            }
            Value::Array(_) | Value::Object(_) => {}
            _ => keys.push(Leaf {
                found: crate::import::configuration::merge::shown(inner),
                above: above.clone(),
                beside: dotted.beside(path, key),
                key: full,
            }),
        }
    }
}

/// Problems about documents of formats that are not read.
pub(crate) fn unread(documents: &[Value]) -> Diagnostics {
    let (objects, others): (Vec<&Value>, Vec<&Value>) = documents.iter().partition(|document| {
        object::is_object(document) && !document.get("metrics").is_some_and(Value::is_object)
    });
    let objects: Vec<Value> = objects.into_iter().cloned().collect();
    let is_read = |document: &&Value| format_of(&flat(document, &|_| None)).is_some();
    let others: Vec<&Value> = others.into_iter().filter(|document| !is_read(document)).collect();
    let alone = others.len() == documents.len();
    let mut all = if objects.is_empty() { Diagnostics::new() } else { unread_kinds::kinds(&objects) };
    all.extend(
        others
            .into_iter()
            .filter_map(unread_kinds::document)
            .map(|d| if alone { d } else { Diagnostic::warning(d.path, d.found, d.allowed, d.fix) }),
    );
    all
}

/// The problem of sources that set nothing at all: they would leave the default scenario as it is.
pub(crate) fn read_nothing(read: &ReadSources, keys: &[Mapping], sources: &[Value]) -> Option<Diagnostic> {
    let is_default = |set: &Set| !set.usual && set.key.is_empty() && set.rank < SAID;
    let says = keys.iter().any(Mapping::has_counterpart) || read.sets.iter().any(is_default);
    if sources.is_empty() || says || read.scenario.is_some() {
        return None;
    }
    let name = |source: &Value| {
        let kind = source.get("kind").and_then(Value::as_str).map(str::to_owned);
        kind.or_else(|| format_of(source).map(|format| format.title().to_owned()))
    };
    let mut names: Vec<String> = sources.iter().filter_map(name).collect();
    names.dedup();
    names.truncate(MOST_NAMED);
    let of = if names.is_empty() { String::new() } else { format!(" in {}", names.join(", ")) };
    let fix =
        "the rows of its keys say why of each; give what starts the servers, the router or the autoscaler";
    Some(Diagnostic::error(
        "",
        format!("nothing that sets a field of a scenario{of}"),
        unread_kinds::POLICIES,
        fix,
    ))
}

/// Most sources that a message names.
const MOST_NAMED: usize = 4;

/// A conflict that is not settled, as a problem.
pub(crate) fn unsettled(conflict: &Conflict, keys: &[Mapping]) -> Diagnostic {
    let said = |key: u32| keys.get(key as usize).map_or_else(String::new, |m| format!(" ({})", m.key));
    let values: Vec<String> =
        conflict.choices.iter().map(|choice| format!("{}{}", choice.value, said(choice.key))).collect();
    let found = values.join(" and ");
    Diagnostic::error(conflict.field.clone(), found, "one value", conflict.note.clone())
}
