//! When the contents of blocks will be used next, as an oracle knows it: for the order of eviction that no other one beats.
//!
//! A use is a prompt that has not joined a batch yet, or a turn that a paused session will come back with.

use base::Micros;
use base::lookup::LookupMap;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The name of a use: of a request or of a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Use {
    /// The request at this place of the scenario's list.
    Listed(u32),
    /// A request that was drawn, by its number.
    Drawn(u32),
    /// A pause, by a number of its own.
    Pause(u32),
}

/// What becomes known of uses, or over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UseNews {
    /// These blocks will be used then.
    Known {
        /// By whom.
        of: Use,
        /// When.
        at: Micros,
        /// Which contents.
        hashes: Vec<u64>,
    },
    /// It has come about, or never will.
    Over(Use),
}

/// The uses to come of all contents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uses {
    /// By content: its uses in order of time.
    by_hash: BTreeMap<u64, BTreeSet<(Micros, Use)>>,
    /// By use: when it is, and of which contents.
    known: BTreeMap<Use, (Micros, Vec<u64>)>,
}

impl Uses {
    /// Takes in what became known.
    pub(super) fn follow(&mut self, news: &UseNews) {
        match news {
            UseNews::Known { of, at, hashes } => {
                self.end(*of);
                for &hash in hashes {
                    self.by_hash.entry(hash).or_default().insert((*at, *of));
                }
                self.known.insert(*of, (*at, hashes.clone()));
            }
            UseNews::Over(of) => self.end(*of),
        }
    }

    fn end(&mut self, of: Use) {
        let Some((at, hashes)) = self.known.remove(&of) else { return };
        for hash in hashes {
            if let Some(uses) = self.by_hash.get_mut(&hash) {
                uses.remove(&(at, of));
                if uses.is_empty() {
                    self.by_hash.remove(&hash);
                }
            }
        }
    }

    /// When a content is used next; [`Micros::MAX`] if no use is known.
    pub(super) fn next(&self, hash: u64) -> Micros {
        let first = self.by_hash.get(&hash).and_then(BTreeSet::first);
        first.map_or(Micros::MAX, |(at, _)| *at)
    }
}

/// The block of those given that is used last, the first of equals.
pub(super) fn used_last(uses: &Uses, blocks: impl Iterator<Item = (u32, u64)>) -> Option<u32> {
    let mut best: Option<(Micros, u32)> = None;
    for (block, hash) in blocks {
        let next = uses.next(hash);
        if best.is_none_or(|(at, _)| next > at) {
            best = Some((next, block));
        }
        // None is used later.
        if next == Micros::MAX {
            break;
        }
    }
    best.map(|(_, block)| block)
}

/// Which contents continue which: how many of those known follow each.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Family {
    parents: LookupMap<u64, u64>,
    children: LookupMap<u64, u32>,
}

impl Family {
    /// A content that follows `parent` is known. The parent, if this is the first that follows it.
    pub(super) fn enter(&mut self, hash: u64, parent: u64) -> Option<u64> {
        if self.parents.insert(hash, parent).is_some() {
            return None;
        }
        let known = self.children.get(parent).unwrap_or(0);
        self.children.insert(parent, known + 1);
        (known == 0).then_some(parent)
    }

    /// A content is not known any more. What it followed, if nothing follows that now.
    pub(super) fn leave(&mut self, hash: u64) -> Option<u64> {
        let parent = self.parents.remove(hash)?;
        let known = self.children.get(parent).unwrap_or(1) - 1;
        if known > 0 {
            self.children.insert(parent, known);
            return None;
        }
        self.children.remove(parent);
        Some(parent)
    }

    /// Whether nothing that is known follows a content.
    pub(super) fn is_leaf(&self, hash: u64) -> bool {
        self.children.get(hash).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_is_used_next_by_the_earliest_who_has_not_joined() {
        let mut uses = Uses::default();
        let known = |of, at, hashes: &[u64]| UseNews::Known { of, at: Micros(at), hashes: hashes.to_vec() };
        uses.follow(&known(Use::Listed(0), 10, &[1, 3]));
        uses.follow(&known(Use::Drawn(0), 20, &[1]));
        uses.follow(&known(Use::Pause(0), 5, &[3]));
        assert_eq!([1, 3, 5].map(|hash| uses.next(hash)), [Micros(10), Micros(5), Micros::MAX]);
        assert_eq!(used_last(&uses, [(7, 1), (8, 5), (9, 5)].into_iter()), Some(8));
        uses.follow(&UseNews::Over(Use::Listed(0)));
        uses.follow(&UseNews::Over(Use::Pause(0)));
        assert_eq!([1, 3].map(|hash| uses.next(hash)), [Micros(20), Micros::MAX]);
        uses.follow(&UseNews::Over(Use::Drawn(0)));
        assert_eq!(uses, Uses::default());
    }

    #[test]
    fn a_content_is_a_leaf_while_nothing_known_follows_it() {
        let mut family = Family::default();
        assert_eq!(family.enter(3, 1), Some(1));
        assert_eq!((family.enter(5, 1), family.enter(5, 1)), (None, None));
        assert!(!family.is_leaf(1) && family.is_leaf(3));
        assert_eq!((family.leave(3), family.leave(3), family.leave(5)), (None, None, Some(1)));
        assert!(family.is_leaf(1));
    }
}
