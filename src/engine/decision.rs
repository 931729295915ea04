//! What a routing decision was made on, for those who want to know.

use crate::base::{ReplicaId, RequestId};
use crate::policy::ReplicaView;
use crate::policy::routing::{Scores, by_load};

/// A routing decision: what was seen, what was true, and what the policy made of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// The request.
    pub request: Option<RequestId>,
    /// The replicas that could be chosen, as seen.
    pub seen: Vec<ReplicaView>,
    /// Their loads as they truly were.
    pub true_load: Vec<u32>,
    /// Position of the chosen one.
    pub chosen: usize,
    /// The policy's scores, empty if it has none of its own.
    pub scores: Scores,
}

impl Decision {
    /// The score of a candidate: the policy's own, or that of its load.
    pub fn score(&self, position: usize) -> f64 {
        self.scores.totals.get(position).copied().unwrap_or_else(|| by_load(&self.seen[position]))
    }

    /// How much better the best candidate scored than the chosen one.
    pub fn regret(&self) -> f64 {
        let best = (0..self.seen.len()).map(|i| self.score(i)).fold(f64::NEG_INFINITY, f64::max);
        (best - self.score(self.chosen)).max(0.0)
    }

    /// Who was chosen.
    pub fn target(&self) -> ReplicaId {
        self.seen[self.chosen].id
    }

    /// Positions by score, the best first; among equals by the replica's number written as text, as BLIS has it.
    pub fn ranking(&self) -> Vec<usize> {
        let name = |i: usize| self.seen[i].id.0.to_string();
        let compare =
            |a: usize, b: usize| self.score(b).total_cmp(&self.score(a)).then_with(|| name(a).cmp(&name(b)));
        // One by one into a short list: one more instance of the library's sort would be over 10 KB for the page.
        let mut order: Vec<usize> = Vec::with_capacity(self.seen.len());
        for i in 0..self.seen.len() {
            let place = order.partition_point(|&other| compare(other, i).is_le());
            order.insert(place, i);
        }
        order
    }
}
