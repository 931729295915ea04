//! The sections of a run with roles.

use super::super::metrics::distribution;
use super::super::sections::{self, Run, instance, state};
use base::{Maybe, Micros, RequestId};

use document::RoutingPolicy;
use engine::{Decision, Direction, Handover, Replica, Stage};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

const STATES: [&str; 9] = [
    "not_arrived",
    "in_pipeline",
    "queued",
    "running",
    "transferring",
    "landed",
    "completed",
    "rejected",
    "dropped",
];

/// All sections.
pub(in crate::golden) fn build(run: &Run<'_>) -> Map<String, Value> {
    let mut out = Map::new();
    out.insert("per_request".into(), (0..run.file.requests.len()).map(|i| one_request(run, i)).collect());
    let replicas = run.recording.engine.replicas();
    out.insert("per_instance".into(), replicas.iter().map(|replica| one_instance(run, replica)).collect());
    out.insert("transfers".into(), transfers(run).iter().map(|(id, h)| one_transfer(run, *id, h)).collect());
    out.insert("routing".into(), routing(run));
    sections::add_logs(run, &mut out);
    out.insert("summary".into(), summary(run));
    out
}

/// The requests that have arrived, in order of the file, with their hand-overs.
fn arrived<'a>(run: &'a Run<'_>) -> impl Iterator<Item = (RequestId, Option<&'a Handover>)> {
    run.recording.arrived.iter().flatten().map(|id| (*id, run.recording.engine.handover(*id)))
}

/// Why a request is prefilled where it is; empty if it was not routed.
fn decision(run: &Run<'_>, id: RequestId) -> &'static str {
    let engine = &run.recording.engine;
    let routed = engine.records().at(id.index()).routed.is_known();
    match engine.handover(id) {
        Some(handover) => handover.reason.name(),
        None if routed => "mixed",
        None => "",
    }
}

fn one_request(run: &Run<'_>, position: usize) -> Value {
    let asked = &run.file.requests[position];
    let n_in: u32 = asked.input.iter().map(|s| s.n).sum();
    let n_out = asked.output.n;
    let Some((id, r)) = run.recording.arrived[position].zip(run.recording.record(position)) else {
        return json!({
            "id": asked.id, "home": "", "prefill": "", "decision": "", "state": "not_arrived", "n_in": n_in,
            "n_out": n_out, "generated": 0, "progress": 0, "preemptions": 0, "itl_n": 0, "itl_sum_us": 0,
        });
    };
    let (progress, handover) = (run.recording.engine.progress(id), run.recording.engine.handover(id));
    let home = handover.map(|h| h.home).or(r.replica());
    let prefill = handover.and_then(|h| h.prefill);
    let mut o = json!({
        "id": asked.id, "home": home.map_or_else(String::new, |id| instance(id.0)),
        "prefill": prefill.map_or_else(String::new, |id| instance(id.0)), "decision": decision(run, id),
        "state": state(run, r.state()), "n_in": n_in, "n_out": n_out, "generated": progress.generated.min(n_out),
        "progress": progress.stored, "preemptions": r.preemptions,
        // The engine's own count and sum, not the recorder's: they must agree with the list below.
        "itl_n": progress.itl_count, "itl_sum_us": progress.itl_sum.0,
    });
    let fields = o.as_object_mut().expect("made as an object");
    let mut put = |key: &str, value: Option<u64>| {
        if let Some(value) = value {
            fields.insert(key.to_owned(), json!(value));
        }
    };
    let us = |at: Maybe<Micros>| at.get().map(|at| at.0);
    put("first_scheduled_us", us(r.first_scheduled));
    put("scheduled_us", us(r.scheduled));
    put("ttft_us", r.ttft.get().map(|ttft| ttft.0));
    put("e2e_us", r.e2e.get().map(|e2e| e2e.0));
    put("completion_us", r.e2e.get().map(|e2e| asked.arrival_us + e2e.0));
    put("finish_us", us(r.finish()));
    if let Some(h) = handover {
        put("prefill_first_us", us(h.prefill_first));
        put("prefill_end_us", us(h.prefill_end));
        put("reserved_us", us(h.reserved));
        put("home_cached_blocks", h.reserved.get().map(|_| u64::from(h.home_cached)));
        put("transfer_start_us", us(h.start));
        put("landed_us", us(h.landed));
        put("decode_scheduled_us", us(h.joined));
        put("ttft_prefill_us", h.ttft_prefill.get().map(|ttft| ttft.0));
        put("ttft_decode_us", h.ttft_decode.get().map(|ttft| ttft.0));
    }
    if let Some(reason) = r.drop {
        fields.insert("drop_reason".into(), json!(reason.name()));
    }
    let gaps: Vec<u64> = run.recording.gaps(id).collect();
    if run.record.itl && !gaps.is_empty() {
        fields.insert("itl_us".into(), json!(gaps));
    }
    o
}

fn one_instance(run: &Run<'_>, replica: &Replica) -> Value {
    let engine = &run.recording.engine;
    let (t, kv, number) = (replica.totals(), replica.kv(), replica.id().0);
    let ports = [Direction::Out, Direction::In].map(|way| {
        let port = engine.network().map(|network| network.port(replica.id(), way));
        port.map_or((0, 0), |port| (port.landed_bytes, port.busy(engine.clock()).0))
    });
    let [(sent, egress), (received, ingress)] = ports;
    let holders = engine.batch(replica).filter(|id| engine.progress(*id).blocks > 0).count() as u32
        + replica.incoming()
        + replica.landed()
        + replica.outgoing();
    let mut o = json!({
        "id": instance(number),
        "role": run.roles[number as usize].name(),
        "completed": t.completed,
        "handed_over": replica.handed_over(),
        "dropped_unservable": t.dropped,
        "still_queued": replica.waiting(),
        "still_running": replica.running(),
        "still_incoming": replica.incoming(),
        "still_landed": replica.landed(),
        "still_outgoing": replica.outgoing(),
        "preemption_count": t.preemptions,
        "total_input_tokens": t.prompt_tokens,
        "total_output_tokens": t.output_tokens,
        "sim_ended_us": replica.clock().min(engine.horizon()).0,
        "steps": t.steps,
        "step_time_sum_us": t.step_time.0,
        "kv_blocks_used_integral": u64::try_from(t.kv_block_us).unwrap_or(u64::MAX),
        "peak_kv_blocks": t.kv_peak,
        "final_used_blocks": kv.used(),
        "in_flight_at_end": engine.in_flight()[number as usize],
        "wait_queue_len_sum": t.waiting_sum,
        "running_batch_len_sum": t.running_sum,
        "bytes_sent": sent,
        "bytes_received": received,
        "egress_busy_us": egress,
        "ingress_busy_us": ingress,
        "kv": {
            "cache_hits": kv.hits(),
            "cache_misses": kv.misses(),
            "request_map_len": holders,
            "hash_table_len": kv.table_len(),
            "received_blocks": replica.received_blocks(),
        },
    });
    sections::add_steps(run, number, &mut o);
    o
}

/// The transfers in order of number.
fn transfers<'a>(run: &'a Run<'_>) -> Vec<(RequestId, &'a Handover)> {
    let started = |(id, handover): (RequestId, Option<&'a Handover>)| {
        handover.filter(|h| h.transfer.is_some()).map(|h| (id, h))
    };
    let mut all: Vec<_> = arrived(run).filter_map(started).collect();
    all.sort_by_key(|(_, h)| h.transfer);
    all
}

fn one_transfer(run: &Run<'_>, id: RequestId, h: &Handover) -> Value {
    let mut o = json!({
        "no": h.transfer, "id": run.name(id), "from": h.prefill.map(|from| instance(from.0)),
        "to": instance(h.home.0), "blocks": h.blocks, "bytes": h.bytes, "overlapped": h.early,
        "start_us": h.start.get().map(|at| at.0),
    });
    for (key, at) in [("flow_us", h.flows), ("landed_us", h.landed)] {
        if let Some(at) = at.get() {
            o[key] = json!(at.0);
        }
    }
    o
}

/// An entry for every home, with that of the prefill replica inside.
fn routing(run: &Run<'_>) -> Value {
    let cluster = &run.scenario.cluster;
    let second = cluster.disaggregation.as_ref().and_then(|d| d.prefill_routing.as_ref());
    let (homes, prefills): (Vec<&Decision>, Vec<&Decision>) =
        run.recording.routing.iter().partition(|d| d.stage == Stage::Home);
    let mut second = entries(run, &prefills, second.unwrap_or(&cluster.routing));
    let mut out = entries(run, &homes, &cluster.routing);
    for (id, o) in &mut out {
        o["decision"] = json!(decision(run, *id));
        if let Some(uncached) = run.recording.engine.handover(*id).and_then(|h| h.uncached) {
            o["uncached_tokens"] = json!(uncached);
        }
        let at = second.iter().position(|(other, _)| other == id);
        if let Some((_, mut prefill)) = at.map(|at| second.swap_remove(at)) {
            let fields = prefill.as_object_mut().expect("made as an object");
            fields.retain(|key, _| !matches!(key.as_str(), "id" | "t"));
            o["prefill"] = prefill;
        }
    }
    // A second decision without a first one is shown as it is: a difference.
    out.into_iter().chain(second).map(|(_, o)| o).collect()
}

fn entries(run: &Run<'_>, decisions: &[&Decision], policy: &RoutingPolicy) -> Vec<(RequestId, Value)> {
    let entry = |(turn, d): (usize, &&Decision)| d.request.zip(sections::one_decision(run, policy, turn, d));
    decisions.iter().enumerate().filter_map(entry).collect()
}

fn summary(run: &Run<'_>) -> Value {
    let engine = &run.recording.engine;
    let mut states: BTreeMap<&str, u32> = STATES.into_iter().map(|name| (name, 0)).collect();
    let mut decisions: BTreeMap<&str, u32> = BTreeMap::new();
    for (i, arrived) in run.recording.arrived.iter().enumerate() {
        let name = run.recording.record(i).map_or("not_arrived", |r| state(run, r.state()));
        *states.entry(name).or_default() += 1;
        let why = arrived.map_or("", |id| decision(run, id));
        if !why.is_empty() {
            *decisions.entry(why).or_default() += 1;
        }
    }
    let started = transfers(run);
    let landed: Vec<&Handover> = started.iter().map(|(_, h)| *h).filter(|h| h.landed.is_known()).collect();
    let mut o = json!({
        "requests": states,
        "arrived": engine.census().arrived,
        "remote": arrived(run).filter(|(_, h)| h.is_some_and(|h| h.prefill.is_some())).count(),
        "decisions": decisions,
        "transfers_started": started.len(),
        "transfers_landed": landed.len(),
        "transfer_bytes": landed.iter().map(|h| h.bytes).sum::<u64>(),
        "overlapped_bytes": landed.iter().map(|h| h.early).sum::<u64>(),
        "peak_flows": engine.network().map_or(0, engine::Network::peak_flows),
        "preemptions": engine.replicas().iter().map(|r| r.totals().preemptions).sum::<u64>(),
        "blocks": run.recording.set_aside.as_json(),
        "transfer_us": of(landed.iter().filter_map(|h| h.landed.get().zip(h.start.get())).map(|(l, s)| l.since(s).0)),
    });
    let records = || arrived(run).map(|(id, h)| (id, engine.records().at(id.index()), h));
    o["ttft_us"] = of(records().filter_map(|(_, r, _)| r.ttft.get()).map(|t| t.0));
    o["ttft_prefill_us"] = of(records().filter_map(|(.., h)| h?.ttft_prefill.get()).map(|t| t.0));
    o["ttft_decode_us"] = of(records().filter_map(|(.., h)| h?.ttft_decode.get()).map(|t| t.0));
    o["e2e_us"] = of(records().filter_map(|(_, r, _)| r.e2e.get()).map(|t| t.0));
    let done = records().filter(|(_, r, _)| r.e2e.is_known());
    o["itl_us"] = of(done.flat_map(|(id, ..)| run.recording.gaps(id)));
    o
}

fn of(values: impl Iterator<Item = u64>) -> Value {
    let mut values: Vec<u64> = values.collect();
    values.sort_unstable();
    distribution(&values)
}
