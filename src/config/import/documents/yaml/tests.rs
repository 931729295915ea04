//! The reader on hostile texts.

use super::{documents, value};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The first problem of a text that is no document.
fn refused(text: &str) -> String {
    let problems = value(text).expect_err("a problem");
    format!("{}: {}", problems[0].path, problems[0].found)
}

#[test]
fn what_aliases_and_nesting_cost_is_bounded() {
    let mut text = String::from("a0: &a0 [1, 1]\n");
    for i in 1..60 {
        writeln!(text, "a{i}: &a{i} [*a{0}, *a{0}]", i - 1).expect("a String takes any text");
    }
    assert!(
        refused(&text).ends_with("more than a document of this size may expand to"),
        "{}",
        refused(&text)
    );
    let long = format!("a: &a \"{}\"\nb: [{}]", "x".repeat(1 << 20), "*a, ".repeat(200));
    assert!(refused(&long).ends_with("more than a document of this size may expand to"));
    let nested = format!("{}1{}", "&a [".repeat(60), "]".repeat(60));
    assert!(value(&nested.replace("&a ", "")).is_ok());
    for deep in [
        format!("{}{}", "[".repeat(70), "]".repeat(70)),
        "[".repeat(100_000),
        "- ".repeat(200),
        format!("a: {}{}", "{a: ".repeat(70), "}".repeat(70)),
    ] {
        assert!(refused(&deep).ends_with("values nested too deeply to read"), "{}", refused(&deep));
    }
    let many = "- 1\n".repeat(250_001);
    assert_eq!(refused(&many), "line 250000, column 3: more than 250000 values");
}

#[test]
fn an_alias_stands_for_a_value_or_a_key_before_it() {
    assert_eq!(value("a: &x b\n*x : *x\n"), Ok(json!({ "a": "b", "b": "b" })));
    assert_eq!(value("&k a: 1\nb: *k\n"), Ok(json!({ "a": 1, "b": "a" })));
    assert_eq!(refused("a: &x [*x]"), "line 1, column 8: an alias within what it stands for");
    assert!(
        refused("a: *x").ends_with("an anchor or alias that cannot be read, near `*x`"),
        "{}",
        refused("a: *x")
    );
    assert_eq!(refused("? [a]\n: 1"), "line 1, column 3: a key that is no text");
}

#[test]
fn a_merge_fills_in_what_the_others_do_not_say() {
    let text = "one: &one {x: 1, y: 1}\ntwo: &two {y: 2, z: 2}\na: {<<: [*one, *two], x: 0}\n\"<<\": 5\n";
    let read = value(text).expect("a document");
    assert_eq!(read["a"], json!({ "x": 0, "y": 1, "z": 2 }));
    assert_eq!(read["<<"], 5);
    assert_eq!(documents(text).expect("a document")[0].value, read);
    assert_eq!(refused("<<: 1"), "line 1, column 5: a merge of a value that is not an object");
}

#[test]
fn a_text_has_one_document_where_one_is_asked_for() {
    assert_eq!(value("# nothing\n"), Ok(Value::Null));
    assert_eq!(value("--- \na: 1\n...\n"), Ok(json!({ "a": 1 })));
    assert_eq!(refused("a: 1\n---\nb: 2\n"), "line 3, column 1: a second document");
    assert_eq!(documents("a: 1\n---\n# nothing\n---\nb: 2\n").expect("two").len(), 2);
}

#[test]
fn keys_given_twice_are_refused_unless_imports_say_the_same() {
    let text = "a:\n- b: 1\n  b: 1\n";
    assert_eq!(refused(text), "a[0].b: the same key twice");
    assert_eq!(documents(text).expect("a document")[0].value, json!({ "a": [{ "b": 1 }] }));
    let problems = documents("a:\n- b: 1\n  b: 2\n").expect_err("two values");
    assert_eq!((problems[0].path.as_str(), problems[0].found.as_str()), ("a.0.b", "1 and 2"));
}

#[test]
fn tags_decide_what_a_scalar_is() {
    let text = "a: !!str 1\nb: !!int \"5\"\nc: ! 5\nd: !other 5\ne: !!null ''\n";
    assert_eq!(value(text), Ok(json!({ "a": "1", "b": 5, "c": "5", "d": "5", "e": null })));
    assert_eq!(refused("a: !!binary eA=="), "line 1, column 13: binary data");
    assert_eq!(documents("a: !!binary eA==").expect("text")[0].value, json!({ "a": "eA==" }));
    assert_eq!(documents("a: .inf").expect("text")[0].value, json!({ "a": ".inf" }));
}

#[test]
fn no_text_makes_it_panic() {
    let parts = [
        "a: ", "- ", "[", "]", "{", "}", "&x ", "*x ", "|\n", "\n  ", "\"", "'", "%", "---\n", "<<: ", "\t",
        "? ", "é", "\u{feff}", "#",
    ];
    let mut state = 7_u32;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..12 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            text.push_str(parts[(state >> 16) as usize % parts.len()]);
        }
        if let Err(problems) = value(&text) {
            assert!(!problems.is_empty(), "{text:?}");
        }
        let _ = documents(&text);
    }
}
