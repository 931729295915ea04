//! The counters of a replica's cache in the format of tiers.

use engine::kv::BlockPool;
use serde_json::{Value, json};

/// The counters of a replica's cache in this format.
pub(in crate::golden) fn counters(kv: &BlockPool, holders: usize) -> Value {
    json!({
        "cache_hits": kv.hits(),
        "cache_misses": kv.misses() - kv.received(),
        "received_blocks": kv.received(),
        "evicted_blocks": kv.evictions(),
        "request_map_len": holders,
        "hash_table_len": kv.table_len(),
    })
}
