//! One replica: its wait queue, its batch, its KV cache and its own events.

use super::adapters::Adapters;
use super::batch_rules::Limits;
use super::decode::Decoders;
use super::departure::{Departure, DepartureReason};
use super::front_end::{Delivery, FrontEnd};
use super::lockstep::Lockstep;
use super::moving::Moving;
use super::pipe::Pipe;
use super::running_step::RunningStep;
use super::signals::Recent;
use super::speculation::Speculation;
use super::start_up::Life;
use super::tier_load::Loads;
use super::totals::Totals;
use super::waiting::view_of;
use super::world::World;
use crate::clock::{EventQueue, ReplicaEvent};
use crate::facts::{DropReason, RequestFact, Sink};
use crate::kv::BlockPool;
use crate::perf::{Chunk, StateBlocks, StepModel};
use crate::policy::ReplicaPhase;
use crate::policy::priority::PriorityState;
use crate::policy::scheduling::SchedulerState;
use crate::request::{ActiveRequest, Location, Progress, Slab, Slot};
use base::{Maybe, Micros, ReplicaId, Shared, Span};
use document::Compat;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// One replica.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Replica {
    pub(crate) id: ReplicaId,
    pub(crate) pool: u32,
    /// Which revision of the pool's blueprint it was made from.
    pub(crate) revision: u32,
    /// Changed by [`Cluster::set_phase`](crate::Cluster) only.
    pub(crate) phase: ReplicaPhase,
    pub(crate) compat: Compat,
    pub(crate) limits: Limits,
    pub(crate) priority: PriorityState,
    pub(crate) scheduler: SchedulerState,
    pub(crate) model: StepModel,
    pub(crate) speculation: Option<Box<Speculation>>,
    pub(crate) pipe: Option<Box<Pipe>>,
    /// Its GPUs, and what it costs in US dollars per hour; 0 if unknown. An edit of the pool's GPU changes neither.
    pub(crate) gpus: u32,
    pub(crate) usd_per_hour: f64,
    /// Shared with copies of the run until it changes.
    pub(crate) kv: Shared<BlockPool>,
    /// What its requests hold besides the blocks of their tokens.
    pub(crate) states: StateBlocks,
    /// Its LoRA adapters, if it serves any.
    pub(crate) adapters: Option<Box<Adapters>>,
    /// Time of its last event.
    pub(crate) clock: Micros,
    pub(crate) waiting: VecDeque<Slot>,
    /// How many at its head and at its tail have come since it was last sorted.
    pub(crate) unsorted: (u32, u32),
    /// Ends and length of the batch, a list through the active requests.
    pub(crate) head: Slot,
    pub(crate) tail: Slot,
    pub(crate) running: u32,
    /// The members of the batch that still compute their prompt, in batch order.
    pub(crate) prefilling: Vec<Slot>,
    pub(crate) decoders: Decoders,
    pub(crate) next_order: u64,
    /// Events other than the step.
    pub(crate) events: EventQueue<ReplicaEvent>,
    /// When the running step ends or the next one begins.
    pub(crate) step_at: Micros,
    pub(crate) step: Option<RunningStep>,
    pub(crate) lockstep: Lockstep,
    /// How much longer the step takes that is about to begin, because no graph was recorded for it or experts move.
    #[serde(skip)]
    pub(crate) longer: Span,
    pub(crate) latest_step: Span,
    pub(crate) recent: Recent,
    /// Requests routed here that have not joined the wait queue.
    pub(crate) arriving: u32,
    pub(crate) front_end: FrontEnd,
    pub(crate) loads: Loads,
    /// Requests on their way from here or to here.
    pub(crate) moving: Moving,
    pub(crate) totals: Totals,
    pub(crate) life: Life,
    pub(crate) preempted_since_progress: u64,
    /// The request, cache version and token budget of the last failed admission: tried again when one of them differs.
    pub(crate) refused: Option<(Slot, u64, u32)>,
    /// The head of the queue, once it was reported to block others.
    pub(crate) reported_blocked: Slot,
    #[serde(skip)]
    pub(crate) chunks: Vec<Chunk>,
}

/// What a replica is made of.
pub(crate) struct ReplicaParts {
    pub(crate) limits: Limits,
    pub(crate) priority: PriorityState,
    pub(crate) scheduler: SchedulerState,
    pub(crate) model: StepModel,
    pub(crate) speculation: Option<Speculation>,
    pub(crate) pipe: Option<Pipe>,
    pub(crate) gpus: u32,
    pub(crate) usd_per_hour: f64,
    pub(crate) kv: BlockPool,
    pub(crate) states: StateBlocks,
    pub(crate) adapters: Option<Box<Adapters>>,
}

impl Replica {
    pub(crate) fn new(id: ReplicaId, pool: u32, revision: u32, compat: Compat, parts: ReplicaParts) -> Self {
        let ReplicaParts { limits, priority, scheduler, model, speculation, pipe, .. } = parts;
        let ReplicaParts { gpus, usd_per_hour, kv, states, adapters, .. } = parts;
        let decoders = Decoders::new(kv.block_tokens());
        Self {
            id,
            pool,
            revision,
            phase: ReplicaPhase::Starting,
            compat,
            limits,
            priority,
            scheduler,
            model,
            speculation: speculation.map(Box::new),
            pipe: pipe.map(Box::new),
            gpus,
            usd_per_hour,
            kv: Shared::new(kv),
            states,
            adapters,
            clock: Micros::ZERO,
            waiting: VecDeque::new(),
            unsorted: (0, 0),
            head: Slot::NONE,
            tail: Slot::NONE,
            running: 0,
            prefilling: Vec::new(),
            decoders,
            next_order: 0,
            events: EventQueue::default(),
            step_at: Micros::MAX,
            step: None,
            lockstep: Lockstep::NONE,
            longer: Span::ZERO,
            latest_step: Span::ZERO,
            recent: Recent::new(Micros::ZERO),
            arriving: 0,
            front_end: FrontEnd::new(),
            loads: Loads::default(),
            moving: Moving::default(),
            totals: Totals::default(),
            life: Life::new(),
            preempted_since_progress: 0,
            refused: None,
            reported_blocked: Slot::NONE,
            chunks: Vec::new(),
        }
    }

    /// When its next event runs; [`Micros::MAX`] if there is none.
    pub(crate) fn next_at(&self) -> Micros {
        if self.lockstep.waits {
            return Micros::MAX;
        }
        self.events.next_at().min(self.step_at)
    }

    /// The router has sent it a request: it joins the wait queue after the front end and the queueing delay. When the front end has
    /// dealt with it.
    pub(crate) fn deliver(&mut self, delivery: Delivery, slab: &Slab) -> Option<Micros> {
        let Delivery { slot, now, timeout } = delivery;
        let bound = slab[slot].remote.is_some() && self.phase == ReplicaPhase::Draining;
        assert!(self.serving() || bound, "INV-2: {:?} gets a request while it is {:?}", self.id, self.phase);
        self.arriving += 1;
        self.clock = self.clock.max(now);
        let prompt_tokens = slab[slot].prompt_tokens;
        let tokenised = self.tokenise(prompt_tokens, now);
        let delay = self.model.queueing(prompt_tokens);
        let queued = tokenised.unwrap_or(now).saturating_add(delay);
        self.events.schedule(queued, ReplicaEvent::Queued(slot));
        // Clients give up requests that are in a front end.
        let known = if tokenised.is_some() { now } else { queued };
        self.expect_timeout(&slab[slot], known, timeout);
        tokenised
    }

    /// Runs its next event.
    pub(crate) fn run_event<S: Sink>(&mut self, w: &mut World<'_, S>) {
        let at = self.next_at();
        assert!(
            at >= self.clock,
            "INV-3: the clock of {:?} went back from {:?} to {at:?}",
            self.id,
            self.clock
        );
        let before = std::mem::replace(&mut self.clock, at);
        self.tell_time(at);
        self.run_due((at, before), w);
        if !w.departures.is_empty() {
            self.forget_timeouts(w.records);
        }
        self.recent
            .settle(at, self.running > 0 || !self.waiting.is_empty() || !self.moving.landed.is_empty());
    }

    /// Tiers that forget what is not used know the present.
    #[inline]
    pub(crate) fn tell_time(&mut self, now: Micros) {
        if self.kv.knows_time() {
            self.kv.own().set_clock(now);
        }
    }

    /// The same for contents that are seen late alone: where they change outside its own events.
    pub(crate) fn tell_time_of_change(&mut self, now: Micros) {
        if self.kv.is_seen_late() {
            self.kv.own().set_clock(now);
        }
    }

    fn run_due<S: Sink>(&mut self, (at, before): (Micros, Micros), w: &mut World<'_, S>) {
        match self.events.pop_unless(self.step_at, ReplicaEvent::Step).unwrap_or(ReplicaEvent::Step) {
            ReplicaEvent::Step => {
                self.step_at = Micros::MAX;
                match self.compat {
                    Compat::None if self.pipe.is_some() => self.run_pipe(at, w),
                    Compat::None => self.run_step(at, w),
                    Compat::Blis => self.run_step_blis(at, w),
                }
            }
            ReplicaEvent::Queued(slot) => self.enqueue(slot, at, w),
            ReplicaEvent::Loaded => self.finish_load(at, w),
            ReplicaEvent::Prefetched(prefetch) => self.end_prefetch(prefetch, at, w),
            ReplicaEvent::FetchOver(request) => {
                self.fetch_over(request, at);
                // It does nothing here itself: the step does, if it is still wanted.
                self.clock = before;
            }
            ReplicaEvent::SendAway => self.send_away(at, w),
            ReplicaEvent::TimedOut(request) => self.stop((request, DropReason::TimedOut), at, w),
            ReplicaEvent::Evicted(request) => self.stop((request, DropReason::Evicted), at, w),
            ReplicaEvent::Left => {}
        }
    }

    pub(super) fn enqueue<S: Sink>(&mut self, slot: Slot, now: Micros, w: &mut World<'_, S>) {
        if w.active.get(slot).is_none() {
            // It was stopped in the front end.
            return;
        }
        self.arriving -= 1;
        if self.turn_back(slot, now, w) {
            return;
        }
        let active = &w.active[slot];
        let record = w.records.here_mut(active.id);
        let (seeks_room, again) = (active.seeks_room_at(self.id), record.queued.is_known());
        if self.prompt_blocks(active) > self.kv.total() {
            if !again {
                record.queued = now.into();
            }
            self.drop_request(slot, now, DropReason::PromptExceedsKvCache, w);
        } else if self.limits.max_waiting > 0 && self.waiting() >= self.limits.max_waiting && !again {
            self.refuse(slot, now, w);
        } else {
            if !again {
                record.queued = now.into();
            }
            record.relocate(Location::Queue(self.id), w.locations);
            if seeks_room {
                self.moving.prompt_tokens += u64::from(active.prompt_tokens);
                w.handovers.of(active.id).home_queued = now.into();
            } else {
                self.totals.prompt_tokens += u64::from(active.prompt_tokens);
            }
            let view = view_of(active, record);
            let (request, class) = (active.id, record.class);
            let urgency = if active.urged { active.urgency } else { self.priority.of(&view) };
            if self.kv.has_tiers() {
                self.limit_writes(slot, seeks_room, w);
            }
            self.tell_pins(slot, w);
            let (active, record) = (&mut w.active[slot], w.records.here(request));
            if self.kv.has_order() {
                active.shareable = u32::MAX;
                if let Some(life) = &w.life {
                    self.kv.own().tell(active.id.0, life.keeper_of(active.id, record));
                }
            }
            if let Some(remote) = &mut active.remote {
                remote.queued = now;
            }
            self.recent.waiting_tokens += u64::from(active.to_compute_at(self.id));
            let adapter = active.adapter;
            active.urgency = urgency;
            active.position = self.scheduler.position(&view, urgency);
            self.waiting.push_back(slot);
            self.adapter_waits(adapter);
            self.unsorted.1 += 1;
            w.sink.fact(now, RequestFact::Queued { request, replica: self.id, class, urgency }.into());
            self.ask_at_arrival(slot, now, w);
        }
        if !self.waiting.is_empty() {
            self.wake(now);
        }
    }

    /// Drops a request that is in no list any more and holds no blocks.
    pub(crate) fn drop_request<S: Sink>(
        &mut self,
        slot: Slot,
        now: Micros,
        reason: DropReason,
        w: &mut World<'_, S>,
    ) {
        let active = &w.active[slot];
        let request = active.id;
        let done = self.progress_of(active, w.records.here(request).ttft);
        let record = w.records.here_mut(request);
        if record.location() == Location::Queue(self.id) {
            self.recent.waiting_tokens -= u64::from(active.to_compute_at(self.id));
            let adapter = active.adapter;
            self.adapter_waits_no_more(adapter);
        }
        record.relocate(Location::Dropped(self.id), w.locations);
        record.itl_sum = done.itl_sum;
        record.output_time = done.output_time;
        record.drop = Some(reason);
        record.left = now.into();
        record.progress = active.progress;
        record.generated = active.generated;
        record.slot = Slot::NONE;
        let (class, urgency) = (record.class, active.urgency);
        w.end_remote(slot);
        self.forget_keeper(request, w);
        w.active.remove(slot);
        if self.reported_blocked == slot {
            self.reported_blocked = Slot::NONE;
        }
        if reason != DropReason::PromptExceedsKvCache {
            // What it leaves is room for the others: they make progress again.
            self.preempted_since_progress = 0;
        }
        self.totals.dropped += 1;
        self.totals.timed_out += u32::from(reason == DropReason::TimedOut);
        w.departures.push(Departure { request, why: DepartureReason::Dropped });
        let waiting = self.waiting.len() as u32;
        w.sink.fact(
            now,
            RequestFact::Dropped { request, replica: self.id, class, urgency, reason, waiting }.into(),
        );
    }

    /// Appends to the batch.
    pub(crate) fn link(&mut self, slot: Slot, slab: &mut Slab) {
        let active = &mut slab[slot];
        active.order = self.next_order;
        active.before = self.tail;
        active.after = Slot::NONE;
        self.next_order += 1;
        if self.tail == Slot::NONE {
            self.head = slot;
        } else {
            slab[self.tail].after = slot;
        }
        self.tail = slot;
        self.running += 1;
        self.prefilling.push(slot);
    }

    /// A request joins the queue of a replica with tiers: how much of it may leave the GPU here.
    fn limit_writes<S: Sink>(&self, slot: Slot, seeks_room: bool, w: &mut World<'_, S>) {
        let active = &mut w.active[slot];
        let record = w.records.here(active.id);
        // What the CPU tier keeps of it, it can find again itself.
        active.shareable = u32::MAX;
        let by_client = w.life.as_ref().map_or(u32::MAX, |life| life.may_leave_to(record));
        let limit = w.wishes.may_leave_to(record, self.kv.prompt_only()).min(by_client);
        active.block_table.limit = limit;
        if let Some(remote) = active.remote.as_mut().filter(|_| seeks_room) {
            remote.reserved.limit = limit;
        }
    }

    /// Takes out of the batch, with its progress settled; its blocks stay with it.
    pub(crate) fn unlink(&mut self, slot: Slot, slab: &mut Slab) {
        if slab[slot].decoding {
            self.decoders.leave(slot, slab);
        } else {
            let i =
                self.prefilling.iter().position(|&s| s == slot).expect("INV-2: a batch member in no list");
            self.prefilling.remove(i);
        }
        let ActiveRequest { before, after, .. } = slab[slot];
        if before == Slot::NONE {
            self.head = after;
        } else {
            slab[before].after = after;
        }
        if after == Slot::NONE {
            self.tail = before;
        } else {
            slab[after].before = before;
        }
        slab[slot].order = u64::MAX;
        self.running -= 1;
        self.adapter_leaves(slab[slot].adapter);
    }

    /// What an active request has done so far.
    pub(crate) fn progress_of(&self, active: &ActiveRequest, ttft: Maybe<Span>) -> Progress {
        let (stored, generated) = active.counts(self.decoders.ticks);
        let itl_count = generated.saturating_sub(1);
        let output_time = active.output_time(self.model.output_overhead(), generated);
        let itl_sum = if itl_count > 0 {
            let steady = active.decoding && !active.behind;
            let last = if steady { self.last_step_end() + self.front_end.late } else { active.last_token };
            let ttft = ttft.get().expect("INV-5: a request has two tokens and no first");
            Span((last + output_time).since(active.arrival + ttft).0 - active.sat_out.0)
        } else {
            Span::ZERO
        };
        Progress {
            stored,
            generated,
            prefill: active.prefill,
            itl_sum,
            itl_count,
            blocks: active.block_table.len(),
            decoding: active.decoding,
            decoding_from: active.decoding_from.get(),
            output_time,
        }
    }

    /// End of the latest step with known results: where the running one began, for steps of a busy replica follow each other.
    /// Under `compat: blis` a step's results are known as it begins: where the next one begins, unless that does now.
    pub(crate) fn last_step_end(&self) -> Micros {
        match self.compat {
            Compat::None => self.step.map_or(self.clock, |s| s.started),
            Compat::Blis if self.step_at == Micros::MAX => self.clock,
            Compat::Blis => self.step_at,
        }
    }

    /// Blocks, counts and lists agree: O(1).
    #[inline(always)]
    pub(crate) fn verify_counts(&self) {
        self.kv.verify_counts();
        assert!(
            self.decoders.len() + self.prefilling.len() as u32 == self.running,
            "INV-2: the batch of {:?} is not its prefills and decodes",
            self.id
        );
        let idle = self.running == 0 && self.waiting.is_empty() && self.moving.landed.is_empty();
        // Whose landing makes room wakes the replica.
        let lands = self.moving.on_duty() > 0 || !self.moving.stranded.is_empty();
        let loads = self.loads.under_way() + self.loads.fetching() + self.kv.prefetches() > 0;
        let loads = loads || !self.moving.landed.is_empty() && self.loads.brings();
        let waits = self.running == 0 && (loads || lands);
        let stuck = self.life.stuck_until == Micros::MAX;
        let planned = self.step_at != Micros::MAX || self.lockstep.waits || stuck;
        assert!(idle || waits || planned, "INV-8: {:?} has work and no step", self.id);
    }
}
