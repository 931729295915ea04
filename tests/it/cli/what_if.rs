//! `tokenyard what-if` and `tokenyard explain` as a user runs them, and a run with a request sent elsewhere.

use crate::support::command::{self, TempFile, printed, printed_json};
use serde_json::Value;

const SHORT: [&str; 4] = ["--set", "run.horizon_s=25", "--set", "run.warmup_s=1"];

fn out(args: &[&str]) -> String {
    printed(&[args, &SHORT].concat())
}

fn json(args: &[&str]) -> Value {
    printed_json(&[args, &["--json"], &SHORT].concat())
}

fn refused(args: &[&str]) -> String {
    command::refused(&[args, &SHORT].concat())
}

#[test]
fn every_alternative_is_what_a_run_with_the_edit_gives() {
    let found = json(&["what-if", "router-showdown", "--request", "300"]);
    let at_us = &found["routed_us"];
    let chosen = found["chosen"].as_u64().expect("a number");
    assert_eq!(found["alternatives"].as_array().map(Vec::len), Some(8));
    for a in found["alternatives"].as_array().expect("a list").iter().take(3) {
        let edit = format!(
            "edits=[{{\"at_us\": {at_us}, \"route\": {{\"request\": 300, \"to\": {}}}}}]",
            a["replica"]
        );
        let rows = TempFile::new(&format!("rows-{}.jsonl", a["replica"]), "");
        out(&["run", "router-showdown", "--set", &edit, "--requests", rows.path()]);
        let text = std::fs::read_to_string(rows.path()).expect("rows were written");
        let row: Value = serde_json::from_str(text.lines().nth(300).expect("300 came before")).expect("JSON");
        assert_eq!(row["replica"], a["replica"]);
        let e2e_ms = row["e2e_us"].as_f64().expect("it finished") / 1000.0;
        assert_eq!(a["e2e_ms"].as_f64(), Some(e2e_ms));
        assert_eq!(a["chosen"].as_bool(), Some(a["replica"].as_u64() == Some(chosen)));
    }
}

#[test]
fn what_if_prints_a_table_and_both_regrets() {
    let text = out(&["what-if", "router-showdown", "--request", "300", "--most", "3", "--until", "20"]);
    assert!(text.starts_with("request 300, sent to r"), "{text}");
    assert!(text.contains("all ran to an instant at 20 s"), "{text}");
    assert!(text.contains("score regret ") && text.contains("replicas left out"), "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with('r') && line.contains('*')).count(), 1, "{text}");
    let one = json(&["what-if", "router-showdown", "--request", "300", "--to", "2"]);
    assert!((1..=2).contains(&one["alternatives"].as_array().map_or(0, Vec::len)));
}

#[test]
fn explain_says_it_in_sentences_and_in_a_table() {
    let e = json(&["explain", "router-showdown", "--above", "p95", "--time", "ttft"]);
    let text = out(&["explain", "router-showdown", "--above", "95", "--time", "ttft"]);
    for sentence in e["sentences"].as_array().expect("a list") {
        assert!(text.contains(sentence["text"].as_str().expect("a text")), "{text}");
    }
    let sum: f64 = e["causes"].as_array().expect("a list").iter().filter_map(|c| c["slow_ms"].as_f64()).sum();
    let mean = e["slow"]["mean_ms"].as_f64().expect("a number");
    assert!((sum - mean).abs() < 1e-6 * mean, "{sum} {mean}");
    let span = json(&["explain", "router-showdown", "--from", "5", "--to", "10"]);
    assert_eq!(span["slow_words"], "the requests that arrived from 5 to 10 s");
    let ended = json(&["explain", "router-showdown", "--from", "5", "--to", "10", "--by", "end"]);
    assert_eq!(ended["slow_words"], "the requests that finished from 5 to 10 s");
    assert_ne!(span["slow"]["requests"], ended["slow"]["requests"]);
}

#[test]
fn regret_prints_both_runs_and_what_the_oracle_has() {
    let args = ["regret", "long-chats"];
    let found = json(&args);
    let text = out(&args);
    assert!(text.contains("the oracle has cluster.pools[0].kv.eviction_order=belady"), "{text}");
    for side in ["own", "oracle"] {
        let computed = found[side]["computed_blocks"].to_string();
        assert!(text.lines().any(|line| line.contains(&computed)), "{computed} in {text}");
    }
    let order = ["--set", "cluster.pools[0].kv.eviction_order=belady"];
    let bound = json(&[&args[..], &order].concat());
    assert_eq!(
        (bound["block_regret"].as_f64(), bound["mean_ttft_regret_ms"].as_f64()),
        (Some(0.0), Some(0.0))
    );
    assert_eq!(bound["own"], bound["oracle"]);
}

#[test]
fn what_cannot_be_asked_is_refused() {
    assert!(refused(&["what-if", "router-showdown", "--request", "999999"]).contains("request 999999"));
    assert!(refused(&["what-if", "router-showdown", "--request", "3", "--to", "99"]).contains("replica 99"));
    assert!(
        refused(&["what-if", "router-showdown", "--request", "3", "--until", "1e9"])
            .contains("0 to 2592000 s")
    );
    assert!(refused(&["explain", "router-showdown", "--above", "p100"]).contains("below p100"));
    assert!(refused(&["explain", "router-showdown", "--above", "most"]).contains("below p100"));
    assert!(refused(&["explain", "router-showdown", "--from", "24", "--to", "2"]).contains("0 of "));
}
