//! Policy bundles and RouteSim configurations as commands read them: every key and every mistake is reported.

use super::{SHORT, digest};
use crate::support::command::{TempFile, printed_json, refused, run, stderr, stdout};
use serde_json::Value;

/// The bundle of the policy plan, with all its keys.
const BUNDLE: &str = r#"
admission:
  type: "token-bucket"
  params:
    bucket_size: 1000
    refill_rate: 100  # tokens/sec
    per_tenant: true

priority:
  type: "slo-based"
  params:
    realtime_score: 100
    batch_score: 10
    default_score: 50

routing:
  type: "weighted-scoring"
  params:
    cache_affinity_weight: 0.6
    load_balance_weight: 0.3
    queue_depth_weight: 0.1
    prefix_match_bonus: 0.5

scheduler:
  type: "priority-fcfs"
  params:
    respect_priority: true
    preemption_enabled: true
    preemption_policy: "lowest-priority"

autoscale:
  type: "threshold"
  params:
    scale_up_threshold: 0.8
    scale_down_threshold: 0.3
    cooldown_seconds: 60
"#;

/// What each of its keys becomes, in part.
const BECOMES: [(&str, &str); 21] = [
    ("admission.type", "cluster.admission = token-bucket"),
    ("admission.params.bucket_size", "cluster.admission.token-bucket.capacity_tokens"),
    ("admission.params.refill_rate", "cluster.admission.token-bucket.refill_tokens_per_s"),
    ("admission.params.per_tenant", "cluster.admission.token-bucket.per_tenant"),
    ("priority.type", "engine.priority = slo-class"),
    ("priority.params.realtime_score", "engine.priority.slo-class.critical"),
    ("priority.params.batch_score", "engine.priority.slo-class.batch and .background"),
    ("priority.params.default_score", "engine.priority.slo-class.standard and .sheddable"),
    ("routing.type", "cluster.routing = weighted"),
    ("routing.params.cache_affinity_weight", "weight of the scorer prefix-affinity"),
    ("routing.params.load_balance_weight", "weight of the scorer load-balance"),
    ("routing.params.queue_depth_weight", "weight of the scorer queue-depth"),
    ("routing.params.prefix_match_bonus", "the scorer prefix-match, and its prefix_match_bonus"),
    ("scheduler.type", "engine.scheduler = priority-fcfs"),
    ("scheduler.params.respect_priority", "no counterpart: priority-fcfs always"),
    ("scheduler.params.preemption_enabled", "engine.preemption"),
    ("scheduler.params.preemption_policy", "engine.victim = lowest-priority"),
    ("autoscale.type", "scaling.policy = threshold"),
    ("autoscale.params.scale_up_threshold", "scaling.policy.threshold.up"),
    ("autoscale.params.scale_down_threshold", "scaling.policy.threshold.down"),
    ("autoscale.params.cooldown_seconds", "scaling.policy.threshold.cooldown_s"),
];

#[test]
fn every_key_of_a_bundle_is_reported_once() {
    let bundle = TempFile::new("whole.yaml", BUNDLE);
    let out = run(&[&["run", "--json", "kv-pressure", "--policies", bundle.path()][..], &SHORT].concat());
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let report: Value = serde_json::from_slice(&out.stdout).expect("the report is JSON");
    assert_eq!(report["requests"]["conserved"], true);
    let told = stderr(&out);
    let lines: Vec<&str> = told.lines().filter(|line| !line.starts_with("link: ")).collect();
    assert_eq!(lines.len(), BECOMES.len(), "{told}");
    for (key, becomes) in BECOMES {
        let start = format!("{}: {key}: ", bundle.path());
        let lines: Vec<&str> = told.lines().filter(|line| line.starts_with(&start)).collect();
        assert!(lines.len() == 1 && lines[0].contains(&format!("→ {becomes}")), "{key}: {lines:?}");
    }
}

#[test]
fn a_bundle_is_the_same_as_the_fields_it_says_it_sets() {
    let bundle = TempFile::new("same.yaml", BUNDLE);
    let bucket = "cluster.admission={\"token-bucket\":{\"capacity_tokens\":1000,\"refill_tokens_per_s\":100,\
        \"per_tenant\":true}}";
    let scorers = "cluster.routing={\"weighted\":{\"profile\":\"custom\",\"scorers\":[\
        {\"scorer\":\"prefix-affinity\",\"weight\":0.6},{\"scorer\":\"load-balance\",\"weight\":0.3},\
        {\"scorer\":\"queue-depth\",\"weight\":0.1},{\"scorer\":\"prefix-match\",\"weight\":1}],\"prefix_match_bonus\":0.5}}";
    let victim = "cluster.pools[0].engine.victim=lowest-priority";
    let scores = "cluster.pools[0].engine.priority={\"slo-class\":{\"critical\":100,\"standard\":50,\
        \"sheddable\":50,\"batch\":10,\"background\":10}}";
    let scheduler = "cluster.pools[0].engine.scheduler=priority-fcfs";
    let autoscale =
        "cluster.pools[0].scaling.policy={\"threshold\":{\"up\":0.8,\"down\":0.3,\"cooldown_s\":60}}";
    let by_hand =
        [bucket, scorers, scores, scheduler, victim, autoscale].map(|field| ["--set", field]).concat();
    let by_hand = digest(&by_hand);
    assert_eq!(digest(&["--policies", bundle.path()]), by_hand);
    assert_ne!(by_hand, digest(&[]));
    // A setting on the command line has the last word.
    let last = digest(&["--policies", bundle.path(), "--set", "cluster.admission=reject-all"]);
    assert_ne!(last, by_hand);
}

#[test]
fn every_template_of_the_plan_is_known() {
    for (section, types) in [
        ("admission", &["always-admit", "token-bucket", "rate-limit", "tenant-quota"][..]),
        ("priority", &["constant", "slo-based", "tenant-priority", "deadline-aware"]),
        ("routing", &["round-robin", "least-loaded", "weighted-scoring", "prefix-affinity"]),
        ("scheduler", &["fcfs", "priority-fcfs", "sjf"]),
        ("autoscale", &["threshold", "target-utilization", "queue-depth"]),
    ] {
        for kind in types {
            let bundle =
                TempFile::new(&format!("{section}-{kind}.yaml"), format!("{section}: {{type: {kind}}}"));
            let out = run(&["check", "kv-pressure", "--policies", bundle.path()]);
            assert_eq!((out.status.code(), stdout(&out).as_str()), (Some(0), "ok\n"), "{}", stderr(&out));
            assert_eq!(stderr(&out).lines().count(), 1, "{}", stderr(&out));
        }
    }
    let text =
        "priority:\n  type: tenant-priority\n  params:\n    tenants: {acme.eu: 7}\n    default_score: -1\n";
    let bundle = TempFile::new("tenants.yaml", text);
    let told = stderr(&run(&["check", "kv-pressure", "--policies", bundle.path()]));
    assert!(told.contains("tenants.acme.eu: 7 → engine.priority.tenant-priority.tenants[0]"), "{told}");
    assert!(told.contains("default_score: -1 → engine.priority.tenant-priority.others"), "{told}");
}

#[test]
fn a_bundle_of_blis_is_read_as_blis_writes_it() {
    let text = "admission:\n  policy: token-bucket\n  token_bucket_capacity: 500\n  token_bucket_refill_rate: 50\nrouting:\n  policy: weighted\n  scorers:\n\
        \x20   - {name: prefix-affinity, weight: 3.0}\n    - {name: queue-depth, weight: 2.0}\n    - {name: precise-prefix-cache, weight: 1.0}\n\
        priority:\n  policy: constant\nscheduler: fcfs\n";
    let bundle = TempFile::new("blis.yaml", text);
    let by_hand = [
        "cluster.admission={\"token-bucket\":{\"capacity_tokens\":500,\"refill_tokens_per_s\":50}}",
        "cluster.routing={\"weighted\":{\"profile\":\"custom\",\"scorers\":[{\"scorer\":\"prefix-affinity\",\"weight\":3},\
         {\"scorer\":\"queue-depth\",\"weight\":2},{\"scorer\":\"precise-prefix\",\"weight\":1}]}}",
        "cluster.pools[0].engine.scheduler=fcfs",
        "cluster.pools[0].engine.priority=constant",
    ];
    let by_hand = by_hand.map(|field| ["--set", field]).concat();
    assert_eq!(digest(&["--policies", bundle.path()]), digest(&by_hand));
    let told = stderr(&run(&["check", "kv-pressure", "--policies", bundle.path()]));
    assert_eq!(told.lines().count(), 12, "a line for each key:\n{told}");
    let unused = TempFile::new(
        "unused.yaml",
        "routing: {policy: random, scorers: [{name: queue-depth, weight: 1}]}\n",
    );
    let told = stderr(&run(&["check", "kv-pressure", "--policies", unused.path()]));
    assert!(told.contains("scorers.0.name: … → no counterpart: only the weighted policy scores"), "{told}");
    check_refused(
        "scorers.yaml",
        "routing: {policy: weighted, scorers: [{name: queue-dept, weight: 1}, {name: load-balance, weight: 0}]}\nscheduler: sfj\n",
        &["did you mean \"queue-depth\"?", "routing.scorers.1.weight: 0", "did you mean \"sjf\"?"],
    );
    check_refused(
        "one.yaml",
        "admission: {policy: tier-shed, tier_shed_threshold: 4}\n",
        &["admission.policy: \"tier-shed\"; allowed: always-admit"],
    );
}

/// Asserts that a bundle is refused with exactly as many problems as `parts`, each of which one of them says.
fn check_refused(name: &str, bundle: &str, parts: &[&str]) {
    let file = TempFile::new(name, bundle);
    let out = run(&["run", "kv-pressure", "--policies", file.path()]);
    let told = stderr(&out);
    assert_eq!((out.status.code(), stdout(&out).as_str()), (Some(2), ""), "{told}");
    assert!(told.lines().all(|line| line.starts_with(&format!("{}: error: ", file.path()))), "{told}");
    assert_eq!(told.lines().count(), parts.len(), "{told}");
    for part in parts {
        assert!(told.contains(part), "{part} is not in\n{told}");
    }
}

#[test]
fn mistakes_in_a_bundle_are_all_reported_and_nothing_runs() {
    check_refused(
        "types.yaml",
        "admission: {type: token-buckett}\nrouting: {type: 7}\nscheduler: {type: sfj}\npriority: {}\n",
        &[
            "did you mean \"token-bucket\"?",
            "routing.type: 7; allowed: a word",
            "did you mean \"sjf\"?",
            "priority.type: nothing; allowed: constant, slo-based",
        ],
    );
    check_refused(
        "values.yaml",
        "admission:\n  type: token-bucket\n  params: {bucket_size: many, per_tenant: 1}\npriority:\n  \
         type: slo-based\n  params: {realtime_score: 99.5}\nrouting:\n  type: weighted\n  params: \
         {queue_depth_weight: 0}\n",
        &[
            "admission.params.bucket_size: \"many\"; allowed: a number",
            "admission.params.per_tenant: 1; allowed: true or false",
            "priority.params.realtime_score: 99.5; allowed: a whole number",
            "routing.params: no weight above 0",
        ],
    );
    check_refused(
        "shape.yaml",
        "admission: token-bucket\nscheduler: {type: fcfs, params: 3}\n",
        &["admission: a value in place of a section", "scheduler.params: a value in place of a section"],
    );
    check_refused("list.yaml", "- admission\n- routing\n", &["sections by name"]);
    check_refused("word.yaml", "fcfs\n", &["sections by name"]);
}

#[test]
fn unknown_keys_of_a_bundle_are_left_out_with_a_warning() {
    let text = "admission:\n  type: token-bucket\n  params: {bucket_sise: 5}\nroting: {type: random}\n";
    let file = TempFile::new("keys.yaml", text);
    let out = run(&["check", "kv-pressure", "--policies", file.path()]);
    let told = stderr(&out);
    assert_eq!(out.status.code(), Some(0), "{told}");
    for part in [
        "warning: admission.params.bucket_sise: an unknown key, which is left out; its own program refuses the file",
        "did you mean `admission.params.bucket_size`?",
        "warning: roting: an unknown key",
        "allowed: admission, autoscale, priority, routing, scheduler; did you mean `routing`?",
    ] {
        assert!(told.contains(part), "{part} is not in\n{told}");
    }
}

#[test]
fn values_out_of_range_are_reported_with_the_field_they_set() {
    let bundle = TempFile::new("range.yaml", "admission: {type: token-bucket, params: {bucket_size: 0}}");
    let told = refused(&["run", "kv-pressure", "--policies", bundle.path()]);
    assert!(told.contains("bucket_size: 0 → cluster.admission.token-bucket.capacity_tokens"), "{told}");
    assert!(told.contains("error: cluster.admission.token-bucket.capacity_tokens: 0; allowed"), "{told}");
}

#[test]
fn files_that_are_not_bundles_are_distinguished() {
    check_refused("broken.yaml", "admission:\n  type: [\n", &["line "]);
    check_refused("empty.yaml", "# nothing yet\n", &["an empty text"]);
    let out = run(&["run", "kv-pressure", "--policies", "no/such/policies.yaml"]);
    assert_eq!((out.status.code(), stdout(&out).as_str()), (Some(3), ""), "{}", stderr(&out));
    // An invalid scenario is refused with the name of its file.
    let bundle = TempFile::new("for-none.yaml", "scheduler: {type: sjf}\nrouting: {type: random}\n");
    for cluster in ["5", "{\"pools\": 5}", "{\"pools\": [5]}", "{\"pools\": [{\"engine\": 5}]}", "[]"] {
        let scenario = TempFile::new("none.json", format!("{{\"cluster\": {cluster}}}"));
        let out = run(&["run", scenario.path(), "--policies", bundle.path()]);
        assert_eq!((out.status.code(), stdout(&out).as_str()), (Some(2), ""), "{}", stderr(&out));
        assert!(stderr(&out).contains(&format!("{}: error: cluster", scenario.path())), "{}", stderr(&out));
    }
}

/// A RouteSim configuration with every key there is.
const CONFIG: &str = r#"
[simulation]
name = "six"
seed = 7
warmup_requests = 1

[cluster]
gpu_type = "A100Sxm80"
num_backends = 6
max_batch_tokens = 16384
max_queue_depth = 256
kv_cache_blocks = 8192
kv_block_size = 16

[cluster.compute_model]
prefill_tokens_per_sec = 35000
decode_tokens_per_sec_batch1 = 60.5
decode_throughput_saturation_batch = 48
decode_tokens_per_sec_saturated = 2400

[cluster.disaggregated]
enabled = false
prefill_backends = 0
decode_backends = 0
kv_transfer_latency_us = 500
kv_transfer_bandwidth_gb_s = 50.0
num_layers = 80
head_dim = 128
num_kv_heads = 8

[trace]
format = "compact_jsonl"
path = "traces/a.jsonl"
generator = "poisson"
rate = 10.0
duration_sec = 60
prompt_tokens_mean = 512
prompt_tokens_std = 128
gen_tokens_mean = 128
gen_tokens_std = 32
num_prefixes = 4
prefix_len_mean = 256
"#;

#[test]
fn a_whole_configuration_becomes_a_scenario_that_runs_on_its_trace() {
    let config = TempFile::new("whole.toml", CONFIG);
    let out = run(&["convert", config.path()]);
    let told = stderr(&out);
    assert_eq!(out.status.code(), Some(0), "{told}");
    let scenario: Value = serde_json::from_slice(&out.stdout).expect("the scenario is JSON");
    let pool = &scenario["cluster"]["pools"][0];
    assert_eq!(
        (&scenario["seed"], &pool["replicas"], &pool["gpu"]),
        (&7.into(), &6.into(), &"A100-80".into())
    );
    assert_eq!(pool["kv"]["blocks"], 8192);
    let rates = &pool["latency"]["piecewise"];
    assert_eq!(
        (&rates["saturation_batch"], &rates["single_decode_tokens_per_s"]),
        (&48.into(), &60.5.into())
    );
    let keys = CONFIG.lines().filter(|line| line.contains(" = ")).count();
    assert_eq!(told.lines().count(), keys, "a line for each key:\n{told}");
    for line in CONFIG.lines().filter(|line| line.contains(" = ")) {
        let key = line.split(" = ").next().expect("a key");
        assert_eq!(told.lines().filter(|l| l.contains(&format!(".{key}: "))).count(), 1, "{key} in\n{told}");
    }
    let scenario = TempFile::new("converted.json", stdout(&out));
    let rows = "{\"ts\":0,\"prompt_tokens\":50,\"gen_tokens\":5,\"conversation_id\":\"a\"}\n".repeat(12);
    let trace = TempFile::new("a.jsonl", &rows);
    let out = run(&["run", "--json", scenario.path(), "--trace", trace.path()]);
    let report: Value = serde_json::from_slice(&out.stdout).expect("the report is JSON");
    assert_eq!(
        (&report["requests"]["completed"], &report["title"]),
        (&12.into(), &"six".into()),
        "{}",
        stderr(&out)
    );
}

#[test]
fn a_configuration_with_prefill_and_decode_backends_runs_on_two_pools() {
    let sample = include_str!("../exchange/samples/routesim-disaggregated.toml");
    let config = TempFile::new("apart.toml", sample);
    let out = run(&["convert", config.path()]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    assert!(!stderr(&out).contains("warning"), "{}", stderr(&out));
    let scenario = TempFile::new("apart.json", stdout(&out));
    let rows = "{\"ts\":0,\"prompt_tokens\":50,\"gen_tokens\":5}\n".repeat(12);
    let trace = TempFile::new("apart.jsonl", &rows);
    let report = printed_json(&[
        "run",
        "--json",
        scenario.path(),
        "--trace",
        trace.path(),
        "--set",
        "run.warmup_requests=0",
    ]);
    assert_eq!(report["requests"]["completed"], 12);
}

/// Asserts that a configuration is refused, and that the message has every part.
fn check_config_refused(name: &str, config: &str, parts: &[&str]) {
    let file = TempFile::new(name, config);
    let out = run(&["convert", file.path()]);
    let told = stderr(&out);
    assert_eq!((out.status.code(), stdout(&out).as_str()), (Some(2), ""), "{told}");
    for part in parts {
        assert!(told.contains(part), "{part} is not in\n{told}");
    }
}

#[test]
fn mistakes_in_a_configuration_are_all_reported() {
    let changed = |from: &str, to: &str| CONFIG.replace(from, to);
    check_config_refused(
        "enabled.toml",
        &changed("enabled = false", "enabled = true"),
        &["cluster.disaggregated.prefill_backends: ", "as many as cluster.num_backends together"],
    );
    let text = changed("gpu_type = \"A100Sxm80\"", "gpu_type = \"B200\"").replace("seed = 7", "seed = \"x\"");
    let parts =
        ["cluster.gpu_type: \"B200\"; allowed: H100Sxm", "simulation.seed: \"x\"; allowed: a whole number"];
    check_config_refused("values.toml", &text, &parts);
    let parts =
        ["cluster.num_backend: an unknown key", "`cluster.num_backends`", "cluster.num_backends: nothing"];
    check_config_refused("key.toml", &changed("num_backends", "num_backend"), &parts);
    let parts =
        ["num_backends: 0 → cluster.pools[0].replicas", "error: cluster.pools[0].replicas: 0; allowed"];
    check_config_refused("none.toml", &changed("num_backends = 6", "num_backends = 0"), &parts);
    check_config_refused("section.toml", "cluster = 5\n", &["cluster: a value in place of a section"]);
    check_config_refused("no-trace.toml", "[cluster]\nnum_backends = 2\n", &["trace.path: nothing"]);
    check_config_refused("broken.toml", "[cluster\nnum_backends = 2\n", &["line 1", "a TOML document"]);
    let out = run(&["convert", "no/such/file.toml"]);
    assert_eq!((out.status.code(), stdout(&out).as_str()), (Some(3), ""), "{}", stderr(&out));
    let otel = TempFile::new("otel.toml", changed("compact_jsonl", "otel"));
    let told = stderr(&run(&["convert", otel.path()]));
    assert!(told.contains("trace.format: \"otel\" → no counterpart: spans are not read"), "{told}");
}

#[test]
fn policies_become_a_scenario_of_their_own() {
    let bundle = TempFile::new("alone.yaml", BUNDLE);
    let out = run(&["convert", bundle.path()]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    assert_eq!(stderr(&out).lines().count(), BECOMES.len(), "{}", stderr(&out));
    let scenario: Value = serde_json::from_slice(&out.stdout).expect("the scenario is JSON");
    assert_eq!(scenario["cluster"]["admission"]["token-bucket"]["per_tenant"], true);
    check_config_refused(
        "template.yaml",
        "replicas: {{ .Values.replicas }}\n",
        &["a template of Helm", "helm template"],
    );
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:01\nsize 9\n";
    check_config_refused("pointer.toml", pointer, &["a pointer of Git LFS", "git lfs pull"]);
}

#[test]
fn a_newer_key_of_a_configuration_is_left_out_with_a_warning() {
    let config =
        TempFile::new("newer.toml", CONFIG.replace("num_backends = 6", "num_backends = 6\nlora_slots = 4"));
    let out = run(&["convert", config.path()]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let told = stderr(&out);
    assert!(told.contains("warning: cluster.lora_slots: an unknown key, which is left out"), "{told}");
}
