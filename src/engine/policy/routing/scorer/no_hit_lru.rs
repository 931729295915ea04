//! Spreads prompts unknown to all replicas: the replica that got such a prompt longest ago (or never) scores 1, the
//! one that got the latest 0, the others in proportion to their rank. Where some replica knows the prompt, all score
//! 0.5.

use super::Score;
use crate::policy::RequestView;
use crate::policy::routing::Fleet;
use base::ReplicaId;
use base::small::sort::sort_by_key;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct NoHitLru {
    /// By replica number: the count of unknown prompts when it got its latest; 0 for never.
    latest: Vec<u64>,
    prompts: u64,
}

impl NoHitLru {
    fn latest(&self, replica: ReplicaId) -> u64 {
        self.latest.get(replica.index()).copied().unwrap_or_default()
    }
}

impl Score for NoHitLru {
    fn score(&mut self, _: &RequestView<'_>, fleet: &Fleet<'_>, known: bool, out: &mut [f64]) {
        if known || fleet.replicas.len() < 2 {
            out.fill(0.5);
            return;
        }
        let last = (fleet.replicas.len() - 1) as f64;
        let mut order: Vec<usize> = (0..fleet.replicas.len()).collect();
        sort_by_key(&mut order, |&position| self.latest(fleet.replicas[position].id));
        for (rank, &position) in order.iter().enumerate() {
            // Equal replicas, such as those that never got one, share the best of their ranks.
            let same = |other: usize| {
                self.latest(fleet.replicas[other].id) == self.latest(fleet.replicas[position].id)
            };
            out[position] = if rank > 0 && same(order[rank - 1]) {
                out[order[rank - 1]]
            } else {
                1.0 - rank as f64 / last
            };
        }
    }

    fn chosen(&mut self, _: &RequestView<'_>, fleet: &Fleet<'_>, position: usize, known: bool) {
        if known {
            return;
        }
        let replica = fleet.replicas[position].id;
        if self.latest.len() <= replica.index() {
            self.latest.resize(replica.index() + 1, 0);
        }
        self.prompts += 1;
        self.latest[replica.index()] = self.prompts;
    }
}
