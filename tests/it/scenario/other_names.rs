//! Short forms, names of other programs, and what a scenario says of them.

use super::diagnostics::{client, says, says_of_edits};
use tokenyard::scenario::{FitnessMetric, parse};

#[test]
fn uniform_lengths_and_lists_have_ranges_and_the_fewest_tokens_are_1_where_nothing_is_said() {
    says(
        &client(r#""prompt_tokens": {"uniform": {"min_tokens": 90, "max_tokens": 10}}"#),
        "error: workload.clients[0].prompt_tokens.uniform.min_tokens: 90, which is above max_tokens (10); allowed: at most max_tokens; swap the two",
    );
    says(
        &client(r#""prompt_tokens": {"list": {"lengths_tokens": []}}"#),
        "error: workload.clients[0].prompt_tokens.list.lengths_tokens: no lengths; allowed: at least one length; add the lengths: [128, 512, 2048]",
    );
    says(
        &client(r#""prompt_tokens": {"list": {"lengths_tokens": [7, 0]}}"#),
        "error: workload.clients[0].prompt_tokens.list.lengths_tokens[1]: 0; allowed: 1 to 1,048,576; a request has at least one token",
    );
    let many = vec!["7"; 4097].join(",");
    says(
        &client(&format!(r#""prompt_tokens": {{"list": {{"lengths_tokens": [{many}]}}}}"#)),
        "error: workload.clients[0].prompt_tokens.list.lengths_tokens: 4,097 lengths; allowed: at most 4,096; shorten the list",
    );
    for (short, long) in [
        (r#"{"uniform": {"max_tokens": 9}}"#, r#"{"uniform": {"min_tokens": 1, "max_tokens": 9}}"#),
        (
            r#"{"lognormal": {"median_tokens": 50, "sigma": 1, "max_tokens": 99}}"#,
            r#"{"lognormal": {"median_tokens": 50, "sigma": 1, "min_tokens": 1, "max_tokens": 99}}"#,
        ),
    ] {
        let [short, long] =
            [short, long].map(|lengths| parse(&client(&format!("\"prompt_tokens\": {lengths}"))));
        assert_eq!(short.expect("valid"), long.expect("valid"));
    }
}

#[test]
fn names_of_other_programs_name_ours() {
    let engine = |key: &str| format!(r#"{{"cluster": {{"pools": [{{"engine": {{"{key}": 512}}}}]}}}}"#);
    for (key, own) in [
        ("long-prefill-token-threshold", "long_prefill_threshold_tokens"),
        ("long_prefill_token_threshold", "long_prefill_threshold_tokens"),
        ("max-num-running-reqs", "max_num_seqs"),
        ("max_num_scheduled_tokens", "max_num_batched_tokens"),
        ("chunked-prefill-size", "max_num_batched_tokens"),
    ] {
        let problems = parse(&engine(key)).expect_err(key);
        assert_eq!(
            (problems[0].path.clone(), problems[0].fix.clone()),
            (format!("cluster.pools[0].engine.{key}"), format!("its name here is `{own}`"))
        );
    }
    let found = |text: &str| parse(text).expect_err(text)[0].fix.clone();
    assert_eq!(found(r#"{"cluster": {"num-instances": 2}}"#), "it belongs at `cluster.pools[].replicas`");
    assert_eq!(
        found(r#"{"cluster": {"pools": [{"long-prefill-token-threshold": 2}]}}"#),
        "it belongs at `cluster.pools[].engine.long_prefill_threshold_tokens`"
    );
    assert_eq!(found(r#"{"cluster": {"routing": "least-outstanding"}}"#), "its name here is `least-loaded`");
    assert_eq!(found(&client(r#""prompt_tokens": {"normal": {}}"#)), "its name here is `gaussian`");
    // A slip of a name of ours stays one.
    assert_eq!(found(r#"{"cluster": {"pools": [{"replica": 2}]}}"#), "did you mean `replicas`?");
}

#[test]
fn parts_of_the_fitness_score_may_have_the_names_of_reports() {
    let of = |name: &str| {
        let text = format!(r#"{{"observe": {{"fitness": [{{"metric": "{name}", "weight": 1}}]}}}}"#);
        parse(&text).unwrap_or_else(|problems| panic!("{problems:?}")).observe.fitness[0].metric
    };
    for (names, metric) in [
        (["throughput.completed_per_s", "completed_per_s", "throughput"], FitnessMetric::Throughput),
        (
            ["throughput.output_tokens_per_s", "output_tokens_per_s", "tokens_per_sec"],
            FitnessMetric::TokensPerSec,
        ),
        (["latency_ms.ttft.mean", "ttft_mean_ms", "mean_ttft"], FitnessMetric::MeanTtft),
        (["latency_ms.ttft.p50", "ttft_p50_ms", "p50_ttft"], FitnessMetric::P50Ttft),
        (["latency_ms.ttft.p99", "ttft_p99_ms", "p99_ttft"], FitnessMetric::P99Ttft),
        (["latency_ms.e2e.mean", "e2e_mean_ms", "mean_e2e"], FitnessMetric::MeanE2e),
        (["latency_ms.e2e.p50", "e2e_p50_ms", "p50_e2e"], FitnessMetric::P50E2e),
        (["latency_ms.e2e.p99", "e2e_p99_ms", "p99_e2e"], FitnessMetric::P99E2e),
    ] {
        assert_eq!(names.map(of), [metric; 3], "{names:?}");
    }
}

#[test]
fn a_bound_beside_a_closed_loop_says_that_it_has_no_effect() {
    let short = r#"{"workload": {"clients": [{"concurrency": 4}]}, "edits": [{"at_us": 5, "set": {"workload.clients[0].concurrency": 8}}]}"#;
    let message = "warning: edits[0].set.workload.clients[0].concurrency: at most 8 in flight, beside a closed loop of 4; \
        allowed: fewer than the closed loop has, or 0; it has no effect: set arrivals.concurrency.requests for another \
        number in flight";
    says_of_edits(short, message);
    says(
        &client(r#""arrivals": {"concurrency": 4}, "concurrency": 4"#),
        "warning: workload.clients[0].concurrency: at most 4 in flight, beside a closed loop of 4; allowed: fewer than \
        the closed loop has, or 0; it has no effect: set arrivals.concurrency.requests for another number in flight",
    );
    says(&client(r#""arrivals": {"concurrency": 4}, "concurrency": 3"#), "");
    says(&client(r#""concurrency": 4"#), "");
}

#[test]
fn an_unknown_model_names_the_nearest_one_of_its_family_and_size() {
    let text = r#"{"cluster": {"pools": [{"model": "org/Llama-3.1-65B"}]}}"#;
    let problems = tokenyard::session::Session::check(text);
    let fix = &problems[0].fix;
    assert!(fix.contains("did you mean `llama-3.1-70b`"), "{problems:?}");
}
