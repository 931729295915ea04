//! Scores where the adapter of the request is: 1 where requests of the batch use it, 0.8 where another adapter has room, 0.6
//! where it waits for a slot, 0 otherwise. The lora-affinity-scorer of llm-d, which reads the adapters of running and of
//! waiting requests that vLLM reports.

use super::Score;
use crate::policy::RequestView;
use crate::policy::routing::Fleet;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LoraAffinity;

impl Score for LoraAffinity {
    fn score(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, _: bool, out: &mut [f64]) {
        for (position, (score, view)) in out.iter_mut().zip(fleet.replicas).enumerate() {
            let seen = &fleet.adapters[view.id.index()];
            *score = if seen.running.contains(&request.adapter) {
                1.0
            } else if seen.different() < fleet.pool_of(position).max_loras {
                0.8
            } else if seen.waiting.contains(&request.adapter) {
                0.6
            } else {
                0.0
            };
        }
    }
}
