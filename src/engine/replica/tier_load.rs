//! Loads from the CPU tier: a waiting request asks for blocks when its turn comes, and waits for them in its place in the
//! queue, while others go on.
//!
//! As in vLLM a request has its blocks from the moment it asks, but it is not in the batch: it neither counts among
//! `max_num_seqs` nor uses any of the token budget, and is never preempted. Once its blocks have come it is the first to
//! join. Where nothing else could go on, it gives them back: to the only request that runs, and to one before it in the
//! queue of an empty replica.

use super::reading::Reading;
use super::state::Replica;
use super::world::World;
use crate::clock::ReplicaEvent;
use crate::facts::{CacheFact, Sink, TierNews};
use crate::kv::Hit;
use crate::request::{ActiveRequest, Load, Location, Slab, Slot};
use base::lookup::LookupMap;
use base::{Micros, RequestId, Span};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// The loads of one replica.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Loads {
    /// The requests that load, in the order in which the link serves them; [`Slot::NONE`] for a load that was given up.
    link_queue: VecDeque<Slot>,
    /// Requests that wait for blocks.
    under_way: u32,
    /// Requests in the queue that have got theirs.
    done: u32,
    /// Free blocks kept for the next chunks of both.
    kept: u32,
    /// Requests that wait for blocks on their way to CPU memory.
    pub(super) fetching: u32,
    /// What requests in the queue have read from below CPU memory.
    pub(super) readings: BTreeMap<RequestId, Reading>,
    /// Blocks on their way to the GPU where there is no CPU tier.
    pub(super) coming: LookupMap<u64, u32>,
}

impl Loads {
    /// Requests that wait for blocks.
    pub(crate) fn under_way(&self) -> u32 {
        self.under_way
    }

    /// Blocks come from CPU memory for a request whose other blocks come from another replica.
    pub(super) fn expect_at_home(&mut self) {
        self.link_queue.push_back(Slot::NONE);
    }

    /// Whether the link brings something.
    pub(super) fn brings(&self) -> bool {
        !self.link_queue.is_empty()
    }

    /// Requests that wait for blocks on their way to CPU memory.
    pub(crate) fn fetching(&self) -> u32 {
        self.fetching
    }

    /// Requests in the queue that hold blocks.
    pub(crate) fn holders(&self) -> u32 {
        self.under_way + self.done
    }

    /// Free blocks kept for the next chunks of requests that loaded: no other request joins with them.
    pub(crate) fn kept(&self) -> u32 {
        self.kept
    }

    /// A request whose load is done joins the batch, or gives its blocks back; `kept` more were kept for it.
    pub(crate) fn forget_done(&mut self, kept: u32) {
        self.done -= 1;
        self.kept -= kept;
    }
}

/// What a request waits for that has its blocks.
#[derive(Clone, Copy)]
pub(super) struct Expected {
    /// The number of the first block whose contents come.
    pub from: u32,
    /// How many these are.
    pub blocks: u32,
    /// The tokens that the request will have with its next chunk.
    pub end: u32,
    /// When they are expected.
    pub until: Micros,
}

impl Replica {
    /// A waiting request gets the blocks it has found: those of `hit`, and those in the CPU tier, whose contents it asks
    /// for; with its next chunk it will have `end` tokens. Returns whether the contents are there at once.
    pub(crate) fn begin_load<S: Sink>(
        &mut self,
        slot: Slot,
        (hit, blocks): (Hit, u32),
        end: u32,
        now: Micros,
        w: &mut World<'_, S>,
    ) -> bool {
        let active = &mut w.active[slot];
        let chain = &active.chain[..(hit.blocks + blocks) as usize];
        let until = self.kv.own().begin_load(&mut active.block_table, (chain, hit.blocks), now);
        if until > now {
            self.loads.link_queue.push_back(slot);
            self.events.schedule(until, ReplicaEvent::Loaded);
            self.wait_for_load(slot, Expected { from: hit.blocks, blocks, end, until }, now, w);
            return false;
        }
        self.kv.own().finish_load(&mut active.block_table, chain, hit.blocks);
        self.kv.own().waited_for_load(Span::ZERO);
        let (request, replica, urgency) = (active.id, self.id, active.urgency);
        w.loads.insert(request, [now, until]);
        let class = w.records.here(request).class;
        w.sink.fact(now, CacheFact::LoadStarted { request, replica, class, urgency, blocks, until }.into());
        w.sink.fact(now, CacheFact::Loaded { request, replica, class, urgency, blocks }.into());
        true
    }

    /// A request that has its blocks waits for the contents of some of them.
    pub(super) fn wait_for_load<S: Sink>(
        &mut self,
        slot: Slot,
        expected: Expected,
        now: Micros,
        w: &mut World<'_, S>,
    ) {
        let Expected { from, blocks, end, until } = expected;
        let active = &mut w.active[slot];
        let (request, replica, urgency) = (active.id, self.id, active.urgency);
        let record = w.records.here_mut(request);
        w.loads.insert(request, [now, until]);
        let held = active.block_table.len();
        let kept = end.div_ceil(self.kv.block_tokens()) - held;
        active.load = Load::UnderWay { from, kept };
        self.kv.own().hold_for_load(held, now);
        record.relocate(Location::Loading(replica), w.locations);
        self.loads.kept += kept;
        self.loads.under_way += 1;
        let class = record.class;
        w.sink.fact(now, CacheFact::LoadStarted { request, replica, class, urgency, blocks, until }.into());
    }

    /// The link has brought what was asked of it first.
    pub(crate) fn finish_load<S: Sink>(&mut self, now: Micros, w: &mut World<'_, S>) {
        let slot = self.loads.link_queue.pop_front().expect("INV-4: blocks came that no request asked for");
        if slot != Slot::NONE {
            self.end_load_of(slot, now, w);
        } else if self.awaits_read(now, w) {
            self.wake(now);
        }
    }

    /// All that a request waited for is there.
    pub(super) fn end_load_of<S: Sink>(&mut self, slot: Slot, now: Micros, w: &mut World<'_, S>) {
        let active = &mut w.active[slot];
        let Load::UnderWay { from, kept } = active.load else {
            panic!("INV-2: blocks came for {:?}, which waits for none", active.id)
        };
        let held = active.block_table.len();
        self.kv.own().finish_load(&mut active.block_table, &active.chain[..held as usize], from);
        active.load = Load::Done { from, kept };
        self.loads.under_way -= 1;
        self.loads.done += 1;
        let (request, replica, urgency) = (active.id, self.id, active.urgency);
        if let Some([asked, _]) = w.loads.get(&request) {
            self.kv.own().waited_for_load(now.since(*asked));
        }
        let record = w.records.here_mut(request);
        record.relocate(Location::Queue(replica), w.locations);
        let class = record.class;
        w.sink.fact(now, CacheFact::Loaded { request, replica, class, urgency, blocks: held - from }.into());
        self.wake(now);
    }

    /// The place in the queue of the first whose load is done and whose adapter may join.
    pub(crate) fn first_loaded(&self, slab: &Slab) -> Option<usize> {
        if self.loads.done == 0 {
            return None;
        }
        let ready = |slot| matches!(slab[slot].load, Load::Done { .. }) && !self.lacks_slot(slot, slab);
        self.waiting.iter().position(|&slot| ready(slot))
    }

    /// Of those in the queue from place `first` on, the last that holds blocks gives them back to `to`. False if there is
    /// none.
    pub(crate) fn take_back<S: Sink>(
        &mut self,
        first: usize,
        to: Slot,
        now: Micros,
        w: &mut World<'_, S>,
    ) -> bool {
        if self.loads.holders() == 0 {
            return false;
        }
        let behind = self.waiting.iter().skip(first);
        let holds = |slot: Slot| matches!(w.active[slot].load, Load::UnderWay { .. } | Load::Done { .. });
        let last = behind.rev().find(|&&slot| slot != to && holds(slot));
        let Some(&slot) = last else { return false };
        self.give_back(slot, now, w);
        true
    }

    /// A waiting request leaves, or is to begin anew: it gives back the blocks of its load, and nothing is kept or on its way for
    /// it.
    pub(crate) fn give_up_reads<S: Sink>(&mut self, slot: Slot, now: Micros, w: &mut World<'_, S>) {
        self.give_back(slot, now, w);
        self.forget_reading(slot, now, w);
    }

    /// A waiting request gives back the blocks of its load, if it has any: it will look for them again.
    pub(crate) fn give_back<S: Sink>(&mut self, slot: Slot, now: Micros, w: &mut World<'_, S>) {
        let active = &w.active[slot];
        let (request, mut known) = (active.id, active.block_table.tokens());
        let held = active.block_table.len();
        let loaded = match active.load {
            Load::None | Load::Fetching => return,
            Load::Done { from, kept } => {
                self.loads.forget_done(kept);
                held - from
            }
            Load::UnderWay { from, kept } => {
                self.loads.under_way -= 1;
                self.loads.kept -= kept;
                let awaited = &active.chain[from as usize..active.block_table.len() as usize];
                if self.kv.has_cpu_tier() {
                    let queued = self.loads.link_queue.iter_mut().find(|s| **s == slot);
                    *queued.expect("INV-4: a load that the link does not know") = Slot::NONE;
                } else {
                    for &hash in awaited {
                        self.loads.coming.remove(hash);
                    }
                }
                self.kv.own().end_load(awaited);
                known = from * self.kv.block_tokens();
                w.records.here_mut(request).relocate(Location::Queue(self.id), w.locations);
                self.stop_flows(request, now, w);
                held - from
            }
        };
        self.kv.own().let_go_after_load(held, loaded, now);
        self.direct(slot, w.active);
        let active = &mut w.active[slot];
        active.load = Load::None;
        let blocks = active.block_table.len();
        self.kv.own().release(&mut active.block_table, known, now);
        if let Some(&[asked, until]) = w.loads.get(&request) {
            w.loads.insert(request, [asked, now.min(until)]);
        }
        w.sink.fact(now, CacheFact::LoadGivenUp { request, replica: self.id, blocks }.into());
    }

    /// Reports where blocks of a request's prompt were found, by level.
    pub(crate) fn report_found<S: Sink>(
        &self,
        slot: Slot,
        blocks: &[u32],
        now: Micros,
        w: &mut World<'_, S>,
    ) {
        let (request, replica) = (w.active[slot].id, self.id);
        for (level, &blocks) in (0..).zip(blocks) {
            w.sink.tiers(now, TierNews::Found { request, replica, level, blocks });
        }
    }

    /// Tells what has gone to the CPU tier, and been forgotten there, since the latest step began.
    pub(crate) fn report_offloaded<S: Sink>(&mut self, now: Micros, w: &mut World<'_, S>) {
        if !self.kv.has_tiers() {
            return;
        }
        let (blocks, forgotten) = self.kv.own().take_tier_news();
        if blocks > 0 {
            w.sink.fact(now, CacheFact::Offloaded { replica: self.id, blocks, forgotten }.into());
        }
    }

    /// Requests in its queue that hold blocks, on their way from the CPU tier or there.
    pub fn loading_or_loaded(&self) -> u32 {
        self.loads.holders()
    }

    /// Requests in its queue that wait for blocks on their way from the CPU tier.
    pub fn loading(&self) -> u32 {
        self.loads.under_way
    }
}

impl ActiveRequest {
    /// Blocks on their way to it.
    pub(crate) fn blocks_on_their_way(&self) -> u32 {
        match self.load {
            Load::UnderWay { from, .. } => self.block_table.len() - from,
            Load::None | Load::Fetching | Load::Done { .. } => 0,
        }
    }
}
