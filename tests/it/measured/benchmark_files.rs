//! What benchmark tools and servers write: a sample of each format, made for these tests, and broken ones with their messages.

use crate::support::command::{TempFile, printed, printed_json, run, stderr};
use serde_json::{Value, json};
use std::fs;
use tokenyard::base::Diagnostics;
use tokenyard::base::diag::has_errors;
use tokenyard::benchmarks::import::benchmark::{Benchmark, read};
use tokenyard::benchmarks::{bands_of, calibrate, compare, replay};
use tokenyard::perf::calibration;
use tokenyard::scenario::{
    CalibratedSettings, EngineGeneration, KvBlocks, LatencyClock, LatencyModel, Scenario, parse,
};
use tokenyard::session::Session;

/// All samples are of one made-up run: 24 requests at 4 a second, 20 ms and 0.02 ms for each prompt token to the first token, 8 ms for
/// each further one.
pub(super) const SAMPLES: [&str; 12] = [
    "vllm-bench.json",
    "vllm-bench-detailed.json",
    "guidellm.json",
    "inference-perf-summary.json",
    "inference-perf-requests.json",
    "aiperf-records.jsonl",
    "aiperf-summary.json",
    "llmperf-summary.json",
    "llmperf-responses.json",
    "benchmark-report.json",
    "engine-log.txt",
    "metrics.txt",
];

fn path(name: &str) -> String {
    format!("{}/tests/it/exchange/samples/{name}", env!("CARGO_MANIFEST_DIR"))
}

pub(super) fn sample(name: &str) -> String {
    fs::read_to_string(path(name)).expect("a sample")
}

/// The first run of a text, which is sound.
pub(super) fn read_one(text: &str) -> Benchmark {
    read(text).unwrap_or_else(|p| panic!("{p:?}")).0.remove(0)
}

pub(super) fn one(name: &str) -> Benchmark {
    let (mut found, warnings) = read(&sample(name)).expect("a sound sample");
    assert_eq!((found.len(), warnings.len()), (1, 0), "{name}");
    found.remove(0)
}

/// The bounds of a figure.
pub(super) fn figure(b: &Benchmark, metric: &str, stat: &str) -> Option<[f64; 2]> {
    b.figures.iter().find(|f| f.metric == metric && f.stat == stat).map(|f| [f.low, f.high])
}

fn problems(text: &str) -> Diagnostics {
    read(text).expect_err("broken input")
}

/// Path and what was found, of each problem.
fn told(text: &str) -> Vec<[String; 2]> {
    problems(text).into_iter().map(|p| [p.path, p.found]).collect()
}

pub(super) fn cluster() -> Scenario {
    let mut scenario = Scenario::default();
    scenario.cluster.pools[0].replicas = 1;
    scenario.cluster.pools[0].latency = LatencyModel::Calibrated(CalibratedSettings::default());
    scenario
}

#[test]
fn every_format_says_the_same_of_the_same_run() {
    for name in SAMPLES {
        let b = one(name);
        if name == "engine-log.txt" {
            continue;
        }
        for (metric, wanted) in [("ttft_ms", 31.0), ("tpot_ms", 8.0), ("e2e_ms", 263.0)] {
            let [low, high] = figure(&b, metric, "mean").unwrap_or_else(|| panic!("{name}: {metric}"));
            assert!((low - wanted).abs() < 0.01 && low <= high, "{name}: {metric} {low}");
        }
        let load = (b.load.prompt_tokens.map(f64::round), b.load.output_tokens.map(f64::round));
        assert_eq!(load, (Some(550.0), Some(30.0)), "{name}");
    }
}

#[test]
fn what_failed_is_counted_and_left_out() {
    for (name, failed) in [
        ("vllm-bench-detailed.json", 1),
        ("inference-perf-requests.json", 1),
        ("aiperf-records.jsonl", 1),
        ("llmperf-responses.json", 1),
        ("guidellm.json", 0),
    ] {
        let b = one(name);
        assert_eq!((b.requests.len(), b.failed), (24, failed), "{name}");
    }
}

#[test]
fn gaps_between_tokens_are_found_where_a_tool_has_them() {
    for name in [
        "vllm-bench-detailed.json",
        "inference-perf-requests.json",
        "aiperf-records.jsonl",
        "vllm-bench.json",
    ] {
        let [low, _] = figure(&one(name), "itl_ms", "p50").expect(name);
        assert!((low - 8.0).abs() < 0.01, "{name}: {low}");
    }
    assert_eq!(figure(&one("llmperf-summary.json"), "itl_ms", "mean"), None);
    assert_eq!(figure(&one("inference-perf-summary.json"), "itl_ms", "mean"), None, "it is halved there");
}

#[test]
fn pitfalls_of_a_tool_are_reported() {
    for (name, words) in [
        ("inference-perf-summary.json", "twice"),
        ("inference-perf-requests.json", "two times"),
        ("guidellm.json", "first token"),
        ("llmperf-summary.json", "first token"),
        ("aiperf-summary.json", "TPOT"),
        ("metrics.txt", "since the server started"),
    ] {
        let notes = one(name).notes.join(" ");
        assert!(notes.contains(words), "{name}: {notes}");
    }
}

#[test]
fn a_page_of_metrics_has_exact_means_bounds_of_quantiles_and_the_settings_of_the_cache() {
    let b = one("metrics.txt");
    assert_eq!(figure(&b, "ttft_ms", "p50"), Some([20.0, 40.0]));
    assert_eq!(figure(&b, "tpot_ms", "p99"), Some([0.0, 10.0]));
    assert_eq!(b.load.requests, Some(24));
    assert_eq!(b.clock, LatencyClock::Server);
    let mut scenario = cluster();
    scenario.cluster.pools[0].kv.prefix_caching = false;
    let run = replay(&b, &scenario).scenario(1);
    let kv = &run.cluster.pools[0].kv;
    assert_eq!((&kv.blocks, kv.block_tokens, kv.prefix_caching), (&KvBlocks::Count(27_168), 16, true));
    assert!((kv.gpu_memory_utilization - 0.9).abs() < 1e-9);
}

#[test]
fn a_log_gives_averages_steps_and_the_size_of_the_cache() {
    let b = one("engine-log.txt");
    assert_eq!(b.engine.kv_tokens, Some(434_688));
    assert_eq!(b.engine.blocks, Some(27_168));
    let value = |metric, stat| figure(&b, metric, stat).map(|f| f[0]);
    // 8 requests at 1,000 tokens a second; idle lines do not count.
    assert_eq!((value("tpot_ms", "mean"), value("waiting", "value")), (Some(8.0), Some(1.0)));
    assert_eq!(value("itl_ms", "p50"), Some(7.9));
    assert_eq!(value("itl_ms", "mean"), Some((20.5 + 5.0 * 7.9) / 6.0));
    let fast = sample("engine-log.txt").replace("7.9 ms", "0.03 ms");
    let b = read(&fast).expect("a log").0.remove(0);
    assert_eq!(figure(&b, "itl_ms", "mean"), None, "a loop scheduled ahead says nothing of the GPU");
}

#[test]
fn requests_are_run_when_they_were_sent_or_as_the_load_was() {
    let says = |name: &str| replay(&one(name), &cluster()).says;
    assert_eq!(says("vllm-bench-detailed.json"), "25 requests, each sent when it was".replace("25", "24"));
    assert_eq!(says("vllm-bench.json"), "24 requests at 4 a second, of 550 and 30 tokens");
    assert_eq!(says("llmperf-summary.json"), "24 requests, 2 in flight, of 550 and 30 tokens");
    let run = replay(&one("vllm-bench-detailed.json"), &cluster()).scenario(1);
    let second = &run.workload.requests[1];
    assert_eq!((second.arrival_us, second.prompt[0].tokens, second.output.tokens), (250_000, 300, 30));
    assert!(run.workload.clients.is_empty());
}

#[test]
fn broken_files_are_reported_with_place_and_remedy() {
    let detailed = || serde_json::from_str::<Value>(&sample("vllm-bench-detailed.json")).expect("JSON");
    let mut short = detailed();
    short["ttfts"] = json!([1.0]);
    assert_eq!(told(&short.to_string()), [["ttfts".to_owned(), "1 entries".to_owned()]]);
    let mut wrong = detailed();
    wrong["mean_ttft_ms"] = json!("fast");
    wrong["request_throughput"] = json!(-4);
    let found = told(&wrong.to_string());
    assert_eq!(found[0], ["mean_ttft_ms", "\"fast\""].map(str::to_owned));
    assert_eq!(found[1], ["request_throughput", "-4"].map(str::to_owned));
    let guide = sample("guidellm.json").replacen(
        "\"request_latency\": {\"successful\": {\"mean\": ",
        "\"request_latency\": {\"successful\": {\"mean\": -",
        1,
    );
    assert_eq!(told(&guide)[0][0], "benchmarks[0].metrics.request_latency.successful.mean");
    let rows = sample("inference-perf-requests.json").replacen("\"end_time\": 10", "\"ended\": 10", 1);
    assert_eq!(told(&rows), [["[0].start_time or end_time", "nothing"].map(str::to_owned)]);
    let line = sample("aiperf-records.jsonl").replacen("\"unit\": \"s\"}", "\"unit\": \"s\"", 1);
    assert_eq!(told(&line)[0][0], "line 2");
    let llm = sample("llmperf-responses.json").replacen("\"number_input_tokens\": 200", "\"input\": 200", 1);
    assert!(told(&llm)[0][0].starts_with("[0]."));
    let log = sample("engine-log.txt").replacen("Waiting: 0 reqs", "", 1);
    assert_eq!(told(&log)[0][0], "line 4");
    let page = sample("metrics.txt").replacen(
        "vllm:num_preemptions_total{",
        "vllm:num_preemptions_total{broken ",
        1,
    );
    let page = page.replacen("} 0.0\nvllm:prompt", " 0.0\nvllm:prompt", 1);
    assert!(told(&page)[0][1].starts_with("vllm:num_preemptions_total"), "{:?}", told(&page));
    for problem in problems(&wrong.to_string()) {
        assert!(!problem.allowed.is_empty() && !problem.fix.is_empty());
    }
}

#[test]
fn infinity_means_no_limit_and_nan_means_missing() {
    let line = r#"{"backend": "sglang", "request_rate": Infinity, "max_concurrency": 16, "completed": 160,
        "total_input_tokens": 163840, "total_output_tokens": 40960, "request_throughput": 2.576, "mean_e2e_latency_ms": 6100.0,
        "mean_ttft_ms": 210.0, "mean_tpot_ms": 23.1, "std_tpot_ms": NaN, "mean_itl_ms": NaN}"#;
    let line = line.replace('\n', "");
    for text in [line.clone(), format!("{line}\n{line}\n"), line.replace("Infinity", "\"inf\"")] {
        for b in read(&text).expect("sound").0 {
            assert_eq!((b.load.at_once, b.load.rate_per_s, b.tool), (true, None, "sglang.bench_serving"));
            assert_eq!(replay(&b, &cluster()).says, "160 requests, 16 in flight, of 1024 and 256 tokens");
            assert_eq!(figure(&b, "itl_ms", "mean"), None);
            assert_eq!(figure(&b, "e2e_ms", "mean"), Some([6100.0, 6100.0]));
        }
    }
    let unlimited = line.replace("\"max_concurrency\": 16", "\"max_concurrency\": Infinity");
    let b = read(&unlimited).expect("sound").0.remove(0);
    assert_eq!(
        (b.load.concurrency, replay(&b, &cluster()).says.as_str()),
        (None, "160 requests, all sent at once, of 1024 and 256 tokens")
    );
    let negative = line.replace("\"mean_ttft_ms\": 210.0", "\"mean_ttft_ms\": -Infinity");
    assert_eq!(figure(&read(&negative).expect("sound").0[0], "ttft_ms", "mean"), None);
    // What breaks off is told where it does.
    let found = problems("{\"mean_ttft_ms\": NaN,\n \"completed\" 1}");
    assert_eq!(found[0].path, "line 2");
    assert!(found[0].found.contains("column 14"), "{found:?}");
}

#[test]
fn files_that_are_not_benchmarks_are_reported_with_the_formats_that_are_read() {
    for (text, found) in [
        ("", "an empty file"),
        ("hello", "text that begins with \"hello\""),
        ("{\"a\": 1, \"b\": 2}", "an object with the keys \"a\", \"b\""),
        ("[{\"a\": 1}]", "a list of 1 entries, the first an object with the key \"a\""),
        ("version: '0.2'\nscenario: {load: {}}\nresults: {}\n", "a report of llm-d-benchmark"),
        ("{\"version\": \"0.1\", \"scenario\": {}, \"metrics\": {}}", "an object with the keys \"version\""),
        ("{\"a\": 1", "JSON that ends or breaks off"),
    ] {
        let problem = problems(text).remove(0);
        assert!(problem.found.starts_with(found) && problem.allowed.contains("GuideLLM"), "{problem}");
    }
    let none = json!({"completed": 0, "request_throughput": 0, "mean_ttft_ms": 0.0}).to_string();
    assert_eq!(problems(&none)[0].found, "no figures");
    let many = json!({"mean_ttft_ms": 1.0, "completed": 1, "input_lens": vec![1; 100_001]}).to_string();
    assert_eq!(told(&many), [["input_lens", "100001 requests"].map(str::to_owned)]);
}

#[test]
fn a_comparison_has_measured_simulated_and_error_of_every_figure_a_run_shows() {
    for name in SAMPLES {
        let b = one(name);
        let c = compare(&b, &replay(&b, &cluster())).unwrap_or_else(|p| panic!("{name}: {p:?}"));
        let compared = c.rows.iter().filter(|row| row.measured.metric != "kv_blocks").count();
        assert_eq!(compared, b.figures.len(), "{name}");
        assert_eq!(
            c.assumed,
            ["engine-log.txt", "metrics.txt", "llmperf-responses.json"].contains(&name),
            "{name}"
        );
        for row in &c.rows {
            if c.assumed {
                assert!(row.error.is_none() || row.measured.metric == "kv_blocks", "{name}: {row:?}");
                continue;
            }
            let (low, high, sim) = (row.measured.low, row.measured.high, row.simulated);
            let inside = (low..=high).contains(&sim);
            assert!(low == 0.0 || inside == (row.error == Some(0.0)), "{name}: {row:?}");
        }
    }
    let b = one("metrics.txt");
    let c = compare(&b, &replay(&b, &cluster())).expect("a run");
    let blocks = c.rows.iter().find(|row| row.measured.metric == "kv_blocks").expect("blocks are told");
    assert!(blocks.simulated > 10_000.0);
}

#[test]
fn a_run_that_was_simulated_is_compared_as_equal_and_calibrates_to_itself() {
    // The simulation's own requests, as a benchmark would write them.
    let base = replay(&one("vllm-bench-detailed.json"), &cluster());
    let c = compare(&one("vllm-bench-detailed.json"), &base).expect("a run");
    let ttft =
        c.rows.iter().find(|r| r.measured.metric == "ttft_ms" && r.measured.stat == "mean").expect("TTFT");
    let tpot =
        c.rows.iter().find(|r| r.measured.metric == "tpot_ms" && r.measured.stat == "mean").expect("TPOT");
    let mut b = one("vllm-bench.json");
    b.figures.retain(|f| f.stat == "mean" && ["ttft_ms", "tpot_ms"].contains(&f.metric));
    for f in &mut b.figures {
        let value = if f.metric == "ttft_ms" { ttft.simulated } else { tpot.simulated };
        (f.low, f.high) = (value, value);
    }
    b.requests = one("vllm-bench-detailed.json").requests;
    assert_eq!(b.measured(), Some(24));
    for r in &mut b.requests {
        r.ttft_us = None;
    }
    let found = calibrate(&b, &cluster(), "itself").expect("a calibration");
    assert!(found.changes.iter().all(|c| (c.after / c.before - 1.0).abs() < 0.02), "{:?}", found.changes);
}

#[test]
fn one_run_fixes_the_few_coefficients_it_determines_and_the_scenario_keeps_their_source() {
    let b = one("vllm-bench-detailed.json");
    let found = calibrate(&b, &cluster(), "bench-0721.json").expect("a calibration");
    for row in found.after.iter().filter(|row| row.measured.stat == "mean") {
        let error = row.error.unwrap_or(0.0).abs();
        let most = if row.measured.metric == "ttft_ms" { 0.02 } else { 0.03 };
        assert!(
            error < most || row.measured.metric.ends_with("per_s"),
            "{row:?} {:?} {:?}",
            found.changes,
            found.notes
        );
    }
    assert!((1..=3).contains(&found.changes.len()) && found.of > 10, "{:?}", found.changes);
    let scenario = parse(&found.scenario).expect("a scenario");
    let LatencyModel::Calibrated(settings) = &scenario.cluster.pools[0].latency else {
        panic!("not calibrated")
    };
    let source = settings.rests_on.as_ref().expect("where they are from");
    assert_eq!((source.file.as_str(), source.requests), ("bench-0721.json", 24));
    assert_eq!((source.tool.as_str(), source.date.as_str()), ("vllm bench serve", "20261121-101500"));
    assert_eq!(source.coefficients.len(), found.changes.len());
    assert_eq!(calibrate(&b, &cluster(), "bench-0721.json").expect("again"), found, "it is deterministic");
}

#[test]
fn intervals_of_coefficients_become_a_band_that_grows_with_them_and_is_none_without() {
    let scenario = replay(&one("vllm-bench-detailed.json"), &cluster()).scenario(1);
    let c = calibration("H100", EngineGeneration::Ahead).coefficients.clone();
    let of = |half: f64| {
        let halves = [("step_us_per_layer".to_owned(), Some(half)), ("kv_efficiency".to_owned(), None)]
            .into_iter()
            .collect();
        bands_of(&scenario, &c, &halves).expect("a run")
    };
    assert_eq!(of(0.0), []);
    let width = |half: f64| of(half).iter().map(|b| b.p50[2] - b.p50[0]).collect::<Vec<f64>>();
    let (narrow, wide) = (width(2.0), width(8.0));
    // A first token waits for the end of a step, whose place moves: only the time between tokens grows in proportion.
    assert!(
        narrow.len() == 2 && narrow[0] > 0.0 && wide[0] > 0.0 && wide[1] > narrow[1],
        "{narrow:?} {wide:?}"
    );
    // 32 layers of 2 us each way, in every step.
    assert!((narrow[1] - 2.0 * 0.064).abs() < 0.01, "{narrow:?}");
    for band in of(8.0) {
        assert!(band.low.iter().zip(&band.values).zip(&band.high).all(|((l, v), h)| l <= v && v <= h));
    }
}

/// What the page makes of a recorded stage (www/src/panels/measured/measuredData.ts).
fn scenario_of(experiment: &Value, stage: &Value) -> String {
    let mut cluster = experiment["cluster"].clone();
    if let Some(tp) = stage.get("tp") {
        cluster["pools"][0]["tp"] = tp.clone();
    }
    let run = json!({"horizon_s": stage["horizon_s"]});
    json!({"cluster": cluster, "run": run, "workload": {"clients": [stage["client"]]}}).to_string()
}

#[test]
fn every_recorded_stage_with_traffic_opens_as_a_sound_scenario() {
    let text = fs::read_to_string(format!("{}/docs/data/validation-page.json", env!("CARGO_MANIFEST_DIR")));
    let page: Value = serde_json::from_str(&text.expect("it is recorded")).expect("JSON");
    let (mut opened, mut figures) = (0, 0);
    for experiment in page["experiments"].as_array().expect("experiments") {
        for stage in experiment["stages"].as_array().expect("stages") {
            figures += stage["figures"].as_object().map_or(0, serde_json::Map::len);
            if stage.get("client").is_none() || experiment.get("cluster").is_none() {
                continue;
            }
            let problems = Session::check(&scenario_of(experiment, stage));
            assert!(!has_errors(&problems), "{} {}: {problems:?}", experiment["id"], stage["stage"]);
            opened += 1;
        }
    }
    assert!(opened > 300 && figures > 1500, "{opened} scenarios, {figures} figures");
}

#[test]
fn the_command_compares_and_calibrates_a_file() {
    let name = path("vllm-bench-detailed.json");
    let out = run(&["validate", &name]);
    assert!(!out.status.success() && stderr(&out).contains("--scenario"), "{}", stderr(&out));
    let scenario = TempFile::new("cluster.json", "{}");
    let out = printed(&["validate", &name, "--scenario", scenario.path()]);
    assert!(out.contains("ttft_ms mean") && out.contains("simulated"), "{out}");
    let document = printed_json(&["validate", &name, "--scenario", scenario.path(), "--json"]);
    assert_eq!(document[0]["tool"], "vllm bench serve");
    let coefficients = TempFile::new("coefficients.json", "");
    let calibrated = TempFile::new("calibrated.json", "");
    let to = ["-o", coefficients.path(), "--scenario-output", calibrated.path()];
    let out = printed(&[&["calibrate", &name, "--scenario", scenario.path()], &to[..]].concat());
    assert!(out.contains("coefficients fixed"), "{out}");
    let rows: Value =
        serde_json::from_str(&fs::read_to_string(coefficients.path()).expect("rows")).expect("JSON");
    assert_eq!(rows[0]["rests_on"][0], "vllm-bench-detailed.json");
    assert!(run(&["check", calibrated.path()]).status.success());
    assert!(out.contains("by 24 requests; 1 failed"), "{out}");
    assert!(out.contains("warning: 24 requests are few"), "{out}");
    let unknown = TempFile::new("results.json", "{\"1\": {\"ttft\": 1}, \"2\": {}}");
    let out = run(&["validate", unknown.path(), "--scenario", scenario.path()]);
    assert!(stderr(&out).contains("keys \"1\", \"2\"; allowed: a result of vllm bench"), "{}", stderr(&out));
    assert_eq!(stderr(&out).lines().count(), 1, "one message: {}", stderr(&out));
    let broken = TempFile::new("broken.log", "nothing to see");
    let out = run(&["validate", broken.path(), "--scenario", scenario.path()]);
    assert!(stderr(&out).contains("allowed: a result of vllm bench serve"), "{}", stderr(&out));
}
