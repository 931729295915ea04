//! A list that only grows, in pieces of equal length: adding to it never copies what is there, and never needs room for twice of it.

use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::{Index, IndexMut};

/// Entries of a piece, a power of two.
const PIECE: usize = 1 << 12;

/// A list in pieces. Compared, written and read like a plain list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunks<T> {
    /// All but the last are full.
    pieces: Vec<Vec<T>>,
    len: usize,
}

impl<T> Default for Chunks<T> {
    fn default() -> Self {
        Self { pieces: Vec::new(), len: 0 }
    }
}

impl<T> Chunks<T> {
    /// Adds an entry at the end.
    pub fn push(&mut self, entry: T) {
        if self.len.is_multiple_of(PIECE) {
            self.pieces.push(Vec::with_capacity(PIECE));
        }
        self.pieces[self.len / PIECE].push(entry);
        self.len += 1;
    }

    /// How many entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// An entry by its position.
    pub fn get(&self, position: usize) -> Option<&T> {
        self.pieces.get(position / PIECE)?.get(position % PIECE)
    }

    /// The first entry.
    pub fn first(&self) -> Option<&T> {
        self.get(0)
    }

    /// The latest entry.
    pub fn last(&self) -> Option<&T> {
        self.pieces.last()?.last()
    }

    /// All entries in order.
    pub fn iter(&self) -> Iter<'_, T> {
        self.pieces.iter().flatten()
    }

    /// The entries from `start` on, before `end`.
    pub fn range(&self, start: usize, end: usize) -> impl Iterator<Item = &T> {
        (start..end).map(|position| &self[position])
    }
}

/// All entries of a list in order.
pub type Iter<'a, T> = std::iter::Flatten<std::slice::Iter<'a, Vec<T>>>;

impl<T> Index<usize> for Chunks<T> {
    type Output = T;

    #[inline]
    fn index(&self, position: usize) -> &T {
        &self.pieces[position / PIECE][position % PIECE]
    }
}

impl<T> IndexMut<usize> for Chunks<T> {
    #[inline]
    fn index_mut(&mut self, position: usize) -> &mut T {
        &mut self.pieces[position / PIECE][position % PIECE]
    }
}

impl<'a, T> IntoIterator for &'a Chunks<T> {
    type Item = &'a T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> FromIterator<T> for Chunks<T> {
    fn from_iter<I: IntoIterator<Item = T>>(entries: I) -> Self {
        let mut list = Self::default();
        for entry in entries {
            list.push(entry);
        }
        list
    }
}

impl<T: Serialize> Serialize for Chunks<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut out = s.serialize_seq(Some(self.len))?;
        for entry in self {
            out.serialize_element(entry)?;
        }
        out.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Chunks<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Vec::deserialize(d).map(|entries: Vec<T>| entries.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_in_pieces_is_the_list() {
        for n in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 7] {
            let plain: Vec<usize> = (0..n).map(|i| i * 7).collect();
            let mut list: Chunks<usize> = plain.iter().copied().collect();
            assert_eq!((list.len(), list.is_empty()), (plain.len(), plain.is_empty()));
            assert_eq!((list.first(), list.last(), list.get(n)), (plain.first(), plain.last(), None));
            assert!(list.iter().eq(&plain) && (0..n).all(|i| list[i] == plain[i]));
            assert!(list.range(n / 3, n).eq(&plain[n / 3..]));
            let text = serde_json::to_string(&list).expect("numbers");
            assert_eq!(text, serde_json::to_string(&plain).expect("numbers"));
            assert_eq!(serde_json::from_str::<Chunks<usize>>(&text).expect("the same text"), list);
            if n > 0 {
                list[n - 1] = 1;
                assert_eq!(list.last(), Some(&1));
            }
        }
    }
}
