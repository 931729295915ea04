//! Why a request that cannot be served is given up.

use serde::{Deserialize, Serialize};

/// Why a request is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DropReason {
    /// Its prompt alone needs more blocks than the cache has.
    PromptExceedsKvCache,
    /// Alone in the batch, it needed one more block than the cache has.
    OutgrewKvCache,
    /// Its client has waited for as long as it does.
    TimedOut,
    /// Its replica was taken away, and did not wait for it.
    Drained,
    /// It made room for a more urgent request that waited at the gateway.
    Evicted,
    /// Lost: its replica crashed.
    Crash,
    /// Lost: its replica was down.
    Refused,
    /// Lost: no replica was known to serve.
    NoReplica,
    /// Lost: its replica could not be reached.
    Unreachable,
    /// Lost: its prefill replica crashed before its KV was at its home.
    KvLost,
    /// Lost: the transfer of its KV took too long.
    TransferTimeout,
}

impl DropReason {
    /// All of them, in order.
    pub const ALL: [Self; 11] = [
        Self::PromptExceedsKvCache,
        Self::OutgrewKvCache,
        Self::TimedOut,
        Self::Drained,
        Self::Evicted,
        Self::Crash,
        Self::Refused,
        Self::NoReplica,
        Self::Unreachable,
        Self::KvLost,
        Self::TransferTimeout,
    ];

    /// Its name in reports and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::PromptExceedsKvCache => "prompt-exceeds-kv-cache",
            Self::OutgrewKvCache => "outgrew-kv-cache",
            Self::TimedOut => "timed-out",
            Self::Drained => "drained",
            Self::Evicted => "evicted",
            Self::Crash => "crash",
            Self::Refused => "refused",
            Self::NoReplica => "no-replica",
            Self::Unreachable => "unreachable",
            Self::KvLost => "kv-lost",
            Self::TransferTimeout => "transfer-timeout",
        }
    }
}
