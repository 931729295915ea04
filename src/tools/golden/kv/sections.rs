//! The section of tiers, and what requests have of it.

use super::super::sections::{Run, instance};
use super::convert::STORE;
use super::file::{KvConfig, TierConfig};
use super::log::{FlowLine, levels, nothing};
use engine::kv::{Place, PlaceCounts};
use engine::{FlowKind, FlowOutcome, LowerTiers, PrefetchOutcome, PrefetchRow, Replica};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Adds the section and, to each request, what it found. Nothing where the file has no tiers.
pub(in crate::golden) fn add(run: &Run<'_>, sections: &mut Map<String, Value>) {
    let Some(kv) = &run.file.config.kv else { return };
    let names = levels(&kv.tiers);
    let log = &run.recording.tiers;
    let mut all: BTreeMap<String, u32> = ["gpu", "cpu"].map(|name| (name.to_owned(), 0)).into();
    let requests = sections.get_mut("per_request").and_then(Value::as_array_mut);
    for (i, o) in requests.into_iter().flatten().enumerate() {
        let asked = &run.file.requests[i];
        let Some(id) = run.recording.arrived[i] else {
            o["kv"] = nothing(asked);
            continue;
        };
        let found = log.found(id, &names);
        for (name, blocks) in &found {
            *all.entry(name.clone()).or_insert(0) += blocks;
        }
        o["kv"] = json!({"found_blocks": found, "log": log.lines(id, run.recording.losses.lost_at(id))});
        if let Some(source) = log.sources.get(&id) {
            o["kv"]["source"] = json!(instance(source.0));
        }
        if log.refused.contains(&id) {
            o["kv"]["read_refused"] = json!(true);
        }
    }
    let engine = &run.recording.engine;
    let instances: Vec<Value> =
        engine.replicas().iter().map(|replica| one_instance(run, kv, replica)).collect();
    let flows: Vec<Value> = (0..).zip(&log.flows).map(|(no, flow)| one_flow(run, no, flow, &names)).collect();
    let lower = engine.lower_tiers();
    let mut section = json!({
        "instances": instances, "flows": flows, "prefetches": prefetches(run), "found_blocks": all,
        "port_bytes": lower.map_or(json!({}), |lower| port_bytes(run, kv, lower)),
        "peak_flows": lower.map_or(0, LowerTiers::peak_flows),
    });
    if kv.store.is_some() {
        // A store that no tier names is empty.
        let place = lower.and_then(|lower| lower.store(STORE)).map(place);
        section["store"] = place.unwrap_or_else(|| place_of(0, PlaceCounts::default()));
    }
    sections.insert(super::SECTION.to_owned(), section);
}

/// The prefetches in order of number.
fn prefetches(run: &Run<'_>) -> Value {
    let engine = &run.recording.engine;
    let one = |(no, p): (u32, &PrefetchRow)| {
        let brought = engine.replicas()[p.replica.index()].kv().brought(no);
        let outcome = match p.outcome {
            PrefetchOutcome::Asked => "asked",
            PrefetchOutcome::Landed => "landed",
            PrefetchOutcome::Late => "late",
            PrefetchOutcome::Refused => "refused",
            PrefetchOutcome::Stopped => "stopped",
            PrefetchOutcome::Nothing => "nothing",
            PrefetchOutcome::Failed => "failed",
        };
        json!({
            "no": no, "asked": p.asked.0, "done": p.done.get().map(|at| at.0), "blocks": p.blocks,
            "useful": brought.useful, "wasted": brought.wasted, "outcome": outcome,
            "after": run.name(p.after), "replica": instance(p.replica.0),
        })
    };
    (0..).zip(engine.prefetches()).map(one).collect()
}

fn one_flow(run: &Run<'_>, no: u32, flow: &FlowLine, names: &[String]) -> Value {
    let kind = match flow.kind {
        FlowKind::Read => "read",
        FlowKind::Write => "write",
        FlowKind::Prefetch(_) => "prefetch",
    };
    let id = match flow.kind {
        FlowKind::Prefetch(prefetch) => format!("~prefetch_{prefetch}"),
        FlowKind::Read | FlowKind::Write => flow.request.map_or(String::new(), |id| run.name(id).to_owned()),
    };
    let outcome = flow.ended.map(|(_, outcome)| match outcome {
        FlowOutcome::Landed => "landed",
        FlowOutcome::Failed => "failed",
        FlowOutcome::Cancelled => "cancelled",
    });
    json!({
        "no": no, "kind": kind, "tier": names[flow.tier as usize + 2], "replica": instance(flow.replica.0),
        "id": id, "from": flow.source.map_or_else(String::new, |source| instance(source.0)), "blocks": flow.blocks,
        "bytes": flow.bytes, "asked_us": flow.asked.0, "begun_us": flow.begun.map(|at| at.0),
        "ended_us": flow.ended.map(|(at, _)| at.0), "outcome": outcome,
    })
}

/// Bytes by port, of the ports that any flow has used.
fn port_bytes(run: &Run<'_>, kv: &KvConfig, lower: &LowerTiers) -> Value {
    let mut all = Map::new();
    let mut put = |name: String, bytes: Option<u64>| {
        if let Some(bytes) = bytes {
            all.insert(name, json!(bytes));
        }
    };
    for replica in run.recording.engine.replicas() {
        let name = instance(replica.id().0);
        let [into, out] = lower.moved_by_network(replica.id());
        put(format!("{name}.in"), into);
        put(format!("{name}.out"), out);
        for (k, tier) in (0..).zip(&kv.tiers) {
            let [read, write] = lower.moved(replica.id(), k);
            // Pulls use the ports of both replicas alone.
            let own = tier.name.as_ref().unwrap_or(&tier.kind);
            let of = if tier.kind == "fs" { format!("{name}.{own}") } else { "store".to_owned() };
            put(format!("{of}.read"), read);
            put(format!("{of}.write"), write);
        }
    }
    Value::Object(all)
}

fn place(place: &Place) -> Value {
    place_of(place.len(), place.counts())
}

fn place_of(blocks: u64, counts: PlaceCounts) -> Value {
    json!({
        "blocks": blocks, "peak_blocks": counts.peak, "puts": counts.puts, "refused": counts.refused,
        "evicted": counts.evicted, "expired": counts.expired, "lookups": counts.lookups, "found": counts.found,
    })
}

fn one_instance(run: &Run<'_>, kv: &KvConfig, replica: &Replica) -> Value {
    let pool = replica.kv();
    let lower = run.recording.engine.lower_tiers();
    let one_tier = |(k, tier): (u32, &TierConfig)| {
        let counts = lower.map(|lower| lower.counts(replica.id(), k)).unwrap_or_default();
        let mut o = json!({
            "name": tier.name.as_ref().unwrap_or(&tier.kind), "waiting_to_write": pool.waiting_to_write(k),
            "read": counts.read, "written": counts.written, "failed": counts.failed,
        });
        if let Some(lower) = lower.filter(|_| tier.kind == "fs") {
            o["pool"] = lower.place(replica.id(), k).map_or(Value::Null, place);
        }
        o
    };
    let tiers: Vec<Value> = (0..).zip(&kv.tiers).map(one_tier).collect();
    let mut o = json!({
        "id": instance(replica.id().0), "lost": run.recording.losses.at(replica.id()), "gpu_evicted_blocks": pool.evictions(),
        "tiers": tiers,
    });
    if kv.cpu.is_some() {
        let counts = pool.tier_counts();
        o["cpu"] = json!({
            "blocks": pool.tier_blocks().0, "written": counts.offloads, "refused": counts.refused,
            "evicted": counts.evictions, "expired": counts.expired, "missed": counts.misses,
            "loads": counts.loads, "loaded_blocks": counts.hits, "load_us": counts.load_time.0,
        });
    }
    o
}
