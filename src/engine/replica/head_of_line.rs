//! Facts that change nothing: head-of-line blocking in the wait queue, and reloads from the CPU tier that came too early.

use super::state::Replica;
use super::waiting::Left;
use super::world::World;
use crate::facts::{CacheFact, Sink};
use crate::request::Slot;
use base::Micros;

/// How many requests behind the head are looked at.
const LOOKED_AT: usize = 16;

impl Replica {
    /// The request at place `at` of the queue, the next to join, finds too few blocks for its next chunk. Reports it with the
    /// first behind it that would fit without any cached block.
    pub(crate) fn report_blocked<S: Sink>(
        &mut self,
        at: usize,
        left: Left,
        now: Micros,
        w: &mut World<'_, S>,
    ) {
        let slot = self.waiting[at];
        if !w.sink.wants_blocked_heads() || self.reported_blocked == slot {
            return;
        }
        let block = self.kv.block_tokens();
        let beside = self.kept_free(left);
        let fits = |other: &Slot| {
            let other = &w.active[*other];
            let chunk = self.limits.chunk(other.prefill).min(left.budget);
            self.must_fit(other, chunk).div_ceil(block) + beside + self.states_of(other) <= self.kv.free()
        };
        let behind = self.waiting.iter().skip(at + 1).take(LOOKED_AT).copied().find(fits);
        if let Some(behind) = behind {
            self.reported_blocked = slot;
            let (request, behind) = (w.active[slot].id, w.active[behind].id);
            w.sink.fact(now, CacheFact::HeadBlocked { request, behind, replica: self.id }.into());
        }
    }

    /// In a full batch there is no place whatever blocks are free: the head of the queue blocks no other request.
    pub(crate) fn report_unblocked<S: Sink>(&mut self, now: Micros, w: &mut World<'_, S>) {
        if self.reported_blocked != Slot::NONE && self.running >= self.limits.max_num_seqs {
            let request = w.active[self.reported_blocked].id;
            self.reported_blocked = Slot::NONE;
            w.sink.fact(now, CacheFact::HeadUnblocked { request, replica: self.id }.into());
        }
    }

    /// The request at `slot` has looked for room; before that, `early` blocks had ever been reloaded right after they were
    /// copied down.
    pub(crate) fn report_early_reloads<S: Sink>(
        &self,
        slot: Slot,
        early: u64,
        now: Micros,
        w: &mut World<'_, S>,
    ) {
        let blocks = (self.kv.tier_counts().thrash - early) as u32;
        if blocks > 0 {
            let request = w.active[slot].id;
            w.sink.fact(now, CacheFact::ReloadedEarly { request, replica: self.id, blocks }.into());
        }
    }
}
