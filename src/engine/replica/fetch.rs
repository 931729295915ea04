//! Reads from tiers below CPU memory: a waiting request whose turn it is asks for what continues its run of cached blocks.
//!
//! With a CPU tier a read is a fetch: each block gets a slot there at once, the request holds no block of the GPU, and when all
//! has come it looks again and loads. Without one it is a load of its own, as from CPU memory, with flows in place of the link.
//! A request fetches once for each stay in the queue. Nobody waits for a slot or for room: what finds none is computed.

use super::read_rules::Worth;
use super::state::Replica;
use super::tier_load::Expected;
use super::waiting::{FirstChunk, Left, QueueTurn};
use super::world::World;
use crate::clock::ReplicaEvent;
use crate::facts::{FlowOutcome, Sink, TierNews};
use crate::kv::Hit;
use crate::network::Flow;
use crate::request::{Load, Location, Slot};
use base::{Micros, RequestId, Span};

/// Where a block of a run was found below the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Cpu,
    Below(u32),
}

/// What continues the run of cached blocks of a request.
struct Run {
    hit: Hit,
    found: Vec<(u64, Level)>,
    /// A block of it is on its way to another request.
    arriving: bool,
    /// Blocks that lie in tiers below and are not worth their way, by tier.
    refused: Vec<(u32, u64)>,
}

impl Run {
    /// Where the part below CPU memory begins.
    fn first_below(&self) -> Option<usize> {
        self.found.iter().position(|(_, level)| *level != Level::Cpu)
    }

    /// The blocks in each tier below, in order of the tiers.
    fn by_tier(&self) -> Vec<(u32, Vec<u64>)> {
        let mut all: Vec<(u32, Vec<u64>)> = Vec::new();
        for &(hash, level) in &self.found {
            let Level::Below(tier) = level else { continue };
            match all.iter_mut().find(|(of, _)| *of == tier) {
                Some((_, blocks)) => blocks.push(hash),
                None => all.push((tier, vec![hash])),
            }
        }
        base::small::sort::sort_by_key(&mut all, |(tier, _)| u64::from(*tier));
        all
    }
}

impl Replica {
    /// What becomes of the request whose turn it is, which holds no blocks, where there are tiers below CPU memory.
    pub(super) fn turn_with_lower<S: Sink>(
        &mut self,
        slot: Slot,
        (left, beside): (Left, u32),
        now: Micros,
        w: &mut World<'_, S>,
    ) -> QueueTurn {
        if w.active[slot].load == Load::Fetching {
            let reading = self.loads.readings.get(&w.active[slot].id);
            if reading.and_then(|r| r.deadline).is_none_or(|deadline| now < deadline) {
                return QueueTurn::Waits;
            }
            let cut = self.stop_fetch(slot, now, w);
            if let Some(lower) = w.lower.as_mut() {
                for (tier, blocks) in cut {
                    lower.counts_mut(self.id, tier).cut += blocks;
                }
            }
        }
        let request = w.active[slot].id;
        self.unpin(request);
        let mut run = self.look(slot, now, w);
        if run.arriving {
            return QueueTurn::Waits;
        }
        self.decide(slot, &mut run, now, w);
        if self.kv.has_cpu_tier()
            && let Some(first) = run.first_below()
        {
            if self.fetch(slot, &run, now, w) {
                return QueueTurn::Waits;
            }
            run.found.truncate(first);
        }
        let (block, found) = (self.kv.block_tokens(), run.found.len() as u32);
        let active = &w.active[slot];
        let start = (run.hit.blocks + found) * block;
        let tokens = self.limits.chunk(active.prefill - start).min(left.budget);
        let end = start + tokens;
        let fit = self.must_fit(active, end);
        if !self.kv.can_admit_beside(self.loads.kept() + beside, run.hit, fit) {
            return QueueTurn::Blocked;
        }
        let most = (active.prefill - 1) / block;
        self.kv.own().missed_below(most - start / block);
        self.report_run(slot, &run, now, w);
        if found == 0 {
            self.store(&mut w.active[slot], run.hit, end);
        } else if self.kv.has_cpu_tier() {
            if !self.begin_load(slot, (run.hit, found), fit, now, w) {
                return QueueTurn::Waits;
            }
            let active = &mut w.active[slot];
            self.kv.own().append_prefill(&mut active.block_table, tokens, &active.chain);
        } else {
            self.begin_direct(slot, &run, fit, now, w);
            return QueueTurn::Waits;
        }
        self.loads.readings.remove(&request);
        QueueTurn::Joins(FirstChunk { hit: run.hit, tokens, end })
    }

    /// As it joins the queue, a request asks for what lies below CPU memory, where the pool says so.
    pub(super) fn ask_at_arrival<S: Sink>(&mut self, slot: Slot, now: Micros, w: &mut World<'_, S>) {
        if !self.limits.reads.at_arrival || !self.kv.has_cpu_tier() || !self.has_lower(w) {
            return;
        }
        // What is computed elsewhere comes from there, and nothing is read for it here.
        if w.active[slot].seeks_room_at(self.id) {
            return;
        }
        let mut run = self.look(slot, now, w);
        if !run.arriving {
            self.decide(slot, &mut run, now, w);
            if run.first_below().is_some() {
                self.fetch(slot, &run, now, w);
            }
        }
    }

    /// Whether there are tiers below CPU memory.
    pub(super) fn has_lower<S: Sink>(&self, w: &World<'_, S>) -> bool {
        w.lower.as_ref().is_some_and(|lower| lower.tiers(self.id) > 0)
    }

    /// The run of cached blocks of a request, and what continues it.
    fn look<S: Sink>(&mut self, slot: Slot, now: Micros, w: &mut World<'_, S>) -> Run {
        let active = &mut w.active[slot];
        let (hit, request) = (self.cached_prefix(slot, active), active.id);
        let reading = self.loads.readings.get(&request);
        let (asked, barred) = reading.map_or((false, &[][..]), |r| (r.asked, &r.barred));
        let barred = barred.to_vec();
        let mut run = Run { hit, found: Vec::new(), arriving: false, refused: Vec::new() };
        for place in hit.blocks as usize..self.cacheable(active) {
            let hash = w.active[slot].chain[place];
            let below = self.kv.own().lookup_below(&[hash]);
            if below.arriving || self.loads.coming.get(hash).is_some() {
                run.arriving = true;
                break;
            }
            let asks = below.blocks == 0 && !asked;
            let tier = if asks { w.find_below((self.id, request), hash, &barred, now) } else { None };
            match tier {
                _ if below.blocks > 0 => run.found.push((hash, Level::Cpu)),
                Some(tier) => run.found.push((hash, Level::Below(tier))),
                None => break,
            }
        }
        run
    }

    /// The run ends before what is not worth its way. What is gets protected.
    fn decide<S: Sink>(&mut self, slot: Slot, run: &mut Run, now: Micros, w: &mut World<'_, S>) {
        let request = w.active[slot].id;
        let Some(first) = run.first_below() else { return };
        let Some(lower) = w.lower.as_mut() else { return };
        let block = u64::from(self.kv.block_tokens());
        let below = run.by_tier();
        let is_worth = match self.limits.reads.worth {
            Worth::Always => true,
            Worth::Tokens(least) => {
                let blocks: usize = below.iter().map(|(_, blocks)| blocks.len()).sum();
                blocks as u64 * block >= u64::from(least)
            }
            Worth::Time(ns_per_token) => {
                let of = |(tier, blocks): &(u32, Vec<u64>)| {
                    lower.estimate((self.id, request), *tier, blocks.len() as u64).0
                };
                let link = self.kv.link_time(run.found.len() as u64 * block).0;
                let cost = below.iter().map(of).max().unwrap_or(0) + link;
                let saved = (run.found.len() - first) as u64 * block;
                let ns = ns_per_token.unwrap_or_else(|| self.ns_per_token());
                cost < saved.saturating_mul(ns) / 1000
            }
        };
        if !is_worth {
            run.found.truncate(first);
            run.refused = below.iter().map(|(tier, blocks)| (*tier, blocks.len() as u64)).collect();
            w.sink.tiers(now, TierNews::ReadRefused { request });
            return;
        }
        // A request that found no room looks again at every step until it does.
        let again = self.refused.is_some_and(|(refused, ..)| refused == slot);
        for (tier, blocks) in below {
            let Some(place) = lower.place_mut(self.id, tier) else { continue };
            for hash in blocks {
                if again {
                    place.promise(hash, now);
                } else {
                    place.hit(hash, now);
                }
            }
        }
    }

    /// Slots in CPU memory for what lies below, and a flow for each tier. What finds no slot ends the run. Whether anything
    /// comes.
    fn fetch<S: Sink>(&mut self, slot: Slot, run: &Run, now: Micros, w: &mut World<'_, S>) -> bool {
        let kv = self.kv.own();
        for &(hash, level) in &run.found {
            if level == Level::Cpu {
                kv.refer(hash);
            }
        }
        let (mut pins, mut came, mut cut) = (Vec::new(), Vec::new(), false);
        for &(hash, level) in &run.found {
            if level != Level::Cpu && !cut {
                cut = !kv.take_slot(hash);
                if !cut {
                    came.push((hash, level));
                }
            }
            match level {
                _ if !cut => pins.push(hash),
                Level::Cpu => kv.unrefer(hash),
                Level::Below(tier) => {
                    if let Some(lower) = w.lower.as_mut() {
                        lower.counts_mut(self.id, tier).cut += 1;
                    }
                }
            }
        }
        let request = w.active[slot].id;
        let reading = self.loads.readings.entry(request).or_default();
        reading.asked = true;
        if came.is_empty() {
            for hash in pins {
                kv.unrefer(hash);
            }
            return false;
        }
        reading.pins = pins;
        let part = Run { hit: run.hit, found: came, arriving: false, refused: Vec::new() };
        let by_tier = part.by_tier();
        let blocks = part.found.len() as u64;
        reading.fetched.extend(by_tier.iter().flat_map(|(tier, all)| all.iter().map(|hash| (*hash, *tier))));
        if let Some([base, per_ki]) = self.limits.reads.wait {
            let tokens = blocks * u64::from(self.kv.block_tokens());
            let deadline = now.saturating_add(base + Span(per_ki.0.saturating_mul(tokens) / 1024));
            reading.deadline = Some(deadline);
            self.events.schedule(deadline, ReplicaEvent::FetchOver(request));
        }
        w.active[slot].load = Load::Fetching;
        w.records.here_mut(request).relocate(Location::Loading(self.id), w.locations);
        w.sink.tiers(now, TierNews::FetchAsked { request });
        self.loads.fetching += 1;
        self.start_reads(request, by_tier, now, w);
        true
    }

    /// Flows of a request, one for each tier.
    fn start_reads<S: Sink>(
        &mut self,
        request: RequestId,
        by_tier: Vec<(u32, Vec<u64>)>,
        now: Micros,
        w: &mut World<'_, S>,
    ) {
        for (tier, hashes) in by_tier {
            let Some(flow) = w.start_read(request, (self.id, tier), hashes, now) else { return };
            self.loads.readings.entry(request).or_default().flows.push(flow);
        }
    }

    /// Blocks for both runs, and flows in place of the link.
    fn begin_direct<S: Sink>(&mut self, slot: Slot, run: &Run, fit: u32, now: Micros, w: &mut World<'_, S>) {
        let blocks = run.found.len() as u32;
        let active = &mut w.active[slot];
        let chain = &active.chain[..(run.hit.blocks + blocks) as usize];
        self.kv.own().begin_direct(&mut active.block_table, (chain, run.hit.blocks));
        for (hash, _) in &run.found {
            self.loads.coming.insert(*hash, 1);
        }
        let request = active.id;
        let by_tier = run.by_tier();
        let expected = by_tier.iter().map(|(tier, hashes)| {
            let lower = w.lower.as_ref();
            lower.map_or(Span::ZERO, |lower| lower.estimate((self.id, request), *tier, hashes.len() as u64))
        });
        let until = now.saturating_add(expected.max().unwrap_or(Span::ZERO));
        self.wait_for_load(slot, Expected { from: run.hit.blocks, blocks, end: fit, until }, now, w);
        self.start_reads(request, by_tier, now, w);
    }

    /// A flow of a fetch has ended: when it was the last, the request looks again.
    pub(super) fn fetched<S: Sink>(
        &mut self,
        slot: Slot,
        flow: &Flow,
        has_landed: bool,
        now: Micros,
        w: &mut World<'_, S>,
    ) {
        let request = w.active[slot].id;
        let Some(reading) = self.loads.readings.get_mut(&request) else { return };
        let is_last = reading.flow_ended(flow.number);
        for &hash in &flow.hashes {
            self.fetched_block(request, hash, has_landed);
        }
        if is_last {
            self.end_fetch(slot, now, w);
            self.wake(now);
        }
    }

    /// A block of a fetch is there, or will not come.
    fn fetched_block(&mut self, request: RequestId, hash: u64, is_here: bool) {
        if is_here {
            self.kv.own().slot_filled(hash);
            return;
        }
        self.kv.own().slot_lost(hash);
        if let Some(reading) = self.loads.readings.get_mut(&request) {
            reading.pins.retain(|pin| *pin != hash);
            reading.fetched.retain(|(of, _)| *of != hash);
        }
    }

    /// A request that fetched waits in the queue again.
    fn end_fetch<S: Sink>(&mut self, slot: Slot, now: Micros, w: &mut World<'_, S>) {
        let request = w.active[slot].id;
        w.active[slot].load = Load::None;
        self.loads.fetching -= 1;
        self.refused = None;
        if let Some(reading) = self.loads.readings.get_mut(&request) {
            reading.deadline = None;
        }
        w.records.here_mut(request).relocate(Location::Queue(self.id), w.locations);
        w.sink.tiers(now, TierNews::FetchEnded { request });
    }

    /// The whole blocks of a fetch that have come are used, the others forgotten: how many, by tier.
    pub(super) fn stop_fetch<S: Sink>(
        &mut self,
        slot: Slot,
        now: Micros,
        w: &mut World<'_, S>,
    ) -> Vec<(u32, u64)> {
        let (request, mut missing) = (w.active[slot].id, Vec::new());
        for flow in self.stop_flows(request, now, w) {
            let whole = w.lower.as_ref().map_or(0, |lower| lower.whole_blocks(&flow));
            for (k, &hash) in (0..).zip(&flow.hashes) {
                self.fetched_block(request, hash, k < whole);
            }
            missing.push((flow.tier, (flow.hashes.len() as u64).saturating_sub(whole)));
        }
        self.end_fetch(slot, now, w);
        missing
    }

    /// The flows of a request end, as it needs them no more.
    pub(super) fn stop_flows<S: Sink>(
        &mut self,
        request: RequestId,
        now: Micros,
        w: &mut World<'_, S>,
    ) -> Vec<Flow> {
        let numbers = self.loads.readings.get_mut(&request).map(|r| std::mem::take(&mut r.flows));
        let mut ended = Vec::new();
        for number in numbers.into_iter().flatten() {
            if let Some(flow) = w.end_flow(number, false, now) {
                w.sink.tiers(now, TierNews::FlowEnded { flow: number, outcome: FlowOutcome::Cancelled });
                ended.push(flow);
            }
        }
        ended
    }

    /// A flow of a load of its own has ended: when it was the last the request may join; where it failed, the request gives its
    /// blocks back and looks again without that tier.
    pub(super) fn came<S: Sink>(
        &mut self,
        slot: Slot,
        flow: &Flow,
        has_landed: bool,
        now: Micros,
        w: &mut World<'_, S>,
    ) {
        let request = w.active[slot].id;
        let Some(reading) = self.loads.readings.get_mut(&request) else { return };
        let is_last = reading.flow_ended(flow.number);
        if !has_landed {
            reading.barred.push(flow.tier);
            self.give_back(slot, now, w);
            self.wake(now);
        } else if is_last {
            self.finish_direct(slot, now, w);
        }
    }

    /// All flows of a load of its own have landed.
    fn finish_direct<S: Sink>(&mut self, slot: Slot, now: Micros, w: &mut World<'_, S>) {
        let active = &w.active[slot];
        let held = active.block_table.len() as usize;
        for &hash in &active.chain[..held] {
            self.loads.coming.remove(hash);
        }
        let request = active.id;
        if let Some(&[asked, _]) = w.loads.get(&request) {
            w.loads.insert(request, [asked, now]);
        }
        self.end_load_of(slot, now, w);
    }

    /// What a request kept in CPU memory may go.
    pub(super) fn unpin(&mut self, request: RequestId) {
        let Some(reading) = self.loads.readings.get_mut(&request) else { return };
        for hash in std::mem::take(&mut reading.pins) {
            self.kv.own().unrefer(hash);
        }
    }

    /// A request leaves the queue without joining, or has lost what it read: nothing is kept for it, and nothing comes.
    pub(super) fn forget_reading<S: Sink>(&mut self, slot: Slot, now: Micros, w: &mut World<'_, S>) {
        if self.loads.readings.is_empty() {
            return;
        }
        if w.active[slot].load == Load::Fetching {
            self.stop_fetch(slot, now, w);
        }
        let request = w.active[slot].id;
        self.unpin(request);
        self.loads.readings.remove(&request);
    }

    /// Reports where the blocks of a run were found, by level: a block counts for the tier that its fetch brought it from.
    fn report_run<S: Sink>(&mut self, slot: Slot, run: &Run, now: Micros, w: &mut World<'_, S>) {
        let request = w.active[slot].id;
        let reading = self.loads.readings.get(&request);
        let tiers = w.lower.as_ref().map_or(0, |lower| lower.tiers(self.id));
        let (mut blocks, mut in_cpu) = (vec![0; 2 + tiers as usize], Vec::new());
        blocks[0] = run.hit.blocks;
        for (hash, level) in &run.found {
            let fetched = reading.and_then(|r| r.fetched.iter().find(|(of, _)| of == hash));
            let at = match (level, fetched) {
                (Level::Below(tier), _) | (Level::Cpu, Some((_, tier))) => 2 + *tier as usize,
                (Level::Cpu, None) => 1,
            };
            blocks[at] += 1;
            if at == 1 {
                in_cpu.push(*hash);
            }
        }
        self.kv.own().prompt_found([run.hit.blocks, run.found.len() as u32], in_cpu.into_iter());
        if let Some(lower) = w.lower.as_mut() {
            for (tier, found) in (0..).zip(&blocks[2..]) {
                lower.counts_mut(self.id, tier).found += u64::from(*found);
            }
            for (tier, refused) in &run.refused {
                lower.counts_mut(self.id, *tier).refused += refused;
            }
        }
        self.report_found(slot, &blocks, now, w);
    }

    /// Nanoseconds that the pool's step times take for a token of a prompt, in a step as large as may be.
    pub fn ns_per_token(&self) -> u64 {
        let tokens = self.limits.max_num_batched_tokens.max(1);
        let more = self.prompt_time(tokens).0.saturating_sub(self.prompt_time(0).0);
        more.saturating_mul(1000) / u64::from(tokens)
    }

    /// What is on its way for a request whose fetch has taken too long is given up at its next turn, which comes now.
    pub(super) fn fetch_over(&mut self, request: RequestId, now: Micros) {
        let deadline = self.loads.readings.get(&request).and_then(|reading| reading.deadline);
        if deadline == Some(now) {
            self.wake(now);
        }
    }

    /// Blocks of the CPU tier that requests keep, or that are on their way to it.
    pub(crate) fn kept_below(&self) -> Vec<u64> {
        self.loads.readings.values().flat_map(|reading| reading.pins.iter().copied()).collect()
    }
}
