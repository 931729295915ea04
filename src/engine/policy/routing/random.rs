//! At random: every replica is equally likely, whatever its load.

use super::{Choice, Fleet, Router, Scores};
use crate::policy::RequestView;
use base::rng::{Purpose, Stream};
use serde::{Deserialize, Serialize};

/// Every replica is equally likely.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Random {
    draws: Stream,
}

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self { draws: Stream::new(seed, Purpose::Routing, 0) }
    }
}

impl Router for Random {
    fn pick(&mut self, _: &RequestView<'_>, fleet: &Fleet<'_>, _: &mut Scores) -> Choice {
        Ok(self.draws.below(fleet.replicas.len() as u32) as usize)
    }
}
