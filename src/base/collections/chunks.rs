//! A list that only grows, in pieces of equal length: adding an entry never copies the others, and never doubles the
//! memory.
//!
//! A copy of the list shares its pieces. A piece is copied when one of the lists changes it, so that a copy costs a
//! pointer for each piece, and unchanged pieces are stored once.

use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::{Index, IndexMut};
use std::rc::Rc;
use std::slice;

/// Entries of a piece, a power of two: few enough that a change copies little, enough that there are few pieces.
const PIECE: usize = 1 << 9;

/// A list in pieces. Compared, written and read like a plain list.
#[derive(Clone, Debug)]
pub struct Chunks<T> {
    /// All of the same length; entries beyond `len` in the last one are meaningless.
    pieces: Vec<Rc<[T]>>,
    len: usize,
}

impl<T> Default for Chunks<T> {
    fn default() -> Self {
        Self { pieces: Vec::new(), len: 0 }
    }
}

impl<T: PartialEq> PartialEq for Chunks<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other)
    }
}

impl<T: Eq> Eq for Chunks<T> {}

impl<T: Clone> Chunks<T> {
    /// Adds an entry at the end.
    pub fn push(&mut self, entry: T) {
        let place = self.len % PIECE;
        if place == 0 {
            self.pieces.push(std::iter::repeat_n(entry, PIECE).collect());
        } else {
            let last = self.pieces.last_mut().expect("a list that ends within a piece has one");
            Rc::make_mut(last)[place] = entry;
        }
        self.len += 1;
    }
}

impl<T> Chunks<T> {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// An entry by its position.
    pub fn get(&self, position: usize) -> Option<&T> {
        (position < self.len).then(|| &self.pieces[position / PIECE][position % PIECE])
    }

    /// The first entry.
    pub fn first(&self) -> Option<&T> {
        self.get(0)
    }

    /// The latest entry.
    pub fn last(&self) -> Option<&T> {
        self.get(self.len.wrapping_sub(1))
    }

    /// All entries in order.
    pub fn iter(&self) -> Iter<'_, T> {
        let entries: fn(&Rc<[T]>) -> slice::Iter<'_, T> = |piece| piece.iter();
        self.pieces.iter().flat_map(entries).take(self.len)
    }

    /// Bytes of the pieces that are not shared with `other`, a copy or the original of this list.
    pub fn bytes_beside(&self, other: Option<&Self>) -> u64 {
        let others = other.map_or(&[][..], |other| &other.pieces);
        let shared = self.pieces.iter().zip(others).filter(|(a, b)| Rc::ptr_eq(a, b)).count();
        ((self.pieces.len() - shared) * PIECE * size_of::<T>() + self.pieces.len() * size_of::<Rc<[T]>>())
            as u64
    }
}

/// All entries of a list in order.
pub type Iter<'a, T> = std::iter::Take<
    std::iter::FlatMap<slice::Iter<'a, Rc<[T]>>, slice::Iter<'a, T>, fn(&'a Rc<[T]>) -> slice::Iter<'a, T>>,
>;

impl<T> Index<usize> for Chunks<T> {
    type Output = T;

    #[inline]
    fn index(&self, position: usize) -> &T {
        assert!(position < self.len, "INV-6: entry {position} of a list of {}", self.len);
        &self.pieces[position / PIECE][position % PIECE]
    }
}

impl<T: Clone> IndexMut<usize> for Chunks<T> {
    #[inline]
    fn index_mut(&mut self, position: usize) -> &mut T {
        assert!(position < self.len, "INV-6: entry {position} of a list of {}", self.len);
        &mut Rc::make_mut(&mut self.pieces[position / PIECE])[position % PIECE]
    }
}

impl<'a, T> IntoIterator for &'a Chunks<T> {
    type Item = &'a T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Clone> FromIterator<T> for Chunks<T> {
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

impl<'de, T: Deserialize<'de> + Clone> Deserialize<'de> for Chunks<T> {
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
            let text = serde_json::to_string(&list).expect("numbers");
            assert_eq!(text, serde_json::to_string(&plain).expect("numbers"));
            assert_eq!(serde_json::from_str::<Chunks<usize>>(&text).expect("the same text"), list);
            if n > 0 {
                list[n - 1] = 1;
                assert_eq!(list.last(), Some(&1));
            }
        }
    }

    #[test]
    fn a_copy_shares_all_but_the_pieces_that_change() {
        let mut list: Chunks<u32> = (0..3 * PIECE as u32).collect();
        let copy = list.clone();
        let pointers = 3 * size_of::<Rc<[u32]>>() as u64;
        assert_eq!(list.bytes_beside(Some(&copy)), pointers);
        list[PIECE] = 7;
        assert_eq!((copy[PIECE], list[PIECE]), (PIECE as u32, 7));
        assert_eq!(copy.bytes_beside(Some(&list)), pointers + 4 * PIECE as u64);
        assert_eq!(copy.bytes_beside(None), pointers + 12 * PIECE as u64);
        list.push(1);
        assert_eq!((copy.len(), copy.get(3 * PIECE), list.last()), (3 * PIECE, None, Some(&1)));
    }
}
