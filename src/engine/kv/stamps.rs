//! When blocks came on the free list: an instant for each stretch of it, entered as a request releases its blocks.
//!
//! Only pictures of single blocks read it. Where nothing shows them it keeps nothing and costs nothing.

use base::Micros;
use base::bits::{BitReader, BitWriter};
use serde::{Deserialize, Serialize};
#[cfg(any(feature = "cli", feature = "closeup"))]
use std::collections::VecDeque;

/// An instant at which blocks were released.
#[cfg(any(feature = "cli", feature = "closeup"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    /// The place of the first of them on the free list.
    pub(super) place: u32,
    pub(super) at: Micros,
    /// Blocks evicted from the cache up to then.
    pub(super) evicted: u64,
}

/// The stamps of a free list, in order of place. The first one can begin before the head.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamps {
    #[cfg(any(feature = "cli", feature = "closeup"))]
    kept: VecDeque<Stamp>,
}

#[cfg(any(feature = "cli", feature = "closeup"))]
impl Stamps {
    /// What is entered at the place `tail` from now on is released at `at`. The list begins at the place `head`.
    pub(super) fn mark(&mut self, [head, tail]: [u32; 2], at: Micros, evicted: u64) {
        let passed = |stamp: &Stamp| head.wrapping_sub(stamp.place) < 1 << 31;
        while self.kept.get(1).is_some_and(passed) {
            self.kept.pop_front();
        }
        match self.kept.back_mut() {
            Some(last) if last.at == at => {}
            Some(last) if last.place == tail => (last.at, last.evicted) = (at, evicted),
            Some(_) | None => self.kept.push_back(Stamp { place: tail, at, evicted }),
        }
    }

    /// Holes of the list are about to be closed; `slots` are its entries, with whether each is a hole, from the place `head` on.
    pub(super) fn close(&mut self, head: u32, slots: impl Iterator<Item = bool>) {
        let (mut slots, mut passed, mut gone) = (slots, 0, 0);
        for stamp in &mut self.kept {
            let at = stamp.place.wrapping_sub(head);
            if at >= 1 << 31 {
                continue;
            }
            while passed < at {
                passed += 1;
                gone += u32::from(slots.next().unwrap_or_default());
            }
            stamp.place = stamp.place.wrapping_sub(gone);
        }
        let later = |i: usize| self.kept.get(i + 1).map(|next| next.place);
        let keep: Vec<Stamp> = (0..self.kept.len())
            .filter(|&i| later(i) != Some(self.kept[i].place))
            .map(|i| self.kept[i])
            .collect();
        self.kept = keep.into();
    }

    /// All of them, in order of place.
    pub(super) fn all(&self) -> impl DoubleEndedIterator<Item = Stamp> + '_ {
        self.kept.iter().copied()
    }

    pub(super) fn write(&self, out: &mut BitWriter) {
        out.push_number(self.kept.len() as u32);
        let mut before = Stamp { place: 0, at: Micros::ZERO, evicted: 0 };
        for stamp in &self.kept {
            out.push_number(stamp.place.wrapping_sub(before.place));
            for span in [stamp.at.0 - before.at.0, stamp.evicted - before.evicted] {
                out.push_number(span as u32);
                out.push_number((span >> 32) as u32);
            }
            before = *stamp;
        }
    }

    pub(super) fn read(from: &mut BitReader) -> Self {
        let count = from.take_number();
        let mut before = Stamp { place: 0, at: Micros::ZERO, evicted: 0 };
        let mut next = || {
            let place = before.place.wrapping_add(from.take_number());
            let [at, evicted] =
                [0, 1].map(|_| u64::from(from.take_number()) | u64::from(from.take_number()) << 32);
            before = Stamp { place, at: Micros(before.at.0 + at), evicted: before.evicted + evicted };
            before
        };
        Self { kept: (0..count).map(|_| next()).collect() }
    }

    /// About how many bytes they take.
    pub(super) fn bytes(&self) -> usize {
        self.kept.len() * size_of::<Stamp>()
    }
}

#[cfg(not(any(feature = "cli", feature = "closeup")))]
impl Stamps {
    pub(super) fn mark(&mut self, _: [u32; 2], _: Micros, _: u64) {}

    pub(super) fn close(&mut self, _: u32, _: impl Iterator<Item = bool>) {}

    pub(super) fn write(&self, _: &mut BitWriter) {}

    pub(super) fn read(_: &mut BitReader) -> Self {
        Self {}
    }

    pub(super) fn bytes(&self) -> usize {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(stamps: &Stamps) -> Vec<(u32, u64)> {
        stamps.all().map(|s| (s.place, s.at.0)).collect()
    }

    #[test]
    fn a_stamp_goes_when_the_head_has_passed_its_stretch() {
        let mut stamps = Stamps::default();
        let head = u32::MAX - 1;
        stamps.mark([head, head], Micros(10), 0);
        stamps.mark([head, head.wrapping_add(3)], Micros(20), 1);
        // Nothing was entered in between: the later one takes its place.
        stamps.mark([head, head.wrapping_add(3)], Micros(30), 1);
        // The second release of one instant.
        stamps.mark([head, head.wrapping_add(5)], Micros(30), 1);
        assert_eq!(places(&stamps), [(head, 10), (1, 30)]);
        stamps.mark([0, 6], Micros(40), 2);
        assert_eq!(places(&stamps), [(head, 10), (1, 30), (6, 40)]);
        stamps.mark([1, 7], Micros(50), 2);
        assert_eq!(places(&stamps), [(1, 30), (6, 40), (7, 50)]);
    }

    #[test]
    fn stamps_follow_their_entries_as_holes_close() {
        let mut stamps = Stamps::default();
        for (tail, at) in [(100, 1), (104, 2), (106, 3), (108, 4)] {
            stamps.mark([100, tail], Micros(at), 0);
        }
        // The head is at 102 now; 104 and 105 are holes, and so is 107.
        let holes = [false, false, true, true, false, true, false];
        stamps.close(102, holes.into_iter());
        assert_eq!(places(&stamps), [(100, 1), (104, 3), (105, 4)]);
    }

    #[test]
    fn stamps_are_read_as_they_were_written() {
        let mut stamps = Stamps::default();
        stamps.mark([u32::MAX, u32::MAX], Micros(7), 3);
        stamps.mark([u32::MAX, 40], Micros(1 << 40), 1 << 35);
        let mut out = BitWriter::default();
        stamps.write(&mut out);
        let bits = out.finish();
        assert_eq!(Stamps::read(&mut BitReader::new(&bits)), stamps);
    }
}
