//! Edits of a case: faults, and features that are switched on, off and on again; some edits are off themselves.

use super::cluster::{self, Kind};
use super::draw::Draw;
use super::traffic;
use serde_json::{Value, json};

/// What a fault is about: a replica, a pool, or all of them.
fn aimed(draw: &mut Draw, replicas: u64, pools: u64, mut settings: Value) -> Value {
    if draw.below(3) < 2 {
        settings["replica"] = json!(draw.below(replicas.max(1)));
    } else {
        settings["pool"] = json!(format!("pool-{}", draw.below(pools)));
        settings["pick"] = json!(draw.of(&["lowest", "random"]));
    }
    settings
}

/// A fault of a cluster that begins with these numbers of replicas and pools.
fn fault(draw: &mut Draw, kind: Kind, replicas: u64, pools: u64) -> Value {
    let lasts = draw.of(&[0.0, 0.000_001, 0.001, 0.05, 0.4]);
    let restart_s = draw.of(&[0.0, 0.001, 0.05, 0.4]);
    let delay_us = draw.of(&[0, 1, 900, 60_000]);
    let share = draw.of(&[0.0, 0.01, 0.5, 1.0]);
    let (name, settings) = match draw.below(if kind.roles { 10 } else { 8 }) {
        0 | 1 => ("crash", json!({"restart_s": restart_s})),
        2 => ("restart", json!({"drain_s": draw.of(&[0.0, 0.001, 0.2]), "restart_s": restart_s})),
        3 => ("slow", json!({"factor": draw.of(&[1.0, 1.5, 40.0]), "for_s": lasts})),
        4 => ("stuck", json!({"for_s": lasts})),
        5 => ("unreachable", json!({"for_s": lasts})),
        6 => return json!({"signals": {"delay_us": delay_us, "for_s": lasts}}),
        7 => ("signals", json!({"delay_us": delay_us, "for_s": lasts})),
        _ => ("transfer-link", json!({"share": share, "for_s": lasts})),
    };
    json!({name: aimed(draw, replicas, pools, settings)})
}

/// A feature: where it is, and two values between which it is switched.
fn feature(draw: &mut Draw, kind: Kind, pools: u64) -> (String, [Value; 2]) {
    let pool = format!("cluster.pools[{}]", draw.below(pools));
    let of_pool = |field: &str| format!("{pool}.{field}");
    let cluster = |field: &str| format!("cluster.{field}");
    let client = |field: &str| format!("workload.clients[0].{field}");
    match draw.below(26) {
        0 | 1 => (cluster("flow_control"), [cluster::flow_control(draw), Value::Null]),
        2 => (cluster("admission"), [cluster::admission(draw), "always-admit".into()]),
        3 => (cluster("routing"), [cluster::routing(draw), cluster::routing(draw)]),
        4 => (cluster("resilience.probe"), [cluster::probe(draw), Value::Null]),
        5 => (cluster("resilience.outlier"), [cluster::outlier(draw), Value::Null]),
        6 => (cluster("resilience"), [cluster::resilience(draw), json!({})]),
        7 => (cluster("snapshot_refresh_us"), [json!(40_000), json!(0)]),
        8 => (cluster("faults.crash_mtbf_s"), [json!(0.7), json!(0.0)]),
        9 => (of_pool("replicas"), [json!(draw.below(6)), json!(draw.below(3))]),
        10 => (of_pool("kv.blocks"), [json!(1 + draw.below(8)), json!(400)]),
        11 => (of_pool("kv.cpu_blocks"), [json!(40), json!(0)]),
        12 => (of_pool("kv.prefix_caching"), [json!(false), json!(true)]),
        13 => (of_pool("scaling.policy"), [cluster::scaling_policy(draw), "none".into()]),
        14 => (of_pool("scaling"), [cluster::scaling(draw), json!({})]),
        15 => (of_pool("engine.speculative"), [cluster::speculative(draw), Value::Null]),
        16 => (of_pool("engine.max_num_seqs"), [json!(1), json!(40)]),
        17 => (of_pool("latency"), [cluster::latency(draw), cluster::latency(draw)]),
        18 if kind.lora => (of_pool("lora"), [cluster::lora(draw), cluster::lora(draw)]),
        18 | 19 => (client("arrivals"), [traffic::closed_loop(draw), traffic::arrivals(draw)]),
        20 => (client("arrivals"), [traffic::arrivals(draw), json!({"poisson": {"rate_per_s": 0}})]),
        21 => (client("agent"), [traffic::agent(draw), Value::Null]),
        22 => (client("conversation"), [traffic::conversation(draw), Value::Null]),
        23 => ("workload.timeout_s".into(), [json!(0.05), json!(0.0)]),
        24 => ("workload.client_retries".into(), [json!(2), json!(0)]),
        _ => (client("concurrency"), [json!(2), json!(0)]),
    }
}

/// Roles given and taken, or how prompts are handed over.
fn feature_of_roles(draw: &mut Draw, pools: u64) -> [Value; 2] {
    let set = |path: &str, value: Value| json!({"set": {path: value}});
    let roles = |draw: &mut Draw, mixed: bool| {
        let role = |i: u64, draw: &mut Draw| match (mixed, i) {
            (true, _) => "mixed",
            (false, 0) => "decode",
            (false, 1) => "prefill",
            (false, _) => draw.of(&["prefill", "decode", "mixed"]),
        };
        let all = (0..pools).map(|i| (format!("cluster.pools[{i}].role"), json!(role(i, draw))));
        json!({"set": all.collect::<serde_json::Map<_, _>>()})
    };
    let at = "cluster.disaggregation";
    match draw.below(5) {
        0 | 1 => [roles(draw, true), roles(draw, false)],
        2 => [cluster::disaggregation(draw), cluster::disaggregation(draw)].map(|d| set(at, d)),
        3 => ["prefill", "decode"].map(|side| set(&format!("{at}.first_token"), json!(side))),
        _ => [0.02, 50.0].map(|gb| set(&format!("{at}.transfer.port_gb_per_s"), json!(gb))),
    }
}

/// The edits of a feature, in their order.
fn switched(draw: &mut Draw, kind: Kind, pools: u64) -> Vec<Value> {
    let pair = if kind.roles && draw.one_in(4) {
        feature_of_roles(draw, pools)
    } else {
        let (path, values) = feature(draw, kind, pools);
        values.map(|value| json!({"set": {path.as_str(): value}}))
    };
    (0..draw.of(&[1, 2, 2, 3, 4])).map(|i| pair[i % 2].clone()).collect()
}

fn added(draw: &mut Draw, kind: Kind, number: usize) -> Value {
    if draw.one_in(2) {
        json!({"add": {"cluster.pools": cluster::pool(draw, kind, 10 + number, "mixed")}})
    } else {
        json!({"add": {"workload.clients": traffic::client(draw, kind, 10 + number)}})
    }
}

/// Edits of a run that lasts about `end_s`, in order of time.
pub(crate) fn edits(draw: &mut Draw, kind: Kind, pools: &[Value], end_s: f64) -> Vec<Value> {
    let replicas = pools.iter().filter_map(|pool| pool["replicas"].as_u64()).sum();
    let mut all: Vec<Value> = Vec::new();
    for i in 0..draw.of(&[0, 1, 2, 3, 4]) {
        let some = match draw.below(12) {
            0..=4 => vec![json!({"fault": fault(draw, kind, replicas, pools.len() as u64)})],
            5..=9 => switched(draw, kind, pools.len() as u64),
            10 => vec![added(draw, kind, i)],
            _ => vec![json!({"route": {"request": draw.below(30), "to": draw.below(replicas.max(1))}})],
        };
        // Those of one feature stay in their order.
        let mut at: Vec<u64> = some.iter().map(|_| instant(draw, &all, end_s)).collect();
        at.sort_unstable();
        for (mut edit, at_us) in some.into_iter().zip(at) {
            edit["at_us"] = json!(at_us);
            if draw.one_in(6) {
                edit["off"] = json!(true);
            }
            all.push(edit);
        }
    }
    all.sort_by_key(|edit| edit["at_us"].as_u64());
    all
}

/// Any instant; at times that of another edit, the beginning, or one after the end.
fn instant(draw: &mut Draw, others: &[Value], end_s: f64) -> u64 {
    let end_us = (end_s * 1e6) as u64;
    match draw.below(10) {
        0 => 0,
        1 => end_us + draw.below(60_000_000),
        2 | 3 if !others.is_empty() => draw.of(others)["at_us"].as_u64().unwrap_or_default(),
        _ => draw.below(end_us),
    }
}
