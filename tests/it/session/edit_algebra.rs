//! What an edit makes of a document, and what takes it back: edits drawn from the schema, on the built-in scenarios.

use crate::support::drawn::Drawer;
use crate::support::{numbers, start};
use serde_json::{Value, json};
use tokenyard::base::Micros;
use tokenyard::base::ask::{Attachments, ask};
use tokenyard::base::diag::has_errors;
use tokenyard::scenario::preset::PRESETS;
use tokenyard::scenario::{Change, Write, check_start, edits_between};
use tokenyard::session::questions::RunQuestion;
use tokenyard::session::{Budget, History};

/// Edits made one after the other in a run.
const EDITS: usize = 6;

fn asked(run: &History, question: &Value) -> Value {
    let answer = ask(&question.to_string(), Attachments::default(), |question: RunQuestion, beside| {
        question.answer(run, beside)
    });
    serde_json::from_str(&answer.expect("an answer").text).expect("an answer is JSON")
}

/// The document in force, as it is written.
fn in_force(run: &History) -> Value {
    run.present().plan().scenario().write()
}

fn fields(values: &Value) -> impl Iterator<Item = (&String, &Value)> {
    values.as_object().expect("values by path").iter()
}

/// Puts values at their paths, as the page does.
fn put(document: &mut Value, values: &Value) {
    for (path, value) in fields(values) {
        let pointer = format!("/{}", path.replace(['.', '['], "/").replace(']', ""));
        let (parent, key) = pointer.rsplit_once('/').expect("a path has a first sign");
        match document.pointer_mut(parent).expect("the page has a place for it") {
            Value::Object(object) => drop(object.insert(key.to_owned(), value.clone())),
            parent => {
                *parent.get_mut(key.parse::<usize>().expect("a position")).expect("an entry") = value.clone();
            }
        }
    }
}

/// The document in force as the page puts it together.
fn put_together(run: &History) -> Value {
    let now = run.present().now().0;
    let mut document = run.present().scenario().write();
    document["edits"] = json!([]);
    let documents = asked(run, &json!({"documents": null}));
    for change in documents["in_force"].as_array().expect("a list") {
        if change["from_us"].as_u64().expect("an instant") <= now {
            put(&mut document, &change["set"]);
        }
    }
    document
}

/// Whether setting a field decides further ones: the kind of a client, and the profile that scorers belong to.
fn decides_more(path: &str) -> bool {
    path.rsplit('.').next().is_some_and(|key| ["scorers", "kind"].contains(&key))
}

/// Numbers of pools and clients, which no edit makes smaller.
fn sizes(document: &Value) -> [usize; 2] {
    ["/cluster/pools", "/workload/clients"]
        .map(|list| document.pointer(list).and_then(Value::as_array).map_or(0, Vec::len))
}

/// Takes the latest edit back and makes it again; false if a field has no value that can be set, or a whole list was set to
/// a longer one.
fn undo_and_redo(run: &mut History, edit: &Value, before: &Value) -> bool {
    let after = in_force(run);
    let undo = asked(run, &json!({"documents": null}))["latest"]["undo"].clone();
    let defaults = fields(&undo["back"]).any(|(_, value)| value.is_null());
    let problems = run.apply_text(&json!({"set": undo["back"]}).to_string());
    if has_errors(&problems) {
        let longer = edit["add"].is_null() && sizes(&after) != sizes(before);
        assert!(
            defaults || longer || undo["back"] == json!({}),
            "{edit} cannot be taken back by {undo}: {problems:?}"
        );
        return false;
    }
    let more = edit["set"].as_object().into_iter().flatten().any(|(path, _)| decides_more(path));
    if edit["add"].is_null() && !more {
        assert_eq!(&in_force(run), before, "{edit} is taken back by {undo}");
    }
    let again = if undo["again"].is_null() { edit.clone() } else { json!({"set": undo["again"]}) };
    let problems = run.apply_text(&again.to_string());
    assert!(!has_errors(&problems), "{edit} cannot be made again by {again}: {problems:?}");
    if !more {
        assert_eq!(in_force(run), after, "{edit} is made again by {again}");
    }
    true
}

/// The edits between the documents before and after turn one into the other.
fn edits_lead_from(run: &History, before: &Value) {
    let after = in_force(run);
    let edits = edits_between(before, &after).expect("no edit removes a pool or a client");
    if edits.iter().flat_map(Change::paths).any(decides_more) {
        return;
    }
    let scenario = tokenyard::scenario::from_value(before.clone()).expect("a document that was written");
    let begun = check_start(scenario).expect("a document in force").0;
    let turned = edits.iter().try_fold(begun, |now, edit: &Change| now.edited(edit).map(|(next, _)| next));
    assert_eq!(turned.expect("possible edits").get().write(), after, "{edits:?}");
}

#[test]
fn the_undo_of_an_edit_gives_the_former_document_and_its_redo_the_edited_one() {
    let (mut made, mut undone) = (0, 0);
    for seed in numbers::numbers(80, 800) {
        let mut drawer = Drawer::new(seed);
        let preset = &PRESETS[drawer.below(PRESETS.len() as u64) as usize];
        let mut run = History::new(start(&preset.scenario()), Budget { bytes: 0, events: 4096 });
        for _ in 0..EDITS {
            let at = run.present().now().0 + drawer.below(300_000);
            run.advance(Micros(at), 200);
            let before = in_force(&run);
            let edit = drawer.edit(&before);
            if has_errors(&run.apply_text(&edit.to_string())) {
                continue;
            }
            made += 1;
            assert_eq!(put_together(&run), in_force(&run), "{edit}");
            edits_lead_from(&run, &before);
            undone += u32::from(undo_and_redo(&mut run, &edit, &before));
            assert_eq!(put_together(&run), in_force(&run), "{edit}, undone and made again");
        }
    }
    assert!(made > 80 && undone * 3 > made * 2, "{undone} of {made} edits were taken back");
}
