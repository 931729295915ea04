//! Published experiments beside ours: the table of the document is that of the JSON file, every ranking holds or says why not, every figure far
//! from the published one has a reason, the scenarios are sound, and a cheap experiment comes out as written.

use crate::support::rows::{rows, start, whole};
use serde_json::Value;
use std::fs;
use tokenyard::export::Table;
use tokenyard::scenario::parse;

const FACTOR: f64 = 1.5;

fn text(path: &str) -> String {
    fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).expect("a file of the repository")
}

fn json(path: &str) -> Value {
    serde_json::from_str(&text(path)).expect("JSON")
}

fn list(of: &Value) -> &[Value] {
    of.as_array().expect("a list")
}

fn words<'a>(of: &'a Value, name: &str) -> &'a str {
    of[name].as_str().unwrap_or_else(|| panic!("{name} is missing in {of}"))
}

fn figures(page: &Value) -> impl Iterator<Item = (&Value, &Value)> {
    list(&page["experiments"]).iter().flat_map(|e| list(&e["figures"]).iter().map(move |f| (e, f)))
}

#[test]
fn the_tables_of_the_document_are_those_of_the_file() {
    let (page, document) = (json("docs/data/reproduced.json"), text("docs/explanation/reproduced.md"));
    for (e, f) in figures(&page) {
        let numbers = ["published", "ours", "ratio", "fitted", "fitted_ratio"];
        let cells: Vec<String> = numbers.iter().filter_map(|n| f.get(*n)).map(Value::to_string).collect();
        let row = format!("| {} | {} | {} |", words(f, "figure"), words(f, "unit"), cells.join(" | "));
        assert!(document.lines().any(|line| line == row), "{}: {row} is missing", words(e, "name"));
    }
    for e in list(&page["experiments"]) {
        assert!(document.contains(words(e, "source")), "{}", words(e, "name"));
    }
}

#[test]
fn rankings_hold_and_far_figures_have_a_reason() {
    let page = json("docs/data/reproduced.json");
    for e in list(&page["experiments"]) {
        for r in list(&e["rankings"]) {
            let explained = r["why"].as_str().is_some_and(|why| why.len() > 40);
            assert!(r["holds"] == true || explained, "{}: {}", words(e, "name"), words(r, "claim"));
        }
    }
    let mut within = 0;
    for (e, f) in figures(&page) {
        let number = |name: &str| f[name].as_f64().expect("a number");
        let ratio = number("ratio");
        let exact = number("ours") / number("published");
        assert!((ratio - exact).abs() < 0.006 + 0.01 * exact, "{}: {f}", words(e, "name"));
        if (1.0 / FACTOR..=FACTOR).contains(&ratio) {
            within += 1;
        } else {
            assert!(!words(f, "why").is_empty(), "{}: {f}", words(e, "name"));
        }
    }
    assert_eq!(page["summary"]["within"], within);
}

#[test]
fn the_scenarios_are_sound_and_each_is_used() {
    let described = text("docs/data/reproduced/experiments.json");
    let folder = format!("{}/docs/data/reproduced", env!("CARGO_MANIFEST_DIR"));
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("a file").path();
        let name = path.file_stem().and_then(|n| n.to_str()).expect("a name").to_owned();
        if name == "experiments" {
            continue;
        }
        let scenario = fs::read_to_string(&path).expect("text");
        assert!(parse(&scenario).is_ok(), "{name}: {:?}", parse(&scenario).err());
        assert!(described.contains(&format!("\"scenario\": \"{name}\"")), "{name} is not used");
    }
}

#[test]
fn a_lone_prompt_takes_as_long_as_written() {
    let page = json("docs/data/reproduced.json");
    let wanted = figures(&page)
        .find(|(_, f)| words(f, "figure") == "Qwen3-32B, 2 × H100, vLLM")
        .expect("the figure")
        .1;
    let requests = rows(&mut start(&json("docs/data/reproduced/peak-prefill.json")), Table::Requests);
    let first = &requests[0];
    let ttft_s = whole(first, "ttft_us").expect("an answer") as f64 / 1e6;
    let rate = whole(first, "prompt_tokens").expect("a prompt") as f64 / ttft_s;
    assert_eq!(wanted["ours"], rate.round() as u64);
}
