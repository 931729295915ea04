//! The least loaded of d different replicas drawn at random wins, the lowest number among equals (Mitzenmacher;
//! Vvedenskaya, Dobrushin and Karpelevich: the tail of the queue lengths falls doubly exponentially as soon as d is
//! 2).

use super::{Choice, Fleet, Router, Scores};
use crate::policy::RequestView;
use base::rng::{Purpose, Stream};
use document::PowerOfD as Settings;
use serde::{Deserialize, Serialize};

/// The least loaded of a few.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PowerOfD {
    d: u32,
    draws: Stream,
    /// The positions drawn for the latest decision.
    drawn: Vec<u32>,
}

impl PowerOfD {
    pub(super) fn new(s: &Settings, seed: u64) -> Self {
        Self { d: s.d, draws: Stream::new(seed, Purpose::Routing, 0), drawn: Vec::new() }
    }

    /// Continues the draws of `before`.
    pub(super) fn resume(&mut self, before: Self) {
        self.draws = before.draws;
    }
}

impl Router for PowerOfD {
    fn pick(&mut self, _: &RequestView<'_>, fleet: &Fleet<'_>, _: &mut Scores) -> Choice {
        let replicas = fleet.replicas.len() as u32;
        self.drawn.clear();
        // Floyd's algorithm: d different numbers with d draws.
        for top in replicas.saturating_sub(self.d)..replicas {
            let position = self.draws.below(top + 1);
            let new = if self.drawn.contains(&position) { top } else { position };
            self.drawn.push(new);
        }
        let load = |position: u32| (fleet.replicas[position as usize].load(), position);
        let best = self.drawn.iter().copied().min_by_key(|&position| load(position));
        Ok(best.expect("INV-2: one replica is always drawn") as usize)
    }
}
