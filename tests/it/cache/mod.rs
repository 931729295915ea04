//! KV caches: the CPU tier, CPU memory of other replicas, what is kept in pauses, and caches too small for their traffic.

mod cpu_tier;
mod pauses;
mod peers;
mod small_caches;
mod states;
mod tiers_apart;
