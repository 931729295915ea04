//! The choice of the replica whose event runs next.

use base::Micros;
use serde::{Deserialize, Serialize};

/// The earliest of many instants, the lowest index among equals: a tournament tree, O(log n) to change one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tournament {
    /// Leaves start at `size`; node k is decided by 2k and 2k + 1.
    size: u32,
    winners: Vec<(Micros, u32)>,
}

impl Tournament {
    /// A tournament of `n` entrants, all at "never".
    pub(crate) fn new(n: usize) -> Self {
        let size = n.next_power_of_two().max(1);
        let mut t = Self { size: size as u32, winners: vec![(Micros::MAX, u32::MAX); 2 * size] };
        for i in 0..size {
            t.winners[size + i] = (Micros::MAX, i as u32);
        }
        for k in (1..size).rev() {
            t.winners[k] = t.earlier_child(k);
        }
        t
    }

    /// Sets the instant of entrant `i`.
    pub(crate) fn set(&mut self, i: usize, at: Micros) {
        let mut k = self.size as usize + i;
        if self.winners[k].0 == at {
            return;
        }
        let mut winner = (at, i as u32);
        self.winners[k] = winner;
        while k > 1 {
            let sibling = self.winners[k ^ 1];
            // At equal instants the left one wins, which is at an even node.
            if winner.0.0 + (k & 1) as u64 > sibling.0.0 {
                winner = sibling;
            }
            k /= 2;
            if self.winners[k] == winner {
                return;
            }
            self.winners[k] = winner;
        }
    }

    /// Who wins at node `k`. Lower indices are to the left, so instants alone decide.
    fn earlier_child(&self, k: usize) -> (Micros, u32) {
        let (left, right) = (self.winners[2 * k], self.winners[2 * k + 1]);
        if right.0 < left.0 { right } else { left }
    }

    /// The earliest instant and whose it is.
    pub(crate) fn winner(&self) -> (Micros, usize) {
        let (at, i) = self.winners[1];
        (at, i as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_index_wins_among_equals() {
        let mut t = Tournament::new(5);
        assert_eq!(t.winner().0, Micros::MAX);
        for (i, at) in [(4, 7), (1, 5), (3, 5), (0, 9)] {
            t.set(i, Micros(at));
        }
        assert_eq!(t.winner(), (Micros(5), 1));
        t.set(1, Micros(6));
        assert_eq!(t.winner(), (Micros(5), 3));
        t.set(3, Micros::MAX);
        assert_eq!(t.winner(), (Micros(6), 1));
    }
}
