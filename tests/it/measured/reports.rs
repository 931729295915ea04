//! Reports of llm-d-benchmark, which hold the result of another tool with its units.

use super::benchmark_files::{cluster, figure, sample};
use crate::support::command::{TempFile, printed, refused};
use serde_json::{Value, json};
use tokenyard::benchmarks::import::benchmark::{Benchmark, read};
use tokenyard::benchmarks::replay;

fn tree() -> Value {
    serde_json::from_str(&sample("benchmark-report.json")).expect("JSON")
}

fn one(tree: &Value) -> Benchmark {
    read(&tree.to_string()).unwrap_or_else(|p| panic!("{p:?}")).0.remove(0)
}

#[test]
fn figures_have_the_units_of_the_report_and_the_meaning_of_its_tool() {
    let mut report = tree();
    let latency = "/results/request_performance/aggregate/latency";
    for (unit, factor) in [("s", 1.0), ("ms", 1e3), ("us", 1e6), ("ns", 1e9), ("s/token", 1.0)] {
        *report.pointer_mut(latency).expect("latencies") =
            json!({"time_to_first_token": {"units": unit, "mean": 0.031 * factor}});
        let [low, _] = figure(&one(&report), "ttft_ms", "mean").expect("TTFT");
        assert!((low - 31.0).abs() < 1e-9, "{unit}: {low}");
    }
    for unit in [json!("furlongs"), Value::Null] {
        *report.pointer_mut(latency).expect("latencies") =
            json!({"time_to_first_token": {"units": unit, "mean": 1.0}});
        let problem = read(&report.to_string()).expect_err("no unit").remove(0);
        assert!(problem.path.ends_with("latency.time_to_first_token.units"), "{problem}");
    }
    let mut report = tree();
    report["scenario"]["load"]["standardized"]["tool"] = json!("guidellm");
    report.pointer_mut(latency).expect("latencies")["inter_token_latency"] =
        json!({"units": "ms/token", "mean": 7.5});
    let b = one(&report);
    assert_eq!(figure(&b, "tpot_ms", "mean"), Some([7.5, 7.5]), "its TPOT includes the first token");
    assert_eq!(figure(&b, "itl_ms", "mean"), None);
}

#[test]
fn the_load_is_read_from_both_versions() {
    let says = |tree: &Value| replay(&one(tree), &cluster()).says;
    let mut report = tree();
    assert_eq!(says(&report), "24 requests at 4 a second, of 550 and 30 tokens");
    for (load, wanted) in [
        (
            json!({"standardized": {"tool": "vllm-benchmark", "rate_qps": "inf", "concurrency": 5}}),
            "24 requests, 5 in flight",
        ),
        (
            json!({"standardized": {"rate_qps": 2, "concurrency": 5}}),
            "24 requests at 2 a second, at most 5 in flight",
        ),
        (
            json!({"standardized": {"tool": "inference-perf", "stage": 1},
                   "native": {"config": {"load": {"type": "constant", "stages": [{"rate": 1}, {"rate": 3}]}}}}),
            "24 requests at 3 a second, evenly spaced",
        ),
        (
            json!({"standardized": {}}),
            "24 requests of 550 and 30 tokens, one after the other, which is assumed",
        ),
    ] {
        report["scenario"]["load"] = load.clone();
        assert!(says(&report).starts_with(wanted), "{load}: {}", says(&report));
    }
    let first = json!({
        "version": "0.1",
        "scenario": {
            "model": {"name": "m"},
            "load": {"name": "inference-perf", "metadata": {"stage": 1},
                     "args": {"load": {"type": "poisson", "stages": [{"rate": 1}, {"rate": 8}]}}}
        },
        "metrics": {
            "time": {"duration": 20.0, "start": 1_760_000_000.0},
            "requests": {"total": 100, "failures": 4, "input_length": {"mean": 300.0}, "output_length": {"mean": 40.0}},
            "latency": {"time_to_first_token": {"units": "ms", "mean": 50.0, "p50": 44.0, "p99": 90.0, "stddev": 9.0}},
            "throughput": {"requests_per_sec": 7.5, "output_tokens_per_sec": 310.0}
        }
    });
    let b = one(&first);
    assert_eq!((b.model.as_str(), b.failed, b.measured()), ("m", 4, Some(96)));
    assert_eq!(figure(&b, "req_per_s", "value"), Some([7.5, 7.5]));
    assert_eq!(b.deviations, [("ttft_ms", 9.0)]);
    assert_eq!(says(&first), "100 requests at 8 a second, of 300 and 40 tokens");
}

#[test]
fn the_command_reads_it_as_yaml_with_numbers_that_are_not_finite() {
    let yaml = "version: '0.2'
run: {uid: b, time: {start: 2026-02-01T00:00:00Z}}
scenario:
  load:
    standardized: {tool: vllm-benchmark, rate_qps: .inf, concurrency: 4}
results:
  request_performance:
    aggregate:
      requests: {total: 40, failures: 0, input_length: {mean: 100}, output_length: {mean: 20}}
      latency:
        time_to_first_token: {units: s, mean: 0.02, p90: .nan}
";
    let (file, scenario) = (TempFile::new("report.yaml", yaml), TempFile::new("s.json", "{}"));
    let text = printed(&["validate", file.path(), "--scenario", scenario.path()]);
    assert!(text.contains("40 requests, 4 in flight") && text.contains("ttft_ms mean"), "{text}");
    assert!(!text.contains("ttft_ms p90"), "{text}");
    let broken = TempFile::new("report.yaml", yaml.replace("aggregate:", "aggregate"));
    refused(&["validate", broken.path(), "--scenario", scenario.path()]);
}
