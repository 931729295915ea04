//! `tokenyard trace`: figures of a trace, and its export.

use crate::support::command::{TempFile, printed_json, refused, run, stderr, stdout};
use serde_json::Value;
use std::path::PathBuf;

/// Five requests: two sessions, shared blocks, one row without output, one out of order.
const SAMPLE: &str = r#"{"timestamp": 0, "input_length": 1024, "output_length": 10, "hash_ids": [1, 2], "session_id": "a", "tenant": "acme"}
{"timestamp": 2000, "input_length": 1536, "output_length": 20, "hash_ids": [1, 2, 3], "session_id": "a"}
{"timestamp": 2500, "input_length": 512, "output_length": 0, "hash_ids": [9]}
{"timestamp": 1000, "input_length": 1100, "output_length": 30, "hash_ids": [1, 5, 6], "session_id": "b"}
{"timestamp": 4000, "input_length": 1024, "output_length": 40, "hash_ids": [1, 2]}
{"timestamp": 4000, "input_length": 1024, "output_length": 40, "hash_ids": [1, 2]}
"#;

fn inspect(text: &str, more: &[&str]) -> Value {
    let file = TempFile::new("trace.jsonl", text);
    printed_json(&[&["trace", file.path(), "--json"], more].concat())
}

/// A name in the folder for temporary files at which nothing is.
fn free(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("tokenyard-{}-{name}", std::process::id()));
    for ending in ["csv", "jsonl", "yaml"] {
        let _ = std::fs::remove_file(path.with_extension(ending));
    }
    path
}

#[test]
fn the_figures_of_a_trace_are_those_counted_by_hand() {
    let t = inspect(SAMPLE, &[]);
    assert_eq!(t["summary"]["requests"], 5);
    assert_eq!(t["summary"]["duration_s"], 4.0);
    assert_eq!((&t["summary"]["prompt_tokens"], &t["summary"]["output_tokens"]), (&5708.into(), &140.into()));
    assert_eq!(t["found"]["format"], "Mooncake");
    assert_eq!((&t["found"]["unit"], &t["found"]["block_tokens"]), (&"ms".into(), &512.into()));
    let odd = &t["found"]["odd"];
    assert_eq!(
        (&odd[0]["rows"], &odd[0]["lines"][0], &odd[0]["left_out"]),
        (&1.into(), &3.into(), &true.into())
    );
    assert_eq!(
        (&odd[1]["rows"], &odd[1]["lines"][0], &odd[1]["left_out"]),
        (&1.into(), &4.into(), &false.into())
    );
    assert_eq!(t["rate"]["requests"], serde_json::json!([1, 1, 1, 0, 2]));
    assert_eq!((&t["rate"]["mean_per_s"], &t["rate"]["peak_per_s"]), (&1.25.into(), &2.0.into()));
    let prompt = &t["prompt"];
    assert_eq!(
        (&prompt["p50"], &prompt["p99"], &prompt["mean"]),
        (&1024.into(), &1536.into(), &1141.6.into())
    );
    assert_eq!(prompt["bins"], serde_json::json!([{"from": 1024, "to": 2047, "count": 5}]));
    // 512 of block 1, then 1024, 1024 and 1024 tokens of blocks 1 and 2.
    let unbounded = t["reuse"]["unbounded"].as_f64().unwrap();
    assert!((unbounded - 3584.0 / 5708.0).abs() < 1e-12, "{unbounded}");
    // Blocks 1, 2 and 3, and 588 tokens of blocks 5 and 6.
    assert_eq!(t["reuse"]["distinct_tokens"], 3 * 512 + 588);
    let sessions = &t["sessions"];
    assert_eq!(
        (&sessions["sessions"], &sessions["requests"], &sessions["gap_p50_s"]),
        (&2.into(), &3.into(), &2.0.into())
    );
    assert_eq!((&sessions["bins"][0]["count"], &sessions["bins"][1]["count"]), (&1.into(), &1.into()));
    assert_eq!((&t["repeated_rows"], &t["repeated_ids"]), (&1.into(), &0.into()));
    assert_eq!(
        t["tenants"],
        serde_json::json!([{"name": "", "requests": 4}, {"name": "acme", "requests": 1}])
    );
    // The unit is overruled.
    assert_eq!(inspect(SAMPLE, &["--columns", "arrival:s=timestamp"])["summary"]["duration_s"], 4000.0);
}

#[test]
fn the_figures_are_printed_in_words() {
    let file = TempFile::new("trace.jsonl", SAMPLE);
    let text = stdout(&run(&["trace", file.path()]));
    for part in [
        "Format    Mooncake (keys timestamp, input_length, output_length)",
        "Left out  1 of 6 lines: no output tokens; lines 3",
        "Requests  5 in 4 s, 1.250 per second, at most 2.000 in 1 s",
        "Reuse of prompts by an ideal cache: 62.8 % without a bound",
        "Sessions: 2 with 3 requests, mean 1.50",
        "Tenants  (none) 4, acme 1",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let bad = TempFile::new("bad.csv", "a,b\n1,2\n");
    let all = run(&["trace", bad.path()]);
    assert_eq!(all.status.code(), Some(2));
    assert!(stdout(&all).is_empty() && stderr(&all).contains("with the columns a, b"), "{}", stderr(&all));
    let all = run(&["trace", file.path(), "--columns", "arival=t"]);
    assert_eq!((all.status.code(), stderr(&all).contains("did you mean `arrival`?")), (Some(2), true));
}

#[test]
fn every_command_that_takes_a_trace_takes_its_columns() {
    let trace = TempFile::new("t.csv", "when,in,out\n0,10,1\n500,20,2\n");
    let scenario = TempFile::new("s.json", "{}");
    let columns = "arrival:ms=when,prompt=in,output=out";
    let all = run(&["check", scenario.path(), "--trace", trace.path(), "--columns", columns]);
    assert_eq!(all.status.code(), Some(0), "{}", stderr(&all));
    assert!(stderr(&all).contains("2 requests in 0.5 s, 30 prompt and 3 output tokens"), "{}", stderr(&all));
    let all = run(&["check", scenario.path(), "--columns", columns]);
    assert_eq!((all.status.code(), stderr(&all).contains("--columns: error: no trace")), (Some(2), true));
}

#[test]
fn an_export_is_read_as_the_trace_that_it_was() {
    let file = TempFile::new("trace.jsonl", SAMPLE);
    let whole = inspect(SAMPLE, &[]);
    for (format, ending, name) in [
        ("jsonl", "jsonl", "RouteSim"),
        ("mooncake", "jsonl", "Mooncake"),
        ("azure", "csv", "Azure LLM inference"),
        ("blis", "csv", "BLIS TraceV2"),
    ] {
        let out = free(format).with_extension(ending);
        let path = out.to_str().unwrap();
        let all = run(&["trace", file.path(), "--as", format, "-o", path]);
        assert_eq!(all.status.code(), Some(0), "{}", stderr(&all));
        let t = inspect(&std::fs::read_to_string(&out).unwrap(), &[]);
        assert_eq!(t["found"]["format"], name);
        for key in ["requests", "duration_s", "prompt_tokens", "output_tokens"] {
            assert_eq!(t["summary"][key], whole["summary"][key], "{format}");
        }
        assert_eq!(t["summary"]["digest"] == whole["summary"]["digest"], format == "jsonl", "{format}");
        assert_eq!(
            stderr(&all).contains("the format has no tenants"),
            ["mooncake", "azure"].contains(&format)
        );
        if format == "blis" {
            let header = std::fs::read_to_string(out.with_extension("yaml")).unwrap();
            assert!(header.starts_with("trace_version: 2\ntime_unit: microseconds\n"), "{header}");
            assert_eq!(t["sessions"]["sessions"], 2);
        }
        // A file that exists stays as it is.
        let before = std::fs::read(&out).unwrap();
        let again = refused(&["trace", file.path(), "--as", format, "-o", path]);
        assert!(again.contains("a file that does not exist yet"), "{again}");
        assert_eq!(std::fs::read(&out).unwrap(), before);
    }
}

#[test]
fn a_client_of_servegen_becomes_a_client_with_steps_and_measured_lengths() {
    let folder = free("servegen");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir(&folder).unwrap();
    let trace = folder.join("chunk-3-trace.csv");
    std::fs::write(&trace, "0,0,0,,0,0\n600,10,1.5,Gamma,0.3,0.2\n1200,20,3,Gamma,1.1,0.06\n").unwrap();
    let lengths = r#"{"0": {"input_tokens": "{100: 0.5, 200: 0.5}", "output_tokens": "{50: 1.0}"}, "1200": {"input_tokens": "{100: 1.0}", "output_tokens": {"60": 1.0}}}"#;
    std::fs::write(folder.join("chunk-3-dataset.json"), lengths).unwrap();
    let path = trace.to_str().unwrap();
    let all = run(&["convert", path]);
    assert_eq!(all.status.code(), Some(0), "{}", stderr(&all));
    let scenario: Value = serde_json::from_str(&stdout(&all)).unwrap();
    let client = &scenario["workload"]["clients"][0];
    assert_eq!(client["name"], "chunk-3");
    // The busiest rate, and the mean cv over requests: (10 × 1.5 + 20 × 3) / 30.
    assert_eq!(client["arrivals"], serde_json::json!({"gamma": {"rate_per_s": 20.0, "cv": 2.5}}));
    let points = &client["rate_profile"]["steps"]["points"];
    let want = [(0.0, 0.0), (600.0, 0.5), (1200.0, 1.0), (1800.0, 0.0)];
    for (i, (at_s, factor)) in want.into_iter().enumerate() {
        assert_eq!((&points[i]["at_s"], &points[i]["factor"]), (&at_s.into(), &factor.into()));
    }
    // 6,000 requests of 100 or 200 tokens, then 12,000 of 100.
    let prompts = &client["prompt_tokens"]["empirical"]["lengths"];
    assert_eq!(
        *prompts,
        serde_json::json!([{"tokens": 100, "weight": 15000.0}, {"tokens": 200, "weight": 3000.0}])
    );
    assert!(stderr(&all).contains("rate: 3 windows → workload.clients[0].rate_profile"), "{}", stderr(&all));
    // Without lengths it says so; as a trace it names the way.
    std::fs::remove_file(folder.join("chunk-3-dataset.json")).unwrap();
    assert!(stderr(&run(&["convert", path])).contains("no lengths"));
    assert!(stderr(&run(&["trace", path])).contains("`tokenyard convert` does so"));
    std::fs::write(&trace, "0,5,1,Gamma,1,1\n0,5,1,Gamma,1,1\n").unwrap();
    let all = run(&["convert", path]);
    assert_eq!((all.status.code(), stderr(&all).contains("line 2")), (Some(2), true), "{}", stderr(&all));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn tiers_of_a_replica_are_shown_with_what_each_would_find_and_the_size_that_is_worth_having() {
    let file = TempFile::new("trace.jsonl", SAMPLE);
    let ask = |more: &[&str]| printed_json(&[&["trace", file.path(), "--json", "--tiers"], more].concat());
    let found = ask(&["gpu=512,cpu=1024,store=4096", "--replicas", "2"]);
    // 3,584 of 5,708 tokens are found; 512 of them (block 1 as the second request comes) by a cache of one block.
    let close = |value: &Value, want: f64| (value.as_f64().unwrap() - want).abs() < 1e-12;
    assert!(close(&found["ceiling"], 1.0 - 2124.0 / 5708.0), "{found}");
    let one = &found["dealt"][0];
    assert!(close(&one["unbounded"], 3584.0 / 5708.0));
    let tiers = one["tiers"].as_array().unwrap();
    assert_eq!(
        tiers.iter().map(|t| t["name"].as_str().unwrap()).collect::<Vec<_>>(),
        ["gpu", "cpu", "store"]
    );
    assert!(close(&tiers[2]["so_far"], 3584.0 / 5708.0));
    let sum: f64 = tiers.iter().map(|t| t["share"].as_f64().unwrap()).sum();
    assert!((sum - tiers[2]["so_far"].as_f64().unwrap()).abs() < 1e-12);
    let dealt: Vec<&str> =
        found["dealt"].as_array().unwrap().iter().map(|d| d["routing"].as_str().unwrap()).collect();
    assert_eq!(dealt, ["one", "round-robin", "session"]);
    let text = stdout(&run(&["trace", file.path(), "--tiers", "gpu=512,store=4096"]));
    assert!(
        text.contains("62.8 % without a bound") && text.contains("99 % of the unlimited reuse fits"),
        "{text}"
    );
    for wrong in ["", "gpu", "gpu=0", "gpu=1,gpu=2", "gpu=-1", "=5"] {
        let told = refused(&["trace", file.path(), "--tiers", wrong]);
        assert!(told.contains("--tiers"), "{wrong}: {told}");
    }
}
