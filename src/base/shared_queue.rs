//! A queue whose copies share what they have in common: entries come at its tail, go at its head, and never change in between.

use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::VecDeque;
use std::rc::Rc;

/// Entries of a piece.
const PIECE: usize = 256;

/// A queue in pieces. Written and read like a plain list.
#[derive(Clone, Debug)]
pub struct SharedQueue<T> {
    /// Full pieces, oldest first.
    pieces: VecDeque<Rc<Vec<T>>>,
    /// Entries of the oldest piece that have gone.
    gone: usize,
    /// The newest entries, fewer than a piece.
    tail: Vec<T>,
}

impl<T> Default for SharedQueue<T> {
    fn default() -> Self {
        Self { pieces: VecDeque::new(), gone: 0, tail: Vec::new() }
    }
}

impl<T> SharedQueue<T> {
    /// How many entries.
    pub fn len(&self) -> usize {
        self.pieces.len() * PIECE + self.tail.len() - self.gone
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Enters an entry at the tail.
    pub fn push(&mut self, entry: T) {
        self.tail.push(entry);
        if self.tail.len() == PIECE {
            let full = std::mem::replace(&mut self.tail, Vec::with_capacity(PIECE));
            self.pieces.push_back(Rc::new(full));
        }
    }

    /// Forgets the entry at the head; returns whether there was one.
    pub fn drop_first(&mut self) -> bool {
        if self.is_empty() {
            return false;
        }
        self.gone += 1;
        if self.pieces.is_empty() {
            // A queue so short that all of it is the tail.
            self.tail.drain(..std::mem::take(&mut self.gone));
        } else if self.gone == PIECE {
            self.pieces.pop_front();
            self.gone = 0;
        }
        true
    }

    /// All entries, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        let from = |piece: usize| if piece == 0 { self.gone } else { 0 };
        let full = self.pieces.iter().enumerate().flat_map(move |(i, piece)| &piece[from(i)..]);
        full.chain(&self.tail)
    }

    /// Bytes of the entries themselves in pieces that `other`, a later copy of this queue, does not share.
    pub fn bytes_beside(&self, other: Option<&Self>) -> u64 {
        let first = other.and_then(|other| other.pieces.front());
        let shared = first.and_then(|first| self.pieces.iter().rposition(|piece| Rc::ptr_eq(piece, first)));
        let own = shared.unwrap_or(self.pieces.len());
        ((own + 1) * PIECE * size_of::<T>()) as u64
    }
}

impl<T: Serialize> Serialize for SharedQueue<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut out = s.serialize_seq(Some(self.len()))?;
        for entry in self.iter() {
            out.serialize_element(entry)?;
        }
        out.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for SharedQueue<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let mut queue = Self::default();
        for entry in Vec::deserialize(d)? {
            queue.push(entry);
        }
        Ok(queue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_go_in_the_order_in_which_they_came() {
        for kept in [1, 10, PIECE, PIECE + 1, 3 * PIECE + 5] {
            let mut queue = SharedQueue::default();
            let mut plain = VecDeque::new();
            for i in 0..5 * PIECE {
                if queue.len() == kept {
                    assert!(queue.drop_first());
                    plain.pop_front();
                }
                queue.push(i);
                plain.push_back(i);
                assert_eq!(queue.len(), plain.len());
            }
            assert!(queue.iter().eq(&plain) && queue.iter().rev().eq(plain.iter().rev()));
            let text = serde_json::to_string(&queue).expect("numbers");
            assert_eq!(text, serde_json::to_string(&plain).expect("numbers"));
            let again: SharedQueue<usize> = serde_json::from_str(&text).expect("the same text");
            assert!(again.iter().eq(&plain));
            while queue.drop_first() {
                plain.pop_front();
                assert!(queue.iter().eq(&plain));
            }
            assert!(plain.is_empty() && queue.is_empty());
        }
    }

    #[test]
    fn a_copy_shares_the_pieces_that_both_still_have() {
        let mut queue = SharedQueue::default();
        (0..4 * PIECE as u32).for_each(|i| queue.push(i));
        let copy = queue.clone();
        let piece = 4 * PIECE as u64;
        assert_eq!(copy.bytes_beside(Some(&queue)), piece, "the tail");
        for i in 0..PIECE as u32 {
            queue.drop_first();
            queue.push(i);
        }
        assert_eq!(copy.bytes_beside(Some(&queue)), 2 * piece);
        assert_eq!(copy.bytes_beside(None), 5 * piece);
        assert_eq!(copy.iter().next(), Some(&0));
    }
}
