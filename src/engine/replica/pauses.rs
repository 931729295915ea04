//! What a replica does for sessions between their turns: it keeps what they want kept, and gives up what they no longer need.

use super::state::Replica;
use super::world::World;
use crate::facts::Sink;
use crate::kv::{BlockTable, Use, UseNews};
use crate::request::{Slab, Slot, Turn, scope_of};
use base::{Micros, RequestId, Span};

impl Replica {
    /// What a request wants kept takes effect, as it is about to release its blocks.
    pub(super) fn direct(&mut self, slot: Slot, slab: &Slab) {
        if self.kv.has_order() {
            let active = &slab[slot];
            self.kv.own().direct(&active.block_table, active.block_table.len(), active.id.0);
        }
    }

    /// The same of the first blocks that a request holds outside the batch, perhaps in an event of another replica.
    pub(super) fn direct_leading(
        &mut self,
        table: &BlockTable,
        blocks: u32,
        request: RequestId,
        now: Micros,
    ) {
        if self.kv.has_order() {
            self.tell_time(now);
            self.kv.own().direct(table, blocks, request.0);
        }
    }

    /// What a request wants kept stays longer in the stores too that it is written to and that pin softly. A priority of 0 asks for nothing there.
    pub(super) fn tell_pins<S: Sink>(&mut self, slot: Slot, w: &World<'_, S>) {
        let (Some(life), Some(lower)) = (&w.life, &w.lower) else { return };
        if !(0..lower.tiers(self.id)).any(|tier| lower.pins_softly(self.id, tier)) {
            return;
        }
        let active = &w.active[slot];
        let keeper = life.keeper_of(active.id, w.records.here(active.id));
        if keeper.directives.iter().all(|d| d.priority == 0) {
            return;
        }
        let block = self.kv.block_tokens();
        let chain = active.text.chain(block, active.text.len() / block);
        let wanted = (0..).zip(chain).filter_map(|(k, hash)| {
            let directive = keeper.of_block(k, block).filter(|d| d.priority > 0)?;
            Some((hash, directive.duration.unwrap_or(Span(u64::MAX))))
        });
        let wanted: Vec<(u64, Span)> = wanted.collect();
        self.kv.own().tell_pins(active.id.0, &wanted);
    }

    /// A request has left: what it wanted kept is no longer asked for.
    pub(super) fn forget_keeper<S: Sink>(&mut self, request: RequestId, w: &mut World<'_, S>) {
        self.forget_wishes(request);
        if let Some(life) = w.life.as_deref_mut() {
            life.left(request, w.records.here(request));
        }
    }

    /// A request has nothing here any more: what it wanted kept is no longer asked for here.
    pub(crate) fn forget_wishes(&mut self, request: RequestId) {
        if self.kv.has_wishes() {
            self.kv.own().forget_keeper(request.0);
        }
    }

    /// A request joins a batch for the first time: oracles wait for it no more. A home that looks for its blocks after the prefill
    /// still does.
    pub(super) fn note_used<S: Sink>(&mut self, slot: Slot, w: &mut World<'_, S>) {
        let active = &w.active[slot];
        let is_looked_for = active.remote.as_ref().is_some_and(|remote| remote.seeks_room_later());
        self.note_use_over(active.id, is_looked_for, w);
    }

    /// A request has found its blocks at home: oracles wait for it no more, unless its prefill follows.
    pub(super) fn note_reserved<S: Sink>(&mut self, slot: Slot, w: &mut World<'_, S>) {
        let active = &w.active[slot];
        let is_looked_for = active.remote.as_ref().is_some_and(|remote| remote.push);
        self.note_use_over(active.id, is_looked_for, w);
    }

    /// The use of blocks here by a request is over; that elsewhere too, unless it is looked for there.
    fn note_use_over<S: Sink>(&mut self, request: RequestId, is_looked_for: bool, w: &mut World<'_, S>) {
        let Some(life) = w.life.as_deref_mut() else { return };
        let record = w.records.here(request);
        if !is_looked_for {
            life.used(request, record);
        }
        if self.kv.follows_uses() {
            let of = if record.is_listed() { Use::Listed(record.listed) } else { Use::Drawn(request.0) };
            self.kv.own().follow_uses(&UseNews::Over(of));
        }
    }

    /// A request is complete, and its blocks are released: a turn of its session, if it has one.
    pub(super) fn note_turn<S: Sink>(&mut self, slot: Slot, now: Micros, w: &mut World<'_, S>) {
        let Some(life) = w.life.as_deref_mut() else { return };
        let active = &w.active[slot];
        let (request, record) = (active.id, w.records.here(active.id));
        let stored = active.prompt_tokens + active.tokens_due() - 1;
        if self.kv.has_order() && life.rules_of(record).is_some_and(|rules| rules.supersede) {
            let block = self.kv.block_tokens();
            let context = active.text.chain(block, stored / block);
            self.kv.own().supersede(scope_of(request, record.session), &context);
        }
        let handover = w.handovers.get(request).filter(|h| h.prefill_end.is_known() && !h.lost.is_known());
        let prefilled_by = handover.and_then(|h| h.prefill).unwrap_or(self.id);
        life.completed((request, record), (&active.text, stored), (self.id, prefilled_by), now);
    }

    /// A turn whose prompt was computed here is complete elsewhere.
    pub(crate) fn supersede(&mut self, turn: &Turn) {
        if self.kv.has_order() {
            let block = self.kv.block_tokens();
            let context = turn.text.chain(block, turn.stored / block);
            self.kv.own().supersede(scope_of(turn.request, turn.session), &context);
        }
    }

    /// A session has been idle for long.
    pub(crate) fn demote(&mut self, turn: &Turn) {
        if self.kv.has_order() {
            let block = self.kv.block_tokens();
            self.kv.own().demote(&turn.text.chain(block, turn.stored / block));
        }
    }
}
