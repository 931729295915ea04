//! Import of a workload of BLIS, in both of its versions: clients and cohorts with their shares of an aggregate rate, or
//! the load of inference-perf in short.

use crate::import::configuration::reader::Unknown;
use crate::import::configuration::{Configuration, Reader, Report, Settings};
use crate::kubernetes::object::is_object;
use crate::workloads::traffic;
use base::import::Import;
use base::{Diagnostic, math};
use document::{SloClass, limits};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A workload.
pub(crate) struct BlisWorkload;

impl Import<Configuration> for BlisWorkload {
    fn name(&self) -> &'static str {
        "blis-workload"
    }

    fn title(&self) -> &'static str {
        "a workload of BLIS"
    }

    fn recognises(&self, source: &Value) -> bool {
        let has = |key: &str| source.get(key).is_some_and(|value| !value.is_null());
        let traffic = has("clients") || has("cohorts") || has("servegen_data") || has("inference_perf");
        !is_object(source) && traffic && (has("aggregate_rate") || has("version") || has("category"))
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        workload(&mut r);
        r.finish(Unknown::Refused, report);
        Settings::default()
    }
}

const US: f64 = 1e6;
/// Tokens of a prefix whose length is not said.
const PREFIX: u64 = 50;

fn workload(r: &mut Reader<'_>) {
    r.shape("version", "both versions are read the same way");
    r.without_counterpart("category", "what clients send says it");
    if let Some(seed) = r.whole("seed", "seed") {
        r.set("seed", "seed", json!(seed));
    }
    let mut clients = Vec::new();
    let mut groups: BTreeMap<String, u32> = BTreeMap::new();
    let rate = r.number("aggregate_rate", "the rates of workload.clients, by their shares");
    let mut sources = Vec::new();
    for (list, is_cohort) in [("clients", false), ("cohorts", true)] {
        let count = r.entries(list);
        sources.extend((0..count).map(|i| (format!("{list}.{i}"), is_cohort)));
    }
    let share = |r: &mut Reader<'_>, at: &str| {
        r.get(&format!("{at}.rate_fraction")).and_then(Value::as_f64).unwrap_or(0.0)
    };
    let sum: f64 = sources.iter().map(|(at, _)| share(r, at)).sum();
    if rate.is_none() && sum > 0.0 {
        let fix = "give the requests per second of all clients together";
        r.problems.push(Diagnostic::error("aggregate_rate", "nothing", "a number above 0", fix));
    }
    if sources.len() > limits::CLIENTS {
        let found = format!("{} clients", sources.len());
        let allowed = format!("at most {}", limits::CLIENTS);
        r.problems.push(Diagnostic::error("clients", found, allowed, "join clients of a kind"));
        sources.truncate(limits::CLIENTS);
    }
    for (at, is_cohort) in &sources {
        let own = share(r, at);
        let rate_per_s = if sum > 0.0 { rate.unwrap_or(0.0) * own / sum } else { 0.0 };
        let into = format!("workload.clients[{}]", clients.len());
        clients.push(client(r, at, &into, rate_per_s, *is_cohort, &mut groups));
    }
    if r.get("inference_perf").is_some() {
        let into = format!("workload.clients[{}]", clients.len());
        let mut client = json!({ "name": "inference-perf" });
        let at = "inference_perf.stages";
        let stages = traffic::stages(r, at, &into);
        if !stages.is_empty() {
            traffic::staged(r, at, &stages, "poisson", &mut client);
        }
        traffic::shared_prefix(r, "inference_perf.shared_prefix", &into, &mut client);
        clients.push(client);
    }
    for key in ["path", "span_start", "span_end"] {
        let why = "the files of ServeGen are read as a trace: give them with --trace";
        r.without_counterpart(&format!("servegen_data.{key}"), why);
    }
    end(r);
    let at = ["clients", "cohorts", "inference_perf"].into_iter().find(|key| r.get(key).is_some());
    match at {
        Some(at) if !clients.is_empty() => r.set(at, "workload.clients", Value::Array(clients)),
        _ => {
            let fix = "give at least one client";
            r.problems.push(Diagnostic::error("clients", "nothing", "clients or cohorts", fix));
        }
    }
}

/// The end of the run.
fn end(r: &mut Reader<'_>) {
    let requests = r.whole("num_requests", "run.max_requests");
    let horizon = r.number("horizon", "run.horizon_s, in microseconds there");
    if let Some(n) = requests {
        // BLIS has no warm-up and runs until all are answered.
        r.set("num_requests", "run.warmup_s", json!(0.0));
        if horizon.is_none() {
            r.set("num_requests", "run.horizon_s", json!(0.0));
        }
        r.set("num_requests", "run.max_requests", json!(n));
    }
    if let Some(us) = horizon {
        r.set("horizon", "run.warmup_s", json!(0.0));
        r.set("horizon", "run.horizon_s", json!(us / US));
    }
}

/// A client or a cohort.
fn client(
    r: &mut Reader<'_>,
    at: &str,
    into: &str,
    rate_per_s: f64,
    is_cohort: bool,
    groups: &mut BTreeMap<String, u32>,
) -> Value {
    let mut client = json!({});
    let (name_at, tenant_at) = (format!("{at}.id"), format!("{at}.tenant_id"));
    if let Some(name) = r.word(&name_at) {
        r.note(&name_at, &format!("{into}.name"));
        client["name"] = json!(name);
    }
    if let Some(tenant) = r.word(&tenant_at) {
        r.note(&tenant_at, &format!("{into}.tenant"));
        client["tenant"] = json!(tenant);
    }
    class(r, &format!("{at}.slo_class"), into, &mut client);
    let model_at = format!("{at}.model");
    if let Some(model) = r.word(&model_at).filter(|model| !model.is_empty()) {
        r.note(&model_at, &format!("{into}.model"));
        client["model"] = json!(model);
    }
    if is_cohort {
        let population = format!("{at}.population");
        let differs = "its members are one client with all of their rate";
        r.near(&population, into, differs);
    }
    let share_at = format!("{at}.rate_fraction");
    r.note(&share_at, &format!("{into}.arrivals.rate_per_s"));
    r.field(&share_at, &format!("{into}.arrivals.rate_per_s"), &json!(rate_per_s));
    arrivals(r, at, into, rate_per_s, &mut client);
    for (key, field) in [("input_distribution", "prompt_tokens"), ("output_distribution", "output_tokens")] {
        if let Some(value) = traffic::distribution(r, &format!("{at}.{key}"), &format!("{into}.{field}")) {
            client[field] = value;
        }
    }
    prefix(r, at, into, &mut client, groups);
    conversation(r, at, into, &mut client);
    profile(r, at, into, &mut client);
    timeout(r, at);
    r.without_counterpart(&format!("{at}.streaming"), "every answer is streamed");
    r.without_counterpart(&format!("{at}.network"), "the way to a client takes no time here");
    r.without_counterpart(&format!("{at}.multimodal"), "prompts have text alone");
    client
}

fn class(r: &mut Reader<'_>, path: &str, into: &str, client: &mut Value) {
    let Some(word) = r.word(path) else { return };
    let class = match word {
        "realtime" => "critical",
        "interactive" | "" => "standard",
        other => other,
    };
    if SloClass::named(class).is_some() {
        r.note(path, &format!("{into}.slo_class = {class}"));
        client["slo_class"] = json!(class);
    } else {
        r.unknown_name(path, word, &SloClass::ALL.map(SloClass::name));
    }
}

fn arrivals(r: &mut Reader<'_>, at: &str, into: &str, rate_per_s: f64, client: &mut Value) {
    let concurrency = r.whole(&format!("{at}.concurrency"), &format!("{into}.arrivals.concurrency"));
    let process_at = format!("{at}.arrival.process");
    let process = r.word(&process_at).unwrap_or("poisson");
    let cv = r.number(&format!("{at}.arrival.cv"), &format!("{into}.arrivals.cv"));
    let shape_at = format!("{at}.arrival.shape");
    let shape = r.get(&shape_at).and_then(Value::as_f64).filter(|x| *x > 0.0);
    let of_shape = shape.filter(|_| process == "gamma" && cv.is_none()).map(|k| 1.0 / math::sqrt(k));
    if of_shape.is_some() {
        r.note(&shape_at, &format!("{into}.arrivals.cv = 1 / √shape"));
    }
    r.without_counterpart(&shape_at, "the variation cv says it");
    r.without_counterpart(&format!("{at}.arrival.scale"), "the rate says it");
    if let Some(n) = concurrency.filter(|n| *n > 0) {
        client["arrivals"] = json!({ "concurrency": { "requests": n } });
        r.without_counterpart(&process_at, "a closed loop sends when it has an answer");
        let think = format!("{at}.think_time_us");
        r.without_counterpart(&think, "the next request is sent at once");
        return;
    }
    r.without_counterpart(&format!("{at}.think_time_us"), "only a closed loop thinks");
    let cv = cv.or(of_shape).unwrap_or(1.0);
    client["arrivals"] = match process {
        "poisson" | "constant" => json!({ process: { "rate_per_s": rate_per_s } }),
        "gamma" | "weibull" => json!({ process: { "rate_per_s": rate_per_s, "cv": cv } }),
        other => {
            r.unknown_name(&process_at, other, &["poisson", "gamma", "weibull", "constant"]);
            return;
        }
    };
    r.note(&process_at, &format!("{into}.arrivals.{process}"));
}

fn prefix(r: &mut Reader<'_>, at: &str, into: &str, client: &mut Value, groups: &mut BTreeMap<String, u32>) {
    let (group_at, length_at) = (format!("{at}.prefix_group"), format!("{at}.prefix_length"));
    let Some(group) = r.word(&group_at).filter(|name| !name.is_empty()) else {
        r.without_counterpart(&length_at, "no prefix_group is named");
        return;
    };
    let times = groups.entry(group.to_owned()).or_default();
    *times += 1;
    if *times > 1 {
        r.near(&group_at, &format!("{into}.prefix.groups = 1"), "each client has a prefix of its own");
    } else {
        r.note(&group_at, &format!("{into}.prefix.groups = 1"));
    }
    let tokens = r.whole(&length_at, &format!("{into}.prefix.tokens")).unwrap_or(PREFIX);
    client["prefix"] = json!({ "groups": 1, "tokens": tokens });
}

fn conversation(r: &mut Reader<'_>, at: &str, into: &str, client: &mut Value) {
    let (turns, closed_at) = (format!("{at}.reasoning.multi_turn"), format!("{at}.closed_loop"));
    let why = "thoughts are part of the answer";
    r.without_counterpart(&format!("{at}.reasoning.reason_ratio_distribution"), why);
    if r.get(&turns).is_none() {
        r.without_counterpart(&closed_at, "there is one round");
        return;
    }
    let becomes = format!("{into}.conversation");
    let rounds = r.whole(&format!("{turns}.max_rounds"), &format!("{becomes}.rounds.constant")).unwrap_or(1);
    let think = r.number(&format!("{turns}.think_time_us"), &format!("{becomes}.think_time.constant"));
    let growth_at = format!("{turns}.context_growth");
    let grows = r.word(&growth_at) == Some("accumulate");
    r.note(&growth_at, &format!("{becomes}.context_growth"));
    let open = r.flag(&closed_at, &format!("{becomes}.clock")) == Some(false);
    let single = format!("{turns}.single_session");
    if r.get(&single) == Some(&Value::Bool(true)) {
        r.near(&single, &becomes, "each arrival begins a conversation");
    } else {
        r.note(&single, "each arrival begins a conversation");
    }
    client["conversation"] = json!({
        "rounds": { "constant": { "rounds": rounds.max(1) } },
        "think_time": { "constant": { "think_s": think.unwrap_or(0.0) / US } },
        "clock": if open { "open" } else { "closed" },
        "context_growth": if grows { "accumulate" } else { "none" },
    });
}

/// When a client is active.
fn profile(r: &mut Reader<'_>, at: &str, into: &str, client: &mut Value) {
    let becomes = format!("{into}.rate_profile");
    let mut windows = Vec::new();
    let list = format!("{at}.lifecycle.windows");
    for i in 0..r.entries(&list) {
        let [start, end] = ["start_us", "end_us"].map(|key| r.number(&format!("{list}.{i}.{key}"), &becomes));
        if let (Some(start), Some(end)) = (start, end) {
            windows.push(json!({ "start_s": start / US, "end_s": end / US }));
        }
    }
    if !windows.is_empty() {
        client["rate_profile"] = json!({ "windows": { "windows": windows } });
    }
    let (day, spike, drain) = (format!("{at}.diurnal"), format!("{at}.spike"), format!("{at}.drain"));
    if r.get(&day).is_some() {
        let hour = r.whole(&format!("{day}.peak_hour"), &format!("{becomes}.diurnal"));
        let ratio = r.number(&format!("{day}.peak_to_trough_ratio"), &format!("{becomes}.diurnal"));
        client["rate_profile"] = json!({ "diurnal": {
            "peak_hour": hour.unwrap_or(0), "peak_to_trough": ratio.unwrap_or(1.0), "day_s": 86_400.0,
        } });
    }
    if r.get(&spike).is_some() {
        let start = r.number(&format!("{spike}.start_time_us"), &format!("{becomes}.windows")).unwrap_or(0.0);
        let long = r.number(&format!("{spike}.duration_us"), &format!("{becomes}.windows")).unwrap_or(0.0);
        let window = json!({ "start_s": start / US, "end_s": (start + long) / US });
        client["rate_profile"] = json!({ "windows": { "windows": [window] } });
    }
    if r.get(&drain).is_some() {
        let start = r.number(&format!("{drain}.start_time_us"), &format!("{becomes}.drain")).unwrap_or(0.0);
        let long = r.number(&format!("{drain}.ramp_duration_us"), &format!("{becomes}.drain")).unwrap_or(0.0);
        client["rate_profile"] = json!({ "drain": { "start_s": start / US, "duration_s": long / US } });
    }
}

/// The timeout of a client holds for all of them here.
fn timeout(r: &mut Reader<'_>, at: &str) {
    let path = format!("{at}.timeout");
    if let Some(us) = r.get(&path).and_then(Value::as_f64) {
        r.near(&path, "workload.timeout_s", "it holds for all clients");
        r.set(&path, "workload.timeout_s", json!(us / US));
    }
}
