//! The smallest load wins, the lowest replica number among equals. With fresh signals this joins the shortest queue.

use super::{Choice, Fleet, Router, Scores};
use crate::policy::RequestView;
use serde::{Deserialize, Serialize};

/// The smallest load wins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeastLoaded;

/// The position of the smallest load, the first among equals.
pub(super) fn least_loaded(fleet: &Fleet<'_>) -> usize {
    let mut best = (u32::MAX, 0);
    for (position, view) in fleet.replicas.iter().enumerate() {
        if view.load() < best.0 {
            best = (view.load(), position);
        }
    }
    best.1
}

impl Router for LeastLoaded {
    fn pick(&mut self, _: &RequestView<'_>, fleet: &Fleet<'_>, _: &mut Scores) -> Choice {
        Ok(least_loaded(fleet))
    }
}
