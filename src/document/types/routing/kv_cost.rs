//! The routing policy of NVIDIA Dynamo's KV router and its profiles.

use crate::limits;
use crate::table::fields::fields;
use serde::{Deserialize, Serialize};

/// Cost of Dynamo's KV router, in KV blocks: scale · max(blocks to prefill + prompt − credits, 0) + blocks in use + active requests times their weight.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct KvCost {
    /// Set of values for the keys below. A key that differs from its default keeps its value.
    pub profile: KvCostProfile,
    /// Credit for each block of the prompt in the replica's cache, in blocks to prefill. Dynamo's router-kv-overlap-score-credit.
    pub overlap_credit: f64,
    /// Decay of the overlap credit: it is divided by 1 + this · (tokens to prefill there above those of the least busy replica / tokens of the prompt's blocks). Dynamo's router-kv-overlap-score-credit-decay.
    pub credit_decay: f64,
    /// Credit for each block of the prompt in the CPU tier alone. Dynamo's router-host-cache-hit-weight.
    pub host_credit: f64,
    /// Credit for each block of the prompt on the replica's disks alone, behind those in the CPU tier. Stores have none: they are the same to all replicas. Dynamo's router-disk-cache-hit-weight.
    pub disk_credit: f64,
    /// Weight of blocks to prefill against blocks in use. Dynamo's router-prefill-load-scale.
    pub prefill_scale: f64,
    /// Cost in blocks of each request that was sent there and has not left. Dynamo's router-decode-active-request-weight.
    pub active_weight: f64,
    /// 0 takes the lowest cost. Above 0 replicas are drawn at random: a cost higher by this share of the range of costs is e = 2.7 times less likely. Dynamo's router-temperature.
    pub temperature: f64,
    /// How the router knows what the caches hold.
    pub index: CacheIndex,
    /// Seconds for which the blocks of a routed prompt also count as cached, before the replica has them. 0 for none; only with the index `events`. Dynamo's router-predicted-ttl-secs.
    pub predicted_ttl_s: f64,
    /// Whether blocks in use that several requests share count once. Dynamo's router-assume-kv-reuse.
    pub assume_reuse: bool,
    /// Seconds without a request after which a session is free to leave the replica of its latest request. 0 binds no session. Dynamo's router-session-affinity-ttl-secs.
    pub session_ttl_s: f64,
}

fields! {
    struct KvCost {
        profile [omit]: "Profile" => Routing;
        overlap_credit: "Overlap credit" in [0.0, limits::COST] or "0 leaves caches out" => Routing;
        credit_decay [omit]: "Credit decay" in [0.0, limits::COST] or "0 keeps the credit" => Routing;
        host_credit: "CPU tier credit" in [0.0, limits::COST] or "0 leaves CPU tiers out" => Routing;
        disk_credit [omit]: "Disk credit" in [0.0, limits::COST] or "0 leaves disks out" => Routing;
        prefill_scale: "Prefill scale" in [0.0, limits::COST] or "0 looks at blocks in use only" => Routing;
        active_weight [omit]: "Active requests" of "blocks" in [0.0, limits::COST] or "0 leaves requests out" => Routing;
        temperature: "Temperature" in [0.0, limits::TEMPERATURE] or "0 takes the lowest cost" => Routing;
        index [omit]: "Cache index" => Routing;
        predicted_ttl_s [omit]: "Predicted for" of "s" in [0.0, limits::ROUTER_TTL_S] or "0 predicts nothing" => Routing;
        assume_reuse [omit]: "Assume reuse" => Routing;
        session_ttl_s [omit]: "Session bound for" of "s" in [0.0, limits::ROUTER_TTL_S] or "0 binds no session" => Routing;
    }
}

impl Default for KvCost {
    fn default() -> Self {
        Self {
            profile: KvCostProfile::Custom,
            overlap_credit: 1.0,
            credit_decay: 0.0,
            host_credit: 0.75,
            disk_credit: 0.25,
            prefill_scale: 1.0,
            active_weight: 0.0,
            temperature: 0.0,
            index: CacheIndex::Events,
            predicted_ttl_s: 0.0,
            assume_reuse: true,
            session_ttl_s: 0.0,
        }
    }
}

impl KvCost {
    /// For how many seconds the blocks of a routed prompt count as cached, and how many of them, if they do.
    pub fn remembered(&self) -> Option<(f64, u32)> {
        match &self.index {
            CacheIndex::Approximate(index) => Some((index.ttl_s, index.max_blocks)),
            CacheIndex::Events => {
                (self.predicted_ttl_s > 0.0).then_some((self.predicted_ttl_s, REMEMBERED_BLOCKS))
            }
            CacheIndex::None => None,
        }
    }

    /// The settings in force: keys at their defaults have the profile's values.
    #[must_use]
    pub fn in_force(&self) -> Self {
        let (plain, mut all) = (Self::default(), self.clone());
        let of_profile = |key: &mut f64, default: f64, value: f64| {
            if key.total_cmp(&default).is_eq() {
                *key = value;
            }
        };
        match self.profile {
            KvCostProfile::Custom => {}
            KvCostProfile::DynamoLoadAware => {
                of_profile(&mut all.overlap_credit, plain.overlap_credit, 0.0);
                if all.index == plain.index {
                    all.index = CacheIndex::None;
                }
                all.predicted_ttl_s = 0.0;
                all.assume_reuse = false;
            }
            KvCostProfile::DynamoAgentic => {
                of_profile(&mut all.overlap_credit, plain.overlap_credit, 2.0);
                of_profile(&mut all.prefill_scale, plain.prefill_scale, 4.0);
                of_profile(&mut all.active_weight, plain.active_weight, 64.0);
            }
        }
        all
    }
}

/// A set of values for the keys of the cost.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KvCostProfile {
    /// The keys as they are written; their defaults are those of Dynamo's router.
    #[default]
    Custom,
    /// Dynamo's load-aware: no credit, no index, and no block counts as shared.
    DynamoLoadAware,
    /// Dynamo's agentic: overlap credit 2, prefill scale 4, 64 blocks for each active request. Dynamo sets blocks of 16 tokens with it; here the pool sets them.
    DynamoAgentic,
}

fields! {
    names KvCostProfile { Custom "custom" DynamoLoadAware "dynamo-load-aware" DynamoAgentic "dynamo-agentic" }
}

/// How the router knows what the caches hold.
#[apply(choice_schema!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CacheIndex {
    /// Replicas report every change of their caches.
    #[default]
    Events,
    /// It does not: no block counts as cached.
    None,
    /// It takes the prompts that it sent to a replica lately for those in its cache.
    Approximate(ApproximateIndex),
}

fields! {
    choice CacheIndex [Events "events" None "none"] { Approximate "approximate" }
}

/// What the router takes for cached without reports.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApproximateIndex {
    /// Seconds for which a block counts as cached after a prompt with it was sent there. Dynamo's router-ttl-secs.
    pub ttl_s: f64,
    /// Most blocks remembered for each replica; the least recently used are forgotten first.
    pub max_blocks: u32,
}

fields! {
    struct ApproximateIndex {
        ttl_s: "Remembered for" of "s" in [0.0, limits::ROUTER_TTL_S] or "120 s is Dynamo's default" => Routing;
        max_blocks: "Most blocks" of "blocks" in [1, limits::KV_BLOCKS] or "131,072 blocks of 16 tokens are two million tokens" => Routing;
    }
}

/// Default of the most blocks that a router remembers for each replica.
const REMEMBERED_BLOCKS: u32 = 1 << 17;

impl Default for ApproximateIndex {
    fn default() -> Self {
        Self { ttl_s: 120.0, max_blocks: REMEMBERED_BLOCKS }
    }
}
