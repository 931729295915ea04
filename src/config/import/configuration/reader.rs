//! Reads the keys of a source document one by one, so that every key is reported.

use crate::import::configuration::Report;
use crate::import::configuration::mapping::{Mapping, Standing};
use crate::import::configuration::quantities::{quantity_of, seconds_of};
use crate::import::configuration::server_identity::{NamedBy, RouterRole, ServerIdentity};
use crate::import::configuration::sets::{Field, PoolOf, SAID, Set};
use base::{Diagnostic, Diagnostics, alike};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Most names that a message lists.
const MOST_NAMES: usize = 24;

/// A source document, the paths that were read, and the results of its keys.
pub(crate) struct Reader<'a> {
    pub(crate) mappings: Vec<Mapping>,
    pub(crate) problems: Diagnostics,
    pub(crate) sets: Vec<Set>,
    pub(crate) roles: Vec<RouterRole>,
    pub(crate) servers: Vec<ServerIdentity>,
    pub(crate) source: &'a Value,
    /// All paths that were read.
    known: BTreeSet<String>,
}

/// What the format's own program does with an unknown key. Here it is left out with a warning.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// It refuses the file.
    Refused,
    /// It may know the key, as the source may be newer than the reader.
    LeftOut,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(source: &'a Value) -> Self {
        Self {
            mappings: Vec::new(),
            problems: Vec::new(),
            sets: Vec::new(),
            roles: Vec::new(),
            servers: Vec::new(),
            source,
            known: BTreeSet::new(),
        }
    }

    /// The value at a dotted path.
    pub(crate) fn get(&mut self, path: &str) -> Option<&'a Value> {
        let found = at(self.source, path);
        // A label that is not there, such as `gpu.example.com/model`, is no key of a section `gpu`.
        if found.is_some() || !path.contains('/') {
            self.known.insert(path.to_owned());
        }
        found
    }

    /// The value at a dotted path, converted by `of`.
    fn typed<T>(
        &mut self,
        path: &str,
        [allowed, fix]: [&str; 2],
        of: impl Fn(&Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.get(path)?;
        let found = of(value);
        if found.is_none() {
            self.problems.push(Diagnostic::error(path, shown(value), allowed, fix));
        }
        found
    }

    /// Records what a key becomes if a value was read there.
    fn noted<T>(&mut self, path: &str, becomes: &str, found: Option<T>) -> Option<T> {
        if found.is_some() {
            self.note(path, becomes);
        }
        found
    }

    /// A number at a dotted path; `becomes` is the field that it sets.
    pub(crate) fn number(&mut self, path: &str, becomes: &str) -> Option<f64> {
        let found = self.typed(path, ["a number", "write a plain number"], Value::as_f64);
        self.noted(path, becomes, found)
    }

    /// A whole number at a dotted path.
    pub(crate) fn whole(&mut self, path: &str, becomes: &str) -> Option<u64> {
        let found = self.typed(path, ["a whole number, 0 or more", "write a whole number"], Value::as_u64);
        self.noted(path, becomes, found)
    }

    /// A whole number at a dotted path, which may be negative.
    pub(crate) fn score(&mut self, path: &str, becomes: &str) -> Option<i64> {
        let found = self.typed(path, ["a whole number", "write a whole number"], Value::as_i64);
        self.noted(path, becomes, found)
    }

    /// A duration in seconds at a dotted path: a number of seconds, or a text such as `50ms`, `30s` or `5m`.
    pub(crate) fn duration(&mut self, path: &str, becomes: &str) -> Option<f64> {
        let of = |value: &Value| value.as_f64().or_else(|| seconds_of(value.as_str()?));
        let found = self.typed(path, ["a duration", "such as 50ms, 30s or 5m"], of);
        self.noted(path, becomes, found)
    }

    /// Yes or no at a dotted path.
    pub(crate) fn flag(&mut self, path: &str, becomes: &str) -> Option<bool> {
        let found = self.typed(path, ["true or false", "write true or false"], Value::as_bool);
        self.noted(path, becomes, found)
    }

    /// A number at a dotted path, or a text that is one as Kubernetes writes quantities: `"5"`, `500m`, `2k`.
    pub(crate) fn quantity(&mut self, path: &str, becomes: &str) -> Option<f64> {
        let found = self.silent_quantity(path);
        self.noted(path, becomes, found)
    }

    /// A quantity whose meaning the caller records later.
    pub(crate) fn silent_quantity(&mut self, path: &str) -> Option<f64> {
        let of = |value: &Value| value.as_f64().or_else(|| quantity_of(value.as_str()?));
        self.typed(path, ["a number", "such as 5, 0.8 or 500m"], of)
    }

    /// Number of keys of a section; 0 if there is none.
    pub(crate) fn entries(&mut self, path: &str) -> usize {
        let there = self.get(path).and_then(Value::as_object);
        there.map_or(0, Map::len)
    }

    /// Records why the values at and below a path, if any, have no counterpart.
    pub(crate) fn without_counterpart(&mut self, path: &str, why: &str) {
        for (key, found) in self.set_aside(path) {
            let becomes = format!("no counterpart: {why}");
            self.mappings.push(Mapping {
                key,
                found,
                becomes,
                standing: Standing::Ignored,
                ..Mapping::default()
            });
        }
    }

    /// Records why the values at and below a path that were not read have no counterpart.
    pub(crate) fn without_counterpart_of_rest(&mut self, path: &str, why: &str) {
        let value = if path.is_empty() { Some(self.source) } else { at(self.source, path) };
        let mut keys = Vec::new();
        if let Some(value) = value {
            collect_keys(value, path, &mut keys);
        }
        for key in keys {
            if !self.known.contains(&key) {
                self.without_counterpart(&key, why);
            }
        }
    }

    /// Marks all values at and below a path as known. The caller records what they become.
    pub(crate) fn set_aside(&mut self, path: &str) -> Vec<(String, String)> {
        let Some(value) = self.get(path) else { return Vec::new() };
        let mut keys = Vec::new();
        collect_keys(value, path, &mut keys);
        self.known.extend(keys.iter().cloned());
        // Keys may contain dots: the value is reported for the whole key.
        let found = |key: &String| if key == path { shown(value) } else { "…".to_owned() };
        keys.into_iter().map(|key| (key.clone(), found(&key))).collect()
    }

    /// A word at a dotted path.
    pub(crate) fn word(&mut self, path: &str) -> Option<&'a str> {
        let value = self.get(path)?;
        let word = value.as_str();
        if word.is_none() {
            let problem = Diagnostic::error(path, shown(value), "a word", "write the name in quotes");
            self.problems.push(problem);
        }
        word
    }

    /// Records what a key becomes.
    pub(crate) fn note(&mut self, path: &str, becomes: &str) {
        if let Some(value) = self.get(path) {
            let (key, becomes) = (path.to_owned(), becomes.to_owned());
            self.mappings.push(Mapping { key, found: shown(value), becomes, ..Mapping::default() });
        }
    }

    /// Records what a key becomes, and how that differs.
    pub(crate) fn near(&mut self, path: &str, becomes: &str, differs: &str) {
        self.note(path, &format!("{becomes}; {differs}"));
        if let Some(last) = self.mappings.last_mut().filter(|last| last.key == path) {
            last.standing = Standing::Near;
        }
    }

    /// Records that the name at a path is not known here, with the known name that it resembles.
    pub(crate) fn unknown(&mut self, path: &str, what: &str, known: &[&str]) {
        let Some(value) = self.get(path) else { return };
        let near = alike::nearest(value.as_str().unwrap_or_default(), known.iter().copied());
        let fix = near.map_or_else(
            || "it may be newer than this reader".to_owned(),
            |name| format!("did you mean \"{name}\"?"),
        );
        let found = format!("{}, {what}, which is left out", shown(value));
        self.problems.push(Diagnostic::warning(path, found, "a name that is known here", fix));
        self.mappings.push(Mapping {
            key: path.to_owned(),
            found: shown(value),
            standing: Standing::Unknown,
            becomes: "not known here".to_owned(),
            nearest: near.unwrap_or_default().to_owned(),
            ..Mapping::default()
        });
    }

    /// Records that keys at and below a path give the document its shape.
    pub(crate) fn shape(&mut self, path: &str, why: &str) {
        for (key, found) in self.set_aside(path) {
            let (becomes, standing) = (why.to_owned(), Standing::Shape);
            self.mappings.push(Mapping { key, found, standing, becomes, ..Mapping::default() });
        }
    }

    /// Sets a field of the scenario, such as `cluster.routing`, to what the key at a path says.
    pub(crate) fn set(&mut self, path: &str, field: &str, value: Value) {
        self.field(path, field, &value);
        self.sets.push(Set::said(path, Field::Scenario(field.to_owned()), value));
    }

    /// Sets a field of pools, such as `kv.blocks`, to what the key at a path says.
    pub(crate) fn set_pool(&mut self, path: &str, of: &PoolOf, field: &str, value: Value) {
        self.field(path, &format!("cluster.pools[].{field}"), &value);
        self.sets.push(Set::said(path, Field::Pool(of.clone(), field.to_owned()), value));
    }

    /// Sets a field of pools to a default of the other program: a source that says it holds. Ranks order defaults.
    pub(crate) fn set_pool_default(&mut self, of: &PoolOf, field: &str, value: Value, rank: u8) {
        let set = Set::said("", Field::Pool(of.clone(), field.to_owned()), value);
        self.sets.push(Set { rank: rank.min(SAID - 1), ..set });
    }

    /// Sets a field of new pools to what the other program does where nothing is said.
    pub(crate) fn set_pool_usual(&mut self, of: &PoolOf, field: &str, value: Value, rank: u8) {
        self.set_pool_default(of, field, value, rank);
        if let Some(set) = self.sets.last_mut() {
            set.usual = true;
        }
    }

    /// Sets a field of the scenario to a default: a source that says it holds. Ranks order defaults.
    pub(crate) fn set_default(&mut self, path: &str, field: &str, value: Value, rank: u8) {
        self.field(path, field, &value);
        let set = Set::said(path, Field::Scenario(field.to_owned()), value);
        self.sets.push(Set { rank: rank.min(SAID - 1), ..set });
    }

    /// Writes the field and its value into the mapping of a key.
    pub(crate) fn field(&mut self, path: &str, field: &str, value: &Value) {
        if let Some(mapping) = self.mappings.iter_mut().rev().find(|m| m.key == path) {
            (mapping.field, mapping.value) =
                (field.to_owned(), crate::import::configuration::merge::shown(value));
        }
    }

    /// Records that a router gives servers a role; the row of the key says afterwards which these are.
    pub(crate) fn role_of_servers(&mut self, key: &str, role: &'static str, by: NamedBy) {
        self.roles.push(RouterRole { document: 0, key: key.to_owned(), role, by });
    }

    /// Reports an unknown name.
    pub(crate) fn unknown_name(&mut self, path: &str, found: &str, allowed: &[&str]) {
        let near = alike::nearest(found, allowed.iter().copied());
        let fix =
            near.map_or_else(|| "use one of these".to_owned(), |name| format!("did you mean \"{name}\"?"));
        self.problems.push(Diagnostic::error(path, format!("{found:?}"), allowed.join(", "), fix));
    }

    /// Ends the reading. A key of the source that was not read is left out with a warning, once for all keys below it.
    pub(crate) fn finish(mut self, unknown: Unknown, report: &mut Report) {
        if !self.source.is_object() {
            let found = self.source.to_string().chars().take(40).collect::<String>();
            let fix = "start with the name of a section and a colon";
            self.problems.push(Diagnostic::error("", found, "sections by name", fix));
        }
        let mut found = Diagnostics::new();
        let mut keys = Vec::new();
        self.look_for_unknown(self.source, "", unknown, &mut found, &mut keys);
        self.mappings.extend(keys);
        report.sets.extend(self.sets);
        report.roles.extend(self.roles);
        report.servers.extend(self.servers);
        report.mappings.extend(self.mappings);
        report.problems.extend(self.problems);
        report.problems.extend(found);
    }

    fn look_for_unknown(
        &self,
        value: &Value,
        path: &str,
        unknown: Unknown,
        found: &mut Diagnostics,
        keys: &mut Vec<Mapping>,
    ) {
        let Some(map) = value.as_object() else { return };
        let dotted = DottedKeys::of(map);
        for (key, inner) in map {
            let full = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            // A key with dots, such as `app.kubernetes.io/name`, is no part of the key `app` beside it.
            let others = dotted.beside(path, key);
            let is_section = self.below(&full).any(|known| !others.iter().any(|other| within(known, other)));
            let empty = inner.is_null() || inner.as_object().is_some_and(Map::is_empty);
            if is_section && inner.is_object() {
                self.look_for_unknown(inner, &full, unknown, found, keys);
            } else if is_section && !empty {
                let fix = format!("write its keys below `{full}`");
                let what = "a value in place of a section";
                found.push(Diagnostic::error(full, what, "a section with keys of its own", fix));
            } else if !is_section && !self.known.contains(&full) {
                let (problem, nearest) = self.unknown_key(path, key, full.clone(), unknown);
                found.push(problem);
                keys.push(Mapping {
                    key: full,
                    found: shown(inner),
                    standing: Standing::Unknown,
                    becomes: "not known here".to_owned(),
                    nearest,
                    ..Mapping::default()
                });
            }
        }
    }

    fn unknown_key(&self, path: &str, key: &str, full: String, unknown: Unknown) -> (Diagnostic, String) {
        let below = if path.is_empty() { String::new() } else { format!("{path}.") };
        let names: BTreeSet<&str> =
            self.below(path).filter_map(|known| known[below.len()..].split('.').next()).collect();
        // The names of list entries are their indices.
        let names: Vec<&str> = names.into_iter().filter(|n| n.parse::<u32>().is_err()).collect();
        let near = alike::nearest(key, names.iter().copied());
        let allowed = match names.len() {
            1..=MOST_NAMES => names.join(", "),
            _ => "the keys of this format".to_owned(),
        };
        let nearest = near.unwrap_or_default().to_owned();
        let fix = near.map_or_else(
            || "it may be newer than this reader".to_owned(),
            |name| format!("did you mean `{below}{name}`?"),
        );
        let found = match unknown {
            Unknown::Refused => "an unknown key, which is left out; its own program refuses the file",
            Unknown::LeftOut => "an unknown key, which is left out",
        };
        (Diagnostic::warning(full, found, allowed, fix), nearest)
    }

    /// The paths below a path that were read.
    fn below(&self, path: &str) -> impl Iterator<Item = &str> {
        let start = if path.is_empty() { String::new() } else { format!("{path}.") };
        let from = self.known.range(start.clone()..);
        from.map(String::as_str).take_while(move |known| known.starts_with(&start))
    }
}

/// The value at a dotted path. Keys may contain dots.
fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    if let Some(found) = value.get(path) {
        return Some(found);
    }
    let mut dots = path.match_indices('.').map(|(i, _)| i);
    dots.find_map(|i| at(value.get(&path[..i])?, &path[i + 1..]))
}

/// A value as written in the source, cut if it is long.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 {
        return text;
    }
    format!("{}…", text.chars().take(57).collect::<String>())
}

/// Whether a path is another one or stands below it.
pub(crate) fn within(path: &str, other: &str) -> bool {
    path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The keys of a section that have dots, in order.
pub(crate) struct DottedKeys<'a>(Vec<&'a str>);

impl<'a> DottedKeys<'a> {
    pub(crate) fn of(section: &'a Map<String, Value>) -> Self {
        let mut keys: Vec<&str> =
            section.keys().map(String::as_str).filter(|key| key.contains('.')).collect();
        keys.sort_unstable();
        Self(keys)
    }

    /// The paths of those that begin with another key and a dot.
    pub(crate) fn beside(&self, path: &str, key: &str) -> Vec<String> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let start = format!("{key}.");
        let from = self.0.partition_point(|other| *other < start.as_str());
        let others = self.0[from..].iter().take_while(|other| other.starts_with(&start));
        let below =
            |other: &&str| if path.is_empty() { (*other).to_owned() } else { format!("{path}.{other}") };
        others.map(below).collect()
    }
}

/// Paths of all values that are not sections.
fn collect_keys(value: &Value, path: &str, keys: &mut Vec<String>) {
    match value.as_object() {
        Some(map) if !map.is_empty() => {
            for (key, inner) in map {
                let inner_path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                collect_keys(inner, &inner_path, keys);
            }
        }
        _ if !path.is_empty() => keys.push(path.to_owned()),
        _ => {}
    }
}

/// Lists as sections whose keys are indices, so that every key has a path; `text` may parse a text.
pub(crate) fn flat(value: &Value, text: &dyn Fn(&str) -> Option<Value>) -> Value {
    match value {
        Value::Array(items) => {
            Value::Object(items.iter().enumerate().map(|(i, v)| (i.to_string(), flat(v, text))).collect())
        }
        Value::Object(map) => Value::Object(map.iter().map(|(k, v)| (k.clone(), flat(v, text))).collect()),
        Value::String(said) => text(said).map_or_else(|| value.clone(), |v| flat(&v, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}
