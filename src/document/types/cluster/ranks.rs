//! How the ranks of a server go together.

use crate::table::fields::fields;
use serde::{Deserialize, Serialize};

/// How ranks in lock step go together.
#[apply(field_schema!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ranks {
    /// How many tokens every rank computes in a step without prompts, ranks without requests included. What is added are rows of no request: they cost matrix products, experts and dispatch, no attention and no blocks.
    pub padding: RankPadding,
}

fields! {
    struct Ranks {
        padding [omit]: "Padding" => Replace;
    }
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
