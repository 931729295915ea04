//! What a replica does for sessions between their turns: it keeps what they want kept, and gives up what they no longer need.

use super::state::Replica;
use super::world::World;
use crate::facts::Sink;
use crate::kv::{Use, UseNews};
use crate::request::{Slab, Slot, Turn, scope_of};
use base::{Micros, RequestId, Span};

impl Replica {
    /// What a request wants kept takes effect, as it is about to release its blocks.
    pub(super) fn direct(&mut self, slot: Slot, slab: &Slab) {
        if self.kv.has_order() {
            self.kv.own().direct(&slab[slot].block_table, slab[slot].id.0);
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
        if self.kv.has_wishes() {
            self.kv.own().forget_keeper(request.0);
        }
        if let Some(life) = w.life.as_deref_mut() {
            life.left(request, w.records.here(request));
        }
    }

    /// A request joins a batch for the first time: oracles wait for it no more.
    pub(super) fn note_used<S: Sink>(&mut self, request: RequestId, w: &mut World<'_, S>) {
        let Some(life) = w.life.as_deref_mut() else { return };
        let record = w.records.here(request);
        life.used(request, record);
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
        life.completed((request, record), (&active.text, stored), self.id, now);
    }

    /// A session has been idle for long.
    pub(crate) fn demote(&mut self, turn: &Turn) {
        if self.kv.has_order() {
            let block = self.kv.block_tokens();
            self.kv.own().demote(&turn.text.chain(block, turn.stored / block));
        }
    }
}
