//! Import of the nodes, the start of instances and the autoscaler of BLIS. The autoscaler is llm-d's second saturation
//! analyser behind a horizontal autoscaler.

use crate::import::configuration::patch::Patch;
use crate::import::configuration::reader::Unknown;
use crate::import::configuration::sets::PoolOf;
use crate::import::configuration::{Configuration, Reader, Report, Settings};
use crate::kubernetes::object::is_object;
use base::import::Import;
use serde_json::{Value, json};

/// Nodes and an autoscaler.
pub(crate) struct BlisFleet;

impl Import<Configuration> for BlisFleet {
    fn name(&self) -> &'static str {
        "blis-fleet"
    }

    fn title(&self) -> &'static str {
        "nodes and an autoscaler of BLIS"
    }

    fn recognises(&self, source: &Value) -> bool {
        let has = |key: &str| source.get(key).is_some_and(Value::is_object);
        !is_object(source)
            && (has("node_pools") || has("instance_lifecycle") || (has("autoscaler") && has_analyzer(source)))
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        let mut patch = Patch::default();
        nodes(&mut r, &mut patch);
        starts(&mut r, &mut patch);
        autoscaler(&mut r, &mut patch);
        r.finish(Unknown::Refused, report);
        Settings { autoscalers: vec![patch], ..Settings::default() }
    }
}

fn has_analyzer(source: &Value) -> bool {
    source.pointer("/autoscaler/analyzer").is_some() || source.pointer("/autoscaler/interval_us").is_some()
}

const US: f64 = 1e6;

/// The first kind of nodes bounds the replicas and gives the GPU.
fn nodes(r: &mut Reader<'_>, patch: &mut Patch) {
    for i in 0..r.entries("node_pools") {
        let at = format!("node_pools.{i}");
        if i > 0 {
            r.without_counterpart(&at, "a pool of replicas has nodes of one kind: those of the first");
            continue;
        }
        r.shape(&format!("{at}.name"), "the nodes");
        let gpu_at = format!("{at}.gpu_type");
        if let Some(gpu) = r.word(&gpu_at) {
            r.note(&gpu_at, "cluster.pools[].gpu");
            r.set_pool(&gpu_at, &PoolOf::default(), "gpu", json!(gpu));
        }
        let each = r.get(&format!("{at}.gpus_per_node")).and_then(Value::as_u64).unwrap_or(1);
        r.note(&format!("{at}.gpus_per_node"), "a factor of scaling.gpus");
        if let Some(n) = r.whole(&format!("{at}.max_nodes"), "scaling.gpus, the GPUs of all nodes") {
            patch.scaling.insert("gpus".to_owned(), json!(n.saturating_mul(each)));
            patch.weak.push((0, "max", json!(n.max(1))));
        }
        let why = "nodes are there when a replica asks for them";
        for key in ["initial_nodes", "min_nodes"] {
            r.without_counterpart(&format!("{at}.{key}"), why);
        }
        r.without_counterpart(&format!("{at}.gpu_memory_gib"), "the GPU's own figure holds");
        if let Some(usd) =
            r.number(&format!("{at}.cost_per_hour"), "scaling.usd_per_hour; 0 means the price of the GPUs")
        {
            patch.scaling.insert("usd_per_hour".to_owned(), json!(usd));
        }
    }
}

/// The times of a start: a node, then the weights.
fn starts(r: &mut Reader<'_>, patch: &mut Patch) {
    let (node, load) = ("node_pools.0.provisioning_delay", "instance_lifecycle.loading_delay");
    let node_s = r.number(&format!("{node}.mean"), "scaling.start.phases.node_s");
    let load_s = r.number(&format!("{load}.mean"), "scaling.start.phases.load_s");
    let sd = r.get(&format!("{load}.stddev")).and_then(Value::as_f64);
    r.note(&format!("{load}.stddev"), "scaling.start.phases.cv, the share of the mean");
    r.without_counterpart(&format!("{node}.stddev"), "one variation holds for all phases: that of loading");
    if node_s.is_some() || load_s.is_some() {
        let load_s = load_s.unwrap_or(0.0);
        let cv = if load_s > 0.0 { (sd.unwrap_or(0.0) / load_s).min(1.0) } else { 0.0 };
        let phases = json!({
            "scheduling_s": 0.0, "node_s": node_s.unwrap_or(0.0), "pull_s": 0.0, "load_s": load_s,
            "initialise_s": 0.0, "probe_s": 0.0, "cv": cv, "distribution": "gaussian",
        });
        patch.scaling.insert("start".to_owned(), json!({ "phases": phases }));
    }
    let warm = "instance_lifecycle.warm_start_initial_instances";
    if r.get(warm) == Some(&Value::Bool(true)) {
        r.note(warm, "the replicas of the beginning serve at once, as here");
    } else {
        r.without_counterpart(warm, "the replicas of the beginning serve at once");
    }
    r.without_counterpart_of_rest("instance_lifecycle", "this part of an instance's life takes no time here");
}

fn autoscaler(r: &mut Reader<'_>, patch: &mut Patch) {
    let at = "autoscaler";
    if r.get(at).is_none() {
        return;
    }
    if let Some(us) = r.number(&format!("{at}.interval_us"), "scaling.tick_s") {
        patch.scaling.insert("tick_s".to_owned(), json!(us / US));
    }
    let mut policy = json!({});
    for (key, field) in
        [("kv_cache_threshold", "kv"), ("scale_up_threshold", "up"), ("scale_down_boundary", "down")]
    {
        if let Some(x) =
            r.number(&format!("{at}.analyzer.{key}"), &format!("policy.wva-saturation-v2.{field}"))
        {
            policy[field] = json!(x);
        }
    }
    let why = "a waiting request counts the tokens of its own prompt";
    r.without_counterpart(&format!("{at}.analyzer.avg_input_tokens"), why);
    patch.scaling.insert("policy".to_owned(), json!({ "wva-saturation-v2": policy }));
    let (mut up, mut down) = (json!({ "stabilization_s": 0.0 }), json!({ "stabilization_s": 300.0 }));
    let carried = "scaling.carried_out_by.hpa.behavior.rules";
    for (key, rules, name) in [
        ("scale_up_stabilization_window_us", &mut up, "up"),
        ("scale_down_stabilization_window_us", &mut down, "down"),
    ] {
        if let Some(us) = r.number(&format!("{at}.{key}"), &format!("{carried}.{name}.stabilization_s")) {
            rules["stabilization_s"] = json!(us / US);
        }
    }
    let behavior = json!({ "rules": { "up": up, "down": down } });
    patch.scaling.insert("carried_out_by".to_owned(), json!({ "hpa": { "behavior": behavior } }));
    let delay = format!("{at}.hpa_scrape_delay");
    if let Some(s) = r.number(&format!("{delay}.mean"), "scaling.lag_s") {
        patch.scaling.insert("lag_s".to_owned(), json!(s));
    }
    r.without_counterpart(&format!("{delay}.stddev"), "a measurement has one age");
    r.without_counterpart_of_rest(at, "this setting has no counterpart in a policy here");
}
