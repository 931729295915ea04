//! When a request reads from tiers below CPU memory, and how long it waits for that.

use base::Span;
use document::{KvCache, LoadAsked, LoadRule, LoadWait};
use serde::{Deserialize, Serialize};

/// When a request reads from tiers below CPU memory, and how long it waits for that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ReadRules {
    pub(super) worth: Worth,
    pub(super) wait: Option<[Span; 2]>,
    pub(crate) at_arrival: bool,
}

/// What makes a read worth its way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) enum Worth {
    #[default]
    Always,
    /// There is at least this number of tokens below CPU memory.
    Tokens(u32),
    /// It takes less time than computing, with this many nanoseconds for a token; without them, by the pool's own step times.
    Time(Option<u64>),
}

impl ReadRules {
    /// Those of a pool.
    pub(crate) fn new(kv: &KvCache) -> Self {
        let worth = match kv.load {
            LoadRule::Always => Worth::Always,
            LoadRule::MinTokens(tokens) => Worth::Tokens(tokens),
            LoadRule::BreakEven(s) => {
                Worth::Time(s.us_per_token.map(|us| base::math::round_to_span(us * 1000.0).0))
            }
        };
        let wait = match kv.load_wait {
            LoadWait::Complete => None,
            LoadWait::Timeout(s) => Some([Span(s.base_us), Span(s.per_ki_token_us)]),
        };
        Self { worth, wait, at_arrival: kv.load_asked == LoadAsked::Arrival }
    }
}
