//! The blocks of a cache: in numbers, with the tiers below it, and a sample of them by position, with what is held or set aside for
//! hand-overs.

use crate::observe::report::share;
use crate::session::Session;
use engine::Replica;
use engine::kv::{CellState, Place};
use serde::Serialize;

/// Blocks of one KV cache: total = used + cached + free.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct KvFrame {
    /// All blocks.
    pub total: u32,
    /// Held by at least one request.
    pub used: u32,
    /// Used blocks held by two or more requests.
    pub shared: u32,
    /// Held by no request, but their content can still be hit.
    pub cached: u32,
    /// Empty.
    pub free: u32,
    /// A sample of the blocks by position, one character each: `u` used, `s` shared, `c` cached, `.` free; where pools have roles also
    /// `h` held for a home, and `r` set aside for KV that is not there. Empty in a cluster of more than 8 replicas.
    pub cells: String,
    /// Capacity of the CPU tier below in blocks; 0 without one.
    pub cpu_total: u32,
    /// Used blocks of the CPU tier.
    pub cpu_used: u32,
    /// Share of the prompt blocks looked up in the CPU tier since the start that were found there, 0 to 1.
    pub cpu_hit_rate: f64,
    /// How full each disk of the replica is, 0 to 1, in their order; missing without one. One without an end is at 0.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<Vec<f64>>"))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disks: Vec<f64>,
}

impl Session {
    /// The blocks of a replica in numbers, with a sample of at most `cells`.
    pub(super) fn kv_frame(&self, r: &Replica, cells: u32) -> KvFrame {
        let (kv, tier) = (r.kv(), r.kv().tier_counts());
        let (cpu_used, cpu_total) = kv.tier_blocks();
        KvFrame {
            total: kv.total(),
            used: kv.used(),
            shared: kv.shared(),
            cached: kv.cached(),
            free: kv.free() - kv.cached(),
            cells: self.cells(r, cells),
            cpu_total,
            cpu_used,
            cpu_hit_rate: share(tier.hits as f64, (tier.hits + tier.misses) as f64),
            disks: self.disks(r),
        }
    }

    /// How full each disk of a replica is.
    fn disks(&self, r: &Replica) -> Vec<f64> {
        let Some(lower) = self.engine.lower_tiers() else { return Vec::new() };
        let full = |place: &Place| share(place.len() as f64, place.settings().capacity as f64);
        lower.disks(r.id()).map(full).collect()
    }

    /// At most this number of blocks of a replica by position, a letter each; empty in a cluster whose single blocks are not shown.
    fn cells(&self, r: &Replica, most: u32) -> String {
        if !self.engine.shows_blocks() {
            return String::new();
        }
        let kv = r.kv();
        let (total, n) = (u64::from(kv.total()), u64::from(most.min(kv.total())));
        let letter = |k: u64| match kv.cell((k * total / n) as u32) {
            CellState::Used => 'u',
            CellState::Shared => 's',
            CellState::Cached => 'c',
            CellState::Free => '.',
        };
        let mut cells: Vec<char> = (0..n).map(letter).collect();
        let mut mark = |blocks: &[u32], letter: char| {
            for &block in blocks {
                if let Some(k) = sampled(u64::from(block), total, n).filter(|&k| cells[k] == 'u') {
                    cells[k] = letter;
                }
            }
        };
        for request in self.engine.outgoing(r) {
            mark(self.engine.blocks_of_request(request, r.id()), 'h');
        }
        for request in self.engine.incoming(r) {
            let cached = self.engine.handover(request).map_or(0, |h| h.home_cached) as usize;
            mark(self.engine.blocks_of_request(request, r.id()).get(cached..).unwrap_or(&[]), 'r');
        }
        cells.into_iter().collect()
    }
}

/// The place of a block among `n` of `total` blocks, if it is one of them.
fn sampled(block: u64, total: u64, n: u64) -> Option<usize> {
    let k = (block * n).div_ceil(total.max(1));
    (k < n && k * total / n == block).then_some(k as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_has_the_blocks_that_its_places_stand_for() {
        for (total, n) in [(10, 10), (100, 7), (13_104, 168), (169, 168), (1, 1)] {
            let places: Vec<u64> = (0..n).map(|k| k * total / n).collect();
            for block in 0..total {
                let expected = places.iter().position(|&place| place == block);
                assert_eq!(sampled(block, total, n), expected, "block {block} of {total}");
            }
        }
    }
}
