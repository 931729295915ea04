//! `tokenyard compare` as a user runs it: the keys that others read, the table, and what it refuses.

use crate::support::command::{TempFile, printed_json, run, run_with, stderr, stdout};
use serde_json::Value;
use std::fmt::Write;

const SHORT: [&str; 4] = ["--set", "run.horizon_s=30", "--set", "run.warmup_s=5"];

fn with<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [&["compare"], args, &SHORT].concat()
}

fn json(args: &[&str]) -> Value {
    printed_json(&with(args))
}

const TIMES: [&str; 6] = ["ttft_ms", "itl_ms", "tpot_ms", "e2e_ms", "queue_wait_ms", "scheduling_delay_ms"];
const FIGURES: [&str; 5] = ["mean", "p50", "p90", "p95", "p99"];

#[test]
fn the_keys_are_those_that_are_promised() {
    for seeds in ["1", "3"] {
        let c = json(&[
            "router-showdown",
            "router-showdown",
            "--set-b",
            "cluster.routing=least-loaded",
            "--json",
            "--seeds",
            seeds,
        ]);
        assert_eq!(c["paired"], true);
        assert!(c["requests"].as_u64().expect("a number") > 500);
        for time in TIMES {
            for figure in FIGURES {
                let of = |key: &str| {
                    c["metrics"][time][figure][key]
                        .as_f64()
                        .unwrap_or_else(|| panic!("{time} {figure} {key}"))
                };
                let [a, b, diff, lo, hi] = ["a", "b", "diff", "lo", "hi"].map(of);
                assert!(
                    (b - a - diff).abs() < 1e-6 && lo <= diff && diff <= hi,
                    "{time} {figure}: {a} {b} {diff} {lo} {hi}"
                );
            }
        }
        assert_eq!(c["seeds"].as_array().map(Vec::len), seeds.parse().ok());
    }
}

#[test]
fn runs_with_autoscalers_are_held_against_the_oracle() {
    let other = r#"cluster.pools[0].scaling.policy={"kpa":{"concurrency":24}}"#;
    let args = ["day-in-ten-minutes", "day-in-ten-minutes", "--set-b", other];
    let table = json(&[&args[..], &["--seeds", "2", "--json"]].concat());
    for side in ["a", "b"] {
        for (key, sign) in [("attainment_regret", -1.0), ("replica_seconds_regret", 1.0), ("usd_regret", 1.0)]
        {
            let of = |name: &str| table["regret"][side][key][name].as_f64().expect("a number");
            let [own, bound, regret, lo, hi] = ["own", "bound", "regret", "lo", "hi"].map(of);
            assert!(
                ((own - bound) * sign - regret).abs() < 1e-9 && lo <= regret && regret <= hi,
                "{side} {key}"
            );
        }
    }
    assert_eq!(table["regret"]["oracle_a"], table["regret"]["oracle_b"]);
    let text = stdout(&run(&with(&args)));
    let lines = text.lines().skip_while(|l| !l.starts_with("against oracle"));
    let lines: Vec<&str> = lines.take(3).collect();
    let names: Vec<&str> = lines.iter().map(|l| l.split_whitespace().next().unwrap_or_default()).collect();
    assert_eq!(names, ["against", "A", "B"], "{text}");
    assert!(lines.iter().all(|l| l.chars().count() <= 100), "{text}");
    let without = json(&["router-showdown", "router-showdown", "--json"]);
    assert!(without.get("regret").is_none());
}

#[test]
fn the_same_twice_shows_no_difference_and_says_so() {
    let c = json(&["chat-4xh100", "#chat-4xh100", "--json", "--seeds", "2"]);
    assert_eq!(c["metrics"]["ttft_ms"]["p99"]["verdict"], "none-shown");
    for time in TIMES {
        for (figure, key) in FIGURES.iter().flat_map(|f| ["diff", "lo", "hi"].map(|k| (f, k))) {
            assert_eq!(c["metrics"][time][figure][key].as_f64(), Some(0.0), "{time} {figure} {key}");
        }
    }
    let text = stdout(&run(&with(&["chat-4xh100", "chat-4xh100"])));
    assert!(text.contains("no difference can be shown"), "{text}");
}

/// Runs in which all requests are answered.
const TO_THE_END: [&str; 4] = ["--set", "run.horizon_s=0", "--set", "run.max_requests=3000"];

#[test]
fn a_run_that_loses_its_slowest_requests_is_not_better_over_all() {
    // B refuses what would wait for long: it answers few of the requests that A answers late.
    let args = [
        "compare",
        "router-showdown",
        "router-showdown",
        "--set",
        "cluster.pools[0].replicas=6",
        "--set-b",
        "cluster.pools[0].engine.max_waiting=2",
        "--seeds",
        "1",
    ];
    let out = run(&[&args[..], &SHORT].concat());
    let text = stdout(&out);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let line = text.lines().find(|l| l.starts_with("TTFT") && l.contains("that both answered"));
    let line = line.unwrap_or_else(|| panic!("{text}"));
    let c = printed_json(&[&args[..], &SHORT, &["--json"]].concat());
    for time in ["ttft_ms", "e2e_ms", "tpot_ms"] {
        let of = &c["metrics"][time];
        assert_eq!(of["count_a"], of["count_b"], "{time}");
        assert_eq!(of["count_a"], c["detail"][time]["paired"]["count"], "{time}");
        assert!(
            of["over"]["text"]
                .as_str()
                .is_some_and(|text| line.contains("TTFT") && text.starts_with("over the "))
        );
    }
    assert!(c["b"]["finished"].as_u64() < c["a"]["finished"].as_u64());
    for verdict in text.lines().filter(|l| l.contains("B is better") && !l.contains(", share")) {
        let is_time = TIME_ROWS.iter().any(|name| verdict.starts_with(name));
        assert!(!is_time || verdict.contains("(both ") || verdict.contains("(own tokens)"), "{verdict}");
    }
}

/// How rows of times begin in the table.
const TIME_ROWS: [&str; 5] = ["TTFT", "ITL", "TPOT", "E2E", "queue wait"];

#[test]
fn runs_without_pairs_that_lose_requests_say_what_their_times_are_over() {
    let c = json(&[
        "router-showdown",
        "router-showdown",
        "--set",
        "cluster.pools[0].replicas=1",
        "--set-b",
        "seed=7",
        "--set-b",
        "cluster.pools[0].engine.max_waiting=8",
        "--json",
    ]);
    assert_eq!(c["paired"], false);
    let text = c["metrics"]["ttft_ms"]["over"]["text"].as_str().expect("a text");
    assert!(text.starts_with("over the requests that each answered: "), "{text}");
}

#[test]
fn figures_are_those_of_run_and_a_link_is_as_good_as_a_field_set() {
    let compared = |args: &[&str]| -> Value {
        printed_json(&[&["compare", "router-showdown"], args, &["--json"], &TO_THE_END].concat())
    };
    let by_link = compared(&["#router-showdown;cluster.routing=random"]);
    let by_set = compared(&["router-showdown", "--set-b", "cluster.routing=random"]);
    assert_eq!(by_link["metrics"], by_set["metrics"]);
    let report = printed_json(&[&["run", "router-showdown", "--json"][..], &TO_THE_END].concat());
    for (ours, theirs) in [("ttft_ms", "ttft"), ("itl_ms", "itl"), ("tpot_ms", "tpot"), ("e2e_ms", "e2e")] {
        for figure in FIGURES {
            let [x, y] = [&by_set["metrics"][ours][figure]["a"], &report["latency_ms"][theirs][figure]];
            assert!(
                (x.as_f64().expect("a number") - y.as_f64().expect("a number")).abs() < 1e-6,
                "{ours} {figure}"
            );
        }
    }
}

#[test]
fn the_table_fits_a_terminal_and_is_the_same_with_one_thread() {
    let args = ["router-showdown", "router-showdown", "--set-b", "cluster.routing=random", "--seeds", "3"];
    let text = stdout(&run(&with(&args)));
    let table: Vec<&str> = text.lines().filter(|l| !l.starts_with("notice")).collect();
    assert!(table.len() >= 30 && table.iter().all(|l| l.chars().count() <= 100), "{text}");
    assert_eq!(text, stdout(&run(&with(&[&args[..], &["--jobs", "1"]].concat()))));
}

#[test]
fn a_trace_has_one_seed_and_its_requests_are_paired() {
    let mut rows = "arrived_at,num_prefill_tokens,num_decode_tokens\n".to_owned();
    for i in 0..200 {
        writeln!(rows, "{},{},{}", f64::from(i) * 0.05, 100 + i * 7 % 900, 10 + i % 50).expect("text grows");
    }
    let trace = TempFile::new("compared.csv", &rows);
    let args = [
        "compare",
        "router-showdown",
        "router-showdown",
        "--trace",
        trace.path(),
        "--set-b",
        "cluster.routing=random",
    ];
    let out = run(&[&args[..], &["--seeds", "9", "--json"]].concat());
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let c: Value = serde_json::from_str(&stdout(&out)).expect("JSON");
    assert_eq!((&c["paired"], &c["requests"], &c["interval"]), (&true.into(), &200.into(), &"blocks".into()));
    assert!(stderr(&out).contains("this workload is not random"), "{}", stderr(&out));
}

#[test]
fn unlike_workloads_are_compared_as_distributions_and_it_says_why() {
    let c = json(&["chat-4xh100", "chat-4xh100", "--set-b", "seed=7", "--json"]);
    assert_eq!(c["paired"], false);
    assert!(c["not_paired"].as_str().expect("a reason").contains("seed 42 and 7"));
    assert!(
        c["detail"]["ttft_ms"].get("paired").is_none() && c["metrics"]["ttft_ms"]["mean"]["lo"].is_number()
    );
}

#[test]
fn what_cannot_be_compared_is_refused_with_a_message() {
    for (args, part) in [
        (vec!["compare", "chat-4xh100"], "no <B>"),
        (vec!["compare", "chat-4xh100", "no-such"], "no such file and no such built-in scenario"),
        (vec!["compare", "chat-4xh100", "chat-4xh100", "--seeds", "0"], "0"),
        (vec!["compare", "chat-4xh100", "chat-4xh100", "--set-b", "cluster.routing"], "PATH=VALUE"),
        (vec!["compare", "chat-4xh100", "chat-4xh100", "--set-b", "cluster.ruoting=random"], "routing"),
        (vec!["compare", "-", "-"], "stdin given more than once"),
    ] {
        let out = run_with(&args, b"{}");
        assert_eq!((out.status.code(), stdout(&out).as_str()), (Some(2), ""), "{args:?}");
        assert!(stderr(&out).contains(part), "{part} is not in\n{}", stderr(&out));
    }
}
