//! The load of a benchmark and the requests behind its figures: laws over all formats, and files of newer and older
//! releases.

use super::benchmark_files::{cluster, figure, one, read_one, sample};
use serde_json::{Value, json};
use tokenyard::benchmarks::import::benchmark::{Benchmark, read};
use tokenyard::benchmarks::{calibrate, compare, replay};

fn says(text: &str) -> String {
    replay(&read_one(text), &cluster()).says
}

fn tree(name: &str) -> Value {
    serde_json::from_str(&sample(name)).expect("JSON")
}

/// Every number at a path of keys and `*`, changed.
fn change(tree: &mut Value, path: &[&str], by: &dyn Fn(&Value) -> Value) {
    let Some((first, rest)) = path.split_first() else {
        *tree = by(tree);
        return;
    };
    match tree {
        Value::Array(list) => {
            for entry in list {
                change(entry, rest, by);
            }
        }
        Value::Object(map) => {
            if let Some(entry) = map.get_mut(*first) {
                change(entry, rest, by);
            }
        }
        _ => {}
    }
}

#[test]
fn what_is_compared_does_not_depend_on_where_a_clock_began_nor_on_its_unit() {
    let files: [(&str, &[&[&str]]); 3] = [
        ("vllm-bench-detailed.json", &[&["start_times", "*"]]),
        ("guidellm.json", &[&["benchmarks", "*", "requests", "successful", "*", "start_time"]]),
        (
            "inference-perf-requests.json",
            &[&["*", "start_time"], &["*", "end_time"], &["*", "info", "output_token_times", "*"]],
        ),
    ];
    for (name, paths) in files {
        let wanted = {
            let b = one(name);
            compare(&b, &replay(&b, &cluster())).expect("a run")
        };
        let since_1970 = 1_772_473_358.0;
        for (epoch, unit) in
            [0.0, since_1970].map(|e| (e, "s")).into_iter().chain(["ms", "us", "ns"].map(|u| (since_1970, u)))
        {
            let mut moved = tree(name);
            for path in paths {
                change(&mut moved, path, &|v| {
                    let at = v.as_f64().expect("a number") + epoch;
                    let us = (at * 1e6).round() as i64;
                    match unit {
                        "s" => json!(at),
                        "ms" => json!(us / 1000),
                        "us" => json!(us),
                        _ => json!(us * 1000),
                    }
                });
            }
            let b = read_one(&moved.to_string());
            let found = compare(&b, &replay(&b, &cluster())).expect("a run");
            assert_eq!(found.says, wanted.says, "{name} {epoch} {unit}");
            // Milliseconds cut the times of single tokens.
            if unit != "ms" {
                assert_eq!(found, wanted, "{name} {epoch} {unit}");
            }
        }
    }
    let shifted = |line: &str| {
        let mut record: Value = serde_json::from_str(line).expect("a record");
        let by = |v: &Value| json!(v.as_i64().expect("nanoseconds") + 1_772_473_358_000_000_000);
        change(&mut record, &["metadata", "request_start_ns"], &by);
        record.to_string()
    };
    let later: Vec<String> = sample("aiperf-records.jsonl").lines().map(shifted).collect();
    let later = later.join("\n");
    let (b, moved) = (one("aiperf-records.jsonl"), read_one(&later));
    let of = |b: &Benchmark| compare(b, &replay(b, &cluster())).expect("a run");
    assert_eq!(of(&b), of(&moved));
}

#[test]
fn a_tools_own_figures_are_kept_and_its_warm_up_is_in_none() {
    let mut report = tree("guidellm.json");
    let run = &mut report["benchmarks"][0];
    // The first 4 requests wait long, and the tool leaves them out; requests are sent 0.25 s apart from 1000 s on.
    for i in 0..4 {
        run["requests"]["successful"][i]["time_to_first_token_ms"] = json!(5000.0);
        run["requests"]["successful"][i]["request_latency"] = json!(6.0);
    }
    run["metrics"]["request_latency"]["successful"]["count"] = json!(20);
    run["start_time"] = json!(1000.9);
    run["end_time"] = json!(2000.0);
    let b = read_one(&report.to_string());
    assert_eq!(figure(&b, "ttft_ms", "mean"), Some([31.0, 31.0]));
    assert_eq!((b.requests.len(), b.measured()), (24, Some(20)));
    assert!(b.notes.iter().any(|n| n.contains("20 of 24")), "{:?}", b.notes);
    // What the tool does not say is of the same requests.
    run_without(&mut report, "time_to_first_token_ms");
    let b = read_one(&report.to_string());
    let [mean, _] = figure(&b, "ttft_ms", "mean").expect("from the requests");
    assert!(mean < 40.0, "{mean}");
    // All are run, those that count are compared.
    let c = compare(&b, &replay(&b, &cluster())).expect("a run");
    assert_eq!(c.says, "24 requests, each sent when it was");
    let curve = c.curves.iter().find(|curve| curve.metric == "ttft_ms").expect("20 requests");
    assert!(curve.measured.iter().all(|[_, ms]| *ms < 40.0), "{curve:?}");
}

fn run_without(report: &mut Value, metric: &str) {
    report["benchmarks"][0]["metrics"].as_object_mut().expect("metrics").remove(metric);
}

#[test]
fn the_load_of_a_file_is_run_and_never_contradicts_its_heading() {
    let mut report = tree("guidellm.json");
    for (strategy, wanted) in [
        (
            json!({"type_": "constant", "rate": 2.0, "max_concurrency": 10240}),
            "24 requests at 2 a second, evenly spaced, of 550",
        ),
        (json!({"type_": "poisson", "rate": 2.0}), "24 requests at 2 a second, of 550"),
        (json!({"type_": "synchronous"}), "24 requests, 1 in flight, of 550"),
        (json!({"type_": "concurrent", "streams": 4}), "24 requests, 4 in flight, of 550"),
        (json!({"type_": "throughput", "max_concurrency": 8}), "24 requests, 8 in flight, of 550"),
        (json!({"type_": "throughput"}), "24 requests, all sent at once, of 550"),
        (
            json!({"type_": "poisson", "rate": 2.0, "max_concurrency": 3}),
            "24 requests at 2 a second, at most 3 in flight",
        ),
    ] {
        report["benchmarks"][0]["config"]["strategy"] = strategy.clone();
        report["benchmarks"][0]["requests"] = json!({"successful": [], "errored": [], "total": null});
        assert!(says(&report.to_string()).starts_with(wanted), "{strategy}: {}", says(&report.to_string()));
    }
    let mut perf = tree("inference-perf-summary.json");
    perf["load_summary"]["concurrency"] = json!(6);
    assert!(says(&perf.to_string()).starts_with("24 requests at 4 a second, at most 6 in flight"));
    perf["load_summary"].as_object_mut().expect("an object").remove("requested_rate");
    assert!(says(&perf.to_string()).starts_with("24 requests, 6 in flight"));
}

#[test]
fn the_load_is_read_from_every_release_of_aiperf() {
    let mut summary = tree("aiperf-summary.json");
    let phases = json!([
        {"name": "warmup", "type": "concurrency", "exclude_from_results": true, "requests": 9, "concurrency": 9},
        {"name": "profiling", "type": "concurrency", "requests": 24, "concurrency": 3}
    ]);
    for (config, wanted) in [
        (
            json!({"phases": phases, "models": {"items": [{"name": "m"}]}}),
            "24 requests, 3 in flight, of 550 and 30 tokens",
        ),
        (
            json!({"phases": [{"type": "poisson", "rate": 4.0, "concurrency": 3}], "models": ["m"]}),
            "24 requests at 4 a second, at most 3 in flight",
        ),
        (
            json!({"phases": [{"type": "constant", "rate": 4.0}], "endpoint": {"model_names": ["m"]}}),
            "24 requests at 4 a second, evenly spaced",
        ),
        (
            json!({"loadgen": {"concurrency": 5}, "endpoint": {"model_names": ["m"]}}),
            "24 requests, 5 in flight",
        ),
        (
            json!({"perf_analyzer": {"stimulus": {"concurrency": 2}}, "model_names": ["m"]}),
            "24 requests, 2 in flight",
        ),
        (
            json!({"formatted_model_name": "m", "model": ["m"], "concurrency": 7, "request_rate": null}),
            "24 requests, 7 in flight",
        ),
        (
            json!({"phases": [{"concurrency": 1}, {"concurrency": 2}], "model": "m"}),
            "24 requests of 550 and 30 tokens, one after the other, which is assumed",
        ),
    ] {
        summary["input_config"] = config.clone();
        let b = read_one(&summary.to_string());
        let says = replay(&b, &cluster()).says;
        assert!(says.starts_with(wanted), "{config}: {says}");
        assert_eq!(b.model, "m", "{config}");
    }
}

#[test]
fn a_limit_beside_a_rate_holds_requests_back_and_one_that_is_never_reached_changes_nothing() {
    let mut result = tree("vllm-bench.json");
    result["num_prompts"] = json!(60);
    result["completed"] = json!(60);
    result["request_rate"] = json!(50.0);
    result["total_input_tokens"] = json!(60 * 400);
    result["total_output_tokens"] = json!(60 * 100);
    let mut rate = |cap: Value| {
        result["max_concurrency"] = cap;
        let b = read_one(&result.to_string());
        let c = compare(&b, &replay(&b, &cluster())).expect("a run");
        let of = |metric: &str, stat: &str| {
            let row = c.rows.iter().find(|r| r.measured.metric == metric && r.measured.stat == stat);
            row.expect("it is told").simulated
        };
        (of("req_per_s", "value"), of("ttft_ms", "mean"), of("e2e_ms", "mean"))
    };
    let (free, same) = (rate(Value::Null), rate(json!(60)));
    assert_eq!(free, same);
    let (held, ttft, e2e) = rate(json!(2));
    // Little's law: two in flight all the time.
    assert!((held * e2e / 1e3 - 2.0).abs() < 0.15, "{held} requests a second of {e2e} ms");
    assert!(held < 0.5 * free.0 && ttft < 60.0, "{held} {ttft} {free:?}");
}

#[test]
fn engines_of_one_log_are_added_up_and_littles_law_is_left_out_while_prompts_are_computed() {
    let line = |engine: &str, prompts: f64, generated: f64, running: u32| {
        format!(
            "INFO 08-21 07:17:10 [loggers.py:123] {engine}Avg prompt throughput: {prompts} tokens/s, Avg generation throughput: \
             {generated} tokens/s, Running: {running} reqs, Waiting: 0 reqs, GPU KV cache usage: 1.0%\n"
        )
    };
    let value = |text: &str, metric: &str| {
        figure(&read_one(text), metric, if metric == "tpot_ms" { "mean" } else { "value" })
    };
    let both = ["Engine 000: ", "Engine 001: "].map(|e| line(e, 1000.0, 400.0, 20)).concat().repeat(3);
    assert_eq!(value(&both, "out_tok_per_s"), Some([800.0, 800.0]));
    assert_eq!((value(&both, "running"), value(&both, "tpot_ms")), (Some([40.0, 40.0]), Some([50.0, 50.0])));
    assert!(read_one(&both).notes.iter().any(|n| n.starts_with("2 engines")));
    // An engine that is idle for a while adds nothing, and takes no part in the mean of intervals.
    let idle = format!("{both}{}{}", line("Engine 000: ", 0.0, 400.0, 20), line("Engine 001: ", 0.0, 0.0, 0));
    assert_eq!(value(&idle, "out_tok_per_s"), Some([700.0, 700.0]));
    let pods = format!(
        "[pod/a/vllm] {}[pod/b/vllm] {}",
        line("Engine 000: ", 0.0, 10.0, 1),
        line("Engine 000: ", 0.0, 10.0, 1)
    );
    assert_eq!(value(&pods, "out_tok_per_s"), Some([20.0, 20.0]));
    // The words that other tools write before a line distinguish pods and processes; times do not.
    let one = line("Engine 000: ", 0.0, 10.0, 1);
    for (first, second, wanted) in [
        ("pod-a vllm ", "pod-b vllm ", 20.0),
        ("(APIServer pid=1) ", "(APIServer pid=2) ", 20.0),
        ("2026-01-31T10:00:00Z pod-a ", "2026-01-31T10:00:10Z pod-a ", 10.0),
        ("[2026-01-31 10:00:00] ", "[2026-01-31 10:00:10] ", 10.0),
        ("Jan 31 10:00:00 host vllm[3]: ", "Jan 31 10:00:10 host vllm[3]: ", 10.0),
        ("1769853600.1 ", "1769853610.1 ", 10.0),
    ] {
        let text = format!("{first}{one}{second}{one}");
        assert_eq!(value(&text, "out_tok_per_s"), Some([wanted, wanted]), "{text}");
    }
    let prompts = line("Engine 000: ", 24_000.0, 18.1, 10);
    assert_eq!((value(&prompts, "tpot_ms"), value(&prompts, "running")), (None, Some([10.0, 10.0])));
    let mixed = format!("{prompts}{}", line("Engine 000: ", 0.0, 400.0, 20));
    assert_eq!(value(&mixed, "tpot_ms"), Some([50.0, 50.0]));
    let old = line("", 0.0, 400.0, 20).replace("Waiting: 0 reqs", "Swapped: 0 reqs, Pending: 3 reqs");
    assert_eq!(value(&old, "waiting"), Some([3.0, 3.0]));
}

#[test]
fn an_unknown_load_is_assumed_in_words_without_errors_and_calibrates_nothing() {
    for (name, words) in [
        (
            "llmperf-responses.json",
            "24 requests of 200 to 900 and 20 to 40 tokens, one after the other, which is assumed",
        ),
        (
            "engine-log.txt",
            "the scenario's own traffic, which is assumed: the file does not say what was sent",
        ),
    ] {
        let b = one(name);
        let c = compare(&b, &replay(&b, &cluster())).expect("a run");
        assert!(c.assumed && c.says.starts_with(words), "{name}: {}", c.says);
        assert!(c.curves.iter().all(|curve| curve.largest_gap.is_none()), "{name}");
        assert_eq!(c.requests, 0, "{name}: none has its own time");
        let problem = calibrate(&b, &cluster(), name).expect_err("it cannot be determined").remove(0);
        assert!(problem.found.contains("an unknown load"), "{name}: {problem}");
    }
}

#[test]
fn a_file_about_another_model_says_so_with_both_names() {
    let mut b = one("vllm-bench.json");
    let warnings = |b: &Benchmark| compare(b, &replay(b, &cluster())).expect("a run").warnings;
    assert_eq!(warnings(&b), Vec::<String>::new());
    "org/Other-70B".clone_into(&mut b.model);
    let own = cluster().cluster.pools[0].model.clone();
    let told = warnings(&b).join(" ");
    assert!(told.contains("org/Other-70B") && told.contains(&own), "{told}");
    assert!(calibrate(&b, &cluster(), "f").expect("a calibration").warnings.iter().any(|w| w.contains(&own)));
}

#[test]
fn a_calibration_gives_its_number_of_requests_and_refuses_what_it_cannot_determine() {
    let b = one("vllm-bench-detailed.json");
    let found = calibrate(&b, &cluster(), "f").expect("a calibration");
    assert_eq!((found.requests, found.failed), (24, 1));
    let warnings = found.warnings.join(" ");
    assert!(
        warnings.contains("24 requests are few for") && warnings.contains("1 of 25 requests failed"),
        "{warnings}"
    );
    // All measured requests have the same TPOT: the interval is that of the search, and not 0.
    assert!(found.changes.iter().all(|c| c.half.is_none_or(|half| half > 0.0)), "{:?}", found.changes);
    let mut few = b.clone();
    few.requests.truncate(1);
    assert!(calibrate(&few, &cluster(), "f").expect_err("one request")[0].found.starts_with("1 requests"));
    let mut far = b;
    for figure in far.figures.iter_mut().filter(|f| f.metric == "tpot_ms") {
        (figure.low, figure.high) = (0.01, 0.01);
    }
    let problem = calibrate(&far, &cluster(), "f").expect_err("no GPU is so fast").remove(0);
    assert!(problem.found.contains("time per output token: +"), "{problem}");
}

#[test]
fn a_coefficient_whose_interval_is_wider_than_itself_stays_and_alone_it_is_refused() {
    let mut b = one("vllm-bench.json");
    let names = |b: &Benchmark| {
        let found = calibrate(b, &cluster(), "f").expect("something is determined");
        (found.changes.iter().map(|c| c.coefficient).collect::<Vec<_>>(), found.notes, found.warnings)
    };
    b.deviations = vec![("tpot_ms", 0.01), ("ttft_ms", 5.0)];
    assert_eq!(names(&b).0, ["step_us_per_layer", "queueing_us"]);
    b.deviations = vec![("tpot_ms", 0.01), ("ttft_ms", 500.0)];
    let (changed, notes, _) = names(&b);
    assert_eq!(changed, ["step_us_per_layer"]);
    let note = notes.iter().find(|n| n.starts_with("queueing_us stays as it was: 24 requests give"));
    assert!(note.is_some_and(|n| n.contains('±')), "{notes:?}");
    b.deviations.clear();
    assert!(names(&b).2.iter().any(|w| w.contains("intervals are unknown")));
    b.deviations = vec![("ttft_ms", 500.0)];
    b.figures.retain(|f| f.metric == "ttft_ms");
    let problem = calibrate(&b, &cluster(), "f").expect_err("nothing is determined").remove(0);
    assert_eq!(problem.path, "queueing_us", "{problem}");
}

#[test]
fn distributions_that_are_nearly_a_step_at_one_value_have_no_gap() {
    let b = one("vllm-bench-detailed.json");
    let base = replay(&b, &cluster());
    let c = compare(&b, &base).expect("a run");
    let simulated = c.curves.iter().find(|curve| curve.metric == "tpot_ms").expect("TPOT").simulated.clone();
    let middle = simulated[simulated.len() / 2];
    let gap = |factor: f64| {
        let mut moved = b.clone();
        for r in &mut moved.requests {
            let gaps = f64::from(r.output_tokens - 1);
            r.e2e_us = r.ttft_us.expect("it is told") + (middle * factor * gaps * 1e3).round() as u64;
        }
        let c = compare(&moved, &base).expect("a run");
        c.curves
            .iter()
            .find(|curve| curve.metric == "tpot_ms")
            .expect("TPOT")
            .largest_gap
            .expect("24 requests")
    };
    let spread = simulated[simulated.len() - 1] / simulated[0] - 1.0;
    assert!(gap(1.5) > 99.0 && gap(0.5) > 99.0, "{} {}", gap(1.5), gap(0.5));
    if spread < 0.009 {
        assert!(gap(1.0) < 1e-9 && gap(1.0005) < 1e-9, "{} of {spread}", gap(1.0005));
    } else {
        assert!(gap(1.0) < 60.0);
    }
}

#[test]
fn failures_are_counted_and_truncated_lines_are_reported() {
    let mut result = tree("vllm-bench.json");
    result["completed"] = json!(20);
    result.as_object_mut().expect("an object").remove("failed");
    let b = read_one(&result.to_string());
    assert_eq!((b.measured(), b.failed, b.load.requests), (Some(20), 4, Some(24)));
    let line = result.to_string();
    let broken = format!("{line}\n\n{}", &line[..line.len() - 9]);
    let problem = read(&broken).expect_err("a line breaks off").remove(0);
    assert_eq!(problem.path, "line 3");
    let mut named = result.clone();
    named["request_rate"] = json!("trace");
    let b = read_one(&named.to_string());
    assert!(replay(&b, &cluster()).assumed && b.notes.join(" ").contains("`trace`"), "{:?}", b.notes);
    let list = json!([result, result]).to_string();
    assert_eq!(read(&list).expect("a list of results").0.len(), 2);
    result["ramp_up_strategy"] = json!("linear");
    result["request_rate"] = json!("inf");
    let b = read_one(&result.to_string());
    assert!(replay(&b, &cluster()).assumed && b.notes.join(" ").contains("raised"));
}
