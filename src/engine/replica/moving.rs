//! Requests between their prefill replica and their home, as each of the two has them.

use super::front_end::Delivery;
use super::state::Replica;
use super::stranded::{HeldKv, Stranded};
use super::waiting::view_of;
use super::world::World;
use crate::clock::ReplicaEvent;
use crate::facts::{HandoverFact, Sink};
use crate::request::{Record, Remote, Slab, Slot};
use base::Micros;
use serde::{Deserialize, Serialize};

/// What a replica has of requests that are prefilled here and decoded elsewhere, or the other way round.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Moving {
    /// Requests that are prefilled or decoded here for or by another replica and have not landed: by the epoch of roles in which they
    /// were routed, how many; the earliest first.
    duties: Vec<(u32, u32)>,
    /// Bound for here and in none of its lists: their prefill is under way elsewhere, or waits for blocks at home.
    pub(crate) bound: u32,
    /// At home: blocks are set aside, the KV is not here. In order of reservation.
    pub(crate) incoming: Vec<Slot>,
    /// At home: the KV is here, and they are not in the batch. In order of landing.
    pub(crate) landed: Vec<Slot>,
    /// Prefilled here: their blocks are held until the landing. In order of the prefill's end.
    pub(crate) outgoing: Vec<Slot>,
    /// Joined the batch from `landed` with the running step, and have no token of it yet.
    pub(crate) joined: Vec<Slot>,
    /// Blocks of `incoming` with those that were cached.
    pub(crate) reserved_blocks: u32,
    /// Blocks of `outgoing`.
    pub(crate) held_blocks: u32,
    /// Prefills passed on so far.
    pub(crate) handed_over: u32,
    /// Blocks opened for transfers so far.
    pub(crate) received_blocks: u64,
    /// Sum of the times to first token that this replica had for the prefills it passed on.
    pub(crate) ttft_sum: u64,
    /// Prompt tokens of requests prefilled elsewhere that joined the wait queue.
    pub(crate) prompt_tokens: u64,
    /// Prefilled here for homes that are lost: their blocks are held until their leases are over. In order of stranding.
    pub(crate) stranded: Vec<Stranded>,
    /// Blocks that were stranded here, times microseconds, without those that are.
    pub(crate) stranded_block_us: u64,
    /// When requests last came to the head of the queue because their KV was lost, and how many at that instant.
    pub(crate) recovered: (Micros, u32),
}

impl Moving {
    /// A request of that epoch is routed that has this replica as one of its two.
    pub(crate) fn take_duty(&mut self, epoch: u32) {
        match self.duties.last_mut() {
            Some((latest, count)) if *latest == epoch => *count += 1,
            Some(_) | None => self.duties.push((epoch, 1)),
        }
    }

    /// It has landed, or has left. Whether others waited for it that were routed later.
    pub(crate) fn end_duty(&mut self, epoch: u32) -> bool {
        let at = self.duties.iter().position(|&(of, _)| of == epoch);
        let at = at.expect("INV-9: a hand-over ends that this replica has no part in");
        self.duties[at].1 -= 1;
        let is_over = self.duties[at].1 == 0;
        if is_over {
            self.duties.remove(at);
        }
        is_over && at == 0 && !self.duties.is_empty()
    }

    /// Requests that have this replica as one of their two and have not landed.
    pub(crate) fn on_duty(&self) -> u32 {
        self.duties.iter().map(|(_, count)| count).sum()
    }

    /// Whether requests outside the batch hold blocks.
    pub(crate) fn hold_blocks(&self) -> bool {
        let lists = [&self.incoming, &self.landed, &self.outgoing];
        !(lists.iter().all(|list| list.is_empty()) && self.stranded.is_empty())
    }

    /// Requests that count as the replica's own and are in neither its queue nor its batch.
    pub(crate) fn in_flight(&self) -> u32 {
        self.bound + (self.incoming.len() + self.landed.len()) as u32
    }
}

impl Replica {
    /// Requests whose blocks are set aside here and whose KV is not here yet.
    pub fn incoming(&self) -> u32 {
        self.moving.incoming.len() as u32
    }

    /// Requests whose KV is here and that wait for the next step.
    pub fn landed(&self) -> u32 {
        self.moving.landed.len() as u32
    }

    /// Requests prefilled here whose blocks are held until their KV is at home.
    pub fn outgoing(&self) -> u32 {
        self.moving.outgoing.len() as u32
    }

    /// Requests bound for here that wait or are prefilled elsewhere.
    pub fn bound(&self) -> u32 {
        self.moving.bound
    }

    /// Blocks set aside for requests on their way here, with those of their prompts that were cached.
    pub fn reserved_blocks(&self) -> u32 {
        self.moving.reserved_blocks
    }

    /// Blocks held for requests on their way to their homes.
    pub fn held_blocks(&self) -> u32 {
        self.moving.held_blocks
    }

    /// Prefills passed on so far.
    pub fn handed_over(&self) -> u32 {
        self.moving.handed_over
    }

    /// Blocks opened for transfers so far.
    pub fn received_blocks(&self) -> u64 {
        self.moving.received_blocks
    }

    /// Requests set aside or landed here whose client waits no longer give back their blocks, and are in no list any more.
    pub(super) fn forget_moving<S: Sink>(&mut self, slot: Slot, now: Micros, w: &mut World<'_, S>) {
        let before = self.moving.landed.len();
        self.moving.landed.retain(|&other| other != slot);
        let blocks = if self.moving.landed.len() < before {
            self.direct(slot, w.active);
            let active = &mut w.active[slot];
            let blocks = active.block_table.len();
            self.kv.own().release(&mut active.block_table, active.progress, now);
            self.release_states(slot, now, w.active);
            blocks
        } else {
            self.give_up_incoming(slot, now, w.active)
        };
        let (request, replica) = (w.active[slot].id, self.id);
        w.sink.fact(now, HandoverFact::GivenUp { request, replica, blocks }.into());
    }

    /// What is set aside for a request that is in the system goes back. How many blocks.
    pub(super) fn give_up_incoming(&mut self, slot: Slot, now: Micros, slab: &mut Slab) -> u32 {
        let states = self.states_of(&slab[slot]);
        let active = &mut slab[slot];
        let request = active.id;
        let remote = active.remote.as_mut().expect("INV-9: blocks set aside for a request that is here");
        self.give_up_reserved(HeldKv { request, slot, tokens: 0, states }, remote, now)
    }

    /// The same of a request that may have left. Only the blocks that it found here have contents.
    pub(crate) fn give_up_reserved(&mut self, kv: HeldKv, remote: &mut Remote, now: Micros) -> u32 {
        let HeldKv { request, slot, states, .. } = kv;
        let at = self.moving.incoming.iter().position(|&other| other == slot);
        self.moving.incoming.remove(at.expect("INV-9: blocks set aside for a request in no list"));
        let blocks = remote.reserved.len();
        self.moving.reserved_blocks -= blocks;
        let stored = remote.cached * self.kv.block_tokens();
        self.direct_leading(&remote.reserved, remote.cached, request, now);
        self.kv.own().release(&mut remote.reserved, stored, now);
        self.kv.own().release_states(states, now);
        remote.is_reserved = false;
        blocks
    }

    /// What is held for a request goes back, and what it wants kept of it takes effect: it has landed, or has left. How many
    /// blocks.
    pub(crate) fn release_held(&mut self, held: HeldKv, remote: &mut Remote, now: Micros) -> u32 {
        let HeldKv { request, slot, tokens, states } = held;
        let at = self.moving.outgoing.iter().position(|&other| other == slot);
        self.moving.outgoing.remove(at.expect("INV-9: blocks held for a request in no list"));
        let blocks = remote.held.len();
        self.moving.held_blocks -= blocks;
        self.direct_leading(&remote.held, blocks, request, now);
        self.forget_wishes(request);
        self.kv.own().release(&mut remote.held, tokens, now);
        self.kv.own().release_states(states, now);
        blocks
    }

    /// The KV of a request is here: it waits for the next step as a decoder.
    pub(crate) fn receive(&mut self, slot: Slot, mut remote: Remote, record: &Record, slab: &mut Slab) {
        let at = self.moving.incoming.iter().position(|&other| other == slot);
        self.moving.incoming.remove(at.expect("INV-9: a landing where nothing is set aside"));
        self.moving.reserved_blocks -= remote.reserved.len();
        self.moving.landed.push(slot);
        let active = &mut slab[slot];
        let stored = active.prompt_tokens - 1 + remote.ahead;
        if self.kv.caching() && !active.chained {
            let block = self.kv.block_tokens();
            active.chain = active.text.chain(block, active.prompt_tokens.min(active.shareable) / block);
        }
        self.kv.own().receive(&mut remote.reserved, remote.cached, stored, &active.chain);
        active.block_table = remote.reserved;
        (active.prefill, active.progress, active.computed) = (stored, stored, stored);
        active.chain = Vec::new();
        if remote.push {
            // If it is preempted, it waits here again: by the order of this replica, not of the one that it came from.
            let view = view_of(active, record);
            active.urgency = if active.urged { active.urgency } else { self.priority.of(&view) };
            active.position = self.scheduler.position(&view, active.urgency);
        }
    }

    /// The router has bound a request for here, which can be prefilled now: it was tokenised as soon as it was routed.
    pub(crate) fn deliver_since(&mut self, delivery: Delivery, slab: &Slab, routed: Micros) {
        let Delivery { slot, now, timeout } = delivery;
        let prompt_tokens = slab[slot].prompt_tokens;
        self.arriving += 1;
        let ready = routed.saturating_add(self.model.queueing(prompt_tokens));
        let tokenised = self.tokenise(prompt_tokens, now).unwrap_or(now);
        let queued = tokenised.max(ready);
        self.events.schedule(queued, ReplicaEvent::Queued(slot));
        self.expect_timeout(&slab[slot], queued, timeout);
    }

    /// Whether a request has to wait for those that were routed before roles or the hand-over changed: it takes no blocks here before they
    /// have landed. The roles of one epoch make no circle of replicas that wait for each other, those of two can.
    pub(super) fn waits_for_earlier(&self, slot: Slot, slab: &Slab) -> bool {
        let earliest = self.moving.duties.first().map(|(epoch, _)| *epoch);
        let own = slab[slot].remote.as_ref().map(|remote| remote.epoch);
        own.zip(earliest).is_some_and(|(own, earliest)| own > earliest)
    }

    /// A step begins at `now` if none is under way and there is something to do.
    pub(crate) fn wake_for_work(&mut self, now: Micros) {
        if !self.waiting.is_empty() || !self.moving.landed.is_empty() {
            self.wake(now);
        }
    }
}
