//! The measured format: an array of experiments, read leniently. Unknown fields are ignored, and missing figures are
//! not compared.

use base::{Diagnostic, Diagnostics};
use document::value_from_long_json;
use serde_json::Value;

/// One measured experiment: the mandatory fields, and the document for the rest.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Its name.
    pub id: String,
    /// Its group, one for each source.
    pub group: String,
    /// What it counts as in errors and fits: itself, or all rows of a table with one model, GPU and parallelism.
    pub source: String,
    /// Model.
    pub model: String,
    /// GPU.
    pub gpu: String,
    /// The whole document.
    pub document: Value,
}

/// The group of rows of other engines than vLLM in tables of points.
pub(super) const OTHERS: &str = "O";

/// The group of experiments with prefill and decode on different replicas. They too are compared apart, and nothing is fitted to them.
pub(super) const APART: &str = "P";

/// Whether experiments of a group are compared apart.
pub(super) fn is_apart(group: &str) -> bool {
    group == OTHERS || group == APART
}

impl Experiment {
    /// Whether prefill and decode are on different replicas.
    pub(super) fn is_split(&self) -> bool {
        self.at("/disaggregated").is_some()
    }

    /// The value at a path such as `/engine/kv_blocks`.
    pub(super) fn at(&self, path: &str) -> Option<&Value> {
        self.document.pointer(path).filter(|v| !v.is_null())
    }

    pub(super) fn text(&self, path: &str) -> &str {
        self.at(path).and_then(Value::as_str).unwrap_or_default()
    }

    /// A number that is finite and not negative.
    pub(super) fn number(&self, path: &str) -> Option<f64> {
        self.at(path).and_then(number)
    }

    pub(super) fn count(&self, path: &str) -> Option<u32> {
        self.number(path).filter(|n| *n <= f64::from(u32::MAX)).map(|n| n.round() as u32)
    }

    pub(super) fn flag(&self, path: &str) -> Option<bool> {
        self.at(path).and_then(Value::as_bool)
    }

    pub(super) fn list(&self, path: &str) -> &[Value] {
        self.at(path).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// What was measured, in order.
    pub(super) fn measured(&self) -> &[Value] {
        self.list("/measured")
    }

    /// Release of vLLM as major and minor number, if it is given.
    pub(super) fn release(&self) -> Option<(u32, u32)> {
        let text = self.text("/engine/version");
        let known = text.split("about ").nth(1).unwrap_or(text);
        let start = known.find(|c: char| c.is_ascii_digit())?;
        let mut parts = known[start..].split(|c: char| !c.is_ascii_digit());
        let (major, minor) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some((major, minor))
    }
}

/// A number of a document that is finite and not negative.
pub(super) fn number(value: &Value) -> Option<f64> {
    value.as_f64().filter(|n| n.is_finite() && *n >= 0.0)
}

/// A number under a key.
pub(super) fn number_at(value: &Value, key: &str) -> Option<f64> {
    value.get(key).and_then(number)
}

/// The name of a stage, as text.
pub(super) fn label(measured: &Value) -> String {
    match measured.get("stage") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

/// Reads a file of experiments: an array of them, an object with such an array under `experiments`, or a single one.
/// All problems are reported at once; experiments with a problem are left out.
pub fn read(text: &str) -> Result<(Vec<Experiment>, Diagnostics), Diagnostics> {
    let fix = "give a folder with experiments.json, or such a file";
    let value = value_from_long_json(text, ["an array of experiments", fix])?;
    let list = match value {
        Value::Array(list) => list,
        Value::Object(ref map) if map.get("experiments").is_some_and(Value::is_array) => {
            map["experiments"].as_array().cloned().unwrap_or_default()
        }
        Value::Object(_) => vec![value],
        other => {
            let found = format!("{other}").chars().take(40).collect::<String>();
            return Err(vec![Diagnostic::error("", found, "an array of experiments", fix)]);
        }
    };
    let (mut experiments, mut problems) = (Vec::new(), Diagnostics::new());
    for (i, document) in list.into_iter().enumerate() {
        match one(document, i) {
            Ok(experiment) => experiments.push(experiment),
            Err(found) => problems.extend(found),
        }
    }
    if experiments.is_empty() && !problems.is_empty() {
        return Err(problems);
    }
    Ok((experiments, problems))
}

fn one(document: Value, i: usize) -> Result<Experiment, Diagnostics> {
    let mut problems = Diagnostics::new();
    let mut text = |key: &str| {
        let found = document.get(key).and_then(Value::as_str).filter(|t| !t.is_empty());
        if found.is_none() {
            let what = document.get(key).map_or_else(|| "nothing".to_owned(), ToString::to_string);
            let what = what.chars().take(40).collect::<String>();
            problems.push(Diagnostic::error(format!("[{i}].{key}"), what, "a name", "name it"));
        }
        found.unwrap_or_default().to_owned()
    };
    let (id, group, model, gpu) = (text("id"), text("group"), text("model"), text("gpu"));
    if !document.get("measured").is_some_and(Value::is_array) {
        let fix = "list what was measured, or an empty list where points.csv has it";
        problems.push(Diagnostic::error(format!("[{i}].measured"), "no list", "a list", fix));
    }
    // Prefill and decode on different replicas are compared apart.
    let group =
        if document.get("disaggregated").is_some_and(|v| !v.is_null()) { APART.to_owned() } else { group };
    if problems.is_empty() {
        Ok(Experiment { source: id.clone(), id, group, model, gpu, document })
    } else {
        Err(problems)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn experiment(version: &str) -> Value {
        json!({"id": "x", "group": "B", "model": "m", "gpu": "H100", "measured": [], "later": {"a": 1},
            "engine": {"version": version}})
    }

    #[test]
    fn a_file_is_a_list_an_object_with_a_list_or_one_experiment() {
        let one = experiment("0.15.1");
        for text in [json!([one]), json!({"experiments": [one]}), one.clone()] {
            let (found, problems) = read(&text.to_string()).unwrap();
            assert_eq!((found.len(), problems.len(), found[0].id.as_str()), (1, 0, "x"));
        }
    }

    #[test]
    fn broken_input_is_reported_with_its_place_and_sound_experiments_stay() {
        assert!(read("{").is_err() && read("3").is_err() && read("[{}]").is_err());
        let (found, problems) = read(&json!([experiment("1"), {"id": 3, "gpu": ""}]).to_string()).unwrap();
        assert_eq!(found.len(), 1);
        let paths: Vec<&str> = problems.iter().map(|p| p.path.as_str()).collect();
        assert_eq!(paths, ["[1].id", "[1].group", "[1].model", "[1].gpu", "[1].measured"]);
    }

    #[test]
    fn releases_are_found_in_free_text() {
        let release = |version: &str| read(&experiment(version).to_string()).unwrap().0[0].release();
        assert_eq!(release("0.15.1 (fork with step tracing)"), Some((0, 15)));
        assert_eq!(release("unpinned image, May 2025 (about 0.8.x)"), Some((0, 8)));
        assert_eq!(release("v0.20.1"), Some((0, 20)));
        assert_eq!(release("latest"), None);
    }
}
