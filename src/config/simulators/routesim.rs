//! Import of RouteSim's TOML configuration as a scenario.

use crate::import::configuration::reader::Unknown;
use crate::import::configuration::{Configuration, Reader, Report, Settings};
use crate::kubernetes::object;
use base::Diagnostic;
use base::import::Import;
use document::FORMAT_VERSION;
use serde_json::{Value, json};

/// A configuration of RouteSim, as the tree of its TOML.
pub(crate) struct RouteSim;

impl Import<Configuration> for RouteSim {
    fn name(&self) -> &'static str {
        "routesim"
    }

    fn title(&self) -> &'static str {
        "a RouteSim configuration"
    }

    fn recognises(&self, source: &Value) -> bool {
        let of_cluster = ["num_backends", "gpu_type", "compute_model", "kv_cache_blocks"];
        let cluster = source.get("cluster").filter(|_| !object::is_object(source));
        cluster.is_some_and(|cluster| of_cluster.iter().any(|key| cluster.get(key).is_some()))
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        let mut scenario = json!({ "tokenyard": FORMAT_VERSION, "run": { "horizon_s": 0, "warmup_s": 0 } });
        simulation(&mut r, &mut scenario);
        let pool = pool(&mut r);
        scenario["cluster"] = json!({ "pools": [pool], "routing": "round-robin" });
        trace(&mut r, &mut scenario);
        let enabled = format!("{APART}.enabled");
        if r.get(&enabled) == Some(&Value::Bool(true)) {
            r.note(&enabled, "the roles of two pools");
            disaggregated(&mut r, &mut scenario["cluster"]);
        } else {
            for key in ["enabled"].iter().chain(&APART_KEYS) {
                r.without_counterpart(&format!("{APART}.{key}"), "replicas do prefill and decode");
            }
        }
        r.finish(Unknown::LeftOut, report);
        Settings { scenario, ..Settings::default() }
    }
}

fn simulation(r: &mut Reader<'_>, scenario: &mut Value) {
    if let Some(name) = r.word("simulation.name") {
        r.note("simulation.name", "title");
        scenario["title"] = json!(name);
    }
    if let Some(seed) = r.whole("simulation.seed", "seed") {
        scenario["seed"] = json!(seed);
    }
    if let Some(n) = r.whole("simulation.warmup_requests", "run.warmup_requests (in order of arrival)") {
        scenario["run"]["warmup_requests"] = json!(n);
    }
}

fn pool(r: &mut Reader<'_>) -> Value {
    let mut pool = json!({ "name": "main", "engine": { "max_waiting": 256 }, "kv": { "blocks": 32_768, "block_tokens": 16 } });
    match r.whole("cluster.num_backends", "cluster.pools[0].replicas") {
        Some(n) => pool["replicas"] = json!(n),
        None => r.problems.push(Diagnostic::error(
            "cluster.num_backends",
            "nothing",
            "a whole number, 1 or more",
            "give the number of replicas",
        )),
    }
    if let Some(gpu) = r.word("cluster.gpu_type") {
        match gpu {
            "H100Sxm" | "H100" | "h100" => pool["gpu"] = json!("H100"),
            "A100Sxm80" | "A100" | "a100" => pool["gpu"] = json!("A100-80"),
            "L40S" | "l40s" => pool["gpu"] = json!("L40S"),
            other => r.unknown_name("cluster.gpu_type", other, &["H100Sxm", "A100Sxm80", "L40S"]),
        }
        r.note("cluster.gpu_type", "cluster.pools[0].gpu (for the price)");
    }
    let why = "it reserves prompt and output together; here KV blocks limit what runs, and max_num_batched_tokens a step";
    r.without_counterpart("cluster.max_batch_tokens", why);
    match r.whole("cluster.max_queue_depth", "cluster.pools[0].engine.max_waiting") {
        Some(0) => r.problems.push(Diagnostic::error(
            "cluster.max_queue_depth",
            "0, with which no request would be served",
            "a whole number, 1 or more",
            "write the number of requests that may wait at a replica",
        )),
        Some(n) => pool["engine"]["max_waiting"] = json!(n),
        None => {}
    }
    if let Some(n) = r.whole("cluster.kv_cache_blocks", "cluster.pools[0].kv.blocks") {
        pool["kv"]["blocks"] = json!(n);
    }
    if let Some(n) = r.whole("cluster.kv_block_size", "cluster.pools[0].kv.block_tokens") {
        pool["kv"]["block_tokens"] = json!(n);
    }
    let mut rates = json!({
        "prefill_tokens_per_s": 50_000.0,
        "single_decode_tokens_per_s": 80.0,
        "saturated_decode_tokens_per_s": 3_200.0,
        "saturation_batch": 64,
    });
    for (key, field) in [
        ("prefill_tokens_per_sec", "prefill_tokens_per_s"),
        ("decode_tokens_per_sec_batch1", "single_decode_tokens_per_s"),
        ("decode_tokens_per_sec_saturated", "saturated_decode_tokens_per_s"),
    ] {
        let becomes = format!("latency.piecewise.{field}");
        if let Some(x) = r.number(&format!("cluster.compute_model.{key}"), &becomes) {
            rates[field] = json!(x);
        }
    }
    let key = "cluster.compute_model.decode_throughput_saturation_batch";
    if let Some(n) = r.whole(key, "latency.piecewise.saturation_batch") {
        rates["saturation_batch"] = json!(n);
    }
    pool["latency"] = json!({ "piecewise": rates });
    pool
}

fn trace(r: &mut Reader<'_>, scenario: &mut Value) {
    if let Some(path) = r.word("trace.path") {
        r.note("trace.path", "workload.trace.file; give the file with --trace");
        scenario["workload"] = json!({ "clients": [], "trace": { "file": path } });
    }
    if r.get("trace.path").is_none() {
        let fix = "give the path of a recorded trace; the keys of generated ones are not used";
        r.problems.push(Diagnostic::error("trace.path", "nothing", "a trace file", fix));
    }
    let why = match r.word("trace.format") {
        Some("otel" | "opentelemetry") => "spans are not read; write the requests as JSON lines",
        Some("synthetic") => "the original has no generator; describe the traffic in workload.clients",
        _ => "the format is recognised from the file",
    };
    r.without_counterpart("trace.format", why);
    for key in [
        "generator",
        "rate",
        "duration_sec",
        "prompt_tokens_mean",
        "prompt_tokens_std",
        "gen_tokens_mean",
        "gen_tokens_std",
        "num_prefixes",
        "prefix_len_mean",
    ] {
        r.without_counterpart(&format!("trace.{key}"), "the original reads it and does not use it");
    }
}

const APART: &str = "cluster.disaggregated";
const APART_KEYS: [&str; 7] = [
    "prefill_backends",
    "decode_backends",
    "kv_transfer_latency_us",
    "kv_transfer_bandwidth_gb_s",
    "num_layers",
    "head_dim",
    "num_kv_heads",
];

/// Two pools in place of one. The first replicas prefill, as there; transfers have a link each, as nothing there shares
/// one.
fn disaggregated(r: &mut Reader<'_>, cluster: &mut Value) {
    let mut whole =
        |key: &str, becomes: &str, usual: u64| r.whole(&format!("{APART}.{key}"), becomes).unwrap_or(usual);
    let prefill = whole("prefill_backends", "replicas of the pool prefill", 0);
    let decode = whole("decode_backends", "replicas of the pool decode", 0);
    let base = whole("kv_transfer_latency_us", "cluster.disaggregation.transfer.base_us", 500);
    let becomes =
        "cluster.disaggregation.transfer.kv_bytes_per_token: 4 bytes × num_layers × head_dim × num_kv_heads";
    let layers = whole("num_layers", becomes, 80);
    let dim = whole("head_dim", becomes, 128);
    let heads = whole("num_kv_heads", becomes, 8);
    let becomes = "cluster.disaggregation.transfer.port_gb_per_s, for each transfer alone";
    let port = r.number(&format!("{APART}.kv_transfer_bandwidth_gb_s"), becomes).unwrap_or(50.0);
    let all = cluster["pools"][0]["replicas"].as_u64();
    let sum = prefill.saturating_add(decode);
    if all.is_some_and(|all| all != sum) {
        r.problems.push(Diagnostic::error(
            format!("{APART}.prefill_backends"),
            format!("{prefill} for prefill and {decode} for decode"),
            "as many as cluster.num_backends together",
            "RouteSim refuses this too: correct one of the three",
        ));
    } else if prefill == 0 || decode == 0 {
        let (key, role) = if decode == 0 { ("decode", "decoding") } else { ("prefill", "prefill") };
        r.problems.push(Diagnostic::error(
            format!("{APART}.{key}_backends"),
            "0",
            "1 or more",
            format!("no replica would be there for {role}: give it some, or set enabled to false"),
        ));
    }
    let pool = &cluster["pools"][0];
    let part = |name: &str, replicas: u64| {
        let mut part = pool.clone();
        part["name"] = json!(name);
        part["role"] = json!(name);
        part["replicas"] = json!(replicas);
        part
    };
    let (prefill, mut decode) = (part("prefill", prefill), part("decode", decode));
    // What is handed over is never refused.
    decode["engine"]["max_waiting"] = json!(0);
    cluster["pools"] = json!([prefill, decode]);
    let bytes = [4, layers, dim, heads].into_iter().fold(1_u64, u64::saturating_mul);
    cluster["disaggregation"] = json!({
        "decider": "always",
        "handoff": "pull",
        "first_token": "decode",
        "transfer": { "port_gb_per_s": port, "base_us": base, "kv_bytes_per_token": bytes, "shared_ports": false },
    });
}
