//! Import of the flags of NVIDIA Dynamo's frontend (`python -m dynamo.frontend`): its router.

use super::Import;
use super::configuration::flag_values::Kind::{List, Number, Switch, Text, Whole};
use super::configuration::flags::{Flag, Flags, Word, flag};
use super::configuration::reader::Unknown;
use super::configuration::router_command::Program;
use super::configuration::{Configuration, Reader, Report, Settings};
use document::limits;
use serde_json::{Value, json};

/// The flags of the frontend.
pub(super) struct DynamoFrontend;

pub(super) const PROGRAM: Program = Program {
    names: &["dynamo.frontend", "dynamo-frontend"],
    modules: &["dynamo.frontend", "dynamo.router"],
};

impl Import<Configuration> for DynamoFrontend {
    fn name(&self) -> &'static str {
        "dynamo-frontend"
    }

    fn title(&self) -> &'static str {
        "dynamo.frontend"
    }

    fn recognises(&self, source: &Value) -> bool {
        PROGRAM.starts(source)
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        let words = PROGRAM.words(&mut r);
        read_words(&mut r, &words);
        r.finish(Unknown::Refused, report);
        Settings::default()
    }
}

/// Reads the words after the program.
pub(super) fn read_words(r: &mut Reader<'_>, words: &[Word]) {
    let mut flags = Flags::of_words(r, words, FLAGS);
    router(r, &mut flags);
    queue(r, &mut flags);
    flags.finish(r, FLAGS);
}

const ADDRESS: &str = "it is the address of the server";
const EVENTS: &str = "reports of caches arrive at once and are never lost";
const ALONE: &str = "there is one router";
const BUSY: &str =
    "this router refuses no request for busy replicas; cluster.flow_control holds requests back";

pub(super) const FLAGS: &[Flag] = &[
    flag(&["router-mode"], Text, ""),
    flag(&["router-kv-overlap-score-credit"], Number, ""),
    flag(&["router-kv-overlap-score-credit-decay"], Number, ""),
    flag(&["router-kv-overlap-score-weight", "kv-overlap-score-weight"], Number, ""),
    flag(&["router-prefill-load-scale"], Number, ""),
    flag(&["router-host-cache-hit-weight"], Number, ""),
    flag(&["router-disk-cache-hit-weight"], Number, "caches have no tier on disk here"),
    flag(&["router-decode-active-request-weight"], Number, ""),
    flag(&["router-temperature"], Number, ""),
    flag(&["router-kv-events", "kv-events", "router-use-kv-events", "use-kv-events"], Switch, ""),
    flag(&["router-ttl-secs", "router-ttl"], Number, ""),
    flag(&["router-predicted-ttl-secs"], Number, ""),
    flag(&["router-max-tree-size"], Whole, ""),
    flag(&["router-prune-target-ratio"], Number, "blocks leave the index one by one"),
    flag(&["router-assume-kv-reuse"], Switch, ""),
    flag(&["router-session-affinity-ttl-secs"], Number, ""),
    flag(&["router-track-active-blocks"], Switch, "blocks in use always count"),
    flag(&["router-track-output-blocks"], Switch, "blocks of answers count as they come"),
    flag(&["router-track-prefill-tokens"], Switch, "tokens to prefill always count"),
    flag(&["load-aware"], Switch, ""),
    flag(&["agentic"], Switch, ""),
    flag(&["router-queue-threshold"], Number, ""),
    flag(&["router-queue-policy"], Text, ""),
    flag(&["active-decode-blocks-threshold"], Number, BUSY),
    flag(&["active-prefill-tokens-threshold"], Number, BUSY),
    flag(&["active-prefill-tokens-threshold-frac"], Number, BUSY),
    flag(&["busy-threshold"], Number, BUSY),
    flag(&["admission-control"], Text, BUSY),
    flag(&["kv-cache-block-size", "router-block-size"], Whole, "blocks are as large as those of the pool"),
    flag(&["router-replica-sync"], Switch, ALONE),
    flag(&["router-reset-states"], Switch, ALONE),
    flag(&["router-snapshot-threshold"], Whole, ALONE),
    flag(&["router-event-threads"], Whole, EVENTS),
    flag(&["router-min-initial-workers"], Whole, "all replicas are there at the beginning"),
    flag(&["durable-kv-events", "router-durable-kv-events"], Switch, EVENTS),
    flag(&["enforce-disagg"], Switch, "pools with roles always prefill apart as cluster.disaggregation says"),
    flag(&["decode-fallback"], Switch, "cluster.disaggregation.decider says who prefills"),
    flag(&["migration-limit"], Whole, "replicas never fail"),
    flag(&["migration-max-seq-len"], Whole, "replicas never fail"),
    flag(&["http-host", "host"], Text, ADDRESS),
    flag(&["http-port", "port"], Whole, ADDRESS),
    flag(&["grpc-metrics-port"], Whole, ADDRESS),
    flag(&["tls-cert-path"], Text, ADDRESS),
    flag(&["tls-key-path"], Text, ADDRESS),
    flag(&["namespace", "dyn-namespace"], Text, ADDRESS),
    flag(&["namespace-prefix"], Text, ADDRESS),
    flag(&["kserve-grpc-server"], Switch, ADDRESS),
    flag(&["model-name", "model"], Text, "pools name their model"),
    flag(&["model-path"], Text, "pools name their model"),
    flag(&["metrics-prefix"], Text, "names of metrics make no difference"),
    flag(&["request-plane"], Text, "messages take no time"),
    flag(&["event-plane"], Text, "messages take no time"),
    flag(&["discovery-backend", "store-kv"], Text, "the router knows every replica at once"),
    flag(&["chat-processor", "dyn-chat-processor"], Text, "requests have no text to parse"),
    flag(&["interactive", "i"], Switch, ""),
    flag(&["version"], Switch, ""),
    flag(&["exp-python-factory"], Switch, ""),
    flag(&["endpoint"], List, ADDRESS),
];

const FIELD: &str = "cluster.routing";

fn router(r: &mut Reader<'_>, flags: &mut Flags) {
    const MODES: [&str; 6] = ["round-robin", "random", "kv", "least-loaded", "power-of-two", "direct"];
    let mode = flags.text("router-mode").unwrap_or("round-robin").to_owned();
    let routing = match mode.as_str() {
        "kv" => kv(r, flags),
        "round-robin" | "random" | "least-loaded" => json!(mode),
        "power-of-two" => json!({ "power-of-d": { "d": 2 } }),
        "direct" => {
            flags.ignore(r, "router-mode", "requests do not name their replica");
            return;
        }
        _ => {
            flags.not_among(r, "router-mode", &MODES);
            return;
        }
    };
    if mode != "kv" {
        let why = "only the router mode kv reads it";
        for name in KV.iter().map(|(name, ..)| *name).chain(OTHERS) {
            flags.ignore(r, name, why);
        }
    }
    flags.note(r, "router-mode", FIELD);
    flags.set(r, "router-mode", FIELD, routing);
}

/// Flags of the mode `kv` with a number, their keys, and the largest value.
const KV: [(&str, &str, f64); 7] = [
    ("router-kv-overlap-score-credit", "overlap_credit", limits::COST),
    ("router-kv-overlap-score-credit-decay", "credit_decay", limits::COST),
    ("router-prefill-load-scale", "prefill_scale", limits::COST),
    ("router-host-cache-hit-weight", "host_credit", limits::COST),
    ("router-decode-active-request-weight", "active_weight", limits::COST),
    ("router-temperature", "temperature", limits::TEMPERATURE),
    ("router-session-affinity-ttl-secs", "session_ttl_s", limits::ROUTER_TTL_S),
];
const OTHERS: [&str; 9] = [
    "router-kv-overlap-score-weight",
    "router-kv-events",
    "router-ttl-secs",
    "router-predicted-ttl-secs",
    "router-max-tree-size",
    "router-assume-kv-reuse",
    "load-aware",
    "agentic",
    "kv-cache-block-size",
];

fn kv(r: &mut Reader<'_>, flags: &mut Flags) -> Value {
    let mut cost = json!({});
    let into = "cluster.routing.kv-cost";
    let becomes = |key: &str| format!("{into}.{key}");
    for (name, profile) in [("load-aware", "dynamo-load-aware"), ("agentic", "dynamo-agentic")] {
        if flags.switch(name) == Some(true) {
            flags.note(r, name, &format!("{into}.profile = {profile}"));
            cost["profile"] = json!(profile);
        }
    }
    let former = "router-kv-overlap-score-weight";
    if let Some(x) = flags.number_in(r, former, [0.0, limits::COST]) {
        let differs = "the former name; it sets the scale of prefills since Dynamo 1.0";
        flags.near(r, former, &becomes("prefill_scale"), differs);
        cost["prefill_scale"] = json!(x);
    }
    for (name, key, most) in KV {
        if let Some(x) = flags.number_in(r, name, [0.0, most]) {
            flags.note(r, name, &becomes(key));
            cost[key] = json!(x);
        }
    }
    if let Some(on) = flags.switch("router-assume-kv-reuse") {
        flags.note(r, "router-assume-kv-reuse", &becomes("assume_reuse"));
        cost["assume_reuse"] = json!(on);
    }
    index(r, flags, &mut cost);
    json!({ "kv-cost": cost })
}

/// How the router knows what caches hold.
fn index(r: &mut Reader<'_>, flags: &mut Flags, cost: &mut Value) {
    let into = "cluster.routing.kv-cost";
    let by_events = flags.switch("router-kv-events").unwrap_or(true);
    flags.note(r, "router-kv-events", &format!("{into}.index"));
    if by_events {
        if let Some(s) = flags.number_in(r, "router-predicted-ttl-secs", [0.0, limits::ROUTER_TTL_S]) {
            flags.note(r, "router-predicted-ttl-secs", &format!("{into}.predicted_ttl_s"));
            cost["predicted_ttl_s"] = json!(s);
        }
        let why = "caches report what they hold; it counts without events alone";
        flags.ignore(r, "router-ttl-secs", why);
        flags.ignore(r, "router-max-tree-size", why);
        return;
    }
    let mut approximate = json!({});
    let becomes = |key: &str| format!("{into}.index.approximate.{key}");
    if let Some(s) = flags.number_in(r, "router-ttl-secs", [0.0, limits::ROUTER_TTL_S]) {
        flags.note(r, "router-ttl-secs", &becomes("ttl_s"));
        approximate["ttl_s"] = json!(s);
    }
    if let Some(n) = flags.whole_in(r, "router-max-tree-size", [1, u64::from(limits::KV_BLOCKS)]) {
        flags.near(r, "router-max-tree-size", &becomes("max_blocks"), "each replica has an index of its own");
        approximate["max_blocks"] = json!(n);
    }
    flags.ignore(r, "router-predicted-ttl-secs", "it counts beside events alone");
    cost["index"] = json!({ "approximate": approximate });
}

/// Tokens of a full step of prompts, where the engine does not say.
const STEP: f64 = 8192.0;

/// Requests wait at the router while every replica has many prompt tokens to compute.
fn queue(r: &mut Reader<'_>, flags: &mut Flags) {
    let name = "router-queue-threshold";
    let Some(x) = flags.number_in(r, name, [0.0, 1e6]) else {
        flags.ignore(r, "router-queue-policy", "there is no queue without router-queue-threshold");
        return;
    };
    let tokens = (x * STEP).round().max(1.0) as u64;
    let differs = "of steps with 8,192 prompt tokens; requests wait in the order of their arrival";
    flags.near(r, name, &format!("cluster.flow_control.detector.concurrency.max_tokens = {tokens}"), differs);
    let detector = json!({ "concurrency": { "mode": "tokens", "max_tokens": tokens } });
    let flow = json!({ "detector": detector, "ttl_s": 0.0, "no_replica_ttl_s": 0.0 });
    flags.set(r, name, "cluster.flow_control", flow);
    match flags.text("router-queue-policy") {
        Some("fcfs") => flags.note(r, "router-queue-policy", "cluster.flow_control.ordering = fcfs"),
        Some(_) => flags.near(
            r,
            "router-queue-policy",
            "cluster.flow_control.ordering = fcfs",
            "no order by length here",
        ),
        None => {}
    }
}
