//! In turn: among the requests for one model, number k is sent to candidate k modulo N. Each model has its own
//! counter, and so have the requests without a model, so that alternating models do not always get the same replica.

use super::{Choice, Fleet, Router, Scores};
use crate::policy::RequestView;
use serde::{Deserialize, Serialize};

/// In turn, whatever the load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoundRobin {
    /// By number of the requested model: how many requests have been routed.
    turns: Vec<u64>,
}

impl Router for RoundRobin {
    fn pick(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, _: &mut Scores) -> Choice {
        let model = request.model as usize;
        if self.turns.len() <= model {
            self.turns.resize(model + 1, 0);
        }
        let position = (self.turns[model] % fleet.replicas.len() as u64) as usize;
        self.turns[model] += 1;
        Ok(position)
    }
}
