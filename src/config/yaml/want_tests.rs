//! New files, and files in which single values change.

use super::*;
use crate::import::documents::yaml;
use crate::yaml::node::documents;

fn merged(text: &str, want: &Want<'_>) -> String {
    let mut changes = Changes::default();
    merge(text, &documents(text)[0], want, &mut changes);
    let made = changes.made(text);
    let read = yaml::value(&made);
    assert!(read.is_ok(), "{made}: {read:?}");
    made
}

fn plugins(names: &[(&str, f64)]) -> Want<'static> {
    let item = |(name, weight): &(&str, f64)| {
        (
            (*name).to_owned(),
            Want::Braces(vec![("ref", Want::said(*name)), ("weight", Want::unless(*weight, 1.0))]),
        )
    };
    let name_of = |node: &YamlNode| node.get("ref").and_then(YamlNode::scalar).unwrap_or_default().to_owned();
    let is_ours = |node: &YamlNode| {
        node.get("ref").and_then(YamlNode::scalar).is_some_and(|name| !name.starts_with("their"))
    };
    let list = Items {
        items: names.iter().map(item).collect(),
        name_of: Box::new(name_of),
        is_ours: Box::new(is_ours),
    };
    Want::Map(vec![("list", Want::List(list))])
}

#[test]
fn a_new_file_leaves_defaults_out() {
    let want = Want::Map(vec![
        ("kind", Want::said("A")),
        ("left", Want::unless(1.0, 1.0)),
        ("below", Want::Map(vec![("all", Want::unless(2.0, 2.0))])),
        ("words", Want::Words(vec!["x".to_owned()])),
        ("text", Want::Document(Box::new(Want::Map(vec![("key", Want::said(0.5))])))),
        ("list", Want::rows(vec![Want::Map(vec![("a", Want::said(1.0)), ("b", Want::said("yes"))])])),
    ]);
    assert_eq!(new_file(&want), "kind: A\nwords: [x]\ntext: |\n  key: 0.5\nlist:\n- a: 1\n  b: \"yes\"\n");
    let file = new_file(&plugins(&[("x", 2.0), ("y", 1.0)]));
    assert_eq!(file, "list:\n- {ref: x, weight: 2}\n- {ref: \"y\"}\n");
}

#[test]
fn a_file_that_says_the_same_stays_as_it_is() {
    let text = "# mine\nlist:\n  - ref: x   # first\n    weight: 2.0\n  - their: {ref: 1}\n    ref: their-own\n\n  - {\"ref\": 'y'}\n";
    assert_eq!(merged(text, &plugins(&[("x", 2.0), ("y", 1.0)])), text);
}

#[test]
fn one_value_changes_alone() {
    let text = "list:\n- ref: x   # first\n  weight: 2.0 # heavy\n- {ref: y}\n";
    assert_eq!(
        merged(text, &plugins(&[("x", 4.0), ("y", 3.0)])),
        "list:\n- ref: x   # first\n  weight: 4 # heavy\n- {ref: y, weight: 3}\n"
    );
    let quoted = "list: [{ref: x, weight: \"2\"}]\n";
    assert_eq!(merged(quoted, &plugins(&[("x", 4.0)])), "list: [{ref: x, weight: \"4\"}]\n");
}

#[test]
fn items_come_and_go_and_those_of_others_stay() {
    let text = "list:\n  - ref: x\n    weight: 2\n  # theirs\n  - ref: their-own\n  - ref: y\nend: 1\n";
    assert_eq!(
        merged(text, &plugins(&[("z", 1.0), ("y", 1.0), ("w", 5.0)])),
        "list:\n  # theirs\n  - ref: their-own\n  - {ref: z}\n  - ref: y\n  - {ref: w, weight: 5}\nend: 1\n"
    );
    let flow = "list: [{ref: x}, {ref: their-own}, {ref: y}]\n";
    assert_eq!(
        merged(flow, &plugins(&[("z", 1.0), ("their-own", 1.0)])),
        "list: [{ref: z}, {ref: their-own}]\n"
    );
}

#[test]
fn entries_come_and_go() {
    let text = "a: 1\nb:\n  c: 2\nd: 3";
    let want = Want::Map(vec![
        ("a", Want::Nothing),
        ("b", Want::Map(vec![("e", Want::said("x y"))])),
        ("f", Want::said(1.0)),
    ]);
    assert_eq!(merged(text, &want), "b:\n  c: 2\n  e: \"x y\"\nd: 3\nf: 1");
    let empty = "a:\nb: {}\n";
    let want = Want::Map(vec![("a", Want::said(1.0)), ("b", Want::Map(vec![("c", Want::said(2.0))]))]);
    assert_eq!(merged(empty, &want), "a: 1\nb: {c: 2}\n");
}

#[test]
fn a_text_within_a_document_is_changed_in_place() {
    let text = "data:\n  default: |\n    # theirs\n    kv: 0.80\n    other: x\n";
    let entry = Want::Map(vec![("kv", Want::said(0.7)), ("queue", Want::said(5.0))]);
    let want = Want::Map(vec![("data", Want::Map(vec![("default", Want::Document(Box::new(entry)))]))]);
    assert_eq!(
        merged(text, &want),
        "data:\n  default: |\n    # theirs\n    kv: 0.7\n    other: x\n    queue: 5\n"
    );
}
