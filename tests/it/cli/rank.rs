//! `tokenyard rank`: policies in benchmarks of one's own beside the simulation.

use crate::support::command::{TempFile, printed_json, refused, run, stdout};
use serde_json::Value;

/// The result of a benchmark with other times to first token.
fn measured(name: &str, ttft_ms: f64) -> TempFile {
    let path = format!("{}/tests/it/exchange/samples/vllm-bench.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a sample");
    let mut tree: Value = serde_json::from_str(&text).expect("JSON");
    for key in ["mean_ttft_ms", "median_ttft_ms", "p99_ttft_ms"] {
        tree[key] = ttft_ms.into();
    }
    TempFile::new(name, tree.to_string())
}

fn file_name(file: &TempFile) -> &str {
    std::path::Path::new(file.path()).file_name().and_then(|name| name.to_str()).expect("a name")
}

fn suite(measured: &str) -> TempFile {
    let text = format!(
        "cases:\n  - id: short\n    scenario:\n      run: {{ horizon_s: 8, warmup_s: 1 }}\n      cluster: {{ pools: [{{ replicas: 4 }}] }}\n\
         \x20     workload: {{ clients: [{{ arrivals: {{ poisson: {{ rate_per_s: 40 }} }} }}] }}\n\
         baseline: {{ routing: least-loaded }}\n\
         objectives: [{{ metric: latency_ms.ttft.p99, direction: lower }}]\n\
         policies: {{ one-replica: {{ routing: always-busiest }} }}\n{measured}"
    );
    TempFile::new("suite.yaml", text)
}

#[test]
fn policies_that_measure_as_they_simulate_are_in_the_right_order() {
    let (fast, slow) = (measured("fast.json", 30.0), measured("slow.json", 5000.0));
    let own = format!(
        "measured: [{{ policy: baseline, file: {} }}, {{ policy: one-replica, file: {} }}]\n",
        file_name(&fast),
        file_name(&slow)
    );
    let listed = suite(&own);
    let ranked = printed_json(&["rank", "--suite", listed.path(), "--own-traffic", "--json"]);
    let ttft =
        ranked.as_array().expect("a list").iter().find(|r| r["metric"] == "ttft_ms" && r["stat"] == "mean");
    let ttft = ttft.expect("every file has it");
    assert_eq!((ttft["kendall"].as_f64(), ttft["spearman"].as_f64()), (Some(1.0), Some(1.0)), "{ttft}");
    assert_eq!((ttft["pairs"].as_u64(), ttft["pairs_right"].as_u64()), (Some(1), Some(1)));
    assert_eq!(ttft["gaps"][0]["measured"].as_f64(), Some(4970.0));
    assert_eq!(ttft["gaps"][0]["right"], true);

    // The other way around, by arguments.
    let (a, b) = (format!("baseline={}", slow.path()), format!("one-replica={}", fast.path()));
    let out = run(&["rank", &a, &b, "--suite", listed.path(), "--own-traffic"]);
    let text = stdout(&out);
    assert!(
        text.contains("ttft_ms mean: Spearman -1.000, Kendall -1.000, 0 of 1 pairs in the right order"),
        "{text}"
    );
}

#[test]
fn what_cannot_be_ranked_is_refused() {
    let file = measured("fast.json", 30.0);
    let suite = suite("");
    let told = |measured: &[&str]| {
        refused(&[&["rank", "--suite", suite.path(), "--own-traffic"], measured].concat())
    };
    assert!(told(&[]).contains("0 measured policies; allowed: 2 to 64"));
    let of = |policy: &str| format!("{policy}={}", file.path());
    assert!(told(&[&of("baseline")]).contains("1 measured policies"));
    assert!(told(&[&of("baseline"), &of("baseline")]).contains("baseline: measured twice"));
    assert!(told(&[&of("baseline"), &of("one-replic")]).contains("did you mean `one-replica`?"));
    assert!(told(&[file.path()]).contains("allowed: NAME=FILE"));
    assert!(
        told(&[&of("baseline"), &of("random"), "--case", "long"])
            .contains("--case: error: long; allowed: short")
    );
}
