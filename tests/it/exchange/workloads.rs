//! Workloads of other programs as clients.

use super::{import, import_into, row};
use serde_json::{Value, json};

fn clients(text: &str) -> Value {
    import(text).0["workload"]["clients"].clone()
}

#[test]
fn clients_and_cohorts_of_blis_become_clients_with_their_share_of_the_rate() {
    let (scenario, found) = import(include_str!("samples/blis-workload.yaml"));
    let run = &scenario["run"];
    assert_eq!(
        (&run["max_requests"], &run["horizon_s"], &run["warmup_s"]),
        (&json!(900), &json!(0.0), &json!(0.0))
    );
    assert_eq!((&scenario["seed"], &scenario["workload"]["timeout_s"]), (&json!(11), &json!(60.0)));
    let [chat, nightly] = [0, 1].map(|i| scenario["workload"]["clients"][i].clone());
    assert_eq!(
        (&chat["name"], &chat["tenant"], &chat["slo_class"]),
        (&json!("assistant"), &json!("north"), &json!("standard"))
    );
    assert_eq!(chat["arrivals"], json!({ "gamma": { "rate_per_s": 30.0, "cv": 2.5 } }));
    assert_eq!(chat["prefix"], json!({ "groups": 1, "tokens": 320 }));
    let normal = json!({ "gaussian": { "mean_tokens": 90.0, "sd_tokens": 30.0, "min_tokens": 10, "max_tokens": 400 } });
    assert_eq!(chat["prompt_tokens"], normal);
    assert_eq!(chat["output_tokens"]["exponential"]["mean_tokens"], 70.0);
    let talk = &chat["conversation"];
    assert_eq!((&talk["rounds"]["constant"]["rounds"], &talk["clock"]), (&json!(4), &json!("closed")));
    assert_eq!(talk["think_time"]["constant"]["think_s"], 2.0);
    assert_eq!(nightly["arrivals"], json!({ "constant": { "rate_per_s": 10.0 } }));
    assert_eq!(nightly["prompt_tokens"]["pareto-lognormal"]["pareto_share"], 0.2);
    let lengths = json!([{ "tokens": 64, "weight": 0.25 }, { "tokens": 256, "weight": 0.75 }]);
    assert_eq!(nightly["output_tokens"]["empirical"]["lengths"], lengths);
    assert_eq!(nightly["rate_profile"]["windows"]["windows"][0], json!({ "start_s": 5.0, "end_s": 25.0 }));
    assert_eq!(row(&found, "cohorts.0.population").0, "near");
    assert_eq!(row(&found, "clients.0.network.rtt_ms").0, "ignored");
    assert_eq!(found.counts.unknown, 0, "{found:?}");
}

#[test]
fn stages_of_inference_perf_in_blis_become_a_rate_over_time() {
    let (scenario, found) = import(include_str!("samples/blis-workload-stages.yaml"));
    let client = &scenario["workload"]["clients"][0];
    assert_eq!(client["arrivals"]["poisson"]["rate_per_s"], 10.0);
    let points = json!([{ "at_s": 0.0, "factor": 0.4 }, { "at_s": 30.0, "factor": 1.0 }]);
    assert_eq!(client["rate_profile"]["steps"]["points"], points);
    assert_eq!(client["prefix"], json!({ "groups": 6, "tokens": 200 }));
    assert_eq!((&client["sessions"], &scenario["run"]["horizon_s"]), (&json!(24), &json!(90.0)));
    assert_eq!(row(&found, "inference_perf.shared_prefix.num_users_per_system_prompt").0, "near");
}

#[test]
fn mistakes_in_a_workload_of_blis_are_told() {
    let sample = include_str!("samples/blis-workload.yaml");
    for (from, to, part) in [
        ("process: gamma", "process: gama", "did you mean \"gamma\"?"),
        ("type: exponential", "type: exponentail", "did you mean \"exponential\"?"),
        ("slo_class: batch", "slo_class: batsh", "did you mean \"batch\"?"),
        ("aggregate_rate: 40.0", "category: language", "aggregate_rate: nothing"),
    ] {
        let told = import_into(
            "",
            &[&sample.replacen(from, to, 1).replace("category: language\ncategory", "category")],
        )
        .problems;
        assert!(told.iter().any(|d| d.to_string().contains(part)), "{part}: {told:?}");
    }
    let found = import_into("", &[&sample.replace("prefix_length", "prefix_lenght")]);
    assert!(found.problems.is_empty(), "{found:?}");
    assert!(found.warnings[0].to_string().contains("its own program refuses the file"), "{found:?}");
}

#[test]
fn a_configuration_of_inference_perf_becomes_a_client() {
    let sample = include_str!("samples/inference-perf-config.yaml");
    let (scenario, found) = import(sample);
    let client = &scenario["workload"]["clients"][0];
    assert_eq!(client["arrivals"], json!({ "poisson": { "rate_per_s": 6.0 } }));
    assert_eq!((&client["concurrency"], &scenario["run"]["horizon_s"]), (&json!(100), &json!(90.0)));
    assert_eq!(client["prompt_tokens"]["gaussian"]["sd_tokens"], 80.0);
    assert_eq!(client["output_tokens"], json!({ "constant": { "tokens": 60 } }));
    assert_eq!(row(&found, "load.interval").0, "near");
    assert_eq!(row(&found, "tokenizer.pretrained_model_name_or_path").0, "ignored");
    let closed = "load: {type: concurrent, stages: [{num_requests: 500, concurrency_level: 16}]}\ndata: {type: shared_prefix, shared_prefix: {num_groups: 3, num_prompts_per_group: 5, system_prompt_len: 99, question_len: 7, output_len: 8}}\n";
    let (scenario, _) = import(closed);
    let client = &scenario["workload"]["clients"][0];
    assert_eq!(client["arrivals"], json!({ "concurrency": { "requests": 16 } }));
    assert_eq!((&client["prefix"]["groups"], &scenario["run"]["max_requests"]), (&json!(3), &json!(500)));
}

#[test]
fn a_sweep_finds_its_rates_while_it_runs_which_is_told() {
    let text = "load: {type: constant, sweep: {type: linear, num_stages: 5, stage_duration: 60}}\ndata: {type: shareGPT}\n";
    let found = import_into("", &[text]);
    assert!(found.problems.is_empty(), "{found:?}");
    let told: Vec<String> = found.warnings.iter().map(ToString::to_string).collect();
    assert!(told.iter().any(|t| t.contains("finds its rates while it runs")), "{told:?}");
    assert!(told.iter().any(|t| t.contains("texts that are not part of the file")), "{told:?}");
    assert_eq!(row(&found, "load.sweep.num_stages").0, "ignored");
}

#[test]
fn a_workload_of_guidellm_becomes_a_client() {
    let (scenario, found) = import(include_str!("samples/workload-guidellm.yaml"));
    let client = &scenario["workload"]["clients"][0];
    assert_eq!(client["arrivals"], json!({ "poisson": { "rate_per_s": 3.5 } }));
    assert_eq!(client["prompt_tokens"]["gaussian"]["mean_tokens"], 256.0);
    assert_eq!(client["output_tokens"], json!({ "constant": { "tokens": 64 } }));
    assert_eq!(client["prefix"], json!({ "groups": 3, "tokens": 100 }));
    let run = &scenario["run"];
    assert_eq!(
        (&run["horizon_s"], &run["warmup_s"], &scenario["seed"]),
        (&json!(120.0), &json!(12.0), &json!(8))
    );
    assert_eq!(row(&found, "rate.1").0, "ignored");
    let closed = clients(
        "rate_type: concurrent\nrate: 12\nmax_requests: 50\ndata: {prompt_tokens: 30, output_tokens: 9}\n",
    );
    assert_eq!(closed[0]["arrivals"], json!({ "concurrency": { "requests": 12 } }));
    let told = import_into("", &["rate_type: poison\nrate: 3\ndata: some/dataset\n"]);
    assert!(told.problems[0].to_string().contains("did you mean \"poisson\"?"), "{told:?}");
}

#[test]
fn two_workloads_are_a_conflict() {
    let found = import_into(
        "",
        &[
            include_str!("samples/blis-workload-stages.yaml"),
            include_str!("samples/inference-perf-config.yaml"),
        ],
    );
    assert!(found.conflicts.iter().any(|c| c.field == "workload.clients"), "{:?}", found.conflicts);
}
