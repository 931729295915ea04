//! Import of a configuration of inference-perf: its load and its data become one client.

use crate::import::configuration::reader::Unknown;
use crate::import::configuration::{Configuration, Reader, Report, Settings, embedded};
use crate::kubernetes::object::is_object;
use crate::workloads::traffic;
use base::Diagnostic;
use base::import::Import;
use document::limits;
use serde_json::{Value, json};

/// A configuration of the tool.
pub(crate) struct InferencePerfConfig;

impl Import<Configuration> for InferencePerfConfig {
    fn name(&self) -> &'static str {
        "inference-perf-config"
    }

    fn title(&self) -> &'static str {
        "a configuration of inference-perf"
    }

    fn recognises(&self, source: &Value) -> bool {
        is_config(source) || (!is_object(source) && within(source).is_some())
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        if let Some(section) = within(source) {
            embedded::read(&mut r, section, self);
            r.without_counterpart_of_rest("", "it says how the tool is run, not what it sends");
            r.finish(Unknown::LeftOut, report);
            return Settings::default();
        }
        let mut client = json!({ "name": "inference-perf" });
        data(&mut r, &mut client);
        load(&mut r, &mut client);
        beside(&mut r);
        let at = if r.get("data").is_some() { "data" } else { "load" };
        r.set(at, "workload.clients", json!([client]));
        r.finish(Unknown::Refused, report);
        Settings::default()
    }
}

/// The sections of charts and of other tools that hold a configuration.
const SECTIONS: [&str; 3] = ["workload", "config", "inference_perf"];

/// Whether a document is a configuration itself.
fn is_config(source: &Value) -> bool {
    let has = |key: &str| source.get(key).is_some_and(Value::is_object);
    let beside = ["data", "api", "server", "tokenizer", "metrics", "report"].iter().any(|key| has(key));
    !is_object(source) && has("load") && beside && source.get("results").is_none()
}

/// The section of a document that is a configuration.
fn within(source: &Value) -> Option<&'static str> {
    let own = SECTIONS.into_iter().find(|section| source.get(*section).is_some_and(is_config))?;
    (!is_config(source)).then_some(own)
}

const INTO: &str = "workload.clients[0]";
/// Requests per second of a load that is found while it runs.
const UNTIL_SET: f64 = 8.0;

fn data(r: &mut Reader<'_>, client: &mut Value) {
    let kind_at = "data.type";
    match r.word(kind_at) {
        Some("shared_prefix") => r.note(kind_at, &format!("{INTO}.prefix")),
        Some("random" | "synthetic") => r.note(kind_at, &format!("{INTO}.prompt_tokens and .output_tokens")),
        Some("mock") => r.near(kind_at, INTO, "lengths stay those of a new client"),
        Some(other) => {
            let fix = "give the lengths as input_distribution and output_distribution, or replay the data as a trace";
            let found = format!("{other:?}, texts that are not part of the file");
            let allowed = "\"random\", \"synthetic\" or \"shared_prefix\"";
            r.problems.push(Diagnostic::warning(kind_at, found, allowed, fix));
            r.without_counterpart(
                kind_at,
                "its texts are not part of the file: lengths stay those of a new client",
            );
        }
        None => {}
    }
    traffic::shared_prefix(r, "data.shared_prefix", INTO, client);
    for (key, field) in [("input_distribution", "prompt_tokens"), ("output_distribution", "output_tokens")] {
        if let Some(value) = traffic::measured(r, &format!("data.{key}"), &format!("{INTO}.{field}")) {
            client[field] = value;
        }
    }
    for key in ["path", "trace"] {
        r.without_counterpart(&format!("data.{key}"), "give the file as a trace, with --trace");
    }
}

fn load(r: &mut Reader<'_>, client: &mut Value) {
    let kind_at = "load.type";
    let kind = r.word(kind_at).unwrap_or("constant");
    let process = match kind {
        "constant" => "constant",
        "poisson" => "poisson",
        "concurrent" => return concurrent(r, client),
        "trace_replay" | "trace_session_replay" => {
            r.without_counterpart(kind_at, "a trace is replayed: give it with --trace");
            r.without_counterpart_of_rest("load", "a trace is replayed");
            return;
        }
        other => {
            r.unknown_name(kind_at, other, &["constant", "poisson", "concurrent", "trace_replay"]);
            r.set_aside("load");
            return;
        }
    };
    r.note(kind_at, &format!("{INTO}.arrivals.{process}"));
    let stages = traffic::stages(r, "load.stages", INTO);
    if stages.is_empty() {
        swept(r);
        client["arrivals"] = json!({ process: { "rate_per_s": UNTIL_SET } });
    } else {
        traffic::staged(r, "load.stages", &stages, process, client);
        r.without_counterpart("load.sweep", "the stages say the load");
        interval(r, stages.len());
    }
    bounded(r, client);
    workers(r);
}

/// A pause between stages.
fn interval(r: &mut Reader<'_>, stages: usize) {
    if stages > 1 {
        r.near("load.interval", &format!("{INTO}.rate_profile"), "stages follow each other without a pause");
    } else {
        r.without_counterpart("load.interval", "there is one stage");
    }
}

/// A sweep finds its rates while it runs.
fn swept(r: &mut Reader<'_>) {
    let at = if r.get("load.sweep").is_some() { "load.sweep" } else { "load.stages" };
    let found = if at == "load.sweep" { "a sweep, which finds its rates while it runs" } else { "nothing" };
    let fix = "set workload.clients[0].arrivals, or look for the rate with `tokenyard capacity`";
    r.problems.push(Diagnostic::warning(at, found, "stages with a rate and a duration", fix));
    r.without_counterpart(
        "load.sweep",
        "its rates are found while it runs: the client sends 8 requests a second until you set it",
    );
    r.without_counterpart("load.interval", "there are no stages");
}

/// A closed loop; the first stage holds.
fn concurrent(r: &mut Reader<'_>, client: &mut Value) {
    for i in 0..r.entries("load.stages") {
        let at = format!("load.stages.{i}");
        if i > 0 {
            r.without_counterpart(&at, "a closed loop has one bound: that of the first stage");
            continue;
        }
        let level = r.whole(&format!("{at}.concurrency_level"), &format!("{INTO}.arrivals.concurrency"));
        if let Some(n) = level {
            client["arrivals"] =
                json!({ "concurrency": { "requests": n.clamp(1, u64::from(limits::CONCURRENCY)) } });
        }
        let requests = format!("{at}.num_requests");
        if let Some(n) = r.whole(&requests, "run.max_requests") {
            r.set(&requests, "run.warmup_s", json!(0.0));
            r.set(&requests, "run.horizon_s", json!(0.0));
            r.set(&requests, "run.max_requests", json!(n));
        }
    }
    r.note("load.type", &format!("{INTO}.arrivals.concurrency"));
    r.without_counterpart("load.sweep", "a closed loop has no rates");
    r.without_counterpart("load.interval", "one stage is read");
    workers(r);
}

/// All workers together bound the requests in flight.
fn bounded(r: &mut Reader<'_>, client: &mut Value) {
    let (workers_at, each_at) = ("load.num_workers", "load.worker_max_concurrency");
    let (workers, each) = (r.get(workers_at).and_then(Value::as_u64), r.get(each_at).and_then(Value::as_u64));
    if let (Some(workers), Some(each)) = (workers, each) {
        let most = workers.saturating_mul(each).min(u64::from(limits::CONCURRENCY));
        let becomes = format!("{INTO}.concurrency = {most}");
        let differs = "the bound is that of all workers together";
        r.near(workers_at, &becomes, differs);
        r.near(each_at, &becomes, differs);
        client["concurrency"] = json!(most);
    }
}

fn workers(r: &mut Reader<'_>) {
    r.without_counterpart_of_rest("load", "the tool's own workers and limits take no time here");
}

/// The sections that say nothing of traffic.
fn beside(r: &mut Reader<'_>) {
    let seed = "load.base_seed";
    if r.get(seed).is_some() {
        r.without_counterpart(seed, "the seed of the scenario draws everything");
    }
    for (section, why) in [
        ("api", "every answer is streamed, and its kind makes no difference"),
        ("server", "requests go to the pools of the scenario"),
        ("tokenizer", "prompts are counted in tokens here"),
        ("metrics", "the simulation measures everything"),
        ("report", "the report has everything"),
        ("storage", "results are written where you say"),
        ("circuit_breakers", "a run ends at its horizon"),
        ("vllm", "requests go to the pools of the scenario"),
    ] {
        r.without_counterpart(section, why);
    }
    r.without_counterpart_of_rest("data", "it says nothing of the lengths of texts");
}
