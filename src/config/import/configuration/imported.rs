//! An import of several texts: each key with its result, the conflicts, the changes, the scenario with the changes, and
//! the scenario of its own that the texts make.

use crate::import::configuration::changes::{FieldChange, changes};
use crate::import::configuration::mapping::{Mapping, Standing};
use crate::import::configuration::merge::{Conflict, Settled, merge, shown};
use crate::import::configuration::new_traffic::{NewTraffic, TrafficAsked, new_traffic};
use crate::import::configuration::place::RETENTION;
use crate::import::configuration::reader::flat;
use crate::import::configuration::script_places::place_of;
use crate::import::configuration::sets::{Field, Set};
use crate::import::configuration::sources::{
    ReadSources, format_of, read_all, read_nothing, unread, unsettled,
};
use crate::import::configuration::title::{SaidOfFleet, speaks_of_change, title};
use crate::import::documents::{Document, Text, documents};
use base::diag::has_errors;
use base::import::Import;
use base::{Diagnostic, Diagnostics, Severity};
use document::{self, Client, Pool, Scenario, from_value};
use engine::perf::{MemoryShares, Plan, memory_shares};
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

/// A scenario that texts make by themselves.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct NewScenario {
    /// The scenario as JSON text; empty if there is a problem.
    pub scenario: String,
    /// Its traffic, if no text says it.
    pub traffic: Option<NewTraffic>,
    /// Errors, and conflicts that are not settled.
    pub problems: Vec<Diagnostic>,
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
    /// The scenario of its own that the texts make.
    pub new_scenario: NewScenario,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
    /// Errors; the scenario is then empty.
    pub problems: Vec<Diagnostic>,
}

/// Imports texts into a scenario, which is JSON text; empty for a new scenario. `asked` is the traffic of the new one.
pub fn imported(texts: &[Text], into: &str, settled: &[Settled], asked: &TrafficAsked) -> Imported {
    let failed = |problems| Imported { problems, ..Imported::default() };
    let base = match into.trim() {
        "" => None,
        text => match document::value_from_json(text) {
            Ok(base) => Some(base),
            Err(problems) => return failed(problems),
        },
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
    let mut problems = if documents.is_empty() { vec![empty()] } else { unread(&trees) };
    problems.extend(own_problems(&mut read, &documents));
    let formats: Vec<&str> = sources.iter().filter_map(format_of).map(Import::title).collect();
    let making = Making { read: &read, sources: &sources, formats: distinct(formats), settled, asked };
    let new = making.new_scenario(problems.clone());
    let new_scenario = new.as_new();
    let made = match base {
        Some(base) => making.changed(&base, problems),
        None => new,
    };
    let (problems, warnings) = made.problems.into_iter().partition(|d| d.severity == Severity::Error);
    Imported {
        documents: shown,
        counts: counts(&made.keys),
        keys: made.keys,
        conflicts: made.conflicts,
        changes: made.changes,
        memory: made.memory,
        scenario: made.scenario,
        new_scenario,
        warnings,
        problems,
    }
}

/// What scenarios are made from.
struct Making<'a> {
    read: &'a ReadSources,
    sources: &'a [Value],
    /// The names of the formats.
    formats: Vec<&'a str>,
    settled: &'a [Settled],
    asked: &'a TrafficAsked,
}

/// A scenario that was made, or why it was not.
#[derive(Default)]
struct Made {
    keys: Vec<Mapping>,
    conflicts: Vec<Conflict>,
    problems: Diagnostics,
    changes: Vec<FieldChange>,
    memory: Vec<PoolMemory>,
    /// JSON text; empty while a conflict is open or if there is a problem.
    scenario: String,
    traffic: Option<NewTraffic>,
}

impl Made {
    /// The part of it that a new scenario is.
    fn as_new(&self) -> NewScenario {
        let errors = self.problems.iter().filter(|d| d.severity == Severity::Error).cloned();
        let open = self.conflicts.iter().filter(|conflict| conflict.chosen.is_none());
        let problems = errors.chain(open.map(|conflict| unsettled(conflict, &self.keys))).collect();
        NewScenario { scenario: self.scenario.clone(), traffic: self.traffic, problems }
    }
}

impl Making<'_> {
    /// The scenario that the sources make by themselves.
    fn new_scenario(&self, problems: Diagnostics) -> Made {
        let empty = json!({ "tokenyard": document::FORMAT_VERSION });
        let base = self.read.scenario.clone().unwrap_or_else(|| empty.clone());
        let is_read = !has_errors(&problems);
        let mut traffic = None;
        let finish = |before: &Scenario, after: &mut Scenario, _: &[FieldChange]| {
            if after.title == before.title {
                after.title = self.title(after);
            }
            if !self.says_traffic() {
                let (client, figures) = new_traffic(&after.cluster, self.asked);
                let said = after.workload.clients.first().map(|client| client.retention.clone());
                after.workload.clients = vec![Client { retention: said.unwrap_or_default(), ..client }];
                traffic = Some(figures);
            }
        };
        let made = self.made(&empty, base, problems, finish);
        Made { traffic: traffic.filter(|_| is_read), ..made }
    }

    /// A scenario with the changes of the sources.
    fn changed(&self, base: &Value, problems: Diagnostics) -> Made {
        let mut document = base.clone();
        if let Some(whole) = &self.read.scenario {
            put_parts(&mut document, whole);
        }
        self.made(base, document, problems, |before, after, changes| {
            if after.title == before.title && speaks_of_change(before, after, changes) {
                after.title = self.title(after);
            }
        })
    }

    /// The scenario of a document with the fields of all sources, completed by `finish`, and its changes from a base.
    fn made(
        &self,
        base: &Value,
        document: Value,
        mut problems: Diagnostics,
        finish: impl FnOnce(&Scenario, &mut Scenario, &[FieldChange]),
    ) -> Made {
        let mut keys = self.read.mappings.clone();
        let merged = merge(document, &self.read.sets, &mut keys, self.settled);
        problems.extend(merged.problems);
        if !has_errors(&problems) {
            problems.extend(read_nothing(self.read, &keys, self.sources));
        }
        let open = merged.conflicts.iter().any(|conflict| conflict.chosen.is_none());
        let mut made = Made { keys, conflicts: merged.conflicts, ..Made::default() };
        match (from_value(base.clone()), from_value(merged.document)) {
            (Ok(before), Ok(mut after)) => {
                let tree = |of: &Scenario| serde_json::from_str(&document::to_json(of)).unwrap_or_default();
                let whole = tree(&before);
                let found = changes(&whole, &tree(&after));
                finish(&before, &mut after, &found);
                made.changes = changes(&whole, &tree(&after));
                made.memory = after.cluster.pools.iter().filter_map(|pool| memory_of(pool, &after)).collect();
                if !open && !has_errors(&problems) {
                    problems.extend(refused(&after, &made.keys));
                }
                if !open && !has_errors(&problems) {
                    made.scenario = document::to_json(&after);
                }
            }
            (Err(found), _) => problems.extend(found),
            // What a source says comes first: the scenario's own problems follow from it.
            (_, Err(found)) if !has_errors(&problems) => problems.extend(found),
            (_, Err(_)) => {}
        }
        Made { problems, ..made }
    }

    fn title(&self, scenario: &Scenario) -> String {
        let said = SaidOfFleet::of(&self.read.sets, self.read.scenario.as_ref());
        title(scenario, said, &self.formats)
    }

    /// Whether a source says which requests arrive.
    fn says_traffic(&self) -> bool {
        let parts = ["clients", "requests", "trace"];
        let whole = self.read.scenario.as_ref().and_then(|whole| whole.get("workload"));
        let says = |set: &Set| match &set.field {
            // Directives apply to requests of any traffic.
            Field::Scenario(path) if path == RETENTION => false,
            Field::Scenario(path) => path
                .strip_prefix("workload.")
                .is_some_and(|part| parts.iter().any(|name| part.starts_with(name))),
            Field::Pool(..) => false,
        };
        whole.is_some_and(|whole| parts.iter().any(|name| whole.get(name).is_some()))
            || self.read.sets.iter().any(says)
    }
}

/// Puts the parts of a whole scenario in place of those of a document; what it does not say stays.
fn put_parts(document: &mut Value, whole: &Value) {
    let (Some(parts), Some(document)) = (whole.as_object(), document.as_object_mut()) else { return };
    for (name, part) in parts.iter().filter(|(name, _)| *name != "tokenyard") {
        match (document.get_mut(name), part) {
            (Some(Value::Object(there)), Value::Object(fields)) => there.extend(fields.clone()),
            (_, part) => {
                document.insert(name.clone(), part.clone());
            }
        }
    }
}

/// The problems of sources, each with its line.
fn own_problems(read: &mut ReadSources, documents: &[Document]) -> Diagnostics {
    let several = documents.len() > 1;
    let own = |(i, d): (u32, Diagnostic)| {
        let line = documents[i as usize].tree.places.of(&d.path).map(|place| place.line);
        let number = if several { format!("{}:", i + 1) } else { String::new() };
        let at = line.map_or_else(String::new, |line| format!("line {number}{line}: "));
        Diagnostic { path: format!("{at}{}", d.path), ..d }
    };
    std::mem::take(&mut read.problems).into_iter().map(own).collect()
}

/// The names in their order, each once.
fn distinct(names: Vec<&str>) -> Vec<&str> {
    let mut all = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// The memory of a GPU of a pool, if its model and GPU are known.
fn memory_of(pool: &Pool, scenario: &Scenario) -> Option<PoolMemory> {
    Some(PoolMemory { pool: pool.name.clone(), shares: memory_shares(pool, scenario.cluster.compat)? })
}

/// Why a scenario cannot run; each problem names the key that set its field. A model that is not known, or does not
/// fit, is a warning: the fields are right, and the user sees what to change.
fn refused(scenario: &document::Scenario, keys: &[Mapping]) -> Diagnostics {
    let problems = if let Err(problems) = document::check(scenario.clone()) {
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
fn without_numbers(path: &str) -> String {
    path.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// The problem of texts without a document.
fn empty() -> Diagnostic {
    let fix = "paste a configuration, or name its file";
    Diagnostic::error("", "an empty text", crate::import::configuration::POLICIES, fix)
}

/// Sets where mappings stand in their texts.
fn stand(mappings: &mut [Mapping], documents: &[Document], texts: &[Text]) {
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

/// Gives each first key of a document of no format a row.
fn rows_of_unread(read: &mut ReadSources, sources: &[Value]) {
    let why = "no counterpart: documents of this kind are not read";
    for (i, source) in sources.iter().enumerate().filter(|(_, source)| format_of(source).is_none()) {
        let rows = source.as_object().into_iter().flatten().map(|(key, value)| {
            let is_shape = matches!(key.as_str(), "kind" | "apiVersion");
            let standing = if is_shape { Standing::Shape } else { Standing::Ignored };
            let becomes = if is_shape { "the kind of the document" } else { why };
            Mapping {
                document: i as u32,
                key: key.clone(),
                found: shown(value),
                standing,
                becomes: becomes.to_owned(),
                ..Mapping::default()
            }
        });
        read.mappings.extend(rows);
    }
    read.mappings.sort_by_key(|mapping| mapping.document);
}

/// The documents, those of a `List` apart.
fn expanded(documents: Vec<Document>) -> Vec<Document> {
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
fn lines_of<'t>(document: &Document, texts: &'t [Text]) -> Vec<&'t str> {
    let tree = &document.tree;
    let lines = texts[document.text].text.lines().skip(tree.first_line.saturating_sub(1) as usize);
    let count = (tree.last_line + 1).saturating_sub(tree.first_line) as usize;
    lines.take(count).collect()
}

/// A document as the page shows it.
fn document(document: &Document, source: &Value, texts: &[Text]) -> ImportedDocument {
    let text = &texts[document.text];
    let tree = &document.tree;
    let format = format_of(source);
    let kind = source.get("kind").and_then(Value::as_str);
    let title = format
        .map(base::import::Import::title)
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
