//! No command overwrites a file that it reads, under any name of the file.
#![cfg(unix)]

use crate::support::command::{self, TempFolder, printed, run, run_with, stderr};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const TRACE: &str = "arrived_at,num_prefill_tokens,num_decode_tokens\n0.0,10,5\n0.1,20,5\n";
const SCENARIO: &str = r#"{"run": {"horizon_s": 1, "warmup_s": 0}}"#;
const REFUSED: &str = "allowed: a file that is not read in the same run";

fn refused(out: &Output, option: &str) {
    let told = stderr(out);
    assert_eq!(out.status.code(), Some(2), "{told}");
    let line = told.lines().find(|line| line.starts_with(option));
    assert!(line.is_some_and(|line| line.contains(REFUSED)), "{told}");
}

fn unchanged(path: &str, text: &str) {
    assert_eq!(fs::read_to_string(path).expect("it is there"), text, "{path}");
}

#[test]
fn rows_do_not_replace_the_trace_or_the_scenario_under_any_name() {
    let folder = TempFolder::new("run");
    let (trace, scenario) = (folder.write("t.csv", TRACE), folder.write("s.csv", SCENARIO));
    let (link, hard) = (folder.path("link.csv"), folder.path("hard.csv"));
    std::os::unix::fs::symlink(&trace, &link).expect("a link can be made");
    fs::hard_link(&trace, &hard).expect("a link can be made");
    let spelt =
        folder.path("./../") + Path::new(folder.here()).file_name().unwrap().to_str().unwrap() + "/./t.csv";
    for output in [&trace, &link, &hard, &spelt] {
        for option in ["--requests", "--decisions", "--events", "--series", "--scaling", "--openmetrics"] {
            refused(&run(&["run", &scenario, "--trace", &trace, option, output]), option);
        }
        unchanged(&trace, TRACE);
    }
    // The link is the input, and its target the output.
    refused(&run(&["run", &scenario, "--trace", &link, "--events", &trace]), "--events");
    refused(&run(&["run", &scenario, "--requests", &scenario]), "--requests");
    unchanged(&scenario, SCENARIO);
    // A trace that the scenario names lies beside it.
    let named = r#"{"workload": {"trace": {"file": "t.csv"}}, "run": {"horizon_s": 1, "warmup_s": 0}}"#;
    let named = folder.write("named.json", named);
    refused(&run(&["run", &named, "--series", &trace]), "--series");
    unchanged(&trace, TRACE);
    let out = folder.path("new.csv");
    printed(&["run", &scenario, "--trace", &trace, "--requests", &out]);
    // The output of the previous run is not an input.
    assert_eq!(run(&["run", &scenario, "--trace", &trace, "--requests", &out]).status.code(), Some(0));
}

#[test]
fn standard_input_from_a_file_is_that_file() {
    let folder = TempFolder::new("stdin");
    let scenario = folder.write("s.jsonl", SCENARIO);
    let out = Command::new(env!("CARGO_BIN_EXE_tokenyard"))
        .args(["run", "-", "--events", &scenario])
        .stdin(fs::File::open(&scenario).expect("it is there"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .output()
        .expect("the command starts");
    refused(&out, "--events");
    unchanged(&scenario, SCENARIO);
    let events = folder.path("e.jsonl");
    assert_eq!(run_with(&["run", "-", "--events", &events], SCENARIO.as_bytes()).status.code(), Some(0));
}

#[test]
fn one_file_is_not_the_output_of_two_tables_under_two_names() {
    let folder = TempFolder::new("two");
    let (one, other) = (folder.write("a.csv", ""), folder.path("b.csv"));
    fs::hard_link(&one, &other).expect("a link can be made");
    let told = command::refused(&["run", "chat-4xh100", "--requests", &one, "--series", &other]);
    assert!(told.contains("allowed: a file of its own"), "{told}");
    let (new, spelt) = (folder.path("n.csv"), folder.path("./n.csv"));
    assert_eq!(run(&["run", "chat-4xh100", "--requests", &new, "--events", &spelt]).status.code(), Some(2));
    assert!(!Path::new(&new).exists());
}

#[test]
fn a_sweep_does_not_replace_what_it_reads() {
    let folder = TempFolder::new("sweep");
    let scenario = folder.write("s.json", SCENARIO);
    for name in ["rows.csv", "unfinished.tmp"] {
        let trace = folder.write(name, TRACE);
        let into = folder.here();
        let out = run(&["sweep", &scenario, "--trace", &trace, "--vary", "traffic=0.5,1", "--output", into]);
        refused(&out, "--output");
        unchanged(&trace, TRACE);
        fs::remove_file(&trace).expect("it is there");
    }
    let summary = folder.write("summary.json", SCENARIO);
    let out = run(&["sweep", &summary, "--vary", "traffic=0.5,1", "--output", folder.here()]);
    refused(&out, "--output");
    unchanged(&summary, SCENARIO);
}

#[test]
fn calibrations_and_validations_do_not_replace_what_they_read() {
    let folder = TempFolder::new("measured");
    let experiments =
        r#"[{"id": "x-1", "group": "x", "model": "llama-3.1-8b", "gpu": "H100", "measured": []}]"#;
    let file = folder.write("experiments.json", experiments);
    let into = folder.here();
    refused(&run(&["calibrate", into, "--output", &file]), "--output");
    refused(&run(&["calibrate", &file, "--output", &file]), "--output");
    let table = folder.write("table.json", "[]");
    refused(&run(&["validate", &file, "--gate", &table, "--record", &table]), "--record");
    refused(&run(&["validate", &file, "--evidence", &file]), "--evidence");
    unchanged(&file, experiments);
    unchanged(&table, "[]");
    let page = folder.write("validation-page.json", experiments);
    refused(&run(&["validate", &page, "--report", into]), "--report");
    unchanged(&page, experiments);
}
