//! KV caches: the CPU tier, CPU memory of other replicas, and caches too small for their traffic.

mod cpu_tier;
mod peers;
mod small_caches;
mod states;
mod tiers_apart;
