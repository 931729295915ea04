//! Golden files of the queueing model: cases with inputs and expected results. Every expected number is compared, at
//! the tolerance that the file states; an unknown figure is a difference.

mod chain;
mod closed_form;
mod figures;
mod guess;
mod keys;
mod laws;
mod lines;
mod policies;
mod reader;
mod trajectories;
mod unknown_kind;

use base::{Diagnostic, Diagnostics};
use lines::Lines;
pub(crate) use queueing::Mode;
use reader::{Problems, Reader};
use serde_json::{Value, json};
use unknown_kind::unknown_kind;

/// Formats by the name in their `schema`, with the reader of each.
const FORMATS: [(&str, Check); 6] = [
    ("wva-closed-form/1", closed_form::check),
    ("wva-queue-analyzer/1", chain::check),
    ("wva-bootstrap-go/1", guess::check),
    ("wva-ekf/1", trajectories::check),
    ("autoscaler-policies/1", policies::check),
    ("theory/1", laws::check),
];

/// Reads a file and writes a line for each difference.
type Check = fn(&Reader<'_>, &mut Lines<'_>);

/// The parts of these files that can be compared alone.
pub(super) fn sections() -> Vec<&'static str> {
    closed_form::KINDS
        .into_iter()
        .chain(["analyze", "size", "trajectories"])
        .chain(policies::POLICIES)
        .chain(laws::tables_by_name())
        .collect()
}

/// The formats by name.
pub(super) fn formats() -> impl Iterator<Item = &'static str> {
    FORMATS.into_iter().map(|(name, _)| name)
}

/// The differences of a file; none if its format is not one of these.
pub(super) fn differences(file: &Value, only: &[String]) -> Option<Result<Vec<String>, Diagnostics>> {
    let schema = file.get("schema")?.as_str()?;
    let (_, check) = FORMATS.iter().find(|(name, _)| *name == schema)?;
    let problems = Problems::default();
    let mut lines = Lines::new(only);
    let root = Reader::root(file, &problems);
    keys::refuse_unknown(&root);
    check(&root, &mut lines);
    let problems = problems.into_all();
    Some(if problems.is_empty() { Ok(lines.out) } else { Err(problems) })
}

/// The results of a file of inputs, in its order; `expect` and recorded results are ignored.
pub(super) fn results(file: &Value, mode: Mode) -> Result<Value, Diagnostics> {
    let problems = Problems::default();
    let root = Reader::root(file, &problems);
    let schema = root.text("schema");
    keys::refuse_unknown(&root);
    let mut out = serde_json::Map::new();
    out.insert("schema".into(), json!(schema));
    out.insert("mode".into(), json!(mode));
    match schema {
        "wva-closed-form/1" | "wva-queue-analyzer/1" | "wva-bootstrap-go/1" => {
            let cases = root.list("cases");
            out.insert("cases".into(), cases.iter().map(|case| case_result(schema, case, mode)).collect());
        }
        "wva-ekf/1" => {
            let all = root.list("trajectories");
            let one = |t: &Reader<'_>| json!({ "id": t.text("id"), "cycles": trajectories::result(t, mode) });
            out.insert("trajectories".into(), all.iter().map(one).collect());
        }
        "autoscaler-policies/1" => {
            let all = root.list("cases");
            let one = |c: &Reader<'_>| json!({ "id": c.text("id"), "result": policies::result(c) });
            out.insert("cases".into(), all.iter().map(one).collect());
        }
        "theory/1" => {
            out.insert("tables".into(), Value::Object(laws::results(&root.get("tables"))));
        }
        other => {
            let known: Vec<&str> = formats().collect();
            let fix = "write one of these: they say what the file has";
            root.refuse(Diagnostic::error("schema", format!("{other:?}"), known.join(", "), fix));
        }
    }
    let problems = problems.into_all();
    if problems.is_empty() { Ok(Value::Object(out)) } else { Err(problems) }
}

fn case_result(schema: &str, case: &Reader<'_>, mode: Mode) -> Value {
    let (id, input) = (case.text("id"), case.get("input"));
    if schema == "wva-bootstrap-go/1" {
        return json!({ "id": id, "result": guess::result(&input) });
    }
    let kind = case.text("kind");
    let result = if schema == "wva-closed-form/1" {
        closed_form::figures(kind, &input)
    } else {
        chain::result(kind, &input, mode)
    };
    let Ok(result) = result else {
        let known: &[&str] =
            if schema == "wva-closed-form/1" { &closed_form::KINDS } else { &["analyze", "size"] };
        unknown_kind(case, kind, known);
        return Value::Null;
    };
    json!({ "id": id, "kind": kind, "result": result })
}
