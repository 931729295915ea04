//! Meaning of edits: what they refer to, their ranges and their order.

use super::policies::{check_admission, check_routing};
use super::rate::{check_peak, check_rate};
use crate::scenario::report::{Report, grouped};
use crate::scenario::{Edit, Scenario, limits};

pub(super) fn check_edits(s: &Scenario, r: &mut Report) {
    r.count("edits", s.edits.len(), limits::EDITS, "edits");
    let mut replicas: Vec<u32> = s.cluster.pools.iter().map(|p| p.replicas).collect();
    let (mut latest, mut most_events) = (0, 0);
    let horizon_us = s.run.horizon_s * 1e6;
    for (i, edit) in s.edits.iter().enumerate() {
        let path = format!("edits[{i}]");
        let longest = limits::HORIZON_S as u64 * 1_000_000;
        r.int(&format!("{path}.at_us"), edit.at_us, 0, longest, "it is in microseconds after the start");
        let events = edit.after_events.unwrap_or(most_events);
        if edit.at_us < latest || events < most_events {
            r.error(
                format!("{path}.at_us"),
                format!("{} us, which is before the edit above it", grouped(edit.at_us)),
                "edits in the order in which they apply",
                "sort the list",
            );
        }
        (latest, most_events) = (latest.max(edit.at_us), most_events.max(events));
        if horizon_us > 0.0 && edit.at_us as f64 > horizon_us {
            r.warning(
                format!("{path}.at_us"),
                format!("{} us, which is after the end of the run", grouped(edit.at_us)),
                format!("up to run.horizon_s ({} s)", s.run.horizon_s),
                "it never applies: lengthen the run or move the edit",
            );
        }
        edit_problems(s, &replicas, &edit.change, &format!("{path}.change"), r);
        if let Edit::Replicas { pool, replicas: new } = edit.change
            && let Some(old) = replicas.get_mut(pool as usize)
        {
            *old = new;
        }
    }
}

/// Problems of one edit, where the pools have `replicas` replicas just before it.
pub(super) fn edit_problems(s: &Scenario, replicas: &[u32], edit: &Edit, path: &str, r: &mut Report) {
    match *edit {
        Edit::ArrivalRate { client, rate_per_s } => {
            let path = format!("{path}.arrival-rate");
            if s.workload.trace.is_some() {
                let fix = "change workload.trace.speed instead";
                r.error(&path, "a client's rate", "nothing: the workload replays a trace", fix);
            } else {
                exists(&format!("{path}.client"), client, s.workload.clients.len(), "client", r);
            }
            let path = format!("{path}.rate_per_s");
            check_rate(&path, rate_per_s, r);
            if let Some(c) = s.workload.clients.get(client as usize) {
                check_peak(&path, rate_per_s, &c.rate_profile, r);
            }
        }
        Edit::Routing(ref policy) => check_routing(&format!("{path}.routing"), policy, r),
        Edit::Admission(ref policy) => check_admission(&format!("{path}.admission"), policy, r),
        Edit::Replicas { pool, replicas: new } => {
            let path = format!("{path}.replicas");
            pool_exists(&path, pool, s, r);
            let fine = r.int(&format!("{path}.replicas"), new, 0, limits::REPLICAS, "0 drains the pool");
            let others: u64 =
                (0u32..).zip(replicas).filter(|(i, _)| *i != pool).map(|(_, n)| u64::from(*n)).sum();
            if fine && others + u64::from(new) > u64::from(limits::REPLICAS) {
                r.error(
                    format!("{path}.replicas"),
                    format!("{} replicas in all pools together", grouped(others + u64::from(new))),
                    format!("at most {}", grouped(limits::REPLICAS.into())),
                    "take replicas away",
                );
            }
        }
        Edit::MaxNumSeqs { pool, max_num_seqs } => {
            let path = format!("{path}.max-num-seqs");
            pool_exists(&path, pool, s, r);
            r.int(&format!("{path}.max_num_seqs"), max_num_seqs, 1, limits::BATCH, "vLLM's default is 256");
        }
        Edit::MaxNumBatchedTokens { pool, max_num_batched_tokens } => {
            let path = format!("{path}.max-num-batched-tokens");
            pool_exists(&path, pool, s, r);
            let field = format!("{path}.max_num_batched_tokens");
            r.int(&field, max_num_batched_tokens, 1, limits::STEP_TOKENS, "vLLM's default is 2048");
        }
        Edit::KvBlocks { pool, blocks } => {
            let path = format!("{path}.kv-blocks");
            pool_exists(&path, pool, s, r);
            r.int(&format!("{path}.blocks"), blocks, 1, limits::KV_BLOCKS, "a cache has at least one block");
        }
        Edit::SnapshotRefresh { snapshot_refresh_us } => {
            let path = format!("{path}.snapshot-refresh.snapshot_refresh_us");
            r.int(
                &path,
                snapshot_refresh_us,
                0,
                limits::LATENCY_US,
                "it is in microseconds; 0 means always fresh",
            );
        }
    }
}

fn pool_exists(path: &str, pool: u32, s: &Scenario, r: &mut Report) {
    exists(&format!("{path}.pool"), pool, s.cluster.pools.len(), "pool", r);
}

fn exists(path: &str, index: u32, length: usize, what: &str, r: &mut Report) {
    if (index as usize) < length {
        return;
    }
    let allowed = match length {
        0 => format!("nothing: there is no {what}"),
        1 => "0".to_owned(),
        n => format!("0 to {}", n - 1),
    };
    r.error(path, format!("no {what} {index}"), allowed, format!("{what}s are numbered from 0"));
}
