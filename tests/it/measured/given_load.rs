//! The load that a user gives where the file of a benchmark does not contain it.

use super::benchmark_files::{cluster, one};
use crate::support::command::{TempFile, run, stderr, stdout};
use tokenyard::benchmarks::{ToldLoad, calibrate, compare, options, replay};

fn told(change: impl FnOnce(&mut ToldLoad)) -> ToldLoad {
    let mut told = ToldLoad::default();
    change(&mut told);
    told
}

#[test]
fn what_is_missing_is_asked_for_and_a_given_load_is_run_with_errors() {
    let responses = one("llmperf-responses.json");
    let c = compare(&responses, &replay(&responses, &cluster())).expect("a run");
    assert!(c.assumed && c.rows.iter().all(|row| row.error.is_none()));
    assert_eq!(c.missing, ["sending"], "its lengths are there");
    assert!(options(&c.missing).starts_with("--rate R or --in-flight N; or --own-traffic"));
    let log = one("engine-log.txt");
    let c = compare(&log, &replay(&log, &cluster())).expect("a run");
    assert_eq!(c.missing, ["sending", "requests", "prompt_tokens", "output_tokens"]);

    let mut b = responses;
    told(|t| t.in_flight = Some(3)).add_to(&mut b).expect("it is not in the file");
    let c = compare(&b, &replay(&b, &cluster())).expect("a run");
    assert!(!c.assumed && c.missing.is_empty());
    assert!(c.says.starts_with("24 requests, 3 in flight,"), "{}", c.says);
    assert!(c.rows.iter().any(|row| row.error.is_some()));
    assert!(calibrate(&b, &cluster(), "f").is_ok());

    let mut b = log.clone();
    let all = told(|t| {
        (t.rate_per_s, t.requests) = (Some(4.0), Some(40));
        (t.prompt_tokens, t.output_tokens) = (Some(500.0), Some(50.0));
    });
    all.add_to(&mut b).expect("it is not in the file");
    assert_eq!(replay(&b, &cluster()).says, "40 requests at 4 a second, of 500 and 50 tokens");

    let mut b = log;
    told(|t| t.own_traffic = true).add_to(&mut b).expect("nothing else is given");
    let replay = replay(&b, &cluster());
    assert_eq!((replay.says.as_str(), replay.assumed), ("the scenario's own traffic", false));
}

#[test]
fn what_the_file_says_and_what_is_out_of_range_is_refused_by_the_name_of_its_option() {
    let paths = |b: &str, told: &ToldLoad| {
        let problems = told.add_to(&mut one(b)).expect_err("it cannot be given");
        problems.into_iter().map(|p| p.path).collect::<Vec<_>>()
    };
    let rate = told(|t| t.rate_per_s = Some(2.0));
    assert_eq!(paths("vllm-bench.json", &rate), ["--rate"]);
    assert_eq!(paths("vllm-bench-detailed.json", &told(|t| t.in_flight = Some(2))), ["--in-flight"]);
    let all = told(|t| {
        (t.requests, t.prompt_tokens, t.output_tokens) = (Some(9), Some(9.0), Some(9.0));
    });
    assert_eq!(paths("vllm-bench.json", &all), ["--requests", "--prompt-tokens", "--output-tokens"]);
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(paths("engine-log.txt", &told(|t| t.rate_per_s = Some(wrong))), ["--rate"], "{wrong}");
    }
    assert_eq!(paths("engine-log.txt", &told(|t| t.requests = Some(0))), ["--requests"]);
    let both = told(|t| (t.own_traffic, t.requests) = (true, Some(3)));
    assert_eq!(paths("engine-log.txt", &both), ["--own-traffic"]);
}

#[test]
fn the_command_says_what_to_give_and_takes_it() {
    let name = format!("{}/tests/it/exchange/samples/llmperf-responses.json", env!("CARGO_MANIFEST_DIR"));
    let scenario = TempFile::new("cluster.json", "{}");
    let with = |more: &[&str]| run(&[&["validate", &name, "--scenario", scenario.path()], more].concat());
    let out = stdout(&with(&[]));
    assert!(out.contains("load: give --rate R or --in-flight N; or --own-traffic"), "{out}");
    assert!(!out.contains('%'), "no error is printed: {out}");
    let out = stdout(&with(&["--rate", "4"]));
    assert!(out.contains("24 requests at 4 a second") && out.contains('%'), "{out}");
    let out = with(&["--prompt-tokens", "7"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(
        stderr(&out).contains("--prompt-tokens: 7; allowed: nothing, as the file says"),
        "{}",
        stderr(&out)
    );
}
