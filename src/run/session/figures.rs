//! Figures of a lesson: expressions whose names are paths into documents, such as `busy.latency_ms.ttft.p99`. Their
//! first word is the root: a run, or `report`, `frame` or `scenario` of the live run. A word behind it is a key, or in a
//! list the number or the `name` of an entry.

use base::alike::nearest;
use base::{Diagnostic, Diagnostics};
use document::expression::{TriggerFormula, names_in, parse_of_triggers};
use engine::policy::scaling::formula;
use serde_json::Value;
use std::fmt::Write;

/// The documents of the live run that expressions can read.
pub const LIVE_ROOTS: [&str; 3] = ["report", "frame", "scenario"];

/// An expression that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    formula: TriggerFormula,
    paths: Vec<String>,
}

/// What an expression shall give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// A number.
    Number,
    /// Yes or no, as 1 or 0.
    Condition,
}

impl Figure {
    /// Reads the expression at `path` of a lesson, with names below these roots.
    pub fn read(path: &str, text: &str, roots: &[&str], gives: Gives) -> Result<Self, Diagnostics> {
        let paths = names_in(text);
        let mut problems = Diagnostics::new();
        for name in &paths {
            let root = name.split('.').next().unwrap_or_default();
            if !roots.contains(&root) || !name.contains('.') {
                let known: Vec<String> = roots.iter().map(|&root| root.to_owned()).collect();
                let fix = match nearest(root, &known) {
                    Some(near) if near != root => format!("did you mean `{near}`?"),
                    _ if roots.contains(&root) => {
                        format!("name a figure of it, such as {root}.latency_ms.ttft.p99")
                    }
                    _ => "name one of them, then a path with points between".to_owned(),
                };
                let list = roots.join(", ");
                let allowed =
                    if roots.is_empty() { "no names: the lesson has no runs".to_owned() } else { list };
                problems.push(Diagnostic::error(path, format!("`{name}`"), allowed, fix));
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        // A condition is read as a choice between two numbers; its own text begins one character later.
        let (whole, before) = match gives {
            Gives::Number => (text.to_owned(), 0),
            Gives::Condition => (format!("({text}) ? 1 : 0"), 1),
        };
        match parse_of_triggers(&whole, paths.clone()) {
            Ok(formula) => Ok(Self { formula, paths }),
            Err(all) => Err(all
                .into_iter()
                .map(|p| {
                    let mut found = p.found;
                    let place = p.character.saturating_sub(before);
                    let _ = write!(found, " at character {}", place.max(1));
                    Diagnostic::error(path, found, p.allowed, p.fix)
                })
                .collect()),
        }
    }

    /// The paths that it names, each once.
    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    /// Its value; `None` if a value that it needs is missing, or if it is not finite.
    pub fn value(&self, of: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        let values: Vec<f64> = self.paths.iter().map(|path| of(path).unwrap_or(f64::NAN)).collect();
        formula::value(&self.formula, &values)
    }
}

/// The number at a path of a document; yes and no are 1 and 0, the length of a list is its number.
pub fn number_at(document: &Value, path: &str) -> Option<f64> {
    match place_at(document, path).ok()? {
        Value::Bool(yes) => Some(f64::from(*yes)),
        Value::Array(list) => Some(list.len() as f64),
        Value::Number(number) => number.as_f64(),
        Value::Null | Value::String(_) | Value::Object(_) => None,
    }
}

/// What stands at a path of a document, or the first word that leads nowhere with the words that would.
pub fn place_at<'a>(document: &'a Value, path: &str) -> Result<&'a Value, (String, Vec<String>)> {
    let mut at = document;
    for word in path.split('.').filter(|word| !word.is_empty()) {
        at = match at {
            Value::Object(map) => {
                map.get(word).ok_or_else(|| (word.to_owned(), map.keys().cloned().collect()))?
            }
            Value::Array(list) => {
                let by_number = word.parse::<usize>().ok().and_then(|k| list.get(k));
                let named = |entry: &&Value| entry.get("name").and_then(Value::as_str) == Some(word);
                by_number.or_else(|| list.iter().find(named)).ok_or_else(|| {
                    let name = |entry: &Value| entry.get("name").and_then(Value::as_str).map(str::to_owned);
                    let named =
                        list.iter().enumerate().map(|(k, e)| name(e).unwrap_or_else(|| k.to_string()));
                    (word.to_owned(), named.collect())
                })?
            }
            Value::Null => return Ok(&Value::Null),
            Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                return Err((word.to_owned(), Vec::new()));
            }
        };
    }
    Ok(at)
}
