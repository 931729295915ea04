//! The smallest load wins, the lowest replica number among equals. With fresh signals this joins the shortest queue.

use super::Router;
use crate::policy::{ReplicaView, RequestView};
use serde::{Deserialize, Serialize};

/// The smallest load wins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeastLoaded;

impl Router for LeastLoaded {
    fn pick(&mut self, _: &RequestView<'_>, replicas: &[ReplicaView]) -> usize {
        let mut best = 0;
        for (position, view) in replicas.iter().enumerate() {
            if view.load() < replicas[best].load() {
                best = position;
            }
        }
        best
    }
}
