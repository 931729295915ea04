//! KV caches: the CPU tier, CPU memory of other replicas, what is kept in pauses, and caches too small for their traffic.

mod cpu_tier;
mod orders_apart;
mod pauses;
mod peers;
mod seen_late;
mod served;
mod small_caches;
mod soft_pins;
mod states;
mod tier_edits;
mod tiers_apart;
