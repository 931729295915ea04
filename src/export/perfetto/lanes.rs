//! Lanes that are packed: each gets the first that is free.

use base::Micros;
use std::collections::BTreeSet;

/// Lanes of one kind of one process.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed {
    free: BTreeSet<u32>,
    /// Lanes that will be free, and from when on.
    later: BTreeSet<(Micros, u32)>,
    lanes: u32,
}

impl Packed {
    /// Takes the first lane that is free.
    pub(super) fn take(&mut self, now: Micros) -> u32 {
        while let Some(&(at, lane)) = self.later.first().filter(|(at, _)| *at <= now) {
            self.later.remove(&(at, lane));
            self.free.insert(lane);
        }
        self.free.pop_first().unwrap_or_else(|| {
            self.lanes += 1;
            self.lanes - 1
        })
    }

    /// The lane is free from that instant on.
    pub(super) fn release(&mut self, lane: u32, at: Micros) {
        self.later.insert((at, lane));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_takes_the_first_lane_that_is_free() {
        let mut packed = Packed::default();
        let at = Micros;
        assert_eq!([0, 0, 1].map(|t| packed.take(at(t))), [0, 1, 2]);
        packed.release(1, at(5));
        packed.release(0, at(9));
        assert_eq!(packed.take(at(4)), 3, "none is free yet");
        assert_eq!([5, 9].map(|t| packed.take(at(t))), [1, 0]);
    }
}
