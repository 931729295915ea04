//! The command line: its output on stdout and stderr, and its exit codes.

use crate::support::command::{
    TempFile, TempFolder, printed, printed_json, refused, run, run_with, stderr, stdout,
};
use std::fmt::Write as _;
use std::path::Path;
use tokenyard::scenario::preset::PRESETS;
use tokenyard::session::Session;

/// Settings that make a preset short, without the edits that lie behind its end.
const SHORT: [&str; 6] = ["--set", "run.horizon_s=5", "--set", "run.warmup_s=1", "--set", "edits=[]"];

fn short<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [args, &SHORT].concat()
}

#[test]
fn every_built_in_scenario_runs_and_conserves_its_requests() {
    for preset in PRESETS {
        let name = preset.name;
        let out = run(&short(&["run", name]));
        assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
        assert!(stdout(&out).contains("all accounted for"), "{}", stdout(&out));
        let told = stderr(&out);
        assert!(told.starts_with("link: #") && told.lines().count() == 1, "{told}");
    }
}

#[test]
fn stdout_is_the_same_every_time_and_the_digest_is_of_the_report() {
    let (one, two) =
        (run(&short(&["run", "--json", "chat-4xh100"])), run(&short(&["run", "--json", "chat-4xh100"])));
    assert_eq!(one.stdout, two.stdout);
    let report: serde_json::Value = serde_json::from_slice(&one.stdout).expect("the report is JSON");
    assert_eq!(report["requests"]["conserved"], true);
    assert!(report["requests"]["arrived"].as_u64() > Some(100), "{report}");
    let digest = stdout(&run(&short(&["digest", "chat-4xh100"])));
    // The link tells where the report came from, the verdict and the evidence judge it: none is a result.
    let [printed, without] = [true, false].map(|whole| {
        let mut fields = report.clone();
        let map = fields.as_object_mut().expect("the report is an object");
        if !whole {
            for field in ["link", "verdict", "evidence"] {
                assert!(map.shift_remove(field).is_some(), "{field} is not in {map:?}");
            }
        }
        serde_json::to_string_pretty(&fields).expect("text") + "\n"
    });
    assert_eq!(digest, format!("{}\n", Session::digest_of(&printed)));
    assert_eq!(Session::digest_of(&printed), Session::digest_of(&without));
    assert_ne!(digest, stdout(&run(&short(&["digest", "chat-4xh100", "--set", "seed=43"]))));
}

#[test]
fn json_yaml_and_stdin_read_as_the_same_scenario() {
    let json = br#"{"run": {"horizon_s": 4, "warmup_s": 1}, "cluster": {"routing": "random"}}"#;
    let yaml = b"run:\n  horizon_s: 4\n  warmup_s: 1\ncluster:\n  routing: random\n";
    let (json_file, yaml_file) = (TempFile::new("same.json", json), TempFile::new("same.yaml", yaml));
    let expected = stdout(&run(&["digest", json_file.path()]));
    assert_eq!(expected.len(), 17);
    assert_eq!(stdout(&run(&["digest", yaml_file.path()])), expected);
    assert_eq!(stdout(&run_with(&["digest", "-"], json)), expected);
    assert_eq!(stdout(&run_with(&["digest", "-"], yaml)), expected);
}

#[test]
fn settings_change_the_scenario_and_are_checked_like_it() {
    let report =
        printed_json(&short(&["run", "--json", "kv-pressure", "--set", "cluster.pools[0].replicas=3"]));
    assert_eq!(report["replicas"].as_array().map(Vec::len), Some(3));
    let out =
        run(&["check", "kv-pressure", "--set", "cluster.pools[0].replica=3", "--set", "run.horizon_s=-1"]);
    assert_eq!(out.status.code(), Some(2));
    assert_eq!(stdout(&out), "");
    assert!(stderr(&out).contains("did you mean `replicas`?"), "{}", stderr(&out));
    assert!(stderr(&out).contains("run.horizon_s: -1; allowed: 0 to 2,592,000"), "{}", stderr(&out));
    let out = run(&["check", "kv-pressure", "--set", "seed"]);
    assert!(stderr(&out).contains("allowed: PATH=VALUE"), "{}", stderr(&out));
    let out = run(&["check", "kv-pressure", "--set", "cluster.pools[4].replicas=1"]);
    assert!(stderr(&out).contains("allowed: entries 0 to 0"), "{}", stderr(&out));
}

#[test]
fn a_random_seed_is_new_and_is_printed_so_that_the_run_can_be_repeated() {
    let drawn = || {
        let out = run(&short(&["run", "--json", "chat-4xh100", "--set", "seed=random"]));
        let told = stderr(&out);
        let seed = told.split_whitespace().nth(1).expect("the seed is printed").to_owned();
        let line = format!("seed: {seed} (--set seed={seed} gives this run again)\n");
        assert!(told.starts_with(&line), "{told}");
        (seed, stdout(&out))
    };
    let (seed, report) = drawn();
    assert!(report.contains(&format!("\"seed\": {seed},")), "{seed}");
    let again = run(&short(&["run", "--json", "chat-4xh100", "--set", &format!("seed={seed}")]));
    assert_eq!(stdout(&again), report);
    assert_ne!(drawn().0, seed);
}

#[test]
fn check_says_ok_or_everything_that_is_wrong() {
    let out = run(&["check", "chat-4xh100"]);
    assert_eq!((out.status.code(), stdout(&out).as_str()), (Some(0), "ok\n"));
    let bad = br#"{"cluster": {"pools": [{"model": "lama-3.1-8b", "replicas": 0, "kv": {"blocks": 0}}]}}"#;
    let out = run_with(&["check", "-"], bad);
    assert_eq!(out.status.code(), Some(2));
    let told = stderr(&out);
    for part in
        ["pools[0].model", "did you mean `llama-3.1-8b`?", "pools[0].replicas: 0", "pools[0].kv.blocks: 0"]
    {
        assert!(told.contains(part), "{part} is not in\n{told}");
    }
}

#[test]
fn files_that_are_not_scenarios_are_distinguished() {
    let binary = TempFile::new("binary.json", b"\x1f\x8b\x08\0\0\0\0\0\0\x03");
    let told = refused(&["run", binary.path()]);
    assert!(told.contains("a binary file (a zero byte at position 3)"), "{told}");
    let cut = TempFile::new("cut.json", b"{\"run\": {\"horizon_s\": 6");
    assert!(stderr(&run(&["run", cut.path()])).contains("line 1, column 23: the text ends in the middle"));
    let nan = TempFile::new("nan.yaml", b"run:\n  horizon_s: .nan\n");
    let told = refused(&["run", nan.path()]);
    assert!(told.contains("line 2, column 14: a number that is not finite; allowed: finite"), "{told}");
    let comment = TempFile::new("comment.yaml", b"# nothing yet\n");
    assert!(stderr(&run(&["run", comment.path()])).contains("an empty text"));
    let told = refused(&["run", "no-such-scenario"]);
    assert!(
        told.contains(
            "allowed: slow-replica, chat-4xh100, kv-pressure, router-showdown, long-chats, regret-and-tail, "
        ),
        "{told}",
    );
    let out = run(&["run", "no/such/file.json"]);
    assert_eq!(out.status.code(), Some(3), "{}", stderr(&out));
}

/// Two rows a second for ten seconds.
fn azure_trace() -> String {
    let mut text = "TIMESTAMP,ContextTokens,GeneratedTokens\n".to_owned();
    for i in 0..20 {
        let (second, tenth) = (i / 2, 5 * (i % 2));
        writeln!(text, "2023-11-16 18:15:{second:02}.{tenth}000000,{},{}", 100 + i, 20 + i)
            .expect("a String takes any text");
    }
    text
}

#[test]
fn a_trace_replaces_the_clients_and_runs_to_its_end() {
    let trace = TempFile::new("trace.csv", azure_trace().as_bytes());
    let out = run(&["run", "--json", "chat-4xh100", "--trace", trace.path()]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let report: serde_json::Value = serde_json::from_slice(&out.stdout).expect("the report is JSON");
    assert_eq!(report["requests"]["arrived"], 20);
    assert_eq!(report["requests"]["completed"], 20);
    assert_eq!(report["run"]["horizon_us"], 0);
    assert_eq!(report["run"]["measured_from_us"], 0);
    assert!(report["title"].as_str().is_some_and(|t| t.ends_with("trace.csv")), "{report}");
    assert!(stderr(&out).contains("20 requests"), "{}", stderr(&out));
    // A setting on the command line still has the last word.
    let report =
        printed_json(&["run", "--json", "chat-4xh100", "--trace", trace.path(), "--set", "run.horizon_s=4"]);
    assert_eq!(report["requests"]["arrived"], 9);
}

#[test]
fn a_scenario_finds_the_trace_it_names_beside_it_and_keeps_its_clock() {
    let trace = TempFile::new("named.csv", azure_trace().as_bytes());
    let name = Path::new(trace.path()).file_name().expect("a file").to_string_lossy().into_owned();
    let text = format!(
        r#"{{"run": {{"horizon_s": 4, "warmup_s": 1}}, "workload": {{"trace": {{"file": "{name}"}}}}}}"#
    );
    let scenario = TempFile::new("names.json", text.as_bytes());
    let out = run(&["run", "--json", scenario.path()]);
    let report: serde_json::Value = serde_json::from_slice(&out.stdout).expect("the report is JSON");
    assert_eq!(report["requests"]["arrived"], 9, "{}", stderr(&out));
    let given = run(&["run", "--json", scenario.path(), "--trace", trace.path()]);
    assert_eq!(given.stdout, out.stdout, "{}", stderr(&given));
}

#[test]
fn the_schema_of_the_page_is_the_one_printed() {
    let kept = std::fs::read_to_string("www/src/generated/schema.json").expect("the page has a schema");
    assert!(
        kept == stdout(&run(&["schema"])),
        "renew it: cargo run -- schema > www/src/generated/schema.json"
    );
}

#[test]
fn a_published_model_becomes_a_scenario_that_checks() {
    let config = br#"{"num_hidden_layers": 40, "hidden_size": 5120, "num_attention_heads": 40, "num_key_value_heads": 8,
        "head_dim": 128, "intermediate_size": 17408, "vocab_size": 151936, "torch_dtype": "bfloat16"}"#;
    let file = TempFile::new("config.json", config);
    let out = run(&["model", file.path(), "--name", "mine-14b"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let checked = run_with(&["check", "-"], &out.stdout);
    assert_eq!(stdout(&checked), "ok\n", "{}", stderr(&checked));
    // What it comes to, and what was taken as the file does not say it.
    assert!(stderr(&out).contains("14.77 billion parameters"), "{}", stderr(&out));
    assert!(
        stderr(&out).contains("warning: tie_word_embeddings: nothing under this name"),
        "{}",
        stderr(&out)
    );
    let bad = TempFile::new("bad-config.json", br#"{"hidden_size": 5120}"#);
    let told = refused(&["model", bad.path()]);
    assert!(told.contains("num_hidden_layers"), "{told}");
}

#[test]
fn the_quantisation_beside_a_config_is_read_with_it() {
    let shape = r#"{"num_hidden_layers": 40, "hidden_size": 5120, "num_attention_heads": 40, "num_key_value_heads": 8,
        "head_dim": 128, "intermediate_size": 17408, "vocab_size": 151936, "torch_dtype": "bfloat16", "tie_word_embeddings": false}"#;
    let quantised = r#"{"producer": {"name": "modelopt", "version": "0.30"},
        "quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8", "exclude_modules": ["lm_head"]}}"#;
    let folder = TempFolder::new("quantised");
    let config = folder.write("config.json", shape);
    let bytes = |file: &str| {
        let out = run(&["model", file]);
        assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
        let document: serde_json::Value = serde_json::from_slice(&out.stdout).expect("a scenario");
        let shape = &document["cluster"]["pools"][0]["architecture"];
        (shape["bytes_per_param"].as_f64(), shape["bytes_per_kv_value"].as_f64())
    };
    assert_eq!(bytes(&config), (Some(2.0), Some(2.0)));
    let beside = folder.write("hf_quant_config.json", quantised);
    assert_eq!(bytes(&config), (Some(1.0), Some(1.0)));
    assert_eq!(bytes(&beside), (Some(1.0), Some(1.0)), "the shape is read from beside it");
    // What the shape says itself holds.
    let own = shape.replacen(
        '{',
        r#"{"quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128}, "#,
        1,
    );
    folder.write("config.json", &own);
    assert!(bytes(&config).0 < Some(0.7));
    std::fs::remove_file(&config).expect("the file");
    let told = refused(&["model", &beside]);
    assert!(told.contains("without the shape of the model") && told.contains("config.json"), "{told}");
}

#[test]
fn a_model_with_little_kv_for_a_token_gets_blocks_that_a_pool_can_have() {
    // One layer of eight has attention: 1,024 bytes a token, and room for 4.6 million blocks of 16.
    let config = br#"{
        "hidden_size": 1024, "num_attention_heads": 16, "num_key_value_heads": 4, "head_dim": 64,
        "num_hidden_layers": 8, "intermediate_size": 512, "vocab_size": 32000, "torch_dtype": "bfloat16",
        "tie_word_embeddings": false, "model_type": "nemotron_h", "hybrid_override_pattern": "MEM*MEME",
        "n_routed_experts": 16, "num_experts_per_tok": 2, "moe_intermediate_size": 512, "n_shared_experts": 1,
        "ssm_state_size": 128, "mamba_num_heads": 16
    }"#;
    let file = TempFile::new("hybrid.json", config);
    let out = run(&["model", file.path()]);
    assert!(out.status.success(), "{}", stderr(&out));
    let document: serde_json::Value = serde_json::from_slice(&out.stdout).expect("a scenario");
    assert_eq!(document["cluster"]["pools"][0]["kv"]["block_tokens"], 32);
    assert!(stderr(&out).contains("cluster.pools[0].kv.block_tokens is 32"), "{}", stderr(&out));
}

#[test]
fn a_trace_that_is_not_there_or_not_a_trace_is_refused() {
    let out = run(&["run", "chat-4xh100", "--trace", "no/such/trace.csv"]);
    assert_eq!(out.status.code(), Some(3), "{}", stderr(&out));
    let empty = TempFile::new("empty.csv", b"");
    refused(&["run", "chat-4xh100", "--trace", empty.path()]);
    let bad = TempFile::new("bad.csv", format!("{}nonsense,1,2\n", azure_trace()).as_bytes());
    let told = refused(&["run", "chat-4xh100", "--trace", bad.path()]);
    assert!(told.contains("line 22"), "{told}");
    let told = refused(&["run", "kv-pressure", "--set", "workload.trace.file=x.csv"]);
    assert!(told.contains("--trace"), "{told}");
}

#[test]
fn the_schema_has_descriptions_ranges_and_defaults() {
    let schema = printed_json(&["schema"]);
    let replicas = &schema["$defs"]["Pool"]["properties"]["replicas"];
    assert_eq!(replicas["minimum"], 0);
    assert_eq!(replicas["maximum"], 1024);
    assert_eq!(replicas["default"], 4);
    let description = "Number of replicas. An edit may drain a pool to 0. A pool can begin with 0 if an autoscaler or an edit adds replicas: requests wait for the first one, at most for `scaling.hold_s`.";
    assert_eq!(replicas["description"], description);
    assert_eq!(schema["$defs"]["Pool"]["additionalProperties"], false);
}

#[test]
fn golden_counts_and_names_what_differs() {
    let good = "tests/goldens/default/34_multi_turn_output_reuse.json";
    let out = run(&["golden", good]);
    assert_eq!((out.status.code(), stdout(&out).as_str()), (Some(0), "1 passed, 0 failed\n"));

    let mut doc: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(good).expect("the golden file is there"))
            .expect("it is JSON");
    doc["expected"]["cluster_clock_us"] = 1.into();
    doc["expected"]["per_request"][0]["e2e_us"] = 2.into();
    let wrong = TempFile::new("wrong.json", doc.to_string().as_bytes());
    let out = run(&["golden", good, wrong.path()]);
    assert_eq!(out.status.code(), Some(1));
    let told = stdout(&out);
    assert!(told.contains("expected.cluster_clock_us: expected 1, got "), "{told}");
    assert!(told.contains("expected.per_request[0].e2e_us: expected 2, got "), "{told}");
    assert!(told.ends_with("1 passed, 1 failed\n"), "{told}");
    let told = stdout(&run(&["golden", "--only", "drops,cluster_clock_us", wrong.path()]));
    assert!(told.contains("cluster_clock_us") && !told.contains("per_request"), "{told}");
    assert!(stdout(&run(&["golden", "--most", "1", wrong.path()])).contains("  and 1 more\n"));

    refused(&["golden", "--only", "everything", good]);
}

#[test]
fn every_golden_file_here_passes_in_every_section() {
    let files: Vec<String> = ["tests/goldens/default", "tests/goldens/compat-blis"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).expect("the golden files are there"))
        .map(|entry| entry.expect("a readable folder").path().display().to_string())
        .collect();
    assert!(files.len() >= 13, "{files:?}");
    let args: Vec<&str> = ["golden"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let out = run(&args);
    assert_eq!(stdout(&out), format!("{} passed, 0 failed\n", files.len()));
}

#[test]
fn help_documents_the_exit_codes() {
    for args in [
        &["--help"][..],
        &["run", "--help"],
        &["model", "--help"],
        &["list", "--help"],
        &["golden", "--help"],
    ] {
        let out = printed(args);
        assert!(out.contains("Exit codes:"), "{out}");
    }
    assert_eq!(run(&["no-such-command"]).status.code(), Some(2));
}

#[test]
fn every_shell_has_completions_with_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let out = printed(&["completions", shell]);
        for command in ["run", "check", "list", "completions"] {
            assert!(out.contains(command), "{shell} lacks {command}");
        }
    }
    assert_eq!(run(&["completions", "cmd"]).status.code(), Some(2));
}

#[test]
fn there_is_a_man_page_of_the_program_and_of_each_command() {
    let program = stdout(&run(&["man"]));
    assert!(program.starts_with(".ie") || program.contains(".TH tokenyard 1"), "{program}");
    assert!(program.contains("Exit codes") && program.contains("tokenyard\\-run"), "{program}");
    let page = stdout(&run(&["man", "run"]));
    assert!(page.contains(".TH tokenyard-run 1") && page.contains("\\-\\-set"), "{page}");
    let told = refused(&["man", "nothing"]);
    assert!(told.contains("allowed: link, run, evaluate, rank, lab, check"), "{told}");
}

#[test]
fn lists_name_what_scenarios_can_name() {
    let text = stdout(&run(&["list"]));
    for part in [
        "llama-3.1-8b",
        "H100 tp 1",
        "A100-80",
        "chat-4xh100",
        "cluster.routing",
        "least-loaded",
        "sjf",
        "token-bucket",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let lists = printed_json(&["list", "models", "gpus", "--json"]);
    assert_eq!(
        lists.as_object().map(|o| o.keys().cloned().collect::<Vec<_>>()),
        Some(vec!["models".to_owned(), "gpus".to_owned()])
    );
    for model in lists["models"].as_array().expect("a list") {
        for row in model["measured"].as_array().expect("a list") {
            let pool = serde_json::json!({ "model": model["name"], "gpu": row["gpu"], "tp": row["tp"] });
            let scenario = serde_json::json!({ "cluster": { "pools": [pool] } }).to_string();
            assert_eq!(tokenyard::session::Session::check(&scenario), [], "{pool}");
        }
    }
    assert_eq!(run(&["list", "everything"]).status.code(), Some(2));
}

#[test]
fn a_reader_that_closes_the_pipe_ends_the_command_without_an_error() {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_tokenyard"))
        .args(["golden", "tests/goldens/default/34_multi_turn_output_reuse.json"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let out = child.wait_with_output().expect("the command ends");
    assert_eq!((out.status.code(), stderr(&out).as_str()), (Some(0), ""));
}

#[test]
fn the_summary_shows_dashes_and_notices_and_json_prints_them_on_stderr() {
    let capped = ["chat-4xh100", "--set", "run.max_requests=30", "--set", "run.horizon_s=0"];
    let out = run(&[&["run"], &capped[..]].concat());
    let text = stdout(&out);
    assert!(text.contains("\nnotice: All 30 requests arrived in the warm-up of 20 s"), "{text}");
    assert!(text.contains("(– % met the SLO)") && !text.contains("0.000"), "{text}");
    let link = "link: #chat-4xh100;length=35;run.horizon_s=0;run.max_requests=30\n";
    assert_eq!(stderr(&out), link);
    let out = run(&[&["run", "--json"], &capped[..]].concat());
    let report: serde_json::Value = serde_json::from_slice(&out.stdout).expect("the report is JSON");
    assert_eq!(report["notices"][0]["kind"], "nothing-measured");
    assert!(stderr(&out).starts_with(&format!("{link}notice: All 30 requests")), "{}", stderr(&out));
    let out = run(&[
        "run",
        "kv-pressure",
        "--set",
        "run.horizon_s=2",
        "--set",
        "run.warmup_s=0",
        "--set",
        "cluster.pools[0].hardware.usd_per_hour=0",
    ]);
    assert!(stdout(&out).contains("\ncost         no price\n"), "{}", stdout(&out));
}

#[test]
fn the_list_of_policies_has_every_choice_of_every_policy() {
    let listed = stdout(&run(&["list", "policies", "--json"]));
    let listed: serde_json::Value = serde_json::from_str(&listed).expect("JSON");
    let listed = listed["policies"].as_object().expect("an object");
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("../../../www/src/generated/schema.json")).expect("JSON");
    for (path, of) in [
        ("cluster.routing", "RoutingPolicy"),
        ("cluster.routing.weighted.filters[]", "Filter"),
        ("cluster.routing.weighted.picker", "Picker"),
        ("cluster.pools[].scaling.policy", "ScalingPolicy"),
        ("cluster.pools[].scaling.optimizer", "Optimizer"),
    ] {
        let names: Vec<&str> =
            listed[path].as_array().expect("a list").iter().filter_map(|c| c["name"].as_str()).collect();
        let variants = schema["$defs"][of]["oneOf"].as_array().expect("a list of choices");
        let known = variants.iter().flat_map(|v| {
            let several = v["enum"].as_array().into_iter().flatten();
            let one = several.chain(v.get("const")).filter_map(|name| name.as_str().map(str::to_owned));
            one.chain(v["properties"].as_object().into_iter().flat_map(|p| p.keys().cloned()))
                .collect::<Vec<_>>()
        });
        let known: Vec<String> = known.collect();
        assert!(known.len() > 1 && names == known, "{path}: {names:?} {known:?}");
    }
    let text = stdout(&run(&["list", "policies"]));
    assert!(text.contains("wva-saturation-v1") && text.contains("softmax") && text.contains("utilization"));
}
