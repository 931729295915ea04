//! The same file in the page's question and in the command: each through its own entry point, with sound samples and with broken ones.

use super::{folder, samples};
use crate::support::command::{run, stderr, stdout};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use tokenyard::base::ask::{Attachments, Refusal, ask};
use tokenyard::base::import::Import;
use tokenyard::benchmarks::import::BENCHMARKS;
use tokenyard::benchmarks::questions::{MeasuredDesk, MeasuredQuestion};
use tokenyard::config::import::CONFIGURATIONS;
use tokenyard::config::questions::{ExchangeDesk, ExchangeQuestion};

/// The answer of the page's module to an import of a file.
fn page(name: &str, text: &str) -> Value {
    let question =
        json!({ "import": { "texts": [{ "name": name, "text": text }], "into": "", "settled": [] } });
    let mut desk = ExchangeDesk;
    let answer = ask(&question.to_string(), Attachments::default(), |question: ExchangeQuestion, beside| {
        question.answer(&mut desk, beside)
    });
    serde_json::from_str(&answer.expect("an answer").text).expect("JSON")
}

/// The answer of the command, and whether it made a scenario.
fn command(path: &str) -> (Value, bool) {
    let out = run(&["import", "--json", path]);
    let answer =
        serde_json::from_str(&stdout(&out)).unwrap_or_else(|e| panic!("{path}: {e}: {}", stderr(&out)));
    (answer, out.status.code() == Some(0))
}

/// The folder of broken samples: one of each format.
fn broken() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/exchange/broken")
}

/// The broken sample of a format: its file and its text.
fn broken_one(format: &str) -> (PathBuf, String) {
    let files = fs::read_dir(broken()).expect("the broken samples");
    let mut paths = files.map(|file| file.expect("a file").path());
    let is_own = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem == format);
    let path = paths.find(is_own).unwrap_or_else(|| panic!("tests/it/exchange/broken/{format}.* is missing"));
    let text = fs::read_to_string(&path).expect("a text");
    (path, text)
}

#[test]
fn the_page_and_the_command_import_the_same_of_every_sample() {
    let names = CONFIGURATIONS.map(Import::name);
    for (file, text) in names.iter().flat_map(|name| samples(name, &names)) {
        let path = folder().join(&file).to_string_lossy().into_owned();
        let (said, made) = command(&path);
        let page = page(&path, &text);
        assert_eq!(page, said, "{file}");
        assert_eq!(made, page["scenario"] != "", "{file}");
    }
}

#[test]
fn a_broken_sample_of_every_format_has_the_same_messages_on_the_page_and_in_the_command() {
    for name in CONFIGURATIONS.map(Import::name) {
        let (path, text) = broken_one(name);
        let path = path.to_string_lossy().into_owned();
        let (said, _) = command(&path);
        assert_eq!(page(&path, &text), said, "{name}");
        let messages = ["problems", "warnings"].map(|kind| said[kind].as_array().map_or(0, Vec::len));
        assert!(messages[0] + messages[1] > 0, "{name}: a broken file without a word");
    }
}

#[test]
fn a_broken_benchmark_of_every_format_has_the_same_messages_on_the_page_and_in_the_command() {
    for name in BENCHMARKS.map(Import::name) {
        let (path, text) = broken_one(name);
        let question = json!({ "read": text }).to_string();
        let mut desk = MeasuredDesk::default();
        let answer = ask(&question, Attachments::default(), |question: MeasuredQuestion, beside| {
            question.answer(&mut desk, beside)
        });
        let Err(Refusal::Refused(problems)) = answer else { panic!("{name}: {answer:?}") };
        let path = path.to_string_lossy().into_owned();
        let out = run(&["validate", &path, "--scenario", "chat-4xh100"]);
        assert_eq!(out.status.code(), Some(2), "{name}: {}", stdout(&out));
        for problem in problems {
            assert!(stderr(&out).contains(&problem.found), "{name}: {problem} in {}", stderr(&out));
        }
    }
}
