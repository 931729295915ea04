//! A list in order of last use, with look-up by key: a hash map beside a doubly linked list in one vector. Entries
//! without a key can only age.

use base::lookup::LookupMap;
use serde::{Deserialize, Serialize};

/// No index: the end of the list.
const NONE: u32 = u32::MAX;

/// The key of an entry that cannot be looked up.
pub(super) const NO_KEY: u64 = 0;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Node {
    key: u64,
    value: u32,
    newer: u32,
    older: u32,
}

/// Entries in order of last use.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Lru {
    nodes: Vec<Node>,
    vacant: Vec<u32>,
    by_key: LookupMap<u64, u32>,
    newest: u32,
    oldest: u32,
}

impl Default for Lru {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            vacant: Vec::new(),
            by_key: LookupMap::default(),
            newest: NONE,
            oldest: NONE,
        }
    }
}

impl Lru {
    /// Approximate size of a copy in bytes.
    pub(super) fn bytes(&self) -> u64 {
        (self.nodes.len() * (size_of::<Node>() + 24)) as u64
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len() - self.vacant.len()
    }

    /// The value of `key`; look-up does not count as use.
    pub(super) fn get(&self, key: u64) -> Option<u32> {
        self.by_key.get(key).map(|at| self.nodes[at as usize].value)
    }

    /// Makes `key` the newest with this value. Returns whether it is new.
    pub(super) fn put(&mut self, key: u64, value: u32) -> bool {
        if key != NO_KEY
            && let Some(at) = self.by_key.get(key)
        {
            self.unlink(at);
            self.nodes[at as usize].value = value;
            self.link_newest(at);
            return false;
        }
        let node = Node { key, value, newer: NONE, older: NONE };
        let at = if let Some(at) = self.vacant.pop() {
            self.nodes[at as usize] = node;
            at
        } else {
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        };
        self.link_newest(at);
        if key != NO_KEY {
            self.by_key.insert(key, at);
        }
        true
    }

    /// The key and a mutable reference to the value of the oldest entry.
    pub(super) fn oldest_mut(&mut self) -> Option<(u64, &mut u32)> {
        let node = self.nodes.get_mut(self.oldest as usize)?;
        Some((node.key, &mut node.value))
    }

    /// The key and a mutable reference to the value of the newest entry.
    pub(super) fn newest_mut(&mut self) -> Option<(u64, &mut u32)> {
        let node = self.nodes.get_mut(self.newest as usize)?;
        Some((node.key, &mut node.value))
    }

    /// Removes the oldest entry and returns its key and value.
    pub(super) fn pop_oldest(&mut self) -> Option<(u64, u32)> {
        let at = self.oldest;
        let Node { key, value, .. } = *self.nodes.get(at as usize)?;
        self.unlink(at);
        self.vacant.push(at);
        if key != NO_KEY {
            self.by_key.remove(key);
        }
        Some((key, value))
    }

    fn unlink(&mut self, at: u32) {
        let Node { newer, older, .. } = self.nodes[at as usize];
        if newer == NONE {
            self.newest = older;
        } else {
            self.nodes[newer as usize].older = older;
        }
        if older == NONE {
            self.oldest = newer;
        } else {
            self.nodes[older as usize].newer = newer;
        }
    }

    fn link_newest(&mut self, at: u32) {
        let before = self.newest;
        let node = &mut self.nodes[at as usize];
        node.newer = NONE;
        node.older = before;
        if before == NONE {
            self.oldest = at;
        } else {
            self.nodes[before as usize].newer = at;
        }
        self.newest = at;
    }
}

/// Two lists are equal if they hold the same entries in the same order, wherever they are stored.
impl PartialEq for Lru {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.entries().eq(other.entries())
    }
}

impl Lru {
    /// Keys and values, the oldest first.
    fn entries(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        let mut at = self.oldest;
        std::iter::from_fn(move || {
            let node = self.nodes.get(at as usize)?;
            at = node.newer;
            Some((node.key, node.value))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_goes_first_and_looking_is_not_use() {
        let mut lru = Lru::default();
        for key in 1..=4 {
            assert!(lru.put(key, key as u32 * 10));
        }
        assert!(!lru.put(2, 21));
        assert_eq!(lru.get(1), Some(10));
        assert!(lru.put(NO_KEY, 7));
        assert_eq!(lru.get(NO_KEY), None);
        let order: Vec<_> = std::iter::from_fn(|| lru.pop_oldest()).collect();
        assert_eq!(order, [(1, 10), (3, 30), (4, 40), (2, 21), (NO_KEY, 7)]);
        assert_eq!((lru.len(), lru.get(3)), (0, None));
        lru.put(9, 1);
        assert_eq!(lru.entries().collect::<Vec<_>>(), [(9, 1)]);
    }
}
