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

#[test]
fn a_command_of_guidellm_is_read_as_its_file_also_in_a_job() {
    let text = include_str!("samples/workload-guidellm-command.sh");
    let (scenario, found) = import(text);
    let client = &scenario["workload"]["clients"][0];
    assert_eq!(client["arrivals"], json!({ "poisson": { "rate_per_s": 4.0 } }));
    assert_eq!(client["prompt_tokens"]["gaussian"]["sd_tokens"], 64.0);
    assert_eq!((&scenario["run"]["horizon_s"], &scenario["seed"]), (&json!(120.0), &json!(7)));
    assert_eq!(found.counts.unknown, 0, "{:?}", found.keys);
    let broken = import_into("", &[&text.replace("--profile poisson", "--profile poison")]);
    assert!(
        broken.scenario.is_empty() && broken.problems[0].fix.contains("poisson"),
        "{:?}",
        broken.problems
    );
    let job = include_str!("samples/Job.yaml");
    let (scenario, found) = import(job);
    let client = &scenario["workload"]["clients"][0];
    assert_eq!(client["arrivals"], json!({ "concurrency": { "requests": 16 } }));
    // Without a spread all lengths between both ends are equally likely.
    let uniform = json!({ "uniform": { "min_tokens": 512, "max_tokens": 1536 } });
    assert_eq!(client["prompt_tokens"], uniform);
    assert_eq!(found.counts.unknown, 0, "{:?}", found.keys);
    let variables = job
        .replace("command: [\"sh\", \"-c\"]", "command: []")
        .split("        args:")
        .next()
        .unwrap_or_default()
        .to_owned()
        + "        env:\n        - {name: GUIDELLM_RATE_TYPE, value: constant}\n        - {name: GUIDELLM_RATE, value: \"3\"}\n        - {name: GUIDELLM_DATA, value: \"prompt_tokens=10,output_tokens=20\"}\n";
    assert_eq!(clients(&variables)[0]["arrivals"], json!({ "constant": { "rate_per_s": 3.0 } }));
    let other = import_into("", &[&job.replace("guidellm", "busybox")]);
    assert!(other.scenario.is_empty(), "a job of another program sets nothing");
}

#[test]
fn a_configuration_of_inference_perf_may_stand_in_a_section_of_others() {
    let text = include_str!("samples/inference-perf-config.yaml");
    let own = clients(text);
    let indented = format!("  {}\n", text.trim_end().replace('\n', "\n  "));
    for section in ["workload", "config"] {
        let (scenario, found) = import(&format!("job: {{image: any}}\n{section}:\n{indented}"));
        assert_eq!(scenario["workload"]["clients"], own, "{section}");
        assert_eq!(row(&found, &format!("{section}.load.type")).0, "exact");
        assert_eq!(row(&found, "job.image").0, "ignored");
    }
    let broken = import_into("", &[&format!("config:\n{}", indented.replace("poisson", "poison"))]);
    assert!(broken.problems.iter().any(|d| d.path.ends_with("config.load.type")), "{:?}", broken.problems);
}

#[test]
fn prompts_of_a_fixed_list_are_told_from_new_ones() {
    let of = |more: &str| {
        format!(
            "load: {{type: constant, stages: [{{rate: 2, duration: 60}}]}}\ndata: {{type: shared_prefix, shared_prefix: {{num_groups: 3, num_prompts_per_group: 5, system_prompt_len: 99, question_len: 7, output_len: 8{more}}}}}\n"
        )
    };
    let (_, found) = import(&of(""));
    let warned: Vec<&str> = found.warnings.iter().map(|d| d.found.as_str()).collect();
    assert_eq!(warned.len(), 1, "{warned:?}");
    assert!(warned[0].contains("a list of 15 fixed ones"), "{warned:?}");
    let (_, chat) = import(&of(", enable_multi_turn_chat: true"));
    assert_eq!(chat.warnings, []);
}

#[test]
fn uniform_lengths_and_lists_are_read_as_they_are() {
    let of = |input: &str| {
        format!(
            "load: {{type: constant, stages: [{{rate: 2, duration: 60}}]}}\ndata: {{type: random, input_distribution: {input}, output_distribution: {{mean: 5}}}}\n"
        )
    };
    let lengths = |input: &str| clients(&of(input))[0]["prompt_tokens"].clone();
    let uniform = lengths("{type: uniform, min: 10, max: 13}");
    assert_eq!(uniform, json!({ "uniform": { "min_tokens": 10, "max_tokens": 13 } }));
    assert_eq!(lengths("{type: uniform, min: 10, max: 10}"), json!({ "constant": { "tokens": 10 } }));
    let blis = include_str!("samples/blis-workload.yaml").replace(
        "{ type: gaussian, params: { mean: 90, std_dev: 30, min: 10, max: 400 } }",
        "{ type: uniform, params: { min: 10, max: 13 } }",
    );
    assert_eq!(clients(&blis)[0]["prompt_tokens"], uniform);
    let broken = import_into("", &[&blis.replace("{ min: 10, max: 13 }", "{ min: 10 }")]);
    assert!(broken.problems.iter().any(|d| d.found == "no two ends"), "{:?}", broken.problems);
    assert_eq!(lengths("[100, 200, 100]"), json!({ "list": { "lengths_tokens": [100, 200, 100] } }));
    // A longer list than a scenario takes becomes its different lengths with their weights.
    let many: Vec<String> = (0..5000).map(|i| (10 + i % 2).to_string()).collect();
    let weights = json!([{ "tokens": 10, "weight": 2500.0 }, { "tokens": 11, "weight": 2500.0 }]);
    assert_eq!(lengths(&format!("[{}]", many.join(", ")))["empirical"]["lengths"], weights);
}

#[test]
fn commands_of_benchmark_clients_are_clients() {
    let sample = include_str!("samples/workload-bench-command.sh");
    let (scenario, found) = import(sample);
    let client = &scenario["workload"]["clients"][0];
    // A burstiness of 1/4 is a coefficient of variation of 2.
    assert_eq!(client["arrivals"], json!({ "gamma": { "rate_per_s": 8.0, "cv": 2.0 } }));
    assert_eq!((&client["concurrency"], &scenario["run"]["max_requests"]), (&json!(64), &json!(500)));
    let uniform = |from: u32, to: u32| json!({ "uniform": { "min_tokens": from, "max_tokens": to } });
    assert_eq!(client["prompt_tokens"], uniform(800, 1200));
    assert_eq!(client["output_tokens"], uniform(102, 154));
    assert_eq!(client["prefix"], json!({ "groups": 1, "tokens": 256 }));
    assert_eq!(found.counts.unknown, 0, "{:?}", found.keys);
    // SGLang's client draws from the ratio of the length up to the length, and has no limit of the rate where none is said.
    let other = "python3 -m sglang.bench_serving --backend sglang --dataset-name random --random-input 512 --random-output 256 \
        --random-range-ratio 0.5 --num-prompts 1000 --max-concurrency 32";
    let client = &import(other).0["workload"]["clients"][0];
    assert_eq!(client["arrivals"], json!({ "concurrency": { "requests": 32 } }));
    assert_eq!(
        (&client["prompt_tokens"], &client["output_tokens"]),
        (&uniform(256, 512), &uniform(128, 256))
    );
    let (_, texts) =
        import("vllm bench serve --dataset-name sharegpt --dataset-path a.json --request-rate 2 --fancy 3");
    assert!(texts.warnings.iter().any(|d| d.found.contains("the data set sharegpt")), "{texts:?}");
    assert_eq!(texts.counts.unknown, 1, "{:?}", texts.keys);
}

#[test]
fn a_job_whose_image_runs_guidellm_needs_no_command() {
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: g}\nspec:\n  template:\n    spec:\n      containers:\n      - name: g\n        \
        image: ghcr.io/vllm-project/guidellm:v0.5.0\n        args: [benchmark, run, --profile, concurrent, --rate, \"4,8\", --data, \
        \"prompt_tokens=256,prompt_tokens_stdev=20,output_tokens=128\", --max-seconds, \"60\"]\n";
    let client = &import(job).0["workload"]["clients"][0];
    assert_eq!(client["arrivals"], json!({ "concurrency": { "requests": 4 } }));
    assert_eq!(client["output_tokens"], json!({ "constant": { "tokens": 128 } }));
}
