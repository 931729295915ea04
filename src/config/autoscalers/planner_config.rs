//! Import of the configuration of NVIDIA Dynamo's planner: objectives, intervals and budget of its autoscaler.

use crate::import::configuration::patch::Patch;
use crate::import::configuration::reader::Unknown;
use crate::import::configuration::{Configuration, Reader, Report, Settings};
use crate::kubernetes::object::is_of;
use base::import::Import;
use serde_json::{Value, json};

/// A configuration.
pub(crate) struct PlannerConfig;

impl Import<Configuration> for PlannerConfig {
    fn name(&self) -> &'static str {
        "PlannerConfig"
    }

    fn title(&self) -> &'static str {
        "a configuration of Dynamo's planner"
    }

    fn recognises(&self, source: &Value) -> bool {
        const OWN: [&str; 9] = [
            "optimization_target",
            "throughput_adjustment_interval",
            "throughput_adjustment_interval_seconds",
            "load_adjustment_interval",
            "load_adjustment_interval_seconds",
            "enable_throughput_scaling",
            "enable_load_scaling",
            "max_gpu_budget",
            "load_scaling_down_sensitivity",
        ];
        is_of(source, self.name()) || OWN.iter().any(|key| source.get(key).is_some())
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        let patch = planner(&mut r);
        r.finish(Unknown::Refused, report);
        Settings { autoscalers: vec![patch], ..Settings::default() }
    }
}

/// The value of the first of several names of a key.
fn number(r: &mut Reader<'_>, keys: &[&str], becomes: &str) -> Option<f64> {
    keys.iter().find_map(|key| r.number(key, becomes))
}

fn planner(r: &mut Reader<'_>) -> Patch {
    let mut patch = Patch::default();
    for key in ["kind", "apiVersion", "metadata"] {
        r.shape(key, "the kind of the document");
    }
    let target = r.word("optimization_target").unwrap_or("throughput").to_owned();
    let by_rate = r.get("enable_throughput_scaling").and_then(Value::as_bool);
    let by_load = r.get("enable_load_scaling").and_then(Value::as_bool);
    // Without objectives the planner goes by load alone.
    let throughput = ["sla", "load"].contains(&target.as_str()) && by_rate.unwrap_or(by_load != Some(true));
    let name = if throughput && target == "sla" { "dynamo-throughput" } else { "dynamo-load" };
    let into = format!("policy.{name}");
    match target.as_str() {
        "sla" => r.note("optimization_target", &into),
        _ => r.near(
            "optimization_target",
            &into,
            "it holds objectives; thresholds of queue and cache have no counterpart",
        ),
    }
    for (key, on, own) in [
        ("enable_throughput_scaling", by_rate, "dynamo-throughput"),
        ("enable_load_scaling", by_load, "dynamo-load"),
    ] {
        if on == Some(true) && own != name {
            r.without_counterpart(key, &format!("one policy decides here: {name}"));
        } else {
            r.note(key, &into);
        }
    }
    let mut policy = json!({});
    for (keys, field) in [(["ttft_ms", "ttft"], "ttft_ms"), (["itl_ms", "itl"], "itl_ms")] {
        if let Some(ms) = number(r, &keys, &format!("{into}.{field}")) {
            policy[field] = json!(ms);
        }
    }
    by_rate_or_load(r, name, &into, &mut policy, &mut patch);
    if let Some(n) = r.whole("min_endpoint", "scaling.min") {
        patch.scaling.insert("min".to_owned(), json!(n));
    }
    let budget = "max_gpu_budget";
    if let Some(n) = r.get(budget).and_then(Value::as_i64) {
        r.note(budget, "scaling.gpus; below 0 there is none");
        patch.scaling.insert("gpus".to_owned(), json!(n.max(0)));
        patch.weak.push((0, "max", json!(n.max(1))));
    }
    rest(r);
    patch.scaling.insert("policy".to_owned(), json!({ name: policy }));
    patch
}

fn by_rate_or_load(r: &mut Reader<'_>, name: &str, into: &str, policy: &mut Value, patch: &mut Patch) {
    let rate = ["throughput_adjustment_interval_seconds", "throughput_adjustment_interval"];
    let load = ["load_adjustment_interval_seconds", "load_adjustment_interval"];
    let (own, other) = if name == "dynamo-throughput" { (rate, load) } else { (load, rate) };
    if let Some(s) = number(r, &own, "scaling.tick_s") {
        patch.scaling.insert("tick_s".to_owned(), json!(s));
    }
    for key in other {
        r.without_counterpart(key, &format!("it belongs to the other policy; {name} decides"));
    }
    let (down, least, predictor) =
        ("load_scaling_down_sensitivity", "load_min_observations", "load_predictor");
    if name == "dynamo-load" {
        if let Some(percent) = r.get(down).and_then(Value::as_f64) {
            r.note(down, &format!("{into}.sensitivity, a percentage there"));
            policy["sensitivity"] = json!((percent / 100.0).clamp(0.001, 1.0));
        }
        if let Some(n) = r.whole(least, &format!("{into}.min_observations")) {
            policy["min_observations"] = json!(n.max(1));
        }
        r.without_counterpart(predictor, "this policy goes by what is measured");
        return;
    }
    r.without_counterpart(down, "it belongs to the policy dynamo-load");
    r.without_counterpart(least, "it belongs to the policy dynamo-load");
    match r.word(predictor) {
        Some("constant") => {
            r.note(predictor, &format!("{into}.predictor"));
            policy["predictor"] = json!("constant");
        }
        Some(_) => {
            r.near(
                predictor,
                &format!("{into}.predictor = trend"),
                "a straight line through the latest eight rates",
            );
            policy["predictor"] = json!("trend");
        }
        None => {}
    }
}

/// Keys that say where the planner runs, and how it measures.
fn rest(r: &mut Reader<'_>) {
    let why = "it says where the planner runs and how it measures";
    for key in [
        "environment",
        "namespace",
        "backend",
        "model_name",
        "no_operation",
        "advisory",
        "log_dir",
        "decode_engine_num_gpu",
        "prefill_engine_num_gpu",
        "profile_results_dir",
        "pre_deployment_sweeping_mode",
        "load_predictor_log1p",
        "load_predictor_warmup_trace",
        "prophet_window_size",
        "kalman_q_level",
        "kalman_q_trend",
        "kalman_r",
        "kalman_min_points",
        "metric_pulling_prometheus_endpoint",
        "metric_reporting_prometheus_port",
        "throughput_metrics_source",
        "global_planner_namespace",
        "max_num_fpm_samples",
        "fpm_sample_bucket_size",
        "load_metric_samples",
        "report_interval_hours",
        "report_output_dir",
        "live_dashboard_port",
    ] {
        r.without_counterpart(key, why);
    }
    r.near("mode", "every pool with this policy", "pools with a role scale by the same rule");
}
