//! Places of values in texts of YAML.

use super::*;

fn one(text: &str) -> YamlNode {
    documents(text).remove(0)
}

fn said<'t>(text: &'t str, node: &YamlNode, keys: &[&str]) -> &'t str {
    &text[node.at(keys).unwrap_or_else(|| panic!("{keys:?} of {node:?}")).span.clone()]
}

#[test]
fn values_are_found_where_they_stand() {
    let text = "# a comment\na: 1 # one\n\"b c\":\n  d: 'it''s'\n  list:\n  - x\n  - {k: v, n: \"2\"}\n  -\n    deep: yes\nu: http://h:80/p # there\n";
    let node = one(text);
    assert_eq!(said(text, &node, &["a"]), "1");
    assert_eq!(node.at(&["b c", "d"]).and_then(YamlNode::scalar), Some("it's"));
    assert_eq!(node.get("u").and_then(YamlNode::scalar), Some("http://h:80/p"));
    let list = node.at(&["b c", "list"]).expect("a list");
    assert_eq!(list.items().len(), 3);
    assert_eq!(list.items()[0].value.scalar(), Some("x"));
    assert_eq!(said(text, &list.items()[1].value, &["n"]), "\"2\"");
    assert_eq!(list.items()[2].value.get("deep").and_then(YamlNode::scalar), Some("yes"));
    assert_eq!(&text[list.items()[1].at.clone()], "- {k: v, n: \"2\"}");
}

#[test]
fn documents_and_texts_within_them_are_followed() {
    let text = "kind: A\n---\nkind: ConfigMap\ndata:\n  f.yaml: |\n    kind: B\n    plugins:\n    # first\n    - type: x\n\n    - type: y\n  other: 1\n---\n{\"kind\": \"C\", \"n\": [1, {\"m\": 2}]}\n";
    let found = documents(text);
    assert_eq!(found.len(), 3);
    let is =
        |kind: &'static str| move |node: &YamlNode| node.get("kind").and_then(YamlNode::scalar) == Some(kind);
    let inner = find(text, &found[1], &is("B"));
    assert_eq!(inner.len(), 1);
    assert_eq!(inner[0].get("plugins").map(|list| list.items().len()), Some(2));
    assert_eq!(inner[0].get("plugins").map(|list| list.indent), Some(4));
    assert_eq!(found[1].at(&["data", "other"]).and_then(YamlNode::scalar), Some("1"));
    assert!(found[2].flow);
    assert_eq!(found[2].get("n").map(|list| list.items().len()), Some(2));
}

#[test]
fn braces_may_go_over_lines() {
    let text = "a: {b: 1, # one\n    c: [x,\n        y]}\nd: 2\n";
    let node = one(text);
    assert_eq!(node.at(&["a", "c"]).map(|list| list.items().len()), Some(2));
    assert_eq!(said(text, &node, &["d"]), "2");
}

#[test]
fn what_is_not_followed_is_no_node_and_nothing_panics() {
    for text in [
        "a: &x 1\nb: *x\n",
        "? a\n: b\n",
        "a: 1\n  b: 2\n",
        "a: {b: 1\n",
        "a: 1\na: 2\n",
        "a: !!str 1\n",
        "<<: x\n",
        "- - a\n b\n",
        "a: \"x\n",
        "\t- a\n",
        "{",
        "[",
        "{a",
        "a: {b: }}\n",
        "'",
        "\"",
        ":",
        "-",
        "- :",
        "a:\n- b\n c: d\n",
    ] {
        let found = documents(text);
        let changes = crate::yaml::want::Changes::default();
        assert_eq!(changes.made(text), text, "{found:?}");
    }
    assert!(documents("a: &x 1\n").is_empty());
    assert!(documents("a: {b: 1\n").is_empty());
    let deep = format!("{}x", "[".repeat(10_000));
    assert!(documents(&deep).is_empty());
    let deep: String = (0..1000).flat_map(|i| [" ".repeat(i), "a:\n".to_owned()]).collect();
    assert!(documents(&deep).is_empty());
}
