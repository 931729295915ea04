//! Sessions of a trace: which rows belong to one session, by a common name or by a chain in which each turn names the
//! one before.

use base::lookup::LookupMap;

/// The session of a row: digests of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// The name of its session, or of its turn in a session.
    pub(super) name: u64,
    /// The name of the turn before.
    pub(super) before: Option<u64>,
}

/// A row without a session.
const ALONE: u32 = u32::MAX;

/// The sessions of a trace while it is read. Links may come in any order: sets of names are joined when a link
/// connects them.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    /// The set of each name.
    sets: LookupMap<u64, u32>,
    /// For each set the one it was joined to, or itself.
    joined_to: Vec<u32>,
    /// The set of each row. Empty while no row has one.
    rows: Vec<u32>,
}

impl Sessions {
    /// The set of a row's session; rows that are left out later still link their neighbours.
    pub(super) fn link(&mut self, link: Option<Link>) -> u32 {
        let Some(Link { name, before }) = link else { return ALONE };
        let set = self.set_of(name);
        if let Some(before) = before {
            let (a, b) = (self.set_of(before), self.find(set));
            self.joined_to[a.max(b) as usize] = a.min(b);
        }
        set
    }

    /// Whether any row has a session.
    pub(super) fn any(&self) -> bool {
        !self.rows.is_empty()
    }

    /// Sets the set of row number `row`.
    pub(super) fn push(&mut self, row: usize, set: u32) {
        if set != ALONE || !self.rows.is_empty() {
            self.rows.resize(row, ALONE);
            self.rows.push(set);
        }
    }

    /// Numbers of the sessions of all `rows` rows in the order of `order` (without it, in the order of the file):
    /// from 1 in that order, 0 for a row without a session. Empty if no row has one.
    pub(super) fn numbers(mut self, rows: usize, order: Option<&[u32]>) -> Vec<u32> {
        if self.rows.is_empty() {
            return Vec::new();
        }
        self.rows.resize(rows, ALONE);
        let mut numbers = vec![0; self.joined_to.len()];
        let mut next = 0;
        (0..rows)
            .map(|i| {
                let set = self.rows[order.map_or(i, |order| order[i] as usize)];
                if set == ALONE {
                    return 0;
                }
                let number = &mut numbers[self.find(set) as usize];
                if *number == 0 {
                    next += 1;
                    *number = next;
                }
                *number
            })
            .collect()
    }

    fn set_of(&mut self, name: u64) -> u32 {
        if let Some(set) = self.sets.get(name) {
            return self.find(set);
        }
        let set = self.joined_to.len() as u32;
        self.sets.insert(name, set);
        self.joined_to.push(set);
        set
    }

    /// The root of the sets joined with `set`; halves the path to it.
    fn find(&mut self, mut set: u32) -> u32 {
        while self.joined_to[set as usize] != set {
            let up = self.joined_to[set as usize];
            self.joined_to[set as usize] = self.joined_to[up as usize];
            set = up;
        }
        set
    }
}
