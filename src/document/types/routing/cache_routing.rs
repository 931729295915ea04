//! The routing policy of SGLang's router, which weighs caches against load.

use crate::limits;
use crate::table::fields::fields;

/// When SGLang's router goes by matching prefixes, and when by load.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct CacheAware {
    /// Smallest matching share of the prompt for which a replica is chosen by its prefix, 0 to 1.
    pub cache_threshold: f64,
    /// When loads count as out of balance.
    pub balance: CacheBalance,
    /// Loads are out of balance if the most and the fewest requests in flight differ by more than this, and by more than the factor below.
    pub balance_abs_threshold: u32,
    /// Loads are out of balance if the most requests in flight are more than this many times the fewest, and by more than the difference above.
    pub balance_rel_threshold: f64,
    /// Number of blocks that the router remembers per replica.
    pub prefix_index_blocks: u32,
    /// Which replica gets a prompt without a good match.
    pub miss: CacheMiss,
    /// How the router knows what the caches hold.
    pub knows: CacheKnowledge,
}

/// When loads count as out of balance.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheBalance {
    /// By the most and the fewest requests in flight of all replicas: then the fewest decide, whatever the match.
    #[default]
    Spread,
    /// Of each replica against the mean, by the same two thresholds: replicas above get no request, and the fewest in flight decide among equal matches. SGLang's router after version 1.13.
    AboveMean,
}

/// How the router knows what the caches hold.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheKnowledge {
    /// By what it sent there.
    #[default]
    Sent,
    /// Replicas report every change of their caches. Any match counts, and the fewest in flight decide among equal ones.
    Events,
}

fields! {
    names CacheBalance { Spread "spread" AboveMean "above-mean" }
}

fields! {
    names CacheKnowledge { Sent "sent" Events "events" }
}

/// Which replica gets a prompt without a good match.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheMiss {
    /// The replica with the fewest requests in flight, as SGLang's router does since sgl-project/sglang pull 14650.
    #[default]
    FewestInFlight,
    /// The replica with the fewest remembered tokens, as in SGLang's router before that. If a shared prefix makes one memory large, all other prompts go to the other replicas.
    SmallestMemory,
}

fields! {
    names CacheMiss { FewestInFlight "fewest-in-flight" SmallestMemory "smallest-memory" }
}

fields! {
    struct CacheAware {
        cache_threshold: "Cache threshold" in [0.0, 1.0] or "0.3 is SGLang's default" => Routing;
        balance [omit]: "Balance" => Routing;
        balance_abs_threshold: "Imbalance above" of "req" in [0, limits::IN_FLIGHT]
            or "64 is SGLang's default" => Routing;
        balance_rel_threshold: "Imbalance factor" in [0.0, limits::COST] or "1.5 is SGLang's default" => Routing;
        prefix_index_blocks: "Prefix index" of "blocks" in [1, limits::KV_BLOCKS]
            or "10,000 blocks of 16 tokens are 160,000 tokens" => Routing;
        miss: "Without a match" => Routing;
        knows [omit]: "Knows caches" => Routing;
    }
}

impl Default for CacheAware {
    fn default() -> Self {
        Self {
            cache_threshold: 0.3,
            balance: CacheBalance::Spread,
            balance_abs_threshold: 64,
            balance_rel_threshold: 1.5,
            prefix_index_blocks: 10_000,
            miss: CacheMiss::default(),
            knows: CacheKnowledge::Sent,
        }
    }
}
