//! Edits of one field, by what they are about.

use serde_json::Value;
use tokenyard::base::json;
use tokenyard::scenario::{AdmissionPolicy, Change, RoutingPolicy};

fn of_pool(pool: u32, field: &str, value: impl Into<Value>) -> Change {
    Change::set(&format!("cluster.pools[{pool}].{field}"), value)
}

pub(crate) fn replicas(pool: u32, replicas: u32) -> Change {
    of_pool(pool, "replicas", replicas)
}

pub(crate) fn max_num_seqs(pool: u32, most: u32) -> Change {
    of_pool(pool, "engine.max_num_seqs", most)
}

pub(crate) fn max_num_batched_tokens(pool: u32, most: u32) -> Change {
    of_pool(pool, "engine.max_num_batched_tokens", most)
}

pub(crate) fn kv_blocks(pool: u32, blocks: u32) -> Change {
    of_pool(pool, "kv.blocks", blocks)
}

pub(crate) fn snapshot_refresh(us: u64) -> Change {
    Change::set("cluster.snapshot_refresh_us", us)
}

pub(crate) fn routing(policy: &RoutingPolicy) -> Change {
    Change::set("cluster.routing", json::tree(policy))
}

pub(crate) fn admission(policy: &AdmissionPolicy) -> Change {
    Change::set("cluster.admission", json::tree(policy))
}

/// The rate of a client with Poisson arrivals.
pub(crate) fn rate(client: u32, rate_per_s: f64) -> Change {
    Change::set(&format!("workload.clients[{client}].arrivals.poisson.rate_per_s"), rate_per_s)
}
