//! Import of the flags of NVIDIA Dynamo's frontend (`python -m dynamo.frontend`): its router.

use crate::command::flags::{Flags, Word, same_in};
use crate::import::configuration::Reader;
use crate::routers::dynamo::map::FLAGS;
use crate::routers::program::Program;
use document::limits;
use serde_json::{Value, json};

/// The program.
pub(crate) const PROGRAM: Program = Program {
    format: "dynamo-frontend",
    title: "dynamo.frontend",
    names: &["dynamo.frontend", "dynamo-frontend"],
    modules: &["dynamo.frontend", "dynamo.router"],
    read_words,
};

/// Reads the words after the program.
fn read_words(r: &mut Reader<'_>, words: &[Word]) {
    let mut flags = Flags::of_words(r, words, FLAGS);
    router(r, &mut flags);
    queue(r, &mut flags);
    migration(r, &mut flags);
    flags.finish(r, FLAGS);
}

/// How often a request whose worker fails goes on at another one.
fn migration(r: &mut Reader<'_>, flags: &mut Flags) {
    let name = "migration-limit";
    let Some(n) = flags.whole_in(r, name, [0, u64::from(limits::RETRIES)]) else { return };
    flags.note(r, name, &format!("cluster.resilience.retries {n}, and resume"));
    flags.set(r, name, "cluster.resilience.retries", json!(n));
    flags.set(r, name, "cluster.resilience.resume", json!(n > 0));
}

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
        for name in same_in(FLAGS, KV_COST).map(|(flag, _)| flag.names[0]).chain(OTHERS) {
            flags.ignore(r, name, why);
        }
    }
    flags.note(r, "router-mode", FIELD);
    flags.set(r, "router-mode", FIELD, routing);
}

/// The field of the mode `kv`, with a dot.
const KV_COST: &str = "routing.kv-cost.";
/// Flags of the mode `kv` that mean more than a field.
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
    let same = flags.same_below(r, FLAGS, KV_COST);
    for (key, value) in same.as_object().into_iter().flatten() {
        cost[key] = value.clone();
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
