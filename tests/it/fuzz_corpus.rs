//! The corpus of the fuzzer (`fuzz/`), run as ordinary tests: none of its inputs panics or breaks what the targets promise.

#![expect(clippy::print_stdout, reason = "a panic is of the input named last")]

#[path = "../../fuzz/targets/mod.rs"]
mod targets;

use std::fs;

/// Runs the inputs of a target.
#[track_caller]
fn replay(target: &str, run: fn(&[u8])) {
    let mut files: Vec<_> = fs::read_dir(format!("fuzz/corpus/{target}"))
        .expect("a corpus")
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    files.sort();
    assert!(files.len() >= 3, "{target} has {} inputs", files.len());
    for file in files {
        println!("{}", file.display());
        run(&fs::read(&file).expect("an input"));
    }
}

#[test]
fn links_of_the_corpus_open() {
    replay("link", targets::link);
}

#[test]
fn scenarios_of_the_corpus_are_checked() {
    replay("scenario", targets::scenario);
}

#[test]
fn traces_of_the_corpus_are_the_same_wherever_they_are_cut() {
    replay("trace", targets::trace);
}

#[test]
fn policies_of_the_corpus_are_reported_key_by_key() {
    replay("policies", targets::policies);
}

#[test]
fn configurations_of_the_corpus_are_converted_or_refused() {
    replay("convert", targets::convert);
}

#[test]
fn models_of_the_corpus_are_read_or_refused() {
    replay("model", targets::model);
}

#[test]
fn edits_of_the_corpus_are_taken_or_refused() {
    replay("edit", targets::edit);
}
