//! An import of several sources: each key with its result, the conflicts, the changes, and the scenario.

use super::changes::{FieldChange, changes};
use super::mapping::{Mapping, Standing};
use super::merge::{Conflict, Settled, merge};
use super::reader::flat;
#[cfg(feature = "import")]
use super::script_places::place_of;
use super::sets::{self, Set};
use super::{Configuration, Report, kubernetes, unread as unread_kinds};
use crate::base::diag::has_errors;
use crate::base::{Diagnostic, Diagnostics};
use crate::exchange::import::{CONFIGURATIONS, Import};
use crate::perf::{MemoryShares, Plan, memory_shares};
use crate::scenario::{self, Pool, from_value};
use serde::Serialize;
use serde_json::{Value, json};

/// A document of an import.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImportedDocument {
    /// The name of its format.
    pub title: String,
    /// Its version, or what tells it from others of its kind.
    pub detail: String,
    /// The name of its text; empty for a paste.
    pub file: String,
    /// Its first line in the text, from 1.
    pub first_line: u32,
    /// Its lines.
    pub lines: Vec<String>,
    /// Whether its format is read.
    pub is_read: bool,
}

/// Keys by how they stand to the scenario.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct KeyCounts {
    /// With the same meaning.
    pub exact: u32,
    /// With nearly the same meaning.
    pub near: u32,
    /// Without a counterpart.
    pub ignored: u32,
    /// Not known.
    pub unknown: u32,
    /// Said differently by another source.
    pub conflict: u32,
    /// That give a document its shape.
    pub shape: u32,
}

/// The memory of a GPU of a pool.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PoolMemory {
    /// The name of the pool.
    pub pool: String,
    /// What its memory holds.
    pub shares: MemoryShares,
}

/// An import of texts into a scenario.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Imported {
    /// The documents in the texts.
    pub documents: Vec<ImportedDocument>,
    /// The result of each key, in the order of the documents.
    pub keys: Vec<Mapping>,
    /// Fields that sources give different values.
    pub conflicts: Vec<Conflict>,
    /// The fields that change.
    pub changes: Vec<FieldChange>,
    /// The memory of one GPU of each pool afterwards, as far as model and GPU are known.
    pub memory: Vec<PoolMemory>,
    /// Keys by how they stand.
    pub counts: KeyCounts,
    /// The scenario as JSON text; empty while a conflict is not settled, or if there is a problem.
    pub scenario: String,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
    /// Errors; the scenario is then empty.
    pub problems: Vec<Diagnostic>,
}

/// What was read from all sources.
#[derive(Default)]
pub(super) struct ReadSources {
    /// A whole scenario, if a source is one.
    pub(super) scenario: Option<Value>,
    pub(super) sets: Vec<Set>,
    pub(super) mappings: Vec<Mapping>,
    /// Problems with the numbers of their sources.
    pub(super) problems: Vec<(u32, Diagnostic)>,
}

/// The format of a source.
fn format_of(source: &Value) -> Option<&'static dyn Import<Configuration>> {
    CONFIGURATIONS.iter().copied().find(|format| format.recognises(source))
}

/// Reads all sources whose format is known.
pub(super) fn read_all(sources: &[Value]) -> ReadSources {
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
        all.sets.extend(sets::of(i, settings, &report));
        let mut mappings = report.mappings;
        let rows = silent(source, &mappings, &report.problems);
        mappings.extend(rows);
        all.mappings.extend(mappings.into_iter().map(|m| Mapping { document: i as u32, ..m }));
        all.problems.extend(report.problems.into_iter().map(|d| (i as u32, d)));
    }
    all
}

/// Keys of which nothing is said yet.
fn silent(source: &Value, mappings: &[Mapping], problems: &[Diagnostic]) -> Vec<Mapping> {
    let mut keys = Vec::new();
    leaves(source, "", &mut keys);
    let within = |a: &str, b: &str| a == b || a.strip_prefix(b).is_some_and(|rest| rest.starts_with('.'));
    let mut known: Vec<&str> = mappings.iter().map(|m| m.key.as_str()).collect();
    known.extend(mappings.iter().map(|m| m.last.as_str()).filter(|last| !last.is_empty()));
    known.extend(problems.iter().map(|d| d.path.as_str()).filter(|path| !path.is_empty()));
    known.sort_unstable();
    let is_said = |key: &str| {
        let above = known.binary_search(&key).is_ok()
            || key.match_indices('.').any(|(i, _)| known.binary_search(&&key[..i]).is_ok());
        let from = known.partition_point(|k| *k < key);
        above || known[from..].iter().take_while(|k| k.starts_with(key)).any(|k| within(k, key))
    };
    keys.retain(|(key, _)| !is_said(key));
    let shape = |key: &str| matches!(key, "kind" | "apiVersion" | "version" | "metadata.name");
    keys.into_iter()
        .map(|(key, found)| {
            let (standing, becomes) = if shape(&key) {
                (Standing::Shape, "the kind of the document".to_owned())
            } else {
                (Standing::Ignored, "no counterpart: this key has no effect on a simulation".to_owned())
            };
            Mapping { key, found, standing, becomes, ..Mapping::default() }
        })
        .collect()
}

/// The paths of all values, and the values.
fn leaves(value: &Value, path: &str, keys: &mut Vec<(String, String)>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, inner) in map {
                leaves(inner, &if path.is_empty() { key.clone() } else { format!("{path}.{key}") }, keys);
            }
        }
        Value::Array(_) | Value::Object(_) => {}
        _ => keys.push((path.to_owned(), super::merge::shown(value))),
    }
}

/// Problems about documents of formats that are not read.
pub(super) fn unread(documents: &[Value]) -> Diagnostics {
    let (objects, others): (Vec<&Value>, Vec<&Value>) = documents.iter().partition(|document| {
        kubernetes::is_object(document) && !document.get("metrics").is_some_and(Value::is_object)
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

/// A conflict that is not settled, as a problem.
pub(super) fn unsettled(conflict: &Conflict, keys: &[Mapping]) -> Diagnostic {
    let said = |key: u32| keys.get(key as usize).map_or_else(String::new, |m| format!(" ({})", m.key));
    let values: Vec<String> =
        conflict.choices.iter().map(|choice| format!("{}{}", choice.value, said(choice.key))).collect();
    let found = values.join(" and ");
    Diagnostic::error(conflict.field.clone(), found, "one value", conflict.note.clone())
}

/// Imports texts into a scenario, which is JSON text; empty for the default scenario.
#[cfg(feature = "import")]
pub fn imported(
    texts: &[crate::exchange::import::documents::Text],
    into: &str,
    settled: &[Settled],
) -> Imported {
    use crate::exchange::import::documents::documents;
    let failed = |problems| Imported { problems, ..Imported::default() };
    let base = match base_of(into) {
        Ok(base) => base,
        Err(problems) => return failed(problems),
    };
    let documents = match documents(texts) {
        Ok(documents) => expanded(documents),
        Err(problems) => return failed(problems),
    };
    let sources: Vec<Value> = documents.iter().map(|d| flat(&d.tree.value, &|_| None)).collect();
    let trees: Vec<Value> = documents.iter().map(|d| d.tree.value.clone()).collect();
    let mut read = read_all(&sources);
    rows_of_unread(&mut read, &sources);
    stand(&mut read.mappings, &documents, texts);
    let shown: Vec<ImportedDocument> =
        documents.iter().zip(&sources).map(|(d, source)| document(d, source, texts)).collect();
    let several = documents.len() > 1;
    let own = |i: u32, d: Diagnostic| {
        let line = documents[i as usize].tree.places.of(&d.path).map(|place| place.line);
        let number = if several { format!("{}:", i + 1) } else { String::new() };
        let at = line.map_or_else(String::new, |line| format!("line {number}{line}: "));
        Diagnostic { path: format!("{at}{}", d.path), ..d }
    };
    let mut problems = if documents.is_empty() { vec![empty()] } else { unread(&trees) };
    problems.extend(read.problems.into_iter().map(|(i, d)| own(i, d)));
    let merged =
        merge(read.scenario.unwrap_or_else(|| base.clone()), &read.sets, &mut read.mappings, settled);
    problems.extend(merged.problems);
    let mut all = Imported { documents: shown, keys: read.mappings, ..Imported::default() };
    let open = merged.conflicts.iter().any(|conflict| conflict.chosen.is_none());
    all.conflicts = merged.conflicts;
    all.counts = counts(&all.keys);
    let before = from_value(base).map(|s| scenario::to_json(&s));
    match (before, from_value(merged.document)) {
        (Ok(before), Ok(after)) => {
            let shares = |pool: &Pool| memory_shares(pool, after.cluster.compat);
            let named = |pool: &Pool| Some(PoolMemory { pool: pool.name.clone(), shares: shares(pool)? });
            all.memory = after.cluster.pools.iter().filter_map(named).collect();
            if !open && !has_errors(&problems) {
                problems.extend(refused(&after, &all.keys));
            }
            let after = scenario::to_json(&after);
            let tree = |text: &str| serde_json::from_str(text).unwrap_or_default();
            all.changes = changes(&tree(&before), &tree(&after));
            if !open && !has_errors(&problems) {
                all.scenario = after;
            }
        }
        (Err(found), _) => problems.extend(found),
        (_, Err(found)) => {
            // What a source says comes first: the scenario's own problems follow from it.
            if !has_errors(&problems) {
                problems.extend(found);
            }
        }
    }
    (all.problems, all.warnings) =
        problems.into_iter().partition(|d| d.severity == crate::base::Severity::Error);
    all
}

/// Why a scenario cannot run; each problem names the key that set its field. A model that is not known, or does not
/// fit, is a warning: the fields are right, and the user sees what to change.
#[cfg(feature = "import")]
fn refused(scenario: &scenario::Scenario, keys: &[Mapping]) -> Diagnostics {
    let problems = if let Err(problems) = scenario::check(scenario.clone()) {
        problems
    } else {
        let problems = Plan::new(scenario.clone()).err().unwrap_or_default();
        problems.into_iter().map(|d| Diagnostic::warning(d.path, d.found, d.allowed, d.fix)).collect()
    };
    let named = |d: Diagnostic| {
        let key = keys
            .iter()
            .find(|key| !key.field.is_empty() && without_numbers(&d.path) == without_numbers(&key.field));
        let path = match key {
            Some(key) if key.line > 0 => format!("line {}: {} ({})", key.line, key.key, d.path),
            Some(key) => format!("{} ({})", key.key, d.path),
            None => d.path,
        };
        Diagnostic { path, ..d }
    };
    problems.into_iter().map(named).collect()
}

/// A path without the numbers of entries.
#[cfg(feature = "import")]
fn without_numbers(path: &str) -> String {
    path.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// The problem of texts without a document.
#[cfg(feature = "import")]
fn empty() -> Diagnostic {
    let fix = "paste a configuration, or name its file";
    Diagnostic::error("", "an empty text", super::POLICIES, fix)
}

/// Sets where mappings stand in their texts.
#[cfg(feature = "import")]
fn stand(
    mappings: &mut [Mapping],
    documents: &[crate::exchange::import::documents::Document],
    texts: &[crate::exchange::import::documents::Text],
) {
    let lines: Vec<Vec<&str>> = documents.iter().map(|d| lines_of(d, texts)).collect();
    for mapping in mappings {
        let number = mapping.document as usize;
        let places = &documents[number].tree.places;
        let Some(place) = places.of(&mapping.key) else { continue };
        let in_script =
            if places.has(&mapping.key) { None } else { place_of(&lines[number], place, &mapping.found) };
        mapping.stand(in_script.unwrap_or(place), places.of(&mapping.last));
    }
}

/// The document of a scenario; of an empty text, the default one.
#[cfg(feature = "import")]
fn base_of(into: &str) -> Result<Value, Diagnostics> {
    match into.trim() {
        "" => Ok(json!({ "tokenyard": scenario::FORMAT_VERSION })),
        text => scenario::value_from_json(text),
    }
}

/// Gives each key of a document of no format a row.
#[cfg(feature = "import")]
fn rows_of_unread(read: &mut ReadSources, sources: &[Value]) {
    let why = "no counterpart: documents of this kind are not read";
    for (i, source) in sources.iter().enumerate().filter(|(_, source)| format_of(source).is_none()) {
        let rows = silent(source, &[], &[]).into_iter().map(|m| match m.standing {
            Standing::Shape => Mapping { document: i as u32, ..m },
            _ => Mapping { document: i as u32, becomes: why.to_owned(), ..m },
        });
        read.mappings.extend(rows);
    }
    read.mappings.sort_by_key(|mapping| mapping.document);
}

/// The documents, those of a `List` apart.
#[cfg(feature = "import")]
fn expanded(
    documents: Vec<crate::exchange::import::documents::Document>,
) -> Vec<crate::exchange::import::documents::Document> {
    use crate::exchange::import::documents::Document;
    let mut all = Vec::new();
    for document in documents {
        let items = document.tree.value.get("items").and_then(Value::as_array);
        match items.filter(|_| document.tree.value.get("kind").is_some_and(|kind| kind == "List")) {
            Some(items) => all.extend(items.iter().enumerate().map(|(i, item)| {
                let mut tree = document.tree.clone();
                tree.places = tree.places.below(&format!("items.{i}"));
                tree.value = item.clone();
                Document { text: document.text, tree }
            })),
            None => all.push(document),
        }
    }
    all
}

/// The lines of a document.
#[cfg(feature = "import")]
fn lines_of<'t>(
    document: &crate::exchange::import::documents::Document,
    texts: &'t [crate::exchange::import::documents::Text],
) -> Vec<&'t str> {
    let tree = &document.tree;
    let lines = texts[document.text].text.lines().skip(tree.first_line.saturating_sub(1) as usize);
    let count = (tree.last_line + 1).saturating_sub(tree.first_line) as usize;
    lines.take(count).collect()
}

/// A document as the page shows it.
#[cfg(feature = "import")]
fn document(
    document: &crate::exchange::import::documents::Document,
    source: &Value,
    texts: &[crate::exchange::import::documents::Text],
) -> ImportedDocument {
    let text = &texts[document.text];
    let tree = &document.tree;
    let format = format_of(source);
    let kind = source.get("kind").and_then(Value::as_str);
    let title = format
        .map(super::super::Import::title)
        .or(kind)
        .unwrap_or("a document of no known format")
        .to_owned();
    let detail = source.get("apiVersion").and_then(Value::as_str).unwrap_or_default().to_owned();
    ImportedDocument {
        title,
        detail,
        file: text.name.clone(),
        first_line: tree.first_line,
        lines: lines_of(document, texts).into_iter().map(str::to_owned).collect(),
        is_read: format.is_some(),
    }
}

#[cfg(feature = "import")]
fn counts(keys: &[Mapping]) -> KeyCounts {
    let of = |standing| keys.iter().filter(|m| m.standing == standing).count() as u32;
    KeyCounts {
        exact: of(Standing::Exact),
        near: of(Standing::Near),
        ignored: of(Standing::Ignored),
        unknown: of(Standing::Unknown),
        conflict: of(Standing::Conflict),
        shape: of(Standing::Shape),
    }
}
