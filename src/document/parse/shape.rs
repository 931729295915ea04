//! One problem of shape: its path, its message to the user, and the removal of the value.

use base::alike;
use base::json::Misfit;
pub(super) use base::json::PathStep;
use base::{Diagnostic, SortedMap};
use serde_json::Value;
use std::fmt::Write as _;

/// A problem in serde's words, with its place in the user's document.
pub(super) struct Problem {
    /// Path in the document as the user wrote it.
    path: String,
    /// The value there.
    found: Option<Value>,
    /// serde's message.
    message: String,
}

/// The parts removed from the document so far.
#[derive(Default)]
pub(super) struct Shape {
    /// Paths, in the coordinates of the user's document.
    removed: SortedMap<Vec<PathStep>, ()>,
    /// The part to remove next, in the coordinates of the current document.
    target: Vec<PathStep>,
    /// Whether list entries moved up, so that paths in the rest are not those of the user's document.
    pub(super) moved: bool,
}

impl Shape {
    /// Translates serde's error; `None` if it is only the consequence of an earlier removal.
    pub(super) fn next_problem(&mut self, document: &Value, misfit: &Misfit) -> Option<Problem> {
        let message = misfit.to_string();
        let mut steps: Vec<PathStep> = misfit.steps().cloned().collect();
        let missing = quoted_after(&message, "missing field `");
        // A variant without contents has no place of its own: the place is that of the enum's value.
        while matches!(steps.last(), Some(PathStep::Variant(_))) && walk(document, &steps).is_none() {
            steps.pop();
        }
        let original = self.original(&steps);
        let consequence = missing.as_ref().is_some_and(|field| {
            let mut gone = original.clone();
            gone.push(PathStep::Key(field.clone()));
            self.removed.get(&gone).is_some()
        });
        let problem = Problem { path: display(&original), found: walk(document, &steps).cloned(), message };
        self.target = steps;
        (!consequence).then_some(problem)
    }

    /// Gives a choice written as its bare name empty settings: `"weighted"` means `{"weighted": {}}`. False if that is
    /// not the problem of `misfit`.
    pub(super) fn fill_in_settings(document: &mut Value, misfit: &Misfit) -> bool {
        let message = misfit.to_string();
        if !["expected newtype variant", "expected struct variant"].iter().any(|end| message.ends_with(end)) {
            return false;
        }
        let mut steps: Vec<PathStep> = misfit.steps().cloned().collect();
        // The name may come as a step of its own, into which a text has no way.
        while matches!(steps.last(), Some(PathStep::Variant(_))) && walk(document, &steps).is_none() {
            steps.pop();
        }
        let Some(value) = walk_mut(document, &steps) else { return false };
        let Value::String(name) = value else { return false };
        *value = serde_json::json!({ name.as_str(): {} });
        true
    }

    /// Removes the value of the last problem; false if there is nothing left to remove.
    pub(super) fn take_out(&mut self, document: &mut Value) -> bool {
        // A variant without its content is not a value of the enum: the enum's value is removed.
        while matches!(self.target.last(), Some(PathStep::Variant(_))) {
            self.target.pop();
        }
        let original = self.original(&self.target);
        let Some((last, parents)) = self.target.split_last() else { return false };
        let removed = match (walk_mut(document, parents), last) {
            (Some(Value::Object(map)), PathStep::Key(key)) => map.shift_remove(key).is_some(),
            (Some(Value::Array(list)), PathStep::Index(i)) if *i < list.len() => {
                list.remove(*i);
                self.moved = true;
                true
            }
            _ => false,
        };
        self.removed.insert(original, ());
        removed
    }

    /// Whether the value at `path`, or a parent, was removed.
    pub(super) fn is_gone(&self, path: &str) -> bool {
        self.removed.keys().any(|gone| {
            let gone = display(gone);
            path.strip_prefix(&gone).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        })
    }

    /// The path in the user's document: list positions count the entries removed before them.
    fn original(&self, steps: &[PathStep]) -> Vec<PathStep> {
        let mut path: Vec<PathStep> = Vec::with_capacity(steps.len());
        for step in steps {
            let PathStep::Index(mut index) = step.clone() else {
                path.push(step.clone());
                continue;
            };
            path.push(PathStep::Index(0));
            for i in 0..=index + self.removed.len() {
                *path.last_mut().expect("just pushed") = PathStep::Index(i);
                if i <= index && self.removed.get(&path).is_some() {
                    index += 1;
                }
            }
            *path.last_mut().expect("just pushed") = PathStep::Index(index);
        }
        path
    }
}

fn walk<'a>(document: &'a Value, steps: &[PathStep]) -> Option<&'a Value> {
    steps.iter().try_fold(document, |at, step| match step {
        PathStep::Key(key) | PathStep::Variant(key) => at.get(key),
        PathStep::Index(i) => at.get(i),
    })
}

pub(super) fn walk_mut<'a>(document: &'a mut Value, steps: &[PathStep]) -> Option<&'a mut Value> {
    steps.iter().try_fold(document, |at, step| match step {
        PathStep::Key(key) | PathStep::Variant(key) => at.get_mut(key),
        PathStep::Index(i) => at.get_mut(i),
    })
}

/// A path as the user writes it.
pub(super) fn display(steps: &[PathStep]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            PathStep::Key(key) | PathStep::Variant(key) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(key);
            }
            PathStep::Index(i) => write!(text, "[{i}]").expect("a String takes any text"),
        }
    }
    text
}

/// The message to the user; `what` names the expected whole document.
pub(super) fn explain(problem: &Problem, what: &str) -> Diagnostic {
    let Problem { path, found, message } = problem;
    let found = found.as_ref().map_or_else(|| "nothing".to_owned(), show);
    if let Some(key) = quoted_after(message, "unknown field `") {
        let known = names_after_expected(message);
        return Diagnostic::error(
            path,
            format!("unknown key `{key}`"),
            known.join(", "),
            nearest(&key, &known).map_or_else(|| "remove it".to_owned(), |n| format!("did you mean `{n}`?")),
        );
    }
    if let Some(name) = quoted_after(message, "unknown variant `") {
        let known = names_after_expected(message);
        return Diagnostic::error(
            path,
            format!("unknown choice \"{name}\""),
            known.join(", "),
            nearest(&name, &known)
                .map_or_else(|| "choose one of these".to_owned(), |n| format!("did you mean `{n}`?")),
        );
    }
    if let Some(field) = quoted_after(message, "missing field `") {
        return Diagnostic::error(path, format!("no `{field}` in {found}"), "", format!("add `{field}`"));
    }
    let allowed = message.split_once("expected ").map_or(message.as_str(), |(_, rest)| rest);
    let whole = if path.is_empty() { Some(what) } else { None };
    let (allowed, fix) = whole.map_or_else(
        || in_plain_words(allowed),
        |what| (format!("{what}: an object in braces"), "start with { and end with }".to_owned()),
    );
    Diagnostic::error(path, found, allowed, fix)
}

/// serde's names of types in the user's terms, and what to do.
fn in_plain_words(expected: &str) -> (String, String) {
    let (allowed, fix) = match expected {
        "u32" => ("a whole number from 0 to 4,294,967,295", "write it without quotes, point or minus"),
        "u64" | "usize" => {
            ("a whole number from 0 to 18,446,744,073,709,551,615", "write it without quotes, point or minus")
        }
        "f64" => ("a number", "write it without quotes"),
        "a string" => ("text", "put it in double quotes"),
        "a boolean" => ("true or false", "write it without quotes"),
        "a sequence" => ("a list", "put the entries in brackets, even a single one"),
        "string or map" | "map with a single key" => {
            ("one choice: its name, or {\"name\": {...}} with its settings", "keep exactly one choice")
        }
        "unit variant" | "unit" => {
            ("the name of the choice alone", "this choice has no settings: write only its name")
        }
        other if other.starts_with("struct variant") || other.starts_with("newtype variant") => (
            "a choice with its settings",
            "write {\"name\": {...}} with the settings inside the inner braces",
        ),
        other if other.starts_with("struct ") => ("an object", "put the settings in braces"),
        other => return (other.to_owned(), "change the value".to_owned()),
    };
    (allowed.to_owned(), fix.to_owned())
}

/// A value as the user wrote it, shortened.
fn show(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 {
        return text;
    }
    let head: String = text.chars().take(57).collect();
    format!("{head}...")
}

fn quoted_after(message: &str, start: &str) -> Option<String> {
    message.strip_prefix(start)?.split_once('`').map(|(name, _)| name.to_owned())
}

/// The names in "…, expected one of `a`, `b`" or "…, expected `a` or `b`".
fn names_after_expected(message: &str) -> Vec<String> {
    let Some((_, list)) = message.rsplit_once(", expected ") else { return Vec::new() };
    list.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The name most like `what`, if it is like it at all.
pub fn nearest(what: &str, names: &[String]) -> Option<String> {
    alike::nearest(what, names.iter().map(String::as_str)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use crate::{Scenario, from_value, parse, parse_change, set_path};
    use serde_json::json;

    /// The messages for a document, one a line.
    fn problems(document: serde_json::Value) -> Vec<String> {
        from_value(document).unwrap_err().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_empty_document_is_all_defaults() {
        assert_eq!(parse("{}"), Ok(Scenario::default()));
    }

    #[test]
    fn the_default_document_reads_back() {
        let text = crate::to_json(&Scenario::default());
        assert_eq!(parse(&text), Ok(Scenario::default()));
    }

    #[test]
    fn all_problems_are_reported_in_one_go_at_the_place_the_user_knows() {
        let all = problems(json!({
            "sed": 1,
            "cluster": { "pools": [
                { "replica": 2 },
                "H100",
                { "replicas": "many", "kv": { "blocks": -3 } },
            ], "routing": "lest-loaded" },
            "workload": { "clients": [
                { "arrivals": { "poisson": { "rate_per_s": "fast" } }, "output_tokens": { "constant": {} } },
            ], "requests": [ 7, { "arrival_us": 1.5, "prompt": [], "output": { "tokens": 1 } } ] },
        }));
        let paths: Vec<&str> = all.iter().map(|m| m.split(": ").nth(1).unwrap()).collect();
        assert_eq!(
            paths,
            [
                "sed",
                "cluster.pools[0].replica",
                "cluster.pools[1]",
                "cluster.pools[2].replicas",
                "cluster.pools[2].kv.blocks",
                "cluster.routing",
                "workload.clients[0].arrivals.poisson.rate_per_s",
                "workload.clients[0].output_tokens.constant",
                "workload.requests[0]",
                "workload.requests[1].arrival_us",
            ],
            "{all:#?}"
        );
        assert!(all[0].contains("did you mean `seed`?"), "{}", all[0]);
        assert!(all[1].contains("did you mean `replicas`?"), "{}", all[1]);
        assert!(
            all[5].contains("unknown choice \"lest-loaded\"") && all[5].contains("`least-loaded`"),
            "{}",
            all[5]
        );
        assert!(all[7].contains("no `tokens`"), "{}", all[7]);
    }

    #[test]
    fn a_choice_with_wrong_settings_says_how_choices_are_written() {
        let all = problems(json!({"workload": {"clients": [
            {"name": "b", "arrivals": {"poisson": {"rate_per_s": 1}, "gamma": {"rate_per_s": 1, "cv": 2}}},
            {"name": "c", "arrivals": 3},
        ]}, "cluster": {"routing": {"random": {}}}}));
        assert_eq!(all.len(), 3, "{all:#?}");
        assert!(all.iter().all(|m| m.contains("choice")), "{all:#?}");
    }

    #[test]
    fn the_bare_name_of_a_choice_stands_for_its_default_settings() {
        let short = json!({"cluster": {"routing": "weighted", "admission": "token-bucket"}});
        let long = json!({"cluster": {"routing": {"weighted": {}}, "admission": {"token-bucket": {}}}});
        assert_eq!(from_value(short), from_value(long));
        let all = problems(json!({"workload": {"clients": [{"arrivals": "poisson"}]}}));
        assert_eq!(all.len(), 1, "{all:#?}");
        assert!(all[0].contains("workload.clients[0].arrivals.poisson: no `rate_per_s`"), "{}", all[0]);
    }

    #[test]
    fn a_hundred_problems_are_enough() {
        let many: Vec<_> = (0..300).map(|_| json!({"x": 1})).collect();
        let all = problems(json!({"cluster": {"pools": many}}));
        assert_eq!(all.len(), 101);
        assert!(all[99].contains("pools[99].x"), "{}", all[99]);
        assert!(all[100].contains("more than 100 problems"));
    }

    #[test]
    fn edits_read_and_fail_like_scenarios() {
        let read = parse_change;
        assert!(read(r#"{"set":{"cluster.routing":"random"}}"#).is_ok());
        let e = read(r#"{"sett":{}}"#).unwrap_err();
        assert!(e[0].to_string().contains("did you mean `set`?"), "{e:?}");
        assert_eq!(read(r#"{"set":[]}"#).unwrap_err()[0].path, "set");
    }

    #[test]
    fn paths_set_fields_that_stand_there_and_fields_left_to_their_defaults() {
        let mut d = json!({});
        for (path, value) in [
            ("cluster.pools[0].replicas", "8"),
            ("cluster.routing", "random"),
            ("cluster.pools[0].latency.fitted.step_us", "5e3"),
            ("title", "a b"),
        ] {
            set_path(&mut d, path, value).unwrap();
        }
        let s = from_value(d).unwrap();
        assert_eq!(s.cluster.pools[0].replicas, 8);
        assert_eq!(s.title, "a b");
        // Entries written out by a path are those that a document without the list has.
        let mut d = json!({});
        set_path(&mut d, "cluster.pools[0].tp", "1").unwrap();
        set_path(&mut d, "workload.clients[0].slo_class", "standard").unwrap();
        assert_eq!(from_value(d).unwrap(), Scenario::default());
        let mut d = json!({});
        assert_eq!(
            set_path(&mut d, "cluster.pools[1].replicas", "8").unwrap_err()[0].allowed,
            "entries 0 to 0"
        );
        assert!(set_path(&mut d, "a..b", "8").is_err());
        set_path(&mut d, "cluster.rooting", "random").unwrap();
        assert!(from_value(d).unwrap_err()[0].fix.contains("routing"));
    }
}
