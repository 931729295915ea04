//! Flows of a replica to and from the tiers below CPU memory: what sets out, and what becomes of it at their ends.

use super::state::Replica;
use super::world::World;
use crate::facts::{FlowKind, FlowOutcome, Sink, TierNews};
use crate::network::Flow;
use crate::request::PrefetchOutcome;
use base::{Micros, Span};

impl Replica {
    /// A flow of this replica has ended. Its writes go on with what waits.
    pub(crate) fn flow_ended<S: Sink>(
        &mut self,
        flow: &Flow,
        has_landed: bool,
        now: Micros,
        w: &mut World<'_, S>,
    ) {
        match (flow.kind, flow.request) {
            (FlowKind::Prefetch(prefetch), _) => {
                self.end_prefetch_to_cpu(prefetch, &flow.hashes, has_landed, now, w);
            }
            (FlowKind::Write, _) | (FlowKind::Read, None) => {
                self.kv.own().end_write(flow.tier);
                self.flush_tier(flow.tier, now, w);
            }
            (FlowKind::Read, Some(request)) => {
                let slot = w.records.here(request).slot;
                if self.kv.has_cpu_tier() {
                    self.fetched(slot, flow, has_landed, now, w);
                } else {
                    self.came(slot, flow, has_landed, now, w);
                }
            }
        }
    }

    /// What waits to be written below sets out, at the end of a step.
    pub(crate) fn flush<S: Sink>(&mut self, now: Micros, w: &mut World<'_, S>) {
        for tier in self.kv.due_writes() {
            self.flush_tier(tier, now, w);
        }
    }

    /// One write at a time for each tier, with all that waits.
    pub(crate) fn flush_tier<S: Sink>(&mut self, tier: u32, now: Micros, w: &mut World<'_, S>) {
        let Some(lower) = w.lower.as_mut() else { return };
        if !self.kv.due_writes().contains(&tier) {
            return;
        }
        let kv = self.kv.own();
        let mut batch = Vec::new();
        let pins = lower.pins_softly(self.id, tier);
        for hash in kv.take_outbox(tier) {
            let Some(place) = lower.place_mut(self.id, tier) else { break };
            let pin = if pins { kv.pin_of(tier, hash) } else { Span::ZERO };
            if place.is_down() {
                place.refuse();
            } else if let Some(ready) = place.has_room_for(hash) {
                if ready {
                    place.promise(hash, now);
                }
                place.pin(hash, now.saturating_add(pin));
            } else if place.put(hash, now) {
                place.pin(hash, now.saturating_add(pin));
                batch.push(hash);
                continue;
            }
            kv.unpost(tier, hash);
        }
        if !batch.is_empty() {
            kv.begin_write(tier, batch.clone());
            let flow = lower.start((FlowKind::Write, None), (self.id, tier), batch, now);
            w.sink.tiers(now, flow.news());
        }
    }

    /// The replica is lost: all its flows end, and nothing of what they carried is there.
    pub(crate) fn lose_flows<S: Sink>(&mut self, now: Micros, w: &mut World<'_, S>) {
        let Some(lower) = w.lower.as_mut() else { return };
        let own = |flow: &&Flow| flow.replica == self.id;
        let numbers: Vec<u32> = lower.flows().iter().filter(own).map(|flow| flow.number).collect();
        for number in numbers {
            let flow = w.end_flow(number, false, now);
            if let Some((lower, flow)) = w.lower.as_mut().zip(flow) {
                lower.count_failed(&flow);
                if let (FlowKind::Prefetch(prefetch), Some(life)) = (flow.kind, w.life.as_deref_mut()) {
                    life.row(prefetch).outcome = PrefetchOutcome::Failed;
                    life.row(prefetch).done = now.into();
                }
            }
            w.sink.tiers(now, TierNews::FlowEnded { flow: number, outcome: FlowOutcome::Failed });
        }
        for reading in self.loads.readings.values_mut() {
            reading.flows.clear();
        }
    }
}
