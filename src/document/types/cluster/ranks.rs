//! How the ranks of a server go together.

use crate::limits;
use crate::table::fields::fields;
use serde::{Deserialize, Serialize};

/// How ranks in lock step go together.
#[apply(field_schema!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ranks {
    /// How many tokens every rank computes in a step without prompts, ranks without requests included. What is added are rows of no request: they cost matrix products, experts and dispatch, no attention and no blocks.
    pub padding: RankPadding,
    /// What routers see of the ranks of a server: each of them, or one replica that chooses the rank itself.
    pub seen: RanksSeen,
    /// By what a server chooses the rank. With `internal` alone.
    pub balance: RankBalance,
    /// How old the counts of waiting and running requests may become by which a server chooses the rank. With `internal` alone.
    pub sync_ms: f64,
    /// How long a prompt waits for prompts of the other ranks: until every rank of the server has one to begin, or the oldest has waited this long. Decodes go on meanwhile. 0 means that none waits. Not in decode pools.
    pub align_prefills_ms: f64,
}

fields! {
    struct Ranks {
        padding [omit]: "Padding" => Replace;
        seen [omit]: "Seen as" => Routing;
        balance [omit]: "Rank by" => Routing;
        sync_ms [omit]: "Counts' age" of "ms" in [0.0, limits::RANK_WAIT_MS] or "0 means as they are" => Routing;
        align_prefills_ms [omit]: "Align prefills" of "ms" in [0.0, limits::RANK_WAIT_MS] or "0 means that none waits" => Steps;
    }
}

/// What routers see of the ranks of a server.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RanksSeen {
    /// Every rank, with signals and a memory of prompts of its own (vLLM: external or hybrid load balancing; a port for each rank in llm-d).
    #[default]
    Flat,
    /// One replica: waiting and running requests summed, the mean share of KV blocks, cached what any rank has. The server chooses the rank by `balance`, whatever its cache has (vLLM: internal load balancing).
    Internal,
    /// One replica as well. The rank follows from a hash of the request, the same in both stages.
    Hash,
}

fields! {
    names RanksSeen { Flat "flat" Internal "internal" Hash "hash" }
}

/// How many tokens every rank computes in a step without prompts.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RankPadding {
    /// Its own.
    #[default]
    None,
    /// As many as the rank with the most.
    Max,
    /// As many as the smallest recorded graph has that takes those of the rank with the most: 1, 2, 4, multiples of 8 up to 256, of 16 up to 512. Steps of more have no graph and are not padded.
    Graph,
}

fields! {
    names RankPadding { None "none" Max "max" Graph "graph" }
}

/// By what a server chooses the rank of a request.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RankBalance {
    /// The least 4 · waiting + running requests (vLLM).
    #[default]
    Waiting,
    /// The fewest requests, waiting or running (SGLang: `total_requests`).
    Requests,
    /// The fewest tokens: those in use in its cache and those of prompts that wait (SGLang: `total_tokens`).
    Tokens,
    /// One after the other (SGLang: `round_robin`).
    RoundRobin,
}

fields! {
    names RankBalance { Waiting "waiting" Requests "requests" Tokens "tokens" RoundRobin "round-robin" }
}

impl RankPadding {
    /// The tokens of a rank where the most of any is that many; none where nothing is padded.
    pub fn of(self, most: u64) -> Option<u64> {
        match self {
            Self::None => None,
            Self::Max => Some(most),
            Self::Graph => match most {
                0..=2 => Some(most),
                3..=4 => Some(4),
                5..=256 => Some(most.next_multiple_of(8)),
                257..=512 => Some(most.next_multiple_of(16)),
                _ => None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_is_the_smallest_recorded_one_that_takes_all() {
        let found = [1, 2, 3, 10, 33, 65, 256, 257, 512].map(|n| RankPadding::Graph.of(n));
        assert_eq!(found, [1, 2, 4, 16, 40, 72, 256, 272, 512].map(Some));
        assert_eq!([513, 9000].map(|n| RankPadding::Graph.of(n)), [None; 2]);
        assert_eq!((RankPadding::Max.of(33), RankPadding::None.of(33)), (Some(33), None));
    }
}
