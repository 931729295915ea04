//! A queue whose copies share common pieces: entries are added at its tail, removed at its head, and never change in
//! between.
//!
//! It is kept in pieces. A full piece can be packed: once, for the run and for all checkpoints, which keep only the
//! packed form. A run that was restored from a checkpoint unpacks a piece when it is read.

use crate::PACKS;
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cell::OnceCell;
use std::fmt::Debug;
use std::rc::Rc;

/// Entries that a queue can pack.
pub trait Entry: Sized {
    /// Packed entries.
    type Packed: ?Sized + Debug;
    /// Packs the entries of a piece.
    fn pack(piece: &[Self]) -> Rc<Self::Packed>;
    /// The entries that were packed.
    fn unpack(packed: &Self::Packed) -> Vec<Self>;
    /// About how many bytes they take.
    fn bytes(piece: &[Self]) -> u64;
    /// About how many bytes they take packed.
    fn packed_bytes(packed: &Self::Packed) -> u64;
}

/// Entries that stay as they are: plain, packed, or both.
#[derive(Debug)]
struct QueuePiece<T: Entry> {
    plain: OnceCell<Vec<T>>,
    packed: OnceCell<Rc<T::Packed>>,
}

impl<T: Entry> QueuePiece<T> {
    fn entries(&self) -> &[T] {
        if !PACKS {
            return self.plain.get().expect("INV-6: a packed piece");
        }
        self.plain.get_or_init(|| T::unpack(self.packed.get().expect("INV-6: a piece of a queue is missing")))
    }

    /// The same piece as a checkpoint keeps it, and as it is restored.
    fn at_rest(&self) -> Rc<Self> {
        let packed = self.packed.get_or_init(|| T::pack(self.entries())).clone();
        Rc::new(Self { plain: OnceCell::new(), packed: packed.into() })
    }

    fn shares(&self, other: &Self) -> bool {
        let both = self.packed.get().zip(other.packed.get());
        std::ptr::eq(self, other) || both.is_some_and(|(a, b)| Rc::ptr_eq(a, b))
    }

    /// Bytes of it that `other` does not share.
    fn bytes_beside(&self, other: Option<&Rc<Self>>) -> u64 {
        if other.is_some_and(|other| std::ptr::eq(self, &raw const **other)) {
            return 0;
        }
        let packed = self.packed.get().filter(|_| !other.is_some_and(|other| self.shares(other)));
        let packed = packed.map_or(0, |packed| T::packed_bytes(packed));
        packed
            + self.plain.get().map_or(0, |plain| T::bytes(plain))
            + size_of::<(Rc<Self>, [usize; 4], Self)>() as u64
    }
}

/// A queue in pieces of `PIECE` entries. Written and read like a plain list.
#[derive(Debug)]
pub struct SharedQueue<T: Entry, const PIECE: usize> {
    /// Full pieces, oldest first.
    pieces: Vec<Rc<QueuePiece<T>>>,
    /// Entries of the oldest piece that were removed.
    gone: usize,
    /// The newest entries, at most a piece; not empty unless the queue is.
    tail: Vec<T>,
    /// The packed tail, while kept in a checkpoint.
    packed_tail: Option<Rc<T::Packed>>,
    /// Memory of a removed piece, for the next one.
    spare: Vec<T>,
}

impl<T: Entry, const PIECE: usize> Default for SharedQueue<T, PIECE> {
    fn default() -> Self {
        Self { pieces: Vec::new(), gone: 0, tail: Vec::new(), packed_tail: None, spare: Vec::new() }
    }
}

impl<T: Entry + Clone, const PIECE: usize> Clone for SharedQueue<T, PIECE> {
    fn clone(&self) -> Self {
        let (pieces, tail) = (self.pieces.clone(), self.tail.clone());
        let packed_tail = self.packed_tail.clone();
        Self { pieces, gone: self.gone, tail, packed_tail, spare: Vec::new() }
    }
}

impl<T: Entry, const PIECE: usize> SharedQueue<T, PIECE> {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.pieces.len() * PIECE + self.tail.len() - self.gone
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.tail.is_empty()
    }

    /// Adds an entry at the tail.
    #[inline]
    pub fn push(&mut self, entry: T) {
        if self.tail.len() == PIECE {
            self.begin_piece();
        }
        self.tail.push(entry);
    }

    #[cold]
    fn begin_piece(&mut self) {
        let mut empty = std::mem::take(&mut self.spare);
        empty.reserve_exact(PIECE);
        let full = std::mem::replace(&mut self.tail, empty);
        self.pieces.push(Rc::new(QueuePiece { plain: full.into(), packed: OnceCell::new() }));
    }

    /// The entry at a position; its piece is unpacked.
    pub fn get(&self, at: usize) -> Option<&T> {
        let at = at + self.gone;
        match self.pieces.get(at / PIECE) {
            Some(piece) => piece.entries().get(at % PIECE),
            None => self.tail.get(at - self.pieces.len() * PIECE),
        }
    }

    /// The entry at the tail, which may still change.
    pub fn last_mut(&mut self) -> Option<&mut T> {
        self.tail.last_mut()
    }

    /// The entry at the tail.
    pub fn last(&self) -> Option<&T> {
        self.tail.last()
    }

    /// Removes the entry at the head; returns whether there was one.
    #[inline]
    pub fn drop_first(&mut self) -> bool {
        if self.is_empty() {
            return false;
        }
        self.gone += 1;
        if self.gone == PIECE || self.pieces.is_empty() {
            self.drop_gone();
        }
        true
    }

    #[cold]
    fn drop_gone(&mut self) {
        let gone = std::mem::take(&mut self.gone);
        if self.pieces.is_empty() {
            // A queue so short that all of it is the tail.
            self.tail.drain(..gone);
        } else {
            let first = Rc::into_inner(self.pieces.remove(0));
            self.spare = first.and_then(|piece| piece.plain.into_inner()).unwrap_or_default();
            self.spare.clear();
        }
    }

    /// All entries, oldest first. Those that are not taken are not unpacked.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        (0..self.len()).filter_map(|at| self.get(at))
    }

    fn rest(&mut self) {
        for piece in &mut self.pieces {
            *piece = piece.at_rest();
        }
    }

    /// Keeps only packed pieces, which all copies share, and a packed tail, until [`unpack`](Self::unpack). The single
    /// last entry, which may still change, stays unpacked.
    pub fn pack(&mut self) {
        self.rest();
        if PIECE > 1 {
            self.packed_tail = Some(T::pack(&std::mem::take(&mut self.tail)));
        }
    }

    /// Restores the entries; pieces are unpacked when they are read.
    pub fn unpack(&mut self) {
        // Unpacked pieces do not belong to the checkpoint.
        self.rest();
        if let Some(tail) = self.packed_tail.take() {
            self.tail = T::unpack(&tail);
        }
    }

    /// Bytes that are not shared with `later`, which continued from a copy of this queue.
    pub fn bytes_beside(&self, later: Option<&Self>) -> u64 {
        // Common pieces have the same order in both.
        let theirs = later.map_or(&[][..], |later| &later.pieces);
        let first = theirs.first().and_then(|first| self.pieces.iter().position(|piece| piece.shares(first)));
        let mut bytes = self.packed_tail.as_ref().map_or(T::bytes(&self.tail), |tail| T::packed_bytes(tail));
        for (i, piece) in self.pieces.iter().enumerate() {
            let theirs = first.and_then(|first| theirs.get(i.checked_sub(first)?));
            bytes += piece.bytes_beside(theirs);
        }
        bytes
    }
}

impl<T: Entry + Serialize, const PIECE: usize> Serialize for SharedQueue<T, PIECE> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut out = s.serialize_seq(Some(self.len()))?;
        for entry in self.iter() {
            out.serialize_element(entry)?;
        }
        out.end()
    }
}

impl<'de, T: Entry + Deserialize<'de>, const PIECE: usize> Deserialize<'de> for SharedQueue<T, PIECE> {
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
    use crate::bits::{BitReader, BitWriter};
    use std::collections::VecDeque;

    const PIECE: usize = 256;

    impl Entry for u64 {
        type Packed = [u64];

        fn pack(piece: &[Self]) -> Rc<[u64]> {
            let mut out = BitWriter::default();
            out.push_list(piece);
            out.finish().into()
        }

        fn unpack(packed: &[u64]) -> Vec<Self> {
            BitReader::new(packed).take_list()
        }

        fn bytes(piece: &[Self]) -> u64 {
            8 * piece.len() as u64
        }

        fn packed_bytes(packed: &[u64]) -> u64 {
            8 * packed.len() as u64
        }
    }

    type Queue = SharedQueue<u64, PIECE>;

    /// Entry number `i`, different from all others.
    fn entry(i: u64) -> u64 {
        i.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn filled(entries: u64) -> Queue {
        let mut queue = Queue::default();
        (0..entries).for_each(|i| queue.push(entry(i)));
        queue
    }

    /// Removes as many entries as it adds.
    fn go_on(queue: &mut Queue, entries: u64) {
        for i in 0..entries {
            queue.drop_first();
            queue.push(entry(i));
        }
    }

    fn packed(queue: &Queue) -> Queue {
        let mut copy = queue.clone();
        copy.pack();
        copy
    }

    fn restored(packed: &Queue) -> Queue {
        let mut copy = packed.clone();
        copy.unpack();
        copy
    }

    /// How many pieces are unpacked.
    fn plain(queue: &Queue) -> usize {
        queue.pieces.iter().filter(|piece| piece.plain.get().is_some()).count()
    }

    #[test]
    fn entries_leave_in_the_order_of_arrival() {
        for kept in [1, 10, PIECE, PIECE + 1, 3 * PIECE + 5] {
            let mut queue = Queue::default();
            let mut plain = VecDeque::new();
            for i in 0..5 * PIECE as u64 {
                if queue.len() == kept {
                    assert_eq!(queue.get(0), plain.front());
                    assert!(queue.drop_first());
                    plain.pop_front();
                }
                queue.push(i);
                plain.push_back(i);
                assert_eq!((queue.len(), queue.last()), (plain.len(), Some(&i)));
                if i % 97 == 0 {
                    queue = restored(&packed(&queue));
                }
            }
            assert!(queue.iter().eq(&plain) && queue.iter().rev().eq(plain.iter().rev()));
            let text = serde_json::to_string(&queue).expect("numbers");
            assert_eq!(text, serde_json::to_string(&plain).expect("numbers"));
            let again: Queue = serde_json::from_str(&text).expect("the same text");
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
        let mut queue = filled(4 * PIECE as u64);
        let copy = queue.clone();
        let piece = 8 * PIECE as u64;
        assert_eq!(copy.bytes_beside(Some(&queue)), piece, "the tail");
        go_on(&mut queue, PIECE as u64 + 1);
        let own = copy.bytes_beside(Some(&queue));
        assert!((2 * piece..2 * piece + 100).contains(&own), "{own}");
        let all = copy.bytes_beside(None);
        assert!((4 * piece..4 * piece + 300).contains(&all), "{all}");
        assert_eq!(copy.iter().next(), Some(&0));
    }

    #[test]
    fn a_piece_is_packed_once_for_all_copies_even_after_one_was_restored() {
        const FEW: u64 = 100;
        let mut queue = filled(20 * PIECE as u64);
        let checkpoints = [0; 4].map(|_| {
            go_on(&mut queue, PIECE as u64);
            let checkpoint = packed(&queue);
            queue = restored(&checkpoint);
            checkpoint
        });
        for (older, newer) in checkpoints.iter().zip(&checkpoints[1..]) {
            let same = older.pieces.iter().skip(1).zip(&newer.pieces).filter(|(a, b)| a.shares(b)).count();
            assert_eq!((same, plain(older)), (18, 0));
            let beside = [older.bytes_beside(Some(newer)), older.bytes_beside(None)];
            assert!(2 * beside[0] < beside[1], "{beside:?}");
        }
        let last = &checkpoints[3];
        assert!(last.bytes_beside(Some(&queue)) < last.bytes_beside(None) / 2 + FEW);
    }

    #[test]
    fn only_what_is_read_is_unpacked() {
        let checkpoint = packed(&filled(10 * PIECE as u64));
        let mut queue = restored(&checkpoint);
        assert_eq!((plain(&queue), queue.len()), (0, 10 * PIECE));
        let last = 10 * PIECE as u64 - 1;
        assert_eq!(queue.iter().next_back(), Some(&entry(last)));
        assert_eq!(plain(&queue), 0, "the tail");
        assert_eq!(queue.iter().rev().nth(PIECE), Some(&entry(last - PIECE as u64)));
        assert_eq!(plain(&queue), 1);
        (0..3).for_each(|_| assert!(queue.drop_first()));
        assert_eq!((queue.get(0), plain(&queue)), (Some(&entry(3)), 2));
        assert_eq!(plain(&checkpoint), 0);
        assert_eq!(checkpoint.bytes_beside(None), packed(&restored(&checkpoint)).bytes_beside(None));
    }
}
