//! The filter that keeps replicas that are predicted to meet the objectives, as llm-d's slo-headroom-tier-filter: if
//! some are and some are not, it keeps the former, and with a small probability the latter, so that these show whether
//! they have recovered. With `shed` it also refuses requests that can wait, as llm-d's latency-slo-admitter, if no
//! replica is predicted to meet the objectives and none is idle or cold.

use super::predictor::Headroom;
use super::{Excluded, Fleet};
use crate::policy::{Reason, RequestView};
use base::rng::{Purpose, Stream};
use document::{SloClass, SloHeadroomFilter};
use serde::{Deserialize, Serialize};

/// Below this share of KV blocks in use a replica is cold: predictions say little about it.
const COLD: f64 = 0.02;

/// The filter with its draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SloHeadroom {
    epsilon: f64,
    shed: bool,
    draws: Stream,
}

impl SloHeadroom {
    pub(super) fn new(s: &SloHeadroomFilter, seed: u64) -> Self {
        Self { epsilon: s.epsilon, shed: s.shed, draws: Stream::new(seed, Purpose::Predictions, 1) }
    }

    /// Continues the draws of `before`.
    pub(super) fn resume(&mut self, before: &Self) {
        self.draws = before.draws.clone();
    }

    /// Removes positions of `fleet` from `kept`, which holds at least one, and sets the reason in `excluded`.
    pub(super) fn keep(
        &mut self,
        request: &RequestView<'_>,
        fleet: &Fleet<'_>,
        headroom: &[Headroom],
        kept: &mut Vec<u32>,
        excluded: &mut [Option<Excluded>],
    ) -> Result<(), Reason> {
        let meets = |position: &u32| headroom[*position as usize].is_positive();
        let met = kept.iter().filter(|&position| meets(position)).count();
        if met == 0 && self.shed && can_be_shed(request) {
            let may = |position: &u32| {
                let view = &fleet.replicas[*position as usize];
                view.running == 0 || view.kv_use() < COLD
            };
            if !kept.iter().any(may) {
                return Err(Reason::NoCandidate);
            }
        }
        if met == 0 || met == kept.len() {
            return Ok(());
        }
        let explores = self.epsilon > 0.0 && self.draws.unit() < self.epsilon;
        kept.retain(|position| {
            let stays = meets(position) != explores;
            if !stays {
                let Headroom { ttft_ms, tpot_ms } = headroom[*position as usize];
                excluded[*position as usize] = Some(Excluded::Headroom { ttft_ms, tpot_ms });
            }
            stays
        });
        Ok(())
    }
}

/// Whether the request has objectives and is of a class that can be refused.
fn can_be_shed(request: &RequestView<'_>) -> bool {
    let aims = request.targets.iter().any(|target| *target > 0.0);
    aims && request.class > SloClass::Sheddable.rank()
}
