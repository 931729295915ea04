//! The share of the prompt's full blocks that the router sent to the replica lately, from the first one on: a guess at what
//! its cache holds, made without asking.

use super::Score;
use crate::base::ReplicaId;
use crate::policy::RequestView;
use crate::policy::routing::Fleet;
use crate::policy::routing::prefix_index::PrefixIndex;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PrefixAffinity {
    index: PrefixIndex,
}

impl PrefixAffinity {
    pub(super) fn new(index_blocks: u32) -> Self {
        Self { index: PrefixIndex::new(index_blocks) }
    }
}

impl Score for PrefixAffinity {
    fn score(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, _: bool, out: &mut [f64]) {
        let blocks = request.full_blocks();
        self.index.look_up(request.chain(), |replica, matched| {
            // Views are in order of number; replicas that take no requests are missing.
            if let Ok(position) = fleet.replicas.binary_search_by_key(&replica, |v| v.id.0) {
                out[position] = f64::from(matched) / f64::from(blocks);
            }
        });
    }

    fn chosen(&mut self, request: &RequestView<'_>, replica: ReplicaId, _: bool) {
        self.index.record(replica.0, request.chain(), request.full_blocks());
    }
}
