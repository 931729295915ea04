//! What servers count: pages of metrics as intervals, and range queries as series beside those of a run.

use super::benchmark_files::{cluster, figure, one, read_one, sample};
use crate::support::command::{TempFile, printed, refused, run, stderr, stdout};
use serde_json::{Value, json};
use tokenyard::benchmarks::import::benchmark::{Benchmark, read};
use tokenyard::benchmarks::{ToldLoad, compare, replay};
use tokenyard::scenario::Scenario;
use tokenyard::scenario::preset::Preset;

fn own(mut b: Benchmark) -> Benchmark {
    ToldLoad { own_traffic: true, ..ToldLoad::default() }.add_to(&mut b).expect("nothing else is given");
    b
}

#[test]
fn a_quantile_of_a_histogram_is_an_interval_that_a_run_is_inside_or_outside() {
    let b = own(one("metrics.txt"));
    let mut scenario = cluster();
    (scenario.run.horizon_s, scenario.run.warmup_s) = (20.0, 0.0);
    let c = compare(&b, &replay(&b, &scenario)).expect("a run");
    let row = |metric: &str, stat: &str| {
        let found = c.rows.iter().find(|r| r.measured.metric == metric && r.measured.stat == stat);
        found.unwrap_or_else(|| panic!("{metric} {stat}"))
    };
    let tpot = row("tpot_ms", "p50");
    assert_eq!((tpot.measured.low, tpot.measured.high), (0.0, 10.0));
    assert_eq!((tpot.inside, tpot.error), (Some(true), Some(0.0)), "{tpot:?}");
    assert_eq!(row("ttft_ms", "mean").inside, None, "a mean is exact");
    let e2e = row("e2e_ms", "p50");
    assert_eq!(e2e.inside, Some((0.0..=300.0).contains(&e2e.simulated)), "{e2e:?}");
    assert_eq!(e2e.inside, Some(e2e.error == Some(0.0)));
}

#[test]
fn other_names_several_engines_and_quantiles_above_the_last_edge_are_read() {
    let page = |start: &str, engine: &str| {
        format!(
            "# TYPE x histogram
{start}time_per_output_token_seconds_bucket{{{engine}le=\"0.01\"}} 10
{start}time_per_output_token_seconds_bucket{{{engine}le=\"0.025\"}} 90
{start}time_per_output_token_seconds_bucket{{{engine}le=\"+Inf\"}} 100
{start}time_per_output_token_seconds_count{{{engine}}} 100
{start}time_per_output_token_seconds_sum{{{engine}}} 2.0
{start}gpu_prefix_cache_queries_total{{{engine}}} 200
{start}gpu_prefix_cache_hits_total{{{engine}}} 50
"
        )
    };
    for start in ["vllm:", "sglang:"] {
        let b = read_one(&page(start, ""));
        assert_eq!(figure(&b, "itl_ms", "mean"), Some([20.0, 20.0]), "{start}");
        assert_eq!(figure(&b, "itl_ms", "p50"), Some([10.0, 25.0]));
        assert_eq!((figure(&b, "itl_ms", "p90"), figure(&b, "itl_ms", "p99")), (Some([10.0, 25.0]), None));
        assert!(b.notes.iter().any(|n| n.contains("itl_ms p99 above 0.025 s")), "{:?}", b.notes);
        assert_eq!(figure(&b, "reused_prompt_share", "value"), Some([0.25, 0.25]));
    }
    let two = ["engine=\"0\",", "engine=\"1\","].map(|engine| page("vllm:", engine)).concat();
    let b = read_one(&two);
    assert_eq!(figure(&b, "itl_ms", "mean"), Some([20.0, 20.0]));
    assert!(b.notes.iter().any(|n| n.starts_with("2 engines")), "{:?}", b.notes);
    let models = ["model_name=\"a\",", "model_name=\"b\","].map(|model| page("vllm:", model)).concat();
    assert!(read_one(&models).notes.iter().any(|n| n.starts_with("2 models")));
    let gateway = "llm_d_epp_request_ttft_seconds_bucket{le=\"0.1\"} 1
llm_d_epp_request_ttft_seconds_bucket{le=\"+Inf\"} 1
llm_d_epp_request_ttft_seconds_count 1
llm_d_epp_request_ttft_seconds_sum 0.05
";
    assert_eq!(figure(&read_one(gateway), "ttft_ms", "p50"), Some([0.0, 100.0]));
}

#[test]
fn of_samples_with_time_stamps_the_last_counts() {
    let text = "vllm:e2e_request_latency_seconds_count{engine=\"0\"} 1 10
vllm:e2e_request_latency_seconds_count{engine=\"0\"} 4 25
vllm:e2e_request_latency_seconds_sum{engine=\"0\"} 1 10
vllm:e2e_request_latency_seconds_sum{engine=\"0\"} 8 25
# EOF
";
    assert_eq!(figure(&read_one(text), "e2e_ms", "mean"), Some([2000.0, 2000.0]));
}

fn preset() -> Scenario {
    let mut scenario = Preset::named("chat-4xh100").expect("a preset").scenario();
    (scenario.run.horizon_s, scenario.run.warmup_s) = (60.0, 0.0);
    scenario
}

#[test]
fn series_are_compared_at_the_same_instants_with_step_and_span() {
    let b = one("range-query.json");
    let c = compare(&b, &replay(&b, &preset())).expect("a run");
    assert!(c.assumed && c.says.ends_with("5 instants, one every 15 s, over 60 s"), "{}", c.says);
    let names: Vec<&str> = c.series.iter().map(|s| s.metric).collect();
    assert_eq!(names, ["running", "waiting", "kv_usage", "out_tok_per_s", "ttft_ms"]);
    let of = |metric: &str| c.series.iter().find(|s| s.metric == metric).expect("a series");
    assert_eq!(of("running").times_s, [0.0, 15.0, 30.0, 45.0, 60.0]);
    assert_eq!(of("running").measured, [0.0, 3.0, 4.0, 4.0, 2.0]);
    assert_eq!((of("out_tok_per_s").times_s[0], of("out_tok_per_s").measured[0]), (15.0, 120.0));
    assert!((of("ttft_ms").measured_mean - 31.0).abs() < 1e-9);
    assert!(c.series.iter().all(|s| s.error.is_none()), "the load is assumed");
    let b = own(b);
    let c = compare(&b, &replay(&b, &preset())).expect("a run");
    let tokens = c.series.iter().find(|s| s.metric == "out_tok_per_s").expect("a series");
    assert_eq!(tokens.instants, 4);
    let wanted = tokens.simulated_mean / tokens.measured_mean - 1.0;
    assert!(tokens.error.is_some_and(|e| (e - wanted).abs() < 1e-12) && tokens.simulated_mean > 100.0);
}

#[test]
fn answers_of_other_kinds_are_refused_with_the_reason() {
    let tree: Value = serde_json::from_str(&sample("range-query.json")).expect("JSON");
    let first = |tree: &Value| read(&tree.to_string()).expect_err("not a range").remove(0);
    let mut vector = tree.clone();
    vector["data"]["resultType"] = json!("vector");
    assert_eq!(first(&vector).path, "[0].data.resultType");
    let mut nameless = tree.clone();
    nameless["data"]["result"][1]["metric"] = json!({"engine": "0"});
    let problem = first(&nameless);
    assert_eq!(problem.path, "[0].data.result[1].metric");
    assert!(problem.fix.contains("query the metric itself"), "{problem}");
    let mut broken = tree.clone();
    broken["data"]["result"][0]["values"][2] = json!([1, "x"]);
    assert_eq!(first(&broken).path, "[0].data.result[0].values[2]");
    let mut alone = tree.clone();
    for series in alone["data"]["result"].as_array_mut().expect("series") {
        series["values"].as_array_mut().expect("values").truncate(1);
    }
    assert_eq!(first(&alone).found, "one instant");
    // Several answers, in a list and one a line; a metric that a run does not have is named.
    let mut other = tree.clone();
    other["data"]["result"][0]["metric"]["__name__"] = json!("process_open_fds");
    for text in [json!([tree, other]).to_string(), format!("{tree}\n{other}\n")] {
        let b = read_one(&text);
        assert!(b.notes.iter().any(|n| n.contains("process_open_fds")), "{:?}", b.notes);
        assert!(b.series.is_some_and(|line| line.instants() == 5));
    }
}

#[test]
fn the_command_prints_series_and_writes_metrics_beside_no_input() {
    let name = format!("{}/tests/it/exchange/samples/range-query.json", env!("CARGO_MANIFEST_DIR"));
    let out = printed(&["validate", &name, "--scenario", "chat-4xh100", "--own-traffic"]);
    assert!(out.contains("kv_usage") && out.contains("every 15 s, over 60 s"), "{out}");
    let scenario = TempFile::new("s.json", r#"{"run": {"horizon_s": 20, "warmup_s": 0}}"#);
    let told = refused(&["run", scenario.path(), "--openmetrics", scenario.path()]);
    let message = "allowed: a file that is not read in the same run";
    assert!(told.starts_with("--openmetrics") && told.contains(message), "{told}");
    let metrics = TempFile::new("run.om", "");
    let start = ["--openmetrics", metrics.path(), "--openmetrics-start", "1700000000"];
    let with = run(&[&["run", scenario.path(), "--json"], &start[..]].concat());
    let without = run(&["run", scenario.path(), "--json"]);
    assert_eq!(stdout(&with), stdout(&without), "{}", stderr(&with));
    let text = std::fs::read_to_string(metrics.path()).expect("it was written");
    assert!(text.ends_with("# EOF\n") && text.contains(" 1700000015\n") && text.contains(" 1700000020\n"));
    let out = run(&["validate", metrics.path(), "--scenario", scenario.path(), "--own-traffic"]);
    assert!(stdout(&out).contains("inside"), "{}{}", stdout(&out), stderr(&out));
}
