//! Blocks of one replica that belong to requests between their prefill replica and their home.

use base::Micros;
use base::multiply::area;
use serde::{Deserialize, Serialize};

/// Blocks times microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MovingAreas {
    /// Set aside or pinned for requests whose KV is not here yet.
    pub(crate) incoming: u128,
    /// Of requests whose KV is here and that wait for the next step.
    pub(crate) landed: u128,
    /// Held for requests until their KV is at home.
    pub(crate) outgoing: u128,
}

/// The blocks now, and the areas up to the latest change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct MovingBlocks {
    pub(super) incoming: u32,
    pub(super) landed: u32,
    pub(super) outgoing: u32,
    since: Micros,
    areas: MovingAreas,
}

impl MovingBlocks {
    pub(super) fn new(now: Micros) -> Self {
        Self { incoming: 0, landed: 0, outgoing: 0, since: now, areas: MovingAreas::default() }
    }

    /// Drops everything before `from`.
    pub(super) fn restart(&mut self, from: Micros) {
        self.since = from;
        self.areas = MovingAreas::default();
    }

    /// All blocks of such requests.
    pub(super) fn blocks(&self) -> u32 {
        self.incoming + self.landed + self.outgoing
    }

    /// The areas up to `now`.
    pub(super) fn read(&self, now: Micros) -> MovingAreas {
        let us = now.0.saturating_sub(self.since.0);
        MovingAreas {
            incoming: self.areas.incoming + area(self.incoming, us),
            landed: self.areas.landed + area(self.landed, us),
            outgoing: self.areas.outgoing + area(self.outgoing, us),
        }
    }

    /// Changes the numbers of blocks.
    pub(super) fn change(&mut self, now: Micros, change: impl FnOnce(&mut Self)) {
        self.areas = self.read(now);
        self.since = now;
        change(self);
    }

    /// A request that is at home, or bound for it, is gone; `blocks` were set aside for it.
    pub(super) fn give_back(&mut self, now: Micros, blocks: u32, landed: bool) {
        self.change(now, |b| {
            let of = if landed { &mut b.landed } else { &mut b.incoming };
            *of = of.saturating_sub(blocks);
        });
    }
}
