//! KV caches: the CPU tier, what is kept in pauses, and caches too small for their traffic.

mod cpu_tier;
mod pauses;
mod small_caches;
mod states;
