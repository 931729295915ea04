//! Import of the flags of SMG, the router that SGLang's became (`smg launch`, `sglang_router`).

use super::Import;
use super::configuration::flag_values::Kind::{List, Number, Switch, Text, Whole};
use super::configuration::flags::{Flag, Flags, Word, flag};
use super::configuration::reader::Unknown;
use super::configuration::router_command::Program;
use super::configuration::{Configuration, Reader, Report, Settings};
use document::limits;
use serde_json::{Value, json};

/// The flags of the router.
pub(super) struct Smg;

pub(super) const PROGRAM: Program = Program {
    names: &["smg", "amg", "sglang-router", "sglang_router"],
    modules: &[
        "smg",
        "smg.launch_router",
        "sglang_router",
        "sglang_router.launch_router",
        "sglang.launch_router",
    ],
};

impl Import<Configuration> for Smg {
    fn name(&self) -> &'static str {
        "smg"
    }

    fn title(&self) -> &'static str {
        "SMG"
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

const ADDRESS: &str = "it is an address";
const HEALTH: &str = "replicas never fail";
const LOG: &str = "the simulation records everything";
const TEXTS: &str = "requests have no text to parse";
const KNOWN: &str = "the router knows every replica at once";
const POOLS: &str = "cluster.pools say how many replicas there are";

const FLAGS: &[Flag] = &[
    flag(&["policy"], Text, ""),
    flag(&["prefill-policy"], Text, ""),
    flag(&["decode-policy"], Text, ""),
    flag(&["cache-threshold"], Number, ""),
    flag(&["balance-abs-threshold"], Whole, ""),
    flag(&["balance-rel-threshold"], Number, ""),
    flag(
        &["eviction-interval-secs", "eviction-interval"],
        Number,
        "the router forgets as soon as its memory is full",
    ),
    flag(&["max-tree-size"], Whole, "it counts letters of text; prefix_index_blocks counts blocks of tokens"),
    flag(&["max-concurrent-requests"], Text, ""),
    flag(&["queue-size"], Whole, ""),
    flag(&["queue-timeout-secs"], Number, ""),
    flag(&["rate-limit-tokens-per-second"], Number, ""),
    flag(&["pd-disaggregation"], Switch, ""),
    flag(&["prefill"], List, POOLS),
    flag(&["decode"], List, POOLS),
    flag(&["worker-urls"], List, POOLS),
    flag(&["dp-aware"], Switch, "each rank of a server is a replica here"),
    flag(&["dp-size"], Whole, "each rank of a server is a replica here"),
    flag(&["request-timeout-secs"], Number, ""),
    flag(&["host"], Text, ADDRESS),
    flag(&["port"], Whole, ADDRESS),
    flag(&["prometheus-host"], Text, ADDRESS),
    flag(&["prometheus-port"], Whole, ADDRESS),
    flag(&["api-key"], Text, ADDRESS),
    flag(&["model-path", "model"], Text, "pools name their model"),
    flag(&["tokenizer-path"], Text, TEXTS),
    flag(&["chat-template"], Text, TEXTS),
    flag(&["reasoning-parser"], Text, TEXTS),
    flag(&["tool-call-parser"], Text, TEXTS),
    flag(&["backend"], Text, "the engine of a pool says how it behaves"),
    flag(&["enable-igw"], Switch, KNOWN),
    flag(&["enable-mesh"], Switch, "there is one router"),
    flag(&["service-discovery"], Switch, KNOWN),
    flag(&["selector"], List, KNOWN),
    flag(&["prefill-selector"], List, KNOWN),
    flag(&["decode-selector"], List, KNOWN),
    flag(&["service-discovery-port"], Whole, KNOWN),
    flag(&["service-discovery-namespace"], Text, KNOWN),
    flag(&["worker-startup-timeout-secs"], Number, "replicas start as scaling.start says"),
    flag(&["worker-startup-check-interval"], Number, "replicas start as scaling.start says"),
    flag(&["bootstrap-port-annotation"], Text, KNOWN),
    flag(&["log-dir"], Text, LOG),
    flag(&["log-level"], Text, LOG),
    flag(&["request-id-headers"], List, LOG),
    flag(&["max-payload-size"], Whole, "requests have no bytes"),
    flag(&["cors-allowed-origins"], List, ADDRESS),
    flag(&["retry-max-retries"], Whole, HEALTH),
    flag(&["retry-initial-backoff-ms"], Whole, HEALTH),
    flag(&["retry-max-backoff-ms"], Whole, HEALTH),
    flag(&["retry-backoff-multiplier"], Number, HEALTH),
    flag(&["retry-jitter-factor"], Number, HEALTH),
    flag(&["disable-retries"], Switch, HEALTH),
    flag(&["cb-failure-threshold"], Whole, HEALTH),
    flag(&["cb-success-threshold"], Whole, HEALTH),
    flag(&["cb-timeout-duration-secs"], Number, HEALTH),
    flag(&["cb-window-duration-secs"], Number, HEALTH),
    flag(&["disable-circuit-breaker"], Switch, HEALTH),
    flag(&["health-failure-threshold"], Whole, HEALTH),
    flag(&["health-success-threshold"], Whole, HEALTH),
    flag(&["health-check-timeout-secs"], Number, HEALTH),
    flag(&["health-check-interval-secs"], Number, HEALTH),
    flag(&["health-check-endpoint"], Text, HEALTH),
    flag(&["history-backend"], Text, LOG),
    flag(&["mini-lb"], Switch, "the policies say the router"),
    flag(&["test-external-dp-routing"], Switch, ""),
];

/// Reads the flags of a command of this router or of one that has its flags.
/// Reads the words after the program.
pub(super) fn read_words(r: &mut Reader<'_>, words: &[Word]) {
    let mut flags = Flags::of_words(r, words, FLAGS);
    let apart = flags.switch("pd-disaggregation") == Some(true);
    let policy = flags.text("policy").unwrap_or("cache_aware").to_owned();
    let routing = routing(r, &mut flags, &policy, "policy");
    if apart {
        flags.near(
            r,
            "pd-disaggregation",
            "pools with the roles prefill and decode",
            "the pools of the scenario have them",
        );
        stages(r, &mut flags, routing.as_ref());
    } else {
        for name in ["prefill-policy", "decode-policy"] {
            flags.ignore(r, name, "prefill is not apart");
        }
        note(r, &mut flags, "policy", "cluster.routing", routing);
    }
    thresholds(r, &mut flags);
    admission(r, &mut flags);
    flags.finish(r, FLAGS);
}

/// The routers of both stages: each has the general policy where it has none of its own.
fn stages(r: &mut Reader<'_>, flags: &mut Flags, general: Option<&Value>) {
    for (name, field) in
        [("decode-policy", "cluster.routing"), ("prefill-policy", "cluster.disaggregation.prefill_routing")]
    {
        if let Some(policy) = flags.text(name).map(str::to_owned) {
            let own = routing(r, flags, &policy, name);
            note(r, flags, name, field, own);
        } else if let Some(general) = general {
            flags.note(r, "policy", "cluster.routing, and the router of prefills");
            flags.set(r, "policy", field, general.clone());
        }
    }
}

fn note(r: &mut Reader<'_>, flags: &mut Flags, name: &str, field: &str, routing: Option<Value>) {
    let Some(routing) = routing else { return };
    flags.note(r, name, field);
    if flags.path(name).is_some() {
        flags.set(r, name, field, routing);
    } else {
        // Without the flag the program's default holds.
        r.set("words.0", field, routing);
    }
}

/// The router of a policy.
fn routing(r: &mut Reader<'_>, flags: &mut Flags, policy: &str, name: &str) -> Option<Value> {
    const POLICIES: [&str; 9] = [
        "cache_aware",
        "round_robin",
        "random",
        "power_of_two",
        "consistent_hashing",
        "least_load",
        "prefix_hash",
        "bucket",
        "manual",
    ];
    match policy {
        "cache_aware" => Some(json!({ "cache-aware": cache_aware(r, flags) })),
        "round_robin" => Some(json!("round-robin")),
        "random" => Some(json!("random")),
        "power_of_two" => Some(json!({ "power-of-d": { "d": 2 } })),
        "least_load" => {
            flags.near(r, name, "least-loaded", "load is the number of requests");
            Some(json!("least-loaded"))
        }
        "consistent_hashing" => Some(json!({ "session-affinity": { "mode": "consistent-hash" } })),
        "manual" => {
            flags.near(r, name, "session-affinity", "a new session goes to the least loaded replica");
            Some(json!({ "session-affinity": { "mode": "sticky" } }))
        }
        "prefix_hash" | "bucket" => {
            flags.ignore(r, name, "this policy is not simulated: cluster.routing stays as it is");
            None
        }
        _ => {
            flags.not_among(r, name, &POLICIES);
            None
        }
    }
}

/// The thresholds of the router by caches.
fn cache_aware(r: &mut Reader<'_>, flags: &mut Flags) -> Value {
    let mut fields = json!({});
    if let Some(x) = flags.number_in(r, "cache-threshold", [0.0, 1.0]) {
        flags.note(r, "cache-threshold", "cluster.routing.cache-aware.cache_threshold");
        fields["cache_threshold"] = json!(x);
    }
    if let Some(n) = flags.whole_in(r, "balance-abs-threshold", [0, u64::from(limits::IN_FLIGHT)]) {
        flags.note(r, "balance-abs-threshold", "cluster.routing.cache-aware.balance_abs_threshold");
        fields["balance_abs_threshold"] = json!(n);
    }
    if let Some(x) = flags.number_in(r, "balance-rel-threshold", [0.0, limits::COST]) {
        flags.note(r, "balance-rel-threshold", "cluster.routing.cache-aware.balance_rel_threshold");
        fields["balance_rel_threshold"] = json!(x);
    }
    fields
}

fn thresholds(r: &mut Reader<'_>, flags: &mut Flags) {
    for name in ["cache-threshold", "balance-abs-threshold", "balance-rel-threshold"] {
        flags.ignore(r, name, "only the policy cache_aware reads it");
    }
}

/// The limit on requests at once, its queue, and the timeout of a request.
fn admission(r: &mut Reader<'_>, flags: &mut Flags) {
    let most = "max-concurrent-requests";
    let number = flags.text(most).and_then(|text| text.parse::<i64>().ok());
    match number {
        Some(n) if n > 0 => {
            let queue = flags.whole_in(r, "queue-size", [0, u64::from(limits::IN_FLIGHT)]);
            let then = if queue == Some(0) { "reject" } else { "delay" };
            flags.note(r, most, "cluster.admission.concurrency-limit.max_in_flight");
            flags.near(r, "queue-size", &format!("then: {then}"), "the queue has no length of its own");
            flags.ignore(r, "queue-timeout-secs", "a delayed request waits for as long as its client does");
            let limit = json!({ "concurrency-limit": { "max_in_flight": n, "then": then } });
            flags.set(r, most, "cluster.admission", limit);
        }
        Some(_) => flags.note(r, most, "no limit, as without cluster.admission"),
        None if flags.text(most).is_some() => flags.not_among(r, most, &["a whole number, such as 256"]),
        None => {}
    }
    for name in ["queue-size", "queue-timeout-secs"] {
        flags.ignore(r, name, "there is no queue without max-concurrent-requests");
    }
    let rate = "rate-limit-tokens-per-second";
    if let Some(x) = flags.number_in(r, rate, [0.001, limits::RATE_PER_S]) {
        if number.is_some_and(|n| n > 0) {
            flags.ignore(r, rate, "one rule of admission holds: max-concurrent-requests");
        } else {
            flags.near(r, rate, "cluster.admission.rate-limit.requests_per_s", "a token is a request there");
            flags.set(r, rate, "cluster.admission", json!({ "rate-limit": { "requests_per_s": x } }));
        }
    }
    if let Some(s) = flags.number_in(r, "request-timeout-secs", [0.0, limits::HORIZON_S]) {
        flags.note(r, "request-timeout-secs", "workload.timeout_s");
        flags.set(r, "request-timeout-secs", "workload.timeout_s", json!(s));
    }
}
