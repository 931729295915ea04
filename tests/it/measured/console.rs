//! What benchmark tools print on a terminal, and loads with times and a limit of requests in flight.

use super::benchmark_files::{cluster, figure, read_one, sample};
use tokenyard::benchmarks::import::benchmark::{Benchmark, read};
use tokenyard::benchmarks::{compare, replay};

/// An exact figure.
fn value_of(b: &Benchmark, metric: &str, stat: &str) -> f64 {
    figure(b, metric, stat).map_or(f64::NAN, |[low, _]| low)
}

#[test]
fn the_text_of_a_terminal_has_the_figures_and_the_load() {
    let text = sample("serving-console.txt");
    let b = read_one(&format!("$ vllm bench serve --model x\nINFO 07-26 01:00:00 starting\n{text}\n$ \n"));
    assert_eq!(
        (b.tool, b.load.requests, b.load.concurrency, b.load.at_once),
        ("vllm bench serve", Some(100), Some(16), true)
    );
    for (metric, stat, value) in [
        ("ttft_ms", "mean", 60.77),
        ("ttft_ms", "p50", 55.10),
        ("ttft_ms", "p99", 120.0),
        ("tpot_ms", "mean", 6.5),
        ("itl_ms", "mean", 6.5),
        ("req_per_s", "value", 2.43),
        ("out_tok_per_s", "value", 2425.01),
    ] {
        assert!((value_of(&b, metric, stat) - value).abs() < 1e-9, "{metric} {stat}");
    }
    assert_eq!(replay(&b, &cluster()).says, "100 requests, 16 in flight, of 997 and 1000 tokens");
    assert_eq!(b.notes, ["Not read: Peak output token throughput (tok/s), Peak concurrent requests."]);
    // A rate; and no limit and no rate: all at once.
    let rate = text.replace(
        "Maximum request concurrency:             16",
        "Request rate configured (RPS):           2.50",
    );
    assert!(replay(&read_one(&rate), &cluster()).says.starts_with("100 requests at 2.5 a second, of 997"));
    let none: String = text.split_inclusive('\n').filter(|line| !line.starts_with("Maximum")).collect();
    assert_eq!(
        replay(&read_one(&none), &cluster()).says,
        "100 requests, all sent at once, of 997 and 1000 tokens"
    );
    // Two results in one text, and one that is broken off in a number.
    assert_eq!(read(&format!("{text}\n{text}")).expect("two results").0.len(), 2);
    let broken = text.replace("60.77", "6o.77");
    let problems = read(&broken).expect_err("a word in place of a number");
    assert_eq!(problems.iter().map(|d| d.path.as_str()).collect::<Vec<_>>(), ["mean_ttft_ms"]);
}

#[test]
fn sglang_s_words_are_those_of_the_same_figures() {
    let text = "============ Serving Benchmark Result ============\nBackend:                                 sglang\nTraffic request rate:                    inf\n\
                Max request concurrency:                 not set\nSuccessful requests:                     10\nBenchmark duration (s):                  2.50\n\
                Total input tokens:                      5120\nTotal generated tokens:                  640\nTotal generated tokens (retokenized):    640\n\
                Request throughput (req/s):              4.00\nOutput token throughput (tok/s):         256.00\nConcurrency:                             3.1\n\
                ----------------End-to-End Latency----------------\nMean E2E Latency (ms):                   700.00\nMedian E2E Latency (ms):                 690.00\n\
                ---------------Time to First Token----------------\nMean TTFT (ms):                          80.00\nMedian TTFT (ms):                        75.00\nP99 TTFT (ms):                           130.00\n\
                ---------------Inter-Token Latency----------------\nMean ITL (ms):                           9.50\n==================================================\n";
    let b = read_one(text);
    assert_eq!((b.tool, b.load.concurrency, b.load.at_once), ("sglang.bench_serving", None, true));
    assert!((value_of(&b, "e2e_ms", "mean") - 700.0).abs() < 1e-9 && b.notes.is_empty(), "{:?}", b.notes);
}

#[test]
fn times_beside_a_limit_never_put_more_in_flight() {
    let text = include_str!("../exchange/cases/times-and-a-limit.json");
    let b = read_one(text);
    let run = replay(&b, &cluster());
    assert!(run.says.starts_with("12 requests, each sent when it was, at most 1 in flight"), "{}", run.says);
    let found = compare(&b, &run).expect("a run");
    let row = |metric: &str, stat: &str| {
        let row = found.rows.iter().find(|row| row.measured.metric == metric && row.measured.stat == stat);
        row.map_or(0.0, |row| row.simulated)
    };
    // One answer after the other: the rate is that of one request alone.
    let alone = 1e3 / row("e2e_ms", "mean");
    assert!((row("req_per_s", "value") / alone - 1.0).abs() < 0.1, "{} {alone}", row("req_per_s", "value"));
    // A limit that is never reached changes nothing.
    let wide = text.replace("\"max_concurrency\": 1,", "\"max_concurrency\": 12,");
    assert_eq!(replay(&read_one(&wide), &cluster()).says, "12 requests, each sent when it was");
}
