//! `tokenyard run` with files of rows: what it writes, what it refuses, and how it ends when writing fails.

use crate::support::command;
use crate::support::command::{TempFile, printed, printed_json, refused, run, stderr, stdout};
use std::fs;

const SHORT: [&str; 7] =
    ["chat-4xh100", "--set", "run.horizon_s=3", "--set", "run.warmup_s=1", "--set", "edits=[]"];

fn with<'a>(command: &'a str, args: &[&'a str]) -> Vec<&'a str> {
    [&[command], &SHORT[..], args].concat()
}

#[test]
fn the_files_are_written_and_what_is_printed_does_not_change() {
    let files = ["r.csv", "d.jsonl", "e.jsonl", "s.csv"].map(|name| TempFile::new(name, b""));
    let [r, d, e, s] = files.each_ref().map(TempFile::path);
    let args = with(
        "run",
        &["--json", "--requests", r, "--decisions", d, "--decisions-k", "1", "--events", e, "--series", s],
    );
    let out = run(&args);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let without = run(&with("run", &["--json"]));
    assert_eq!((stdout(&out), stderr(&out)), (stdout(&without), stderr(&without)));
    let report: serde_json::Value = serde_json::from_slice(&out.stdout).expect("a report is JSON");
    let texts = [r, d, e, s].map(|path| fs::read_to_string(path).expect("it was written"));
    let arrived = report["requests"]["arrived"].as_u64().expect("a number");
    assert_eq!(texts[0].lines().count() as u64, 1 + arrived);
    assert!(texts[0].starts_with("request,name,client,"), "{}", texts[0].lines().next().unwrap_or_default());
    assert!(texts[1].starts_with("{\"decision\":0,"));
    assert!(texts[2].starts_with("{\"time_us\":"));
    assert!(texts[3].starts_with("bucket_start_us,bucket_width_us,"));
    assert!(texts.iter().all(|text| text.ends_with('\n')));
}

#[test]
fn names_that_cannot_be_used_are_refused_before_the_run() {
    let out = run(&with("run", &["--requests", "rows.txt", "--events", "rows", "--series", "s.csv"]));
    assert_eq!((out.status.code(), stdout(&out).as_str()), (Some(2), ""));
    let told = stderr(&out);
    for line in [
        "--requests: error: rows.txt; allowed: a file name that ends in .csv or .jsonl",
        "--events: error: rows; allowed:",
    ] {
        assert!(told.contains(line), "{line} is not in\n{told}");
    }
    assert!(!fs::exists("s.csv").expect("the folder can be read"), "nothing is opened");
    let told = refused(&with("run", &["--requests", "same.csv", "--series", "same.csv"]));
    assert!(told.contains("--series: error: same.csv; allowed: a file of its own"), "{told}");
    refused(&with("run", &["--decisions-k", "3"]));
    refused(&with("run", &["--decisions", "d.csv", "--decisions-k", "0"]));
}

#[test]
fn a_file_that_cannot_be_opened_ends_the_command_with_its_name() {
    let path = "/no-such-folder/rows.csv";
    for table in ["--requests", "--decisions", "--events", "--series"] {
        let out = run(&with("run", &[table, path]));
        assert_eq!((out.status.code(), stdout(&out).as_str()), (Some(3), ""));
        assert!(
            stderr(&out).starts_with("error: /no-such-folder/rows.csv: no such file or folder"),
            "{}",
            stderr(&out)
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_ends_the_command_with_the_name_of_the_file() {
    let folder = std::env::temp_dir().join(format!("tokenyard-full-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("the temporary folder takes folders");
    for (table, name) in
        [("--requests", "r.csv"), ("--decisions", "d.csv"), ("--events", "e.jsonl"), ("--series", "s.jsonl")]
    {
        let path = folder.join(name);
        std::os::unix::fs::symlink("/dev/full", &path).expect("a link can be made");
        let path = path.to_str().expect("a path in UTF-8");
        let out = run(&with("run", &[table, path]));
        assert_eq!((out.status.code(), stdout(&out).as_str()), (Some(3), ""));
        let expected = format!("error: {path}: no room is left on the disk");
        assert!(stderr(&out).starts_with(&expected), "{}", stderr(&out));
    }
    fs::remove_dir_all(&folder).ok();
}

#[cfg(unix)]
#[test]
fn a_pipe_without_a_reader_ends_the_command_with_its_name() {
    let path = std::env::temp_dir().join(format!("tokenyard-pipe-{}.csv", std::process::id()));
    let made = std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo runs");
    assert!(made.success());
    let reader = {
        let path = path.clone();
        // Opening it waits for the writer; what is written then is more than a pipe holds.
        std::thread::spawn(move || drop(fs::File::open(path).expect("a pipe can be read")))
    };
    let out = run(&with("run", &["--events", path.to_str().expect("a path in UTF-8")]));
    reader.join().expect("the reader has gone");
    fs::remove_file(&path).ok();
    assert_eq!((out.status.code(), stdout(&out).as_str()), (Some(3), ""));
    assert!(stderr(&out).contains(".csv: the reader has closed it"), "{}", stderr(&out));
}

#[test]
fn the_list_of_columns_names_every_table() {
    let out = printed(&["list", "columns"]);
    for part in [
        "requests   ttft_us",
        "decisions  score_regret",
        "events     duration_us",
        "series     bucket_width_us",
    ] {
        assert!(out.contains(part), "{part} is not in\n{out}");
    }
    let json = printed_json(&["list", "columns", "--json"]);
    assert_eq!(json["columns"]["requests"][0]["name"], "request");
}

#[test]
fn names_that_look_like_formulas_are_text_in_csv_and_as_they_are_in_json() {
    let names = ["=1+1", "+x", "-y", "@SUM(A1)", "a\u{1b}[31mb\nc", "plain - = +"];
    let client = |(i, name): (usize, &&str)| {
        serde_json::json!({"name": name, "tenant": format!("{name}{i}"), "arrivals": {"constant": {"rate_per_s": 50.0}},
            "prompt_tokens": {"constant": {"tokens": 9}}, "output_tokens": {"constant": {"tokens": 2}}})
    };
    let clients: Vec<_> = names.iter().enumerate().map(client).collect();
    let scenario =
        serde_json::json!({"run": {"horizon_s": 1, "warmup_s": 0}, "workload": {"clients": clients}});
    let file = command::TempFile::new("formulas.json", scenario.to_string().as_bytes());
    let (csv, jsonl) = (command::TempFile::new("f.csv", ""), command::TempFile::new("f.jsonl", ""));
    for path in [&csv, &jsonl] {
        assert_eq!(run(&["run", file.path(), "--requests", path.path()]).status.code(), Some(0));
    }
    let csv = fs::read_to_string(csv.path()).expect("it was written");
    assert!(csv.chars().all(|c| c == '\n' || !c.is_control()), "{csv:?}");
    for cell in [
        "'=1+1,'=1+10",
        "'+x,'+x1",
        "'-y,'-y2",
        "'@SUM(A1),'@SUM(A1)3",
        "a\\u001b[31mb\\u000ac",
        "plain - = +",
    ] {
        assert!(csv.contains(cell), "{cell} is not in\n{csv}");
    }
    let jsonl = fs::read_to_string(jsonl.path()).expect("it was written");
    let row = |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("a line is JSON");
    let clients: Vec<_> = jsonl.lines().map(|line| row(line)["client"].clone()).collect();
    assert!(names.iter().all(|name| clients.iter().any(|client| client == name)), "{clients:?}");
}
