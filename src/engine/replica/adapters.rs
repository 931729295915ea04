//! LoRA adapters of one replica: which are in GPU slots and in CPU memory, the gate of the batch, and the time that loads
//! take.
//!
//! As in vLLM a batch has at most as many different adapters as there are slots: a request whose adapter is not among those
//! of the batch is passed over while all slots are taken by requests that run. Both memories evict the adapter unused for
//! longest, and are asked in the same order, so that the slots hold the adapters used last, and CPU memory these and those
//! used before: one order serves both. An adapter of a running request is in use and never evicted. The adapter of a
//! request that joins is loaded in the step that it joins: the worker does it before it computes, and the whole batch
//! waits.

use super::state::Replica;
use super::world::World;
use crate::facts::{AdapterSource, CacheFact, Sink};
use crate::perf::{LONGEST, LoraFigures};
use crate::policy::AdapterView;
use crate::request::{AdapterUse, Slab, Slot};
use base::{Micros, Span};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// What a replica's adapters have done since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdapterCounts {
    /// Requests that joined the batch with their adapter in a GPU slot.
    pub hits: u64,
    /// Requests that joined with their adapter in CPU memory.
    pub cpu_loads: u64,
    /// Requests that joined with their adapter on disk.
    pub disk_loads: u64,
    /// Adapters that lost their GPU slot.
    pub evictions: u64,
    /// Time that steps waited for loads.
    pub load_time: Span,
    /// Time that adapters added to steps.
    pub step_time: Span,
}

/// Adapters with the number of requests of each, in order of adapter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Users(Vec<(u32, u32)>);

impl Users {
    fn has(&self, adapter: u32) -> bool {
        self.0.binary_search_by_key(&adapter, |user| user.0).is_ok()
    }

    /// How many different adapters there are.
    fn len(&self) -> u32 {
        self.0.len() as u32
    }

    /// Another request; whether it is the first of its adapter.
    fn add(&mut self, adapter: u32) -> bool {
        match self.0.binary_search_by_key(&adapter, |user| user.0) {
            Ok(at) => {
                self.0[at].1 += 1;
                false
            }
            Err(at) => {
                self.0.insert(at, (adapter, 1));
                true
            }
        }
    }

    /// A request less; whether it was the last of its adapter.
    fn remove(&mut self, adapter: u32) -> bool {
        let at = self.0.binary_search_by_key(&adapter, |user| user.0);
        let at = at.expect("INV-2: a request leaves an adapter that has none");
        self.0[at].1 -= 1;
        let last = self.0[at].1 == 0;
        if last {
            self.0.remove(at);
        }
        last
    }
}

/// The adapters of a replica.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Adapters {
    figures: LoraFigures,
    /// Adapters of the batch: all of them are in slots.
    running: Users,
    /// Adapters of the wait queue.
    waiting: Users,
    /// Adapters in CPU memory that no request of the batch has, the one unused for longest first. The last ones are in the
    /// slots that are left.
    idle: VecDeque<u32>,
    /// Loads of the step that is being formed.
    loads: Span,
    counts: AdapterCounts,
}

impl Adapters {
    /// Those of a new replica: none is loaded.
    pub(crate) fn new(figures: LoraFigures) -> Self {
        Self {
            figures,
            running: Users::default(),
            waiting: Users::default(),
            idle: VecDeque::new(),
            loads: Span::ZERO,
            counts: AdapterCounts::default(),
        }
    }

    /// Idle adapters that are in slots, if there are as many.
    fn idle_slots(&self) -> usize {
        (self.figures.slots - self.running.len()) as usize
    }

    /// Whether a request of `adapter` has to wait for a slot.
    fn lacks_slot(&self, adapter: u32) -> bool {
        adapter > 0 && self.running.len() >= self.figures.slots && !self.running.has(adapter)
    }

    /// A request of `adapter` joins the batch. Where its adapter was, and which adapter lost its slot; nothing if it was in a
    /// slot.
    fn join(&mut self, adapter: u32) -> Option<(AdapterSource, u32)> {
        if self.running.has(adapter) {
            self.running.add(adapter);
            self.counts.hits += 1;
            return None;
        }
        assert!(self.running.len() < self.figures.slots, "INV-2: more adapters in a batch than slots");
        let first_in_slot = self.idle.len().saturating_sub(self.idle_slots());
        let full = self.idle.len() >= self.idle_slots();
        let evicted = if full { self.idle[first_in_slot] } else { 0 };
        let found = self.idle.iter().position(|&idle| idle == adapter);
        found.and_then(|at| self.idle.remove(at));
        self.running.add(adapter);
        let source = match found {
            Some(at) if at >= first_in_slot => {
                self.counts.hits += 1;
                return None;
            }
            Some(_) => AdapterSource::Cpu,
            None => AdapterSource::Disk,
        };
        match source {
            AdapterSource::Cpu => self.counts.cpu_loads += 1,
            AdapterSource::Disk => self.counts.disk_loads += 1,
        }
        self.counts.evictions += u64::from(full);
        if self.idle.len() + self.running.0.len() > self.figures.cpu_slots as usize {
            self.idle.pop_front();
        }
        let took = self.figures.cpu_load
            + if source == AdapterSource::Disk { self.figures.disk_load } else { Span::ZERO };
        self.loads = (self.loads + took).min(LONGEST);
        Some((source, evicted))
    }

    /// A request of `adapter` leaves the batch.
    fn leave(&mut self, adapter: u32) {
        if self.running.remove(adapter) {
            self.idle.push_back(adapter);
        }
    }

    /// Everything is lost, as the replica stops. No request has an adapter.
    pub(crate) fn restart(&mut self) {
        self.idle.clear();
    }

    /// What they have done.
    pub(crate) fn counts(&self) -> &AdapterCounts {
        &self.counts
    }

    /// What the gateway sees of them.
    pub(crate) fn look(&self, view: &mut AdapterView) {
        let copy = |from: &Users, to: &mut Vec<u32>| {
            to.clear();
            to.extend(from.0.iter().map(|user| user.0));
        };
        copy(&self.running, &mut view.running);
        copy(&self.waiting, &mut view.waiting);
    }

    /// The adapters of the batch and of the wait queue, each with its number of requests.
    pub(crate) fn users(&self) -> [&[(u32, u32)]; 2] {
        [&self.running.0, &self.waiting.0]
    }

    /// The adapters in memory that no request of the batch has.
    pub(crate) fn idle(&self) -> &VecDeque<u32> {
        &self.idle
    }

    /// Limits of the lists: slots, and places in CPU memory.
    pub(crate) fn limits(&self) -> [u32; 2] {
        [self.figures.slots, self.figures.cpu_slots]
    }
}

/// What adapters add to a step: before the latency model's time, and to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AdapterTime {
    pub(crate) loads: Span,
    pub(crate) step: Span,
}

impl Replica {
    /// A request of `adapter` has joined the wait queue.
    #[inline]
    pub(crate) fn adapter_waits(&mut self, adapter: u32) {
        if let (1.., Some(all)) = (adapter, &mut self.adapters) {
            all.waiting.add(adapter);
        }
    }

    /// A request of `adapter` has left the wait queue.
    #[inline]
    pub(crate) fn adapter_waits_no_more(&mut self, adapter: u32) {
        if let (1.., Some(all)) = (adapter, &mut self.adapters) {
            all.waiting.remove(adapter);
        }
    }

    /// A request of `adapter` has left the batch.
    #[inline]
    pub(crate) fn adapter_leaves(&mut self, adapter: u32) {
        if let (1.., Some(all)) = (adapter, &mut self.adapters) {
            all.leave(adapter);
        }
    }

    /// Whether a waiting request is passed over, because all slots are taken by adapters of the batch.
    #[inline]
    pub(crate) fn lacks_slot(&self, slot: Slot, slab: &Slab) -> bool {
        self.adapters.as_ref().is_some_and(|all| all.lacks_slot(slab[slot].adapter))
    }

    /// A request that has an adapter joins the batch: the adapter is loaded in the step that is being formed, unless it is in
    /// a slot.
    pub(crate) fn adapter_joins<S: Sink>(&mut self, slot: Slot, now: Micros, w: &mut World<'_, S>) {
        let (request, adapter) = (w.active[slot].id, w.active[slot].adapter);
        let (1.., Some(all)) = (adapter, &mut self.adapters) else { return };
        let before = all.loads;
        let Some((source, evicted)) = all.join(adapter) else { return };
        let until = now.saturating_add(all.loads);
        let took = Span(all.loads.0 - before.0);
        w.adapters.insert(request, AdapterUse { adapter, loaded: Some((source, now, until)) });
        let fact = CacheFact::AdapterLoaded { request, replica: self.id, adapter, source, evicted, took };
        w.sink.fact(now, fact.into());
    }

    /// What adapters add to the step that begins, in which `decode` requests decode.
    pub(crate) fn adapter_time(&mut self, decode: u32, slab: &Slab) -> AdapterTime {
        let step = self.adapter_step(decode, slab);
        let Some(all) = &mut self.adapters else { return AdapterTime::default() };
        let loads = std::mem::take(&mut all.loads);
        all.counts.load_time += loads;
        all.counts.step_time += step;
        AdapterTime { loads, step }
    }

    /// What computing with adapters adds to it.
    pub(super) fn adapter_step(&self, decode: u32, slab: &Slab) -> Span {
        let Some(all) = &self.adapters else { return Span::ZERO };
        let (adapters, tokens) = if self.settles_members() {
            self.granted_adapters(slab)
        } else {
            (all.running.len(), self.adapter_tokens(all, decode, slab))
        };
        all.figures.step(adapters, tokens)
    }

    /// Tokens of requests with adapters in a step in which `decode` requests decode a token each.
    fn adapter_tokens(&self, all: &Adapters, decode: u32, slab: &Slab) -> u64 {
        let has = |slot: &&Slot| slab[**slot].adapter > 0;
        let members: u32 = all.running.0.iter().map(|user| user.1).sum();
        let prompts = self.prefilling.iter().filter(has);
        let prefill: u64 = prompts.clone().map(|&slot| u64::from(slab[slot].granted)).sum();
        let aside = prompts.count() + self.decoders.starved.iter().filter(has).count();
        let decode = u64::from((members - aside as u32).min(decode));
        prefill + decode
    }

    /// The different adapters of a batch whose members were granted their tokens one by one, and those tokens.
    fn granted_adapters(&self, slab: &Slab) -> (u32, u64) {
        let (mut adapters, mut tokens) = (Vec::new(), 0);
        let mut slot = self.head;
        while slot != Slot::NONE {
            let active = &slab[slot];
            if active.adapter > 0 && active.granted > 0 && active.flight == 0 {
                adapters.push(active.adapter);
                tokens += u64::from(active.granted);
            }
            slot = active.after;
        }
        adapters.sort_unstable();
        adapters.dedup();
        (adapters.len() as u32, tokens)
    }

    /// What the gateway sees of its adapters, if it serves any.
    pub(crate) fn look_at_adapters(&self, view: &mut AdapterView) {
        if let Some(all) = &self.adapters {
            all.look(view);
        }
    }

    /// The counts of its adapters, if it serves any.
    pub fn adapter_counts(&self) -> Option<&AdapterCounts> {
        self.adapters.as_deref().map(Adapters::counts)
    }

    /// What it kept of requests that are gone is lost: the contents of its cache, and its adapters.
    pub(crate) fn restart_memory(&mut self) {
        self.kv.own().restart();
        if let Some(all) = &mut self.adapters {
            all.restart();
        }
    }
}
