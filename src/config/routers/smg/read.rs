//! Import of the flags of SMG, the router that SGLang's became (`smg launch`, `sglang_router`).

use crate::command::flags::{Flags, Word, same_in};
use crate::import::configuration::Reader;
use crate::import::configuration::server_identity::NamedBy;
use crate::routers::failures::{FailureFlag, failures};
use crate::routers::program::Program;
use crate::routers::smg::map::FLAGS;
use document::limits;
use serde_json::{Value, json};

/// The program.
pub(crate) const PROGRAM: Program = Program {
    format: "smg",
    title: "SMG",
    names: &["smg", "amg", "sglang-router", "sglang_router"],
    modules: &[
        "smg",
        "smg.launch_router",
        "sglang_router",
        "sglang_router.launch_router",
        "sglang.launch_router",
    ],
    read_words,
};

/// The field of the router by caches, with a dot.
const CACHE_AWARE: &str = "routing.cache-aware.";

/// Reads the words after the program: this router, or one that has its flags.
pub(crate) fn read_words(r: &mut Reader<'_>, words: &[Word]) {
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
        roles(r, &flags, words);
        stages(r, &mut flags, routing.as_ref());
    } else {
        for name in ["prefill-policy", "decode-policy"] {
            flags.ignore(r, name, "prefill is not apart");
        }
        note(r, &mut flags, "policy", "cluster.routing", routing);
    }
    thresholds(r, &mut flags);
    admission(r, &mut flags);
    let off = [("disable-retries", "retry-"), ("disable-circuit-breaker", "cb-")];
    failures(r, &mut flags, &FAILURES, &off);
    flags.finish(r, FLAGS);
}

/// The flags about replicas that fail.
const FAILURES: [FailureFlag; 9] = [
    FailureFlag {
        name: "retry-max-retries",
        field: "retries",
        range: [0.0, limits::RETRIES as f64],
        differs: "",
    },
    FailureFlag {
        name: "retry-initial-backoff-ms",
        field: "backoff_ms",
        range: [0.0, limits::LATENCY_MS],
        differs: "it doubles with each attempt and is drawn evenly up to that",
    },
    FailureFlag {
        name: "retry-max-backoff-ms",
        field: "backoff_max_ms",
        range: [0.0, limits::LATENCY_MS],
        differs: "",
    },
    FailureFlag {
        name: "cb-failure-threshold",
        field: "outlier.consecutive",
        range: [1.0, limits::PROBES as f64],
        differs: "attempts that break one after the other, and most_share of a pool at once",
    },
    FailureFlag {
        name: "cb-timeout-duration-secs",
        field: "outlier.ejection_s",
        range: [limits::PROBE_S_MIN, limits::HORIZON_S],
        differs: "times how often the replica was taken out",
    },
    FailureFlag {
        name: "health-failure-threshold",
        field: "probe.failures",
        range: [1.0, limits::PROBES as f64],
        differs: "",
    },
    FailureFlag {
        name: "health-success-threshold",
        field: "probe.successes",
        range: [1.0, limits::PROBES as f64],
        differs: "",
    },
    FailureFlag {
        name: "health-check-timeout-secs",
        field: "probe.timeout_s",
        range: [0.0, limits::HORIZON_S],
        differs: "",
    },
    FailureFlag {
        name: "health-check-interval-secs",
        field: "probe.interval_s",
        range: [limits::PROBE_S_MIN, limits::HORIZON_S],
        differs: "",
    },
];

/// The servers of both stages, which the router names by addresses or labels.
fn roles(r: &mut Reader<'_>, flags: &Flags, words: &[Word]) {
    for (name, role) in [("prefill", "prefill"), ("decode", "decode")] {
        let Some(path) = flags.path(name).map(str::to_owned) else { continue };
        let flag = format!("--{name}");
        for (i, word) in words.iter().enumerate() {
            let beside = word.text.strip_prefix(&flag).and_then(|rest| rest.strip_prefix('='));
            let after =
                || (word.text == flag).then(|| words.get(i + 1)).flatten().map(|next| next.text.as_str());
            if let Some(by) = beside.or_else(after).and_then(NamedBy::address) {
                r.role_of_servers(&path, role, by);
            }
        }
    }
    for (name, role) in [("prefill-selector", "prefill"), ("decode-selector", "decode")] {
        let list = flags.value(name).and_then(Value::as_array).into_iter().flatten();
        let texts: Vec<&str> = list.filter_map(Value::as_str).collect();
        if let (Some(path), Some(by)) = (flags.path(name), NamedBy::selector(&texts)) {
            let path = path.to_owned();
            r.role_of_servers(&path, role, by);
        }
    }
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
        "cache_aware" => Some(json!({ "cache-aware": flags.same_below(r, FLAGS, CACHE_AWARE) })),
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

fn thresholds(r: &mut Reader<'_>, flags: &mut Flags) {
    for (flag, _) in same_in(FLAGS, CACHE_AWARE) {
        flags.ignore(r, flag.names[0], "only the policy cache_aware reads it");
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
