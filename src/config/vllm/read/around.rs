//! What stands around the flags of an engine.

use crate::command::flags::Word;
use crate::import::configuration::sets::PoolOf;

/// What the names of variables begin with that say tiers of KV.
const SETTINGS: [&str; 3] = ["LMCACHE_", "MOONCAKE_", "SGLANG_HICACHE_"];

/// Whether a word sets a variable that says tiers of KV.
pub(crate) fn is_setting(text: &str) -> bool {
    text.contains('=') && SETTINGS.iter().any(|start| text.starts_with(start))
}

/// What the source says beside the flags of an engine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Around {
    /// The pool.
    pub(crate) of: PoolOf,
    /// Whether the source describes the whole engine, so that an absent flag has vLLM's default.
    pub(crate) whole: bool,
    /// Prefill or decode, if the source gives the pool a role.
    pub(crate) role: Option<&'static str>,
    /// Servers, if the source says how many.
    pub(crate) servers: Option<u64>,
    /// Variables of the process that say tiers of KV: `NAME=value`.
    pub(crate) settings: Vec<Word>,
    /// Whether the router of its platform chooses the rank of a server.
    pub(crate) ranks_seen: bool,
}
