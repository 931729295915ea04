//! In turn: decision k goes to replica k modulo N.

use super::Router;
use crate::policy::{ReplicaView, RequestView};
use serde::{Deserialize, Serialize};

/// In turn, whatever the load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoundRobin {
    turn: u64,
}

impl Router for RoundRobin {
    fn pick(&mut self, _: &RequestView<'_>, replicas: &[ReplicaView]) -> usize {
        let position = (self.turn % replicas.len() as u64) as usize;
        self.turn += 1;
        position
    }
}
