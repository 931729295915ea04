//! What a cache had a while ago, for readers that see it late: the latest changes of its contents, in order.
//!
//! What it had at an instant is what it has now, without the changes since then. A change is kept for as long as some reader may
//! not see it, so this costs what changes within the delay, not what the cache has.

use base::lookup::LookupMap;
use base::{Micros, Span};
use serde::de::{Error, SeqAccess, Visitor};
use serde::ser::SerializeTuple;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::VecDeque;
use std::fmt;

/// A content came, or went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Change {
    at: Micros,
    hash: u64,
    /// When it was last used, if it went.
    gone: Option<Micros>,
    /// How many changes later the next one of this content is; 0 if there is none.
    next: u32,
}

/// What a cache had of a content a while ago.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// What it has now.
    AsNow,
    /// Nothing.
    Absent,
    /// It was there; when it was last used.
    There(Micros),
}

/// The latest changes of a cache's contents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Past {
    delay: Span,
    pub(super) now: Micros,
    changes: VecDeque<Change>,
    /// The number of the first of them.
    first: u64,
    /// By content: the numbers of its first and its last change.
    by_hash: LookupMap<u64, (u64, u64)>,
    /// The numbers of changes that are not seen until somebody says so, the last one exclusive.
    held: Option<(u64, u64)>,
}

impl Past {
    pub(super) fn new(delay: Span, now: Micros) -> Self {
        Self { delay, now, changes: VecDeque::new(), first: 0, by_hash: LookupMap::default(), held: None }
    }

    /// Approximate size of a copy in bytes.
    pub(super) fn bytes(&self) -> usize {
        40 * self.changes.len() + 32 * self.by_hash.len()
    }

    /// Readers see what it had that long ago.
    pub(super) fn set_delay(&mut self, delay: Span) {
        self.delay = delay;
    }

    /// The instant that is seen.
    pub(super) fn seen_at(&self, now: Micros) -> Micros {
        Micros(now.0.saturating_sub(self.delay.0))
    }

    /// A content came.
    pub(super) fn came(&mut self, hash: u64) {
        self.add(hash, None);
    }

    /// A content went that was last used then.
    pub(super) fn went(&mut self, hash: u64, used_at: Micros) {
        self.add(hash, Some(used_at));
    }

    fn add(&mut self, hash: u64, gone: Option<Micros>) {
        self.trim();
        let number = self.end();
        self.changes.push_back(Change { at: self.now, hash, gone, next: 0 });
        let first = match self.by_hash.get(hash) {
            Some((first, last)) => {
                let before = (last - self.first) as usize;
                self.changes[before].next = (number - last) as u32;
                first
            }
            None => number,
        };
        self.by_hash.insert(hash, (first, number));
    }

    /// The number of the next change.
    fn end(&self) -> u64 {
        self.first + self.changes.len() as u64
    }

    /// Changes that everybody sees are forgotten.
    fn trim(&mut self) {
        while self.changes.front().is_some_and(|change| self.is_seen(self.first, change, self.now)) {
            self.forget_first();
        }
    }

    fn forget_first(&mut self) {
        let Some(change) = self.changes.pop_front() else { return };
        match change.next {
            0 => self.by_hash.remove(change.hash),
            next => {
                let last = self.by_hash.get(change.hash).map_or(0, |(_, last)| last);
                self.by_hash.insert(change.hash, (self.first + u64::from(next), last))
            }
        };
        self.first += 1;
    }

    fn is_seen(&self, number: u64, change: &Change, now: Micros) -> bool {
        change.at.saturating_add(self.delay) <= now && self.held.is_none_or(|(from, _)| number < from)
    }

    /// What is seen of a content at `now`.
    pub(super) fn of(&self, hash: u64, now: Micros) -> Then {
        let Some((mut number, _)) = self.by_hash.get(hash) else { return Then::AsNow };
        loop {
            let change = &self.changes[(number - self.first) as usize];
            if !self.is_seen(number, change, now) {
                return change.gone.map_or(Then::Absent, Then::There);
            }
            if change.next == 0 {
                return Then::AsNow;
            }
            number += u64::from(change.next);
        }
    }

    /// The number of changes so far: those from here on are held back by [`Past::hold_from`].
    pub(super) fn mark(&self) -> u64 {
        self.end()
    }

    /// What changed since `mark` is not seen until [`Past::release`].
    pub(super) fn hold_from(&mut self, mark: u64) {
        let from = self.held.map_or(mark, |(from, _)| from);
        self.held = Some((from, self.end()));
    }

    /// Whether changes are held back.
    pub(super) fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// What was held back is seen from now on, and all that was before it.
    pub(super) fn release(&mut self) {
        if let Some((_, to)) = self.held.take() {
            while self.first < to && !self.changes.is_empty() {
                self.forget_first();
            }
        }
    }
}

/// A number, and the past of the cache that it is of, if some reader sees that late. In a snapshot the highest bit of the number says
/// whether a past follows: without one it looks as the number alone would.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct WithPast {
    pub(super) number: u64,
    pub(super) past: Option<Box<Past>>,
}

/// The bit.
const PAST: u64 = 1 << 63;

impl WithPast {
    /// Readers see the cache as it was that long ago, from `now` on.
    pub(super) fn see_late(&mut self, delay: Span, now: Micros) {
        if delay == Span::ZERO {
            self.past = None;
        } else {
            let past = self.past.get_or_insert_with(|| Box::new(Past::new(delay, now)));
            past.set_delay(delay);
        }
    }
}

impl Serialize for WithPast {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        assert!(self.number & PAST == 0, "INV-6: a number that a snapshot cannot say");
        let Some(past) = &self.past else { return self.number.serialize(to) };
        let mut both = to.serialize_tuple(2)?;
        both.serialize_element(&(self.number | PAST))?;
        both.serialize_element(past)?;
        both.end()
    }
}

impl<'de> Deserialize<'de> for WithPast {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        // Formats that say what follows have the number alone where there is no past.
        if from.is_human_readable() {
            return from.deserialize_any(BothVisitor);
        }
        from.deserialize_tuple(2, BothVisitor)
    }
}

struct BothVisitor;

impl<'de> Visitor<'de> for BothVisitor {
    type Value = WithPast;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, and perhaps a past")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<WithPast, E> {
        Ok(WithPast { number, past: None })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<WithPast, A::Error> {
        let missing = || A::Error::custom("a snapshot ends before a past");
        let number: u64 = all.next_element()?.ok_or_else(missing)?;
        let past = if number & PAST == 0 { None } else { Some(all.next_element()?.ok_or_else(missing)?) };
        Ok(WithPast { number: number & !PAST, past })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn past(delay: u64) -> Past {
        Past::new(Span(delay), Micros::ZERO)
    }

    fn at(past: &mut Past, now: u64) -> &mut Past {
        past.now = Micros(now);
        past
    }

    #[test]
    fn a_change_is_seen_when_it_is_as_old_as_the_delay() {
        let mut p = past(10);
        at(&mut p, 5).came(1);
        at(&mut p, 8).went(1, Micros(6));
        at(&mut p, 9).came(1);
        let seen = [14, 15, 17, 18, 19].map(|now| p.of(1, Micros(now)));
        let there = Then::There(Micros(6));
        assert_eq!(seen, [Then::Absent, there, there, Then::Absent, Then::AsNow]);
        assert_eq!(p.of(3, Micros(9)), Then::AsNow, "nothing changed");
        // A later change forgets what everybody sees.
        at(&mut p, 18).came(3);
        assert_eq!((p.changes.len(), p.first), (2, 2));
        assert_eq!([18, 19].map(|now| p.of(1, Micros(now))), [Then::Absent, Then::AsNow]);
        at(&mut p, 100).went(3, Micros(18));
        assert_eq!((p.changes.len(), p.by_hash.len()), (1, 1));
    }

    #[test]
    fn what_is_held_back_is_seen_when_it_is_released_and_later_changes_when_they_are_old_enough() {
        let mut p = past(10);
        at(&mut p, 1).came(1);
        at(&mut p, 20);
        let mark = p.mark();
        p.went(1, Micros(1));
        p.hold_from(mark);
        assert_eq!(p.of(1, Micros(1000)), Then::There(Micros(1)));
        at(&mut p, 30).came(3);
        p.release();
        assert_eq!(
            (p.of(1, Micros(31)), p.of(3, Micros(39)), p.of(3, Micros(40))),
            (Then::AsNow, Then::Absent, Then::AsNow)
        );
    }

    #[test]
    fn a_longer_delay_shows_what_is_still_known_and_a_shorter_one_what_is_newer() {
        let mut p = past(10);
        at(&mut p, 5).came(1);
        p.set_delay(Span(100));
        assert_eq!([15, 104, 105].map(|now| p.of(1, Micros(now))), [Then::Absent, Then::Absent, Then::AsNow]);
        p.set_delay(Span(2));
        assert_eq!([6, 7].map(|now| p.of(1, Micros(now))), [Then::Absent, Then::AsNow]);
    }

    #[test]
    fn a_snapshot_has_a_number_alone_as_it_always_was() {
        let mut all = WithPast { number: 300, past: None };
        assert_eq!(postcard::to_stdvec(&all).unwrap(), postcard::to_stdvec(&300_u64).unwrap());
        all.see_late(Span(7), Micros(3));
        all.past.as_mut().unwrap().came(9);
        let bytes = postcard::to_stdvec(&(&all, 5_u32)).unwrap();
        assert_eq!(postcard::from_bytes::<(WithPast, u32)>(&bytes).unwrap(), (all, 5));
        assert!(postcard::from_bytes::<WithPast>(&bytes[..3]).is_err());
    }
}
