//! A place as readers see it that learn of its contents late.

use super::Place;
use crate::kv::past::Then;
use base::{Micros, Span};

/// Stands among the contents for the place being down. Hashes of blocks are odd.
const DOWN: u64 = 0;

impl Place {
    /// Readers see the contents as they were that long ago, from `now` on; 0: as they are.
    pub fn see_late(&mut self, delay: Span, now: Micros) {
        self.down.see_late(delay, now);
    }

    /// Whether readers see a block at `now`; where they see the present, one that was not used for too long goes now.
    pub fn shows(&mut self, hash: u64, now: Micros) -> bool {
        let Some(past) = &self.down.past else { return self.finds(hash, now) };
        let was_down = match past.of(DOWN, now) {
            Then::AsNow => self.is_down(),
            Then::Absent => false,
            Then::There(_) => true,
        };
        let used_at = match past.of(hash, now) {
            Then::AsNow => self.by_hash.get(hash).map(|at| self.items[at as usize]),
            Then::Absent => return false,
            Then::There(used_at) => return !was_down && self.is_kept(used_at, past.seen_at(now)),
        };
        let used_at = used_at.filter(|item| item.ready).map(|item| item.used_at);
        !was_down && used_at.is_some_and(|used_at| self.is_kept(used_at, past.seen_at(now)))
    }

    fn is_kept(&self, used_at: Micros, at: Micros) -> bool {
        let ttl = self.settings.ttl;
        ttl == Span::ZERO || used_at >= at || at.since(used_at) <= ttl
    }

    pub(super) fn note_down(&mut self, is_down: bool, now: Micros) {
        if is_down == self.is_down() {
            return;
        }
        self.down.number = is_down.into();
        if let Some(past) = &mut self.down.past {
            past.now = now;
            if is_down { past.came(DOWN) } else { past.went(DOWN, now) }
        }
    }

    pub(super) fn note_came(&mut self, hash: u64, now: Micros) {
        if let Some(past) = &mut self.down.past {
            past.now = now;
            past.came(hash);
        }
    }

    /// The contents of an item go.
    pub(super) fn note_went(&mut self, at: u32, now: Micros) {
        let item = self.items[at as usize];
        if let Some(past) = self.down.past.as_mut().filter(|_| item.ready) {
            past.now = now;
            past.went(item.hash, item.used_at);
        }
    }

    pub(super) fn note_empty(&mut self, now: Micros) {
        if self.down.past.is_some() {
            for (_, at) in self.by_hash.sorted() {
                self.note_went(at, now);
            }
        }
    }
}
