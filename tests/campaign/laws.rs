//! Laws between two runs that hold exactly: what is changed, and what stays the same, in dozens of drawn scenarios each.

#![expect(
    clippy::unnecessary_wraps,
    reason = "laws are the rows of one table: not all can refuse a document"
)]

use super::cluster::resilience;
use super::document::{scenario, without_tiers};
use super::draw::Draw;
use super::reduce::failure;
use super::ways::{begun, finish, request_rows};
use serde_json::{Map, Value, json};
use tokenyard::base::Micros;
use tokenyard::base::json::tree;
use tokenyard::export::Table;
use tokenyard::session::{Audience, Stop};

/// Scenarios that each law is tried on.
const SCENARIOS: usize = 40;

/// Cases that are looked through for them.
const MOST_CASES: u64 = 1800;

/// The two documents that a law compares.
type Pair = [Value; 2];

/// What is the same in both runs.
enum Same {
    /// The row of every request.
    Rows,
    /// The same but for the instants at which it came to the gateway's queue and left it.
    RowsButGateway,
    /// The same, with names of the second run that stand for those of the first.
    RowsButNames(&'static [(&'static str, &'static str)]),
    /// The same, with every time twice as long in the second.
    RowsInTwiceTheTime,
    /// The whole report.
    Report,
}

struct Law {
    promise: &'static str,
    pair: fn(&mut Draw, Value) -> Option<Pair>,
    same: Same,
}

const NAMES: [(&str, &str); 4] = [("pool-", "zone-"), ("client-", "app-"), ("t1", "zz9"), ("t2", "aa0")];

const LAWS: [Law; 15] = [
    Law {
        promise: "a fault of a microsecond in which nothing happens changes no request",
        pair: short_fault,
        same: Same::Rows,
    },
    Law {
        promise: "a replica that is slow by factor 1 changes no request",
        pair: slow_by_one,
        same: Same::Rows,
    },
    Law { promise: "an edit to the same value changes no request", pair: same_value, same: Same::Rows },
    Law { promise: "an edit that is off changes no request", pair: off_edit, same: Same::Rows },
    Law { promise: "a pool that no request may use changes no request", pair: idle_pool, same: Same::Rows },
    Law { promise: "a client that sends nothing changes no request", pair: silent_client, same: Same::Rows },
    Law { promise: "what is observed changes no request", pair: observed, same: Same::Rows },
    Law { promise: "a retry budget of nothing is no retries", pair: no_budget, same: Same::Rows },
    Law {
        promise: "probes of replicas that never fail change no request",
        pair: idle_probes,
        same: Same::Rows,
    },
    Law { promise: "ejection that never happens changes no request", pair: idle_ejection, same: Same::Rows },
    Law {
        promise: "settings for what breaks change no request where nothing breaks",
        pair: unused_resilience,
        same: Same::Rows,
    },
    Law {
        promise: "flow control that never holds a request back is none",
        pair: open_gateway,
        same: Same::RowsButGateway,
    },
    Law {
        promise: "names of pools, clients and tenants are names",
        pair: renamed,
        same: Same::RowsButNames(&NAMES),
    },
    Law { promise: "twice all times is twice all instants", pair: doubled, same: Same::RowsInTwiceTheTime },
    Law { promise: "the order of keys means nothing", pair: keys_reversed, same: Same::Report },
];

fn edits(all: &mut Value) -> &mut Vec<Value> {
    if !all["edits"].is_array() {
        all["edits"] = json!([]);
    }
    all["edits"].as_array_mut().expect("a list")
}

fn with_edit(document: Value, at_us: u64, mut edit: Value) -> Pair {
    edit["at_us"] = json!(at_us);
    let mut changed = document.clone();
    let all = edits(&mut changed);
    all.push(edit);
    all.sort_by_key(|edit| edit["at_us"].as_u64());
    [document, changed]
}

/// The limit of transfers counts from the first fault on, so that a first fault changes something.
fn transfers_without_limit(mut document: Value) -> Value {
    document["cluster"]["resilience"]["transfer_timeout_s"] = json!(0);
    document
}

/// An instant after which nothing happens for some microseconds.
fn quiet_instant(draw: &mut Draw, document: &Value) -> Option<u64> {
    let mut session = begun(&scenario(document).ok()?, Audience::Batch);
    session.advance(Micros::MAX, 1 + draw.below(400));
    for _ in 0..50 {
        let before = session.now().0;
        if session.advance(Micros::MAX, 1) == Stop::Finished {
            return None;
        }
        let edit_between = edits(&mut document.clone())
            .iter()
            .any(|e| e["at_us"].as_u64().is_some_and(|at| at.abs_diff(before + 1) < 3));
        if session.now().0 > before + 3 && !edit_between {
            return Some(before + 1);
        }
    }
    None
}

/// Whether a fault takes a replica at random: its draw depends on how many faults come before it.
fn picks_at_random(document: &Value) -> bool {
    document["edits"].to_string().contains("\"pick\":\"random\"")
}

fn short_fault(draw: &mut Draw, document: Value) -> Option<Pair> {
    if picks_at_random(&document) {
        return None;
    }
    let document = transfers_without_limit(document);
    let at = quiet_instant(draw, &document)?;
    let fault = draw.of(&[
        json!({"signals": {"replica": 0, "delay_us": 900, "for_s": 0.000_001}}),
        json!({"slow": {"replica": 0, "factor": 9, "for_s": 0.000_001}}),
        json!({"unreachable": {"replica": 0, "for_s": 0.000_001}}),
    ]);
    Some(with_edit(document, at, json!({"fault": fault})))
}

fn slow_by_one(draw: &mut Draw, document: Value) -> Option<Pair> {
    if picks_at_random(&document) {
        return None;
    }
    let document = transfers_without_limit(document);
    let fault = json!({"slow": {"replica": 0, "factor": 1, "for_s": draw.of(&[0.0, 0.2])}});
    Some(with_edit(document, 1 + draw.below(900_000), json!({"fault": fault})))
}

/// Fields that documents set, by pointer and path.
const FIELDS: [(&str, &str); 12] = [
    ("/cluster/routing", "cluster.routing"),
    ("/cluster/admission", "cluster.admission"),
    ("/cluster/flow_control", "cluster.flow_control"),
    ("/cluster/resilience", "cluster.resilience"),
    ("/cluster/snapshot_refresh_us", "cluster.snapshot_refresh_us"),
    ("/cluster/pools/0/replicas", "cluster.pools[0].replicas"),
    ("/cluster/pools/0/kv/blocks", "cluster.pools[0].kv.blocks"),
    ("/cluster/pools/0/engine/max_num_seqs", "cluster.pools[0].engine.max_num_seqs"),
    ("/cluster/pools/0/latency", "cluster.pools[0].latency"),
    ("/workload/clients/0/arrivals", "workload.clients[0].arrivals"),
    ("/workload/clients/0/prompt_tokens", "workload.clients[0].prompt_tokens"),
    ("/slo/ttft_ms", "slo.ttft_ms"),
];

fn same_value(draw: &mut Draw, mut document: Value) -> Option<Pair> {
    // Edits before it may have changed the value.
    edits(&mut document).retain(|edit| edit["fault"].is_object());
    let (pointer, path) = draw.of(&FIELDS);
    let value = document.pointer(pointer)?.clone();
    Some(with_edit(document, 1 + draw.below(900_000), json!({"set": {path: value}})))
}

fn off_edit(draw: &mut Draw, document: Value) -> Option<Pair> {
    let edit = draw.of(&[
        json!({"set": {"cluster.pools[0].replicas": 3}, "off": true}),
        json!({"set": {"workload.clients[0].arrivals": {"concurrency": {"requests": 9}}}, "off": true}),
        json!({"fault": {"crash": {"replica": 0}}, "off": true}),
    ]);
    Some(with_edit(document, draw.below(900_000), edit))
}

fn idle_pool(_: &mut Draw, mut document: Value) -> Option<Pair> {
    let cluster = &mut document["cluster"];
    // What looks at the cluster as a whole sees the pool.
    let seen = cluster["flow_control"].is_object() || cluster["admission"].get("shed").is_some();
    if seen || cluster["disaggregation"].is_object() {
        return None;
    }
    // Replicas that start later are numbered after those of the pool.
    cluster["faults"] = json!({});
    cluster["resilience"]["probe"] = Value::Null;
    for pool in cluster["pools"].as_array_mut()? {
        pool["scaling"] = json!({});
    }
    edits(&mut document).clear();
    for list in ["clients", "requests"] {
        for sender in document["workload"][list].as_array_mut().into_iter().flatten() {
            sender["model"] = json!("llama-3.1-8b");
        }
    }
    let mut changed = document.clone();
    let pool = json!({"name": "idle", "model": "qwen3-14b", "replicas": 2, "kv": {"blocks": 100}});
    changed["cluster"]["pools"].as_array_mut()?.push(pool);
    Some([document, changed])
}

fn silent_client(_: &mut Draw, document: Value) -> Option<Pair> {
    if document.to_string().contains("\"add\"") {
        return None;
    }
    let mut changed = document.clone();
    changed["workload"]["clients"]
        .as_array_mut()?
        .push(json!({"name": "silent", "arrivals": {"poisson": {"rate_per_s": 0}}}));
    Some([document, changed])
}

fn observed(draw: &mut Draw, document: Value) -> Option<Pair> {
    let mut changed = document.clone();
    changed["observe"] = json!({"event_log": draw.of(&[0, 7]), "series_points": 16, "counterfactual_k": draw.of(&[0, 5]),
        "anomalies": false, "fitness": [{"metric": "p99_ttft", "weight": 1}]});
    Some([document, changed])
}

fn no_budget(_: &mut Draw, mut document: Value) -> Option<Pair> {
    if !document["cluster"]["resilience"].is_object()
        || document.to_string().contains("\"cluster.resilience\"")
    {
        return None;
    }
    document["cluster"]["resilience"]["retries"] = json!(0);
    let mut changed = document.clone();
    for (key, value) in
        [("retries", json!(3)), ("retry_budget_share", json!(0)), ("retry_budget_least", json!(0))]
    {
        changed["cluster"]["resilience"][key] = value;
    }
    Some([document, changed])
}

/// The document without anything that breaks.
fn unbroken(mut document: Value) -> Value {
    document["cluster"]["resilience"] = json!({"transfer_timeout_s": 0});
    document["cluster"]["faults"] = json!({});
    edits(&mut document).retain(|edit| {
        !edit["fault"].is_object()
            && !edit.to_string().contains("\"cluster.resilience")
            && !edit.to_string().contains("\"cluster.faults")
    });
    document
}

fn idle_probes(draw: &mut Draw, document: Value) -> Option<Pair> {
    let document = unbroken(document);
    let mut changed = document.clone();
    changed["cluster"]["resilience"]["probe"] = json!({"interval_s": draw.of(&[0.1, 0.37]), "timeout_s": 0.05, "failures": 1, "then": draw.of(&["eject", "restart"])});
    Some([document, changed])
}

fn idle_ejection(_: &mut Draw, document: Value) -> Option<Pair> {
    let document = unbroken(document);
    let mut changed = document.clone();
    changed["cluster"]["resilience"]["outlier"] =
        json!({"consecutive": 1, "ejection_s": 0.1, "most_share": 1});
    Some([document, changed])
}

fn unused_resilience(draw: &mut Draw, document: Value) -> Option<Pair> {
    let document = unbroken(document);
    let mut changed = document.clone();
    changed["cluster"]["resilience"] = resilience(draw);
    Some([document, changed])
}

fn open_gateway(_: &mut Draw, mut document: Value) -> Option<Pair> {
    edits(&mut document).retain(|edit| !edit.to_string().contains("flow_control"));
    document["cluster"]["flow_control"] = Value::Null;
    let mut changed = document.clone();
    changed["cluster"]["flow_control"] = json!({"detector": "never", "ttl_s": 0, "no_replica_ttl_s": 0});
    Some([document, changed])
}

fn renamed(_: &mut Draw, document: Value) -> Option<Pair> {
    let changed = NAMES.iter().fold(document.to_string(), |text, (old, new)| {
        text.replace(&format!("\"{old}"), &format!("\"{new}"))
    });
    Some([document, serde_json::from_str(&changed).ok()?])
}

fn reversed(value: Value) -> Value {
    match value {
        // The fields of one edit are set in their order.
        Value::Object(fields) if fields.keys().any(|key| key.contains('.')) => Value::Object(fields),
        Value::Object(fields) => {
            fields.into_iter().rev().map(|(key, value)| (key, reversed(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(all) => all.into_iter().map(reversed).collect(),
        other => other,
    }
}

fn keys_reversed(_: &mut Draw, document: Value) -> Option<Pair> {
    Some([document.clone(), reversed(document)])
}

/// Whole microseconds everywhere, and nothing that draws a time or rounds one.
fn in_whole_steps(draw: &mut Draw, document: &mut Value) {
    let cluster = &mut document["cluster"];
    cluster["routing"] = draw.of(&[
        json!("round-robin"),
        json!("random"),
        json!("least-loaded"),
        json!({"power-of-d": {}}),
        json!("least-kv"),
        json!({"prefix-aware": {}}),
        json!({"session-affinity": {}}),
    ]);
    cluster["faults"] = json!({});
    cluster["resilience"]["backoff_ms"] = json!(0);
    if cluster["admission"].is_object() {
        cluster["admission"] =
            json!({"concurrency-limit": {"max_in_flight": 5, "then": draw.of(&["reject", "delay"])}});
    }
    for pool in cluster["pools"].as_array_mut().into_iter().flatten() {
        pool["latency"] = json!({"fitted": {"queueing_us": 200, "queueing_us_per_prompt_token": 3, "output_us_per_token": 40,
            "step_us": draw.of(&[700, 2000]), "step_us_per_prefill_token": 11, "step_us_per_decode_token": 5}});
        for key in [
            "scaling",
            "lora",
            "pp",
            "tp",
            "dcp",
            "expert_ranks",
            "expert_ranks_lockstep",
            "ranks",
            "experts",
            "architecture",
        ] {
            pool.as_object_mut().expect("a pool").shift_remove(key);
        }
        pool["engine"]["priority"] = json!("constant");
        pool["engine"]["speculative"] = Value::Null;
        pool["engine"]["mixed_step_us"] = json!(0);
        pool["kv"]["cpu_blocks"] = json!(0);
    }
    let workload = &mut document["workload"];
    // No bound on requests in flight: a client that is refused waits a millisecond, whatever the times of the scenario.
    workload["clients"] = json!([{"name": "client-0", "arrivals": {"constant": {"rate_per_s": 50}}, "prompt_tokens": {"lognormal": {"median_tokens": 30, "sigma": 0.7, "min_tokens": 1, "max_tokens": 90}},
        "output_tokens": {"lognormal": {"median_tokens": 10, "sigma": 0.7, "min_tokens": 1, "max_tokens": 40}}}]);
    let burst = (0..20).map(|i| {
        json!({"arrival_us": draw.below(900_000), "prompt": [{"text": i % 3, "tokens": 20 + i}],
        "output": {"text": 50 + i, "tokens": 1 + draw.below(20)}})
    });
    workload["requests"] = burst.collect();
    edits(document).retain(|edit| edit["fault"].is_object());
}

/// Every time of a document twice as long, and every rate half as large.
fn twice(key: &str, value: &mut Value) {
    match value {
        Value::Object(fields) => fields.iter_mut().for_each(|(key, value)| twice(key, value)),
        Value::Array(all) => all.iter_mut().for_each(|value| twice(key, value)),
        Value::Number(number) => {
            let rate = key.contains("_per_s") && !key.contains("_us_per_") || key.contains("_per_us");
            let time = key.ends_with("_us")
                || key.ends_with("_ms")
                || key.ends_with("_s")
                || key.contains("_us_per_");
            *value = match number.as_u64() {
                _ if !rate && !time => return,
                Some(whole) if !rate => json!(whole * 2),
                _ => json!(number.as_f64().unwrap_or(0.0) * if rate { 0.5 } else { 2.0 }),
            };
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

fn doubled(draw: &mut Draw, mut document: Value) -> Option<Pair> {
    if document["cluster"]["disaggregation"].is_object() {
        return None;
    }
    in_whole_steps(draw, &mut document);
    // All times that are left out are written down, so that they are doubled, too.
    let document = tree(&scenario(&document).ok()?);
    let mut changed = document.clone();
    twice("", &mut changed);
    Some([document, changed])
}

fn report_of(document: &Value) -> String {
    let mut session = begun(&scenario(document).expect("a scenario"), Audience::Batch);
    finish(&mut session, 5000);
    session.report()
}

/// Rows with each cell as `shown` gives it, by the name of its column.
fn cells(rows: &str, shown: impl Fn(&str, String) -> String) -> String {
    let mut lines = rows.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().unwrap_or_default();
    let line = |cells: Vec<&str>| {
        let all = names.iter().zip(cells).map(|(name, cell)| shown(name, cell.to_owned()));
        all.collect::<Vec<_>>().join(",")
    };
    lines.map(line).collect::<Vec<_>>().join("\n")
}

/// Rows with every time multiplied; a time per token is cut to whole microseconds and left out.
fn times(rows: &str, factor: f64) -> String {
    let columns = Table::Requests.columns();
    let unit = |name: &str| columns.iter().find(|c| c.name == name).map_or("", |c| c.unit);
    cells(rows, |name, cell| match (unit(name), cell.parse::<f64>()) {
        _ if name == "tpot_us" => String::new(),
        ("us", Ok(time)) => (time * factor).to_string(),
        _ => cell,
    })
}

/// The two things that are to be equal.
fn sides(same: &Same, [first, second]: &Pair) -> [String; 2] {
    match same {
        Same::Rows => [first, second].map(request_rows),
        Same::RowsButGateway => [first, second].map(|document| {
            cells(
                &request_rows(document),
                |name, cell| if name.starts_with("gateway_") { String::new() } else { cell },
            )
        }),
        Same::Report => [first, second].map(report_of),
        Same::RowsButNames(names) => {
            let back = |rows: String| names.iter().fold(rows, |rows, (old, new)| rows.replace(new, old));
            [request_rows(first), back(request_rows(second))]
        }
        Same::RowsInTwiceTheTime => [times(&request_rows(first), 2.0), times(&request_rows(second), 1.0)],
    }
}

/// The line in which two texts first differ.
fn difference([first, second]: &[String; 2]) -> String {
    let lines = first.lines().zip(second.lines()).find(|(a, b)| a != b);
    lines.map_or_else(|| "one is longer".to_owned(), |(a, b)| format!("{a}\n{b}"))
}

#[test]
fn laws_between_two_runs_hold_exactly_in_dozens_of_scenarios() {
    let mut broken = Vec::new();
    for (number, Law { promise, pair, same }) in LAWS.iter().enumerate() {
        let (mut tried, mut told) = (0, 0);
        for case in (0..MOST_CASES).skip(number * 37) {
            let draw = &mut Draw::new(case + 1_000_000);
            let Some(mut document) = without_tiers(case) else { continue };
            document["observe"] = json!({});
            edits(&mut document).retain(|edit| edit["off"] != true);
            let Some(both) = pair(draw, document) else { continue };
            if both.iter().any(|document| scenario(document).is_err()) {
                continue;
            }
            tried += 1;
            let mut found = [String::new(), String::new()];
            if let Some(why) = failure(|| found = sides(same, &both)) {
                broken.push(format!("{promise}: case {case} fails: {why}\n{}", both[1]));
                continue;
            }
            let sides = found;
            if sides[0] != sides[1] && told < 3 {
                told += 1;
                broken.push(format!(
                    "{promise}, but not in case {case}:\n{}\n{}\n{}",
                    difference(&sides),
                    both[0],
                    both[1]
                ));
            }
            if tried == SCENARIOS {
                break;
            }
        }
        if tried < SCENARIOS {
            broken.push(format!("{promise}: only {tried} scenarios"));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n\n"));
}
