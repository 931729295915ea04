//! KV caches: the CPU tier, and caches too small for their traffic.

mod cpu_tier;
mod small_caches;
mod states;
mod tiers_apart;
