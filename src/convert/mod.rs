//! Other programs' configuration in our terms: every key says what it becomes, or why it has no counterpart.

mod analysers;
mod bundle;
mod kubernetes;
#[cfg(feature = "cli")]
mod routesim;

#[cfg(feature = "cli")]
pub use routesim::convert as convert_routesim;

use crate::base::{Diagnostic, Diagnostics};
use crate::scenario::limits;
use serde::Serialize;
use serde_json::Value;

/// What happened to one key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(ts_rs::TS))]
pub struct Mapping {
    /// Where it stands in the source.
    pub key: String,
    /// What it says there.
    pub found: String,
    /// The field that it sets here, or why there is none.
    pub becomes: String,
    /// Whether there is such a field.
    pub has_counterpart: bool,
}

impl Mapping {
    /// One line for the user.
    pub fn line(&self) -> String {
        format!("{}: {} → {}", self.key, self.found, self.becomes)
    }
}

/// What the policies of another program made of a scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(ts_rs::TS))]
pub struct AdoptedPolicies {
    /// The scenario with them, JSON text; empty if there is a problem.
    pub scenario: String,
    /// What each key became.
    pub mappings: Vec<Mapping>,
    /// What is wrong with them: nothing is adopted then.
    pub problems: Vec<Diagnostic>,
}

impl AdoptedPolicies {
    /// Adopts policies into a scenario that is JSON text, as [`adopt_policies`] does.
    pub fn of(scenario: &str, documents: Vec<Value>, read_text: ReadText<'_>) -> Self {
        let mut document: Value = serde_json::from_str(scenario).unwrap_or_default();
        match adopt_policies(documents, read_text, &mut document) {
            Ok(mappings) => Self { scenario: document.to_string(), mappings, problems: Vec::new() },
            Err(problems) => Self { problems, ..Self::default() },
        }
    }
}

/// Reads YAML that stands as text within a document; `None` where it is none. Who calls brings the reader: the page has one of its own.
pub type ReadText<'a> = &'a dyn Fn(&str) -> Option<Value>;

/// What a file of policies may be.
pub const POLICIES: &str =
    "a policy bundle (admission, priority, routing, scheduler, autoscale) or autoscalers of Kubernetes";

/// Puts what documents say of policies into a scenario document, all of it or nothing, and tells what each key became: one bundle, or
/// objects of Kubernetes, also as a `List`. Documents with nothing in them count for nothing beside others.
pub fn adopt_policies(
    documents: Vec<Value>,
    read_text: ReadText<'_>,
    scenario: &mut Value,
) -> Result<Vec<Mapping>, Diagnostics> {
    let objects = objects_of(documents)?;
    match objects.as_slice() {
        [bundle] if !kubernetes::is_object(bundle) => bundle::apply(bundle, scenario),
        objects => kubernetes::apply(objects, read_text, scenario),
    }
}

/// The objects of documents, those of a list one by one.
fn objects_of(documents: Vec<Value>) -> Result<Vec<Value>, Diagnostics> {
    let mut objects = Vec::new();
    for document in documents.into_iter().filter(|d| !d.is_null()) {
        match document.get("items").and_then(Value::as_array) {
            Some(items) if document.get("kind").is_some_and(|kind| kind == "List") => {
                objects.extend(items.iter().take(limits::OBJECTS + 1).cloned());
            }
            _ => objects.push(document),
        }
        if objects.len() > limits::OBJECTS {
            let allowed = format!("at most {} objects", limits::OBJECTS);
            let fix = "keep those of the autoscalers";
            let found = format!("more than {}", limits::OBJECTS);
            return Err(vec![Diagnostic::error("", found, allowed, fix)]);
        }
    }
    if objects.is_empty() {
        return Err(vec![Diagnostic::error("", "no text at all", POLICIES, "name a policy")]);
    }
    Ok(objects)
}

/// Reads the keys of a source document one by one, so that none is passed over in silence.
struct Reader<'a> {
    mappings: Vec<Mapping>,
    problems: Vec<Diagnostic>,
    source: &'a Value,
    known: Vec<String>,
}

impl<'a> Reader<'a> {
    fn new(source: &'a Value) -> Self {
        Self { mappings: Vec::new(), problems: Vec::new(), source, known: Vec::new() }
    }

    /// The value at a dotted path.
    fn get(&mut self, path: &str) -> Option<&'a Value> {
        self.known.push(path.to_owned());
        path.split('.').try_fold(self.source, |at, key| at.get(key))
    }

    /// What `of` makes of the value at a dotted path; `becomes` is the field that it sets.
    fn typed<T>(
        &mut self,
        path: &str,
        becomes: &str,
        [allowed, fix]: [&str; 2],
        of: impl Fn(&Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.get(path)?;
        let found = of(value);
        if found.is_some() {
            self.note(path, becomes);
        } else {
            self.problems.push(Diagnostic::error(path, value.to_string(), allowed, fix));
        }
        found
    }

    /// A number at a dotted path.
    fn number(&mut self, path: &str, becomes: &str) -> Option<f64> {
        self.typed(path, becomes, ["a number", "write a plain number"], Value::as_f64)
    }

    /// A whole number at a dotted path.
    fn whole(&mut self, path: &str, becomes: &str) -> Option<u64> {
        self.typed(path, becomes, ["a whole number, 0 or more", "write a whole number"], Value::as_u64)
    }

    /// A whole number at a dotted path, which may be negative.
    fn score(&mut self, path: &str, becomes: &str) -> Option<i64> {
        self.typed(path, becomes, ["a whole number", "write a whole number"], Value::as_i64)
    }

    /// Yes or no at a dotted path.
    fn flag(&mut self, path: &str, becomes: &str) -> Option<bool> {
        self.typed(path, becomes, ["true or false", "write true or false"], Value::as_bool)
    }

    /// The `type` of a section, which it must have if it is there.
    fn kind(&mut self, section: &str, allowed: &[&str]) -> Option<&'a str> {
        let path = format!("{section}.type");
        let there = self.source.get(section).is_some_and(Value::is_object);
        if there && self.get(&path).is_none() {
            let fix = format!("say which {section} policy it is");
            self.problems.push(Diagnostic::error(&path, "nothing", allowed.join(", "), fix));
        }
        self.word(&path)
    }

    /// How many keys a section has; 0 where there is none.
    fn entries(&mut self, path: &str) -> usize {
        let there = self.get(path).and_then(Value::as_object);
        there.map_or(0, serde_json::Map::len)
    }

    /// A number at a dotted path, or a text that is one as Kubernetes writes quantities: `"5"`, `500m`, `2k`.
    fn quantity(&mut self, path: &str, becomes: &str) -> Option<f64> {
        let of = |value: &Value| value.as_f64().or_else(|| quantity_of(value.as_str()?));
        self.typed(path, becomes, ["a number", "such as 5, 0.8 or 500m"], of)
    }

    /// Says why all that stands at and below a path has no counterpart, if it is there.
    fn without_counterpart(&mut self, path: &str, why: &str) {
        let Some(value) = self.get(path) else { return };
        let mut keys = Vec::new();
        collect_keys(value, path, &mut keys);
        for (key, _) in keys {
            self.known.push(key.clone());
            // Keys may have dots of their own: what stands there is told for the whole of them.
            let found = if key == path { value.to_string() } else { "…".to_owned() };
            let becomes = format!("no counterpart: {why}");
            self.mappings.push(Mapping { key, found, becomes, has_counterpart: false });
        }
    }

    /// A word at a dotted path.
    fn word(&mut self, path: &str) -> Option<&'a str> {
        let value = self.get(path)?;
        let word = value.as_str();
        if word.is_none() {
            let problem = Diagnostic::error(path, value.to_string(), "a word", "write the name in quotes");
            self.problems.push(problem);
        }
        word
    }

    /// Says what a key becomes.
    fn note(&mut self, path: &str, becomes: &str) {
        if let Some(found) = self.get(path) {
            let (key, found) = (path.to_owned(), found.to_string());
            let becomes = becomes.to_owned();
            self.mappings.push(Mapping { key, found, becomes, has_counterpart: true });
        }
    }

    /// A name that is not one of those known.
    fn unknown_name(&mut self, path: &str, found: &str, allowed: &[&str]) {
        let near = allowed.iter().max_by(|a, b| strsim::jaro(found, a).total_cmp(&strsim::jaro(found, b)));
        let fix = near.map_or_else(String::new, |name| format!("did you mean \"{name}\"?"));
        self.problems.push(Diagnostic::error(path, format!("{found:?}"), allowed.join(", "), fix));
    }

    /// Ends the reading: every key of the source that nobody asked for is a problem.
    fn finish(mut self) -> Result<Vec<Mapping>, Vec<Diagnostic>> {
        if !self.source.is_object() {
            let found = self.source.to_string().chars().take(40).collect::<String>();
            let fix = "start with the name of a section and a colon";
            self.problems.push(Diagnostic::error("", found, "sections by name", fix));
        }
        let mut keys = Vec::new();
        collect_keys(self.source, "", &mut keys);
        let known = std::mem::take(&mut self.known);
        for (key, empty) in keys {
            let section = format!("{key}.");
            let is_section = known.iter().any(|k| k.starts_with(&section));
            if is_section && !empty {
                let found = "a value in place of a section";
                let fix = format!("write its keys below `{key}`");
                self.problems.push(Diagnostic::error(key, found, "a section with keys of its own", fix));
            } else if !is_section && !known.contains(&key) {
                let near =
                    known.iter().max_by(|a, b| strsim::jaro(&key, a).total_cmp(&strsim::jaro(&key, b)));
                let fix = near.map_or_else(String::new, |name| format!("did you mean `{name}`?"));
                let allowed = "the keys of this format";
                self.problems.push(Diagnostic::error(key, "an unknown key", allowed, fix));
            }
        }
        if self.problems.is_empty() { Ok(self.mappings) } else { Err(self.problems) }
    }
}

/// A quantity of Kubernetes, such as `500m` or `2k`.
fn quantity_of(text: &str) -> Option<f64> {
    let text = text.trim();
    let (digits, factor) = match text.as_bytes().last()? {
        b'm' => (&text[..text.len() - 1], 1e-3),
        b'k' => (&text[..text.len() - 1], 1e3),
        b'M' => (&text[..text.len() - 1], 1e6),
        _ => (text, 1.0),
    };
    digits.parse::<f64>().ok().filter(|x| x.is_finite()).map(|x| x * factor)
}

/// Paths of all values that are not sections, and whether there is nothing in them.
fn collect_keys(value: &Value, path: &str, keys: &mut Vec<(String, bool)>) {
    match value.as_object() {
        Some(map) if !map.is_empty() => {
            for (key, inner) in map {
                let inner_path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                collect_keys(inner, &inner_path, keys);
            }
        }
        inner if !path.is_empty() => keys.push((path.to_owned(), inner.is_some() || value.is_null())),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
