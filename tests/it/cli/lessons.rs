//! `tokenyard lesson`: the skeleton holds, a false claim fails and says by how much, and no file is overwritten.

use crate::support::command::{TempFile, printed, refused, run, stderr, stdout};
use std::fs;

const SKELETON: &str = include_str!("../../../src/cli/commands/page/lesson_skeleton.yaml");

#[test]
fn the_skeleton_holds_and_an_existing_file_stays() {
    let file = TempFile::new("lesson.yaml", b"mine");
    let out = run(&["lesson", "new", file.path()]);
    assert_eq!(out.status.code(), Some(3));
    assert!(stderr(&out).contains("it is there already"), "{}", stderr(&out));
    assert_eq!(fs::read_to_string(file.path()).expect("a file"), "mine");
    fs::remove_file(file.path()).expect("it goes");
    assert_eq!(run(&["lesson", "new", file.path()]).status.code(), Some(0));
    let out = printed(&["lesson", "check", file.path()]);
    assert!(out.contains("claims hold, 0 fail"), "{out}");
}

#[test]
fn a_false_claim_fails_and_says_by_how_much() {
    let bound = SKELETON.lines().find(|line| line.contains("above: ")).expect("a claim");
    let at = bound.find("above: ").expect("a bound");
    let wrong = SKELETON.replace(bound, &format!("{}above: 1000000 }}", &bound[..at]));
    let file = TempFile::new("wrong.yaml", wrong.as_bytes());
    let out = run(&["lesson", "check", file.path()]);
    assert_eq!(out.status.code(), Some(1), "{}", stdout(&out));
    let said = stdout(&out);
    assert!(said.contains("FAIL") && said.contains("holds in 0 of 20, 20 needed; missed by 9999"), "{said}");
    let json = run(&["lesson", "check", "--json", file.path()]);
    assert_eq!(json.status.code(), Some(1));
    let verdicts: serde_json::Value = serde_json::from_str(&stdout(&json)).expect("json");
    assert!(verdicts[0]["steps"].as_array().is_some_and(|steps| !steps.is_empty()), "{verdicts}");
}

#[test]
fn bad_lessons_are_refused_with_a_line_each() {
    let refused = |text: &str| {
        let file = TempFile::new("bad.yaml", text.as_bytes());
        refused(&["lesson", "check", file.path()])
    };
    assert!(refused("").contains("tokenyard lesson new"));
    assert!(refused("steps: [").contains("line 1"));
    let two = refused(
        &SKELETON.replace("minutes: 3", "minutes: 300").replace("title: \"What came\"", "title: \"\""),
    );
    assert_eq!(two.lines().count(), 2, "{two}");
    assert!(two.contains("minutes") && two.contains("steps["), "{two}");
    let unknown = refused(&SKELETON.replace("calm.latency_ms.ttft.p99", "calm.latency_ms.ttft.p98"));
    assert!(unknown.contains("did you mean `p9"), "{unknown}");
    let word = refused(&SKELETON.replace("[[TTFT]]", "[[TTTF]]"));
    assert!(word.contains("TTTF"), "{word}");
    assert!(refused("a: &x [*x]").lines().count() >= 1);
}

#[test]
fn a_link_to_a_lesson_says_what_it_is() {
    let told = refused(&["run", "#lesson=the-knee;step=3"]);
    assert!(told.contains("a link to a lesson"), "{told}");
}
