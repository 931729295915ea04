//! A sample of the blocks of a cache by position, with what is held or set aside for hand-overs.

use crate::session::Session;
use engine::Replica;
use engine::kv::CellState;

impl Session {
    /// At most this number of blocks of a replica by position, a letter each; empty in a cluster whose single blocks are not shown.
    pub(super) fn cells(&self, r: &Replica, most: u32) -> String {
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
