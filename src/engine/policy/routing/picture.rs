//! What a router takes to be in the caches of replicas, beside what is there.

use super::RouterState;
use base::{Content, Micros};

/// Where a router knows from what a cache holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CachePicture {
    /// It does not look at it.
    None,
    /// It asks the replicas: its picture is the truth.
    Asked,
    /// It remembers the prompts that it sent there.
    Remembered,
}

impl RouterState {
    /// Where it knows from what the caches hold.
    pub fn cache_picture(&self) -> CachePicture {
        let of = |remembers: bool, asks: bool| match (remembers, asks) {
            (true, _) => CachePicture::Remembered,
            (false, true) => CachePicture::Asked,
            (false, false) => CachePicture::None,
        };
        match self {
            Self::PrefixAware(_) | Self::PrefixOverlap(_) => CachePicture::Asked,
            Self::KvCost(p) => of(p.guesses(), p.asks_caches()),
            Self::CacheAware(p) => of(p.memory().is_some(), true),
            Self::Weighted(p) => of(p.memory().is_some(), p.asks_caches()),
            Self::RoundRobin(_)
            | Self::Random(_)
            | Self::LeastLoaded(_)
            | Self::PowerOfD(_)
            | Self::AlwaysBusiest(_)
            | Self::LeastKv(_)
            | Self::SessionAffinity(_)
            | Self::CostEscalation(_) => CachePicture::None,
        }
    }

    /// How many leading tokens of the first `tokens` of a text it remembers to have sent to a replica, whose blocks have
    /// `block_tokens` tokens; `None` if it remembers no prompts.
    pub fn remembered(
        &self,
        replica: u32,
        (text, tokens): (&Content, u32),
        block_tokens: u32,
        now: Micros,
    ) -> Option<u32> {
        match self {
            Self::KvCost(p) if p.guesses() => {
                let chain = text.chain(block_tokens, tokens / block_tokens);
                Some(p.guessed(replica, &chain, now) * block_tokens)
            }
            Self::CacheAware(p) => p.memory().map(|memory| memory.remembered(replica, text, tokens)),
            Self::Weighted(p) => p.memory().map(|memory| memory.remembered(replica, text, tokens)),
            Self::KvCost(_)
            | Self::PrefixAware(_)
            | Self::PrefixOverlap(_)
            | Self::RoundRobin(_)
            | Self::Random(_)
            | Self::LeastLoaded(_)
            | Self::PowerOfD(_)
            | Self::AlwaysBusiest(_)
            | Self::LeastKv(_)
            | Self::SessionAffinity(_)
            | Self::CostEscalation(_) => None,
        }
    }
}
