//! The largest load wins, the lowest replica number among equals. Every other policy should beat it.

use super::{Choice, Fleet, Router, Scores};
use crate::policy::RequestView;
use serde::{Deserialize, Serialize};

/// The largest load wins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AlwaysBusiest;

impl Router for AlwaysBusiest {
    fn pick(&mut self, _: &RequestView<'_>, fleet: &Fleet<'_>, _: &mut Scores) -> Choice {
        let mut best = 0;
        for (position, view) in fleet.replicas.iter().enumerate() {
            if view.load() > fleet.replicas[best].load() {
                best = position;
            }
        }
        Ok(best)
    }
}
