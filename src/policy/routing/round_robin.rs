//! In turn: decision k goes to replica k modulo N.

use super::{Fleet, Router, Scores};
use crate::policy::RequestView;
use serde::{Deserialize, Serialize};

/// In turn, whatever the load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoundRobin {
    turn: u64,
}

impl Router for RoundRobin {
    fn pick(&mut self, _: &RequestView<'_>, fleet: &Fleet<'_>, _: &mut Scores) -> usize {
        let position = (self.turn % fleet.replicas.len() as u64) as usize;
        self.turn += 1;
        position
    }
}
