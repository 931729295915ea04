//! Names and keys of BLIS that are read and written.

/// Scorers by their names in BLIS.
pub(crate) const SCORERS: [(&str, &str); 9] = [
    ("prefix-affinity", "prefix-affinity"),
    ("precise-prefix-cache", "precise-prefix"),
    ("queue-depth", "queue-depth"),
    ("kv-utilization", "kv-utilization"),
    ("load-balance", "load-balance"),
    ("active-requests", "active-requests"),
    ("running-requests", "running-requests"),
    ("load-aware", "load-aware"),
    ("no-hit-lru", "no-hit-lru"),
];

/// Keys of a bucket of tokens: theirs, the field, its name in the tables of an export.
pub(crate) const BUCKET: [(&str, &str, &str); 2] = [
    ("token_bucket_capacity", "capacity_tokens", "capacity"),
    ("token_bucket_refill_rate", "refill_tokens_per_s", "refill"),
];
