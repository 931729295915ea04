//! The results as sections of `expected`.

use super::case::{Case, Compat};
use super::fleet::Fleet;
use super::replica::{Fact, Replica};
use super::request::Request;
use serde_json::{Map, Value, json};

/// All sections this engine knows.
pub(crate) fn sections(fleet: &Fleet<'_>, case: &Case) -> Value {
    let default_rules = case.config.compat == Compat::None;
    let mut all = Map::new();
    let per_request = fleet.requests.iter().map(|r| request(r, case)).collect();
    all.insert("per_request".to_owned(), Value::Array(per_request));
    let instances = (0..fleet.replicas.len()).map(|k| instance(fleet, k, case)).collect();
    all.insert("per_instance".to_owned(), Value::Array(instances));
    let routing = fleet
        .routed
        .iter()
        .map(|&(t, i, to)| json!({"id": fleet.requests[i].id, "t": t, "to": name(to)}))
        .collect();
    all.insert("routing".to_owned(), Value::Array(routing));
    let (mut preempted, mut dropped) = (Vec::new(), Vec::new());
    for fact in &fleet.facts {
        match *fact {
            Fact::Preempted { at, replica, request } => {
                preempted.push(json!([at, replica, fleet.requests[request].id]));
            }
            Fact::Dropped { at, replica, request, reason } => {
                let id = &fleet.requests[request].id;
                dropped.push(json!({"id": id, "t": at, "instance": name(replica), "reason": reason}));
            }
        }
    }
    all.insert("preemption_log".to_owned(), Value::Array(preempted));
    if default_rules {
        all.insert("drops".to_owned(), Value::Array(dropped));
    }
    all.insert("cluster_clock_us".to_owned(), fleet.clock.into());
    Value::Object(all)
}

fn name(replica: usize) -> String {
    format!("instance_{replica}")
}

fn request(r: &Request, case: &Case) -> Value {
    let itl_sum = r.itl.iter().sum::<u64>();
    let mut o = Map::new();
    let mut put = |key: &str, value: Value| {
        o.insert(key.to_owned(), value);
    };
    put("id", r.id.clone().into());
    put("instance", r.replica.map(name).unwrap_or_default().into());
    put("state", r.state.into());
    put("n_in", r.n_in.into());
    put("n_out", r.n_out.into());
    put("progress", r.stored.into());
    put("preemptions", r.preemptions.into());
    if let (Some((at, step)), Some(first)) = (r.scheduled, r.first_scheduled) {
        put("scheduled_us", at.into());
        put("first_scheduled_us", first.into());
        put("sched_step", step.into());
    }
    if let Some(ttft) = r.ttft {
        put("ttft_us", ttft.into());
    }
    if let Some(e2e) = r.e2e {
        put("e2e_us", e2e.into());
        put("completion_us", (r.arrival + e2e).into());
        put("finish_step", r.finish_step.into());
        let gaps = r.n_out.saturating_sub(1).max(1);
        put("itl_mean_us", if r.n_out == 0 { 0.0 } else { itl_sum as f64 / gaps as f64 }.into());
    }
    put("itl_n", r.itl.len().into());
    put("itl_sum_us", itl_sum.into());
    if case.record.itl && !r.itl.is_empty() {
        put("itl_us", r.itl.clone().into());
    }
    if case.config.compat == Compat::None {
        put("generated", r.generated.min(r.n_out).into());
        if let Some(at) = r.finished {
            put("finish_us", at.into());
        }
        if let Some(reason) = r.drop_reason {
            put("drop_reason", reason.into());
        }
    }
    Value::Object(o)
}

fn instance(fleet: &Fleet<'_>, k: usize, case: &Case) -> Value {
    let x = &fleet.replicas[k];
    let end = if case.config.horizon_us == 0 { u64::MAX } else { case.config.horizon_us };
    let looked_up = x.cache.hits + x.cache.misses;
    let hit_rate = if looked_up == 0 { 0.0 } else { x.cache.hits as f64 / looked_up as f64 };
    // Blocks that no request may share have no names to find them by.
    let names = if fleet.pool_of[k].without_prefix_caching { 0 } else { x.cache.names() };
    let mut o = json!({
        "id": name(k),
        "completed": x.completed,
        "still_queued": x.waiting.len(),
        "still_running": x.running.len(),
        "dropped_unservable": x.dropped,
        "preemption_count": x.preempted,
        "kv_allocation_failures": x.failed_stores,
        "total_input_tokens": x.tokens_in,
        "total_output_tokens": x.tokens_out,
        "sim_ended_us": x.clock.min(end),
        "kv_blocks_used_integral": x.block_time,
        "peak_kv_blocks": x.peak_blocks,
        "cache_hit_rate": hit_rate,
        "kv_thrashing_rate": 0,
        "ttft_sum_us": x.ttft_sum,
        "steps": x.steps,
        "step_time_sum_us": x.step_time,
        "final_used_blocks": x.cache.used(),
        "in_flight_at_end": fleet.in_flight[k],
        "wait_queue_len_sum": x.waiting_sum,
        "running_batch_len_sum": x.running_sum,
        "kv": {
            "cache_hits": x.cache.hits,
            "cache_misses": x.cache.misses,
            "request_map_len": x.cache.owners(),
            "hash_table_len": names,
        },
    });
    if case.record.max_steps_per_instance > 0 {
        o["step_trace"] = trace(x, &fleet.requests);
    }
    o
}

fn trace(x: &Replica, requests: &[Request]) -> Value {
    let line = |s: &super::replica::StepLine| {
        let batch: Vec<Value> =
            s.batch.iter().map(|&(i, stored, tokens)| json!([requests[i].id, stored, tokens])).collect();
        json!({"t": s.start, "dt": s.dt, "wait": s.waiting, "kv_used": s.kv_used, "batch": batch})
    };
    x.trace.iter().map(line).collect()
}
