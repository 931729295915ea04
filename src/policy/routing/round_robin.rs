//! In turn: of the requests that ask for one model, number k goes to candidate k modulo N. Each model has a turn of its own,
//! as have the requests that ask for none, so that models that take turns do not always meet the same replica.

use super::{Choice, Fleet, Router, Scores};
use crate::policy::RequestView;
use serde::{Deserialize, Serialize};

/// In turn, whatever the load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoundRobin {
    /// By number of the model asked for: how many requests have come.
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
