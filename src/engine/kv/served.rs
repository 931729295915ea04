//! How tiers served requests: ages of blocks as they were hit and as they were evicted, waiting times, and what loads held.
//!
//! Times are in microseconds. The age of a block is the time since it was last used, or written if it never was.

use base::stats::Sketch;
use base::{Micros, Span};
use serde::{Deserialize, Serialize};

/// The time from one instant to another; no time if that comes before.
pub(super) fn passed(from: Micros, to: Micros) -> Span {
    Span(to.0.saturating_sub(from.0))
}

/// Ages of the blocks of a tier.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ages {
    /// Of blocks that were found for a request.
    pub hit: Sketch,
    /// Of blocks that made room for others.
    pub evicted: Sketch,
}

impl Ages {
    /// Adds those of another tier.
    pub fn merge(&mut self, other: &Self) {
        self.hit.merge(&other.hit);
        self.evicted.merge(&other.evicted);
    }
}

/// For how long something had work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Busy {
    jobs: u32,
    since: Micros,
    until_then: Span,
}

impl Busy {
    /// A piece of work begins.
    pub(crate) fn begins(&mut self, now: Micros) {
        if self.jobs == 0 {
            self.since = now;
        }
        self.jobs += 1;
    }

    /// A piece of work ends.
    pub(crate) fn ends(&mut self, now: Micros) {
        self.until_then = self.up_to(now);
        self.since = now;
        self.jobs -= 1;
    }

    /// The time up to `now`.
    pub(crate) fn up_to(&self, now: Micros) -> Span {
        if self.jobs == 0 { self.until_then } else { self.until_then + passed(self.since, now) }
    }
}

/// Where the blocks of prompts were found, and what loads held on the GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadCounts {
    /// Blocks of prompts found on the GPU.
    pub from_gpu: u64,
    /// Blocks of prompts found in CPU memory that no fetch had brought there.
    pub from_cpu: u64,
    /// Blocks of prompts found in any tier below the GPU.
    pub from_below: u64,
    /// Of these, blocks that were given back before their request joined a batch.
    pub given_back: u64,
    /// Blocks held now by requests that load or have loaded.
    held: u64,
    since: Micros,
    area: u128,
}

impl LoadCounts {
    /// A load holds `blocks` more.
    pub(super) fn hold(&mut self, blocks: u32, now: Micros) {
        self.area = self.held_us(now);
        self.since = now;
        self.held += u64::from(blocks);
    }

    /// Its request joins a batch with them, or has given them back.
    pub(super) fn let_go(&mut self, blocks: u32, now: Micros) {
        self.area = self.held_us(now);
        self.since = now;
        self.held = self.held.checked_sub(u64::from(blocks)).expect("INV-4: a load let go of blocks twice");
    }

    /// Nothing is held any more, as the replica was lost.
    pub(super) fn lost(&self) -> Self {
        Self { held: 0, ..*self }
    }

    /// Blocks times microseconds up to `now`.
    pub fn held_us(&self, now: Micros) -> u128 {
        self.area + u128::from(self.held) * u128::from(passed(self.since, now).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_overlaps_counts_once() {
        let mut busy = Busy::default();
        busy.begins(Micros(10));
        busy.begins(Micros(20));
        busy.ends(Micros(30));
        assert_eq!(busy.up_to(Micros(35)), Span(25));
        busy.ends(Micros(40));
        busy.begins(Micros(100));
        assert_eq!(busy.up_to(Micros(101)), Span(31));
    }

    #[test]
    fn held_blocks_count_by_the_time_they_are_held() {
        let mut loads = LoadCounts::default();
        loads.hold(4, Micros(10));
        loads.hold(2, Micros(15));
        loads.let_go(4, Micros(20));
        // 4 for 5, 6 for 5, 2 for 10.
        assert_eq!(loads.held_us(Micros(30)), 70);
        assert_eq!(loads.lost().held_us(Micros(30)), 50);
    }
}
