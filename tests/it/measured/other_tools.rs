//! Results of `InferenceX`, summaries that are refused with what they lack, and what files say of their engines.

use super::benchmark_files::{cluster, figure, read_one, sample};
use tokenyard::benchmarks::import::benchmark::{formats, read};
use tokenyard::benchmarks::replay;

#[test]
fn rows_of_inferencex_are_in_seconds_and_for_each_gpu() {
    let (runs, _) = read(&sample("inferencex.json")).expect("sound rows");
    let value = |i: usize, metric: &str, stat: &str| figure(&runs[i], metric, stat).map(|[low, _]| low);
    assert_eq!(value(0, "ttft_ms", "mean"), Some(120.0));
    assert_eq!(value(0, "ttft_ms", "p99"), Some(400.0));
    assert_eq!(value(0, "tpot_ms", "p50"), Some(12.1));
    assert_eq!(value(0, "e2e_ms", "mean"), Some(3300.0));
    assert_eq!(value(0, "out_tok_per_s", "value"), Some(1200.0));
    assert_eq!(value(1, "tpot_ms", "p50"), Some(10.0));
    // The GPUs that write answers are those of the decode workers.
    assert_eq!(value(1, "out_tok_per_s", "value"), Some(4000.0));
    assert_eq!((runs[0].load.concurrency, runs[0].load.at_once), (Some(16), true));
    assert!(runs[1].notes.iter().any(|note| note.contains("spec_decoding mtp, ")), "{:?}", runs[1].notes);
    let mut run = runs[0].clone();
    run.load.requests = Some(160);
    assert_eq!(replay(&run, &cluster()).says, "160 requests, 16 in flight, of 1024 and 256 tokens");
    let broken = sample("inferencex.json").replace("\"mean_ttft\": 0.120", "\"mean_ttft\": \"fast\"");
    let problems = read(&broken).expect_err("a word in place of a number");
    assert_eq!((problems[0].path.as_str(), problems[0].found.as_str()), ("[0].mean_ttft", "\"fast\""));
    assert!(formats().contains("InferenceX"), "{}", formats());
}

#[test]
fn summaries_of_web_load_tools_are_refused_with_the_fields_that_are_needed() {
    let k6 = r#"{"root_group": {"name": ""}, "metrics": {"http_req_duration": {"avg": 812.4, "med": 801.0, "p(95)": 1200.1}, "iterations": {"count": 100, "rate": 2.1}}}"#;
    let printed = "     http_req_duration..............: avg=812ms min=1ms med=801ms max=2s p(90)=1s p(95)=1.2s\n     iterations.....................: 100   2.1/s\n";
    let csv = "Type,Name,Request Count,Failure Count,Median Response Time,Average Response Time\nPOST,/v1/completions,100,0,800,812\n";
    let json = r#"[{"name": "/v1/completions", "method": "POST", "num_requests": 100, "num_failures": 0, "response_times": {"800": 60, "900": 40}}]"#;
    for (text, tool) in [(k6, "k6"), (printed, "k6"), (csv, "locust"), (json, "locust")] {
        let problems = read(text).expect_err("no tokens");
        assert!(problems[0].found.starts_with(&format!("a summary of {tool}, ")), "{problems:?}");
        assert!(problems[0].allowed.contains("the tokens of its prompt and of its answer"), "{problems:?}");
    }
    let other = read(r#"{"metrics": {"cpu": {"avg": 1}}}"#).expect_err("an unknown file");
    assert!(!other[0].found.contains("k6"), "{other:?}");
}

#[test]
fn what_a_file_says_of_its_engine_is_named() {
    let plain = sample("vllm-bench.json");
    assert!(!read_one(&plain).notes.iter().any(|note| note.starts_with("Of its engine")));
    let speculative = plain.replacen('{', "{\"spec_decode_acceptance_rate\": 61.5, \"engine\": {\"quantization\": \"fp8\", \"enable_chunked_prefill\": true, \"enforce_eager\": false}, ", 1);
    let said = "Of its engine the file says: spec_decode_acceptance_rate 61.5, engine.quantization fp8, engine.enable_chunked_prefill true. The scenario's engine is run: give it the same.";
    let notes = read_one(&speculative).notes;
    assert!(notes.iter().any(|note| note == said), "{notes:?}");
}
