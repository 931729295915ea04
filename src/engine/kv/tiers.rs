//! The tiers below the GPU's cache as one replica has them, in order: CPU memory, if there is any, and what lies below.
//!
//! A block is written to each of them by that tier's rule, from the tier above it: to CPU memory from the GPU, to those below
//! from CPU memory, or from the GPU where there is none. What is to be written below waits in the outbox of its tier; while
//! it lies in CPU memory, it stays there until then. Where blocks lie below CPU memory is not known here: see `place`.

use super::cpu_tier::{CpuTier, Room, Seen, StoreSettings};
use super::pins::Pins;
use super::served::LoadCounts;
use super::uses::Uses;
use super::written::Written;
use base::lookup::LookupMap;
use base::{Micros, Span};
use serde::{Deserialize, Serialize};

/// Settings of the tiers of a replica.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TierSettings {
    /// CPU memory, if it is a tier.
    pub cpu: Option<StoreSettings>,
    /// When blocks are written to each tier below.
    pub below: Vec<Written>,
    /// Whether blocks of answers are kept from all of them.
    pub prompt_only: bool,
    /// Whether some blocks may not leave the GPU.
    pub restricted: bool,
}

/// How the contents of a block came to the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filled {
    /// Computed; the block ends at this token of its request, and the request's blocks may leave up to that one.
    Computed { end: u32, limit: u32 },
    /// Loaded.
    Loaded,
}

/// The continuation of a run of cached blocks in the tiers below the GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Below {
    /// How many blocks in a row.
    pub blocks: u32,
    /// Whether one of them is already on its way for another request.
    pub arriving: bool,
}

/// What waits to be written to a tier below CPU memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Outbox {
    written: Written,
    waiting: Vec<u64>,
    /// What is being written, in order.
    writing: Vec<u64>,
    /// Both: [`LOOSE`] for what keeps no place in CPU memory although blocks of this tier do, else [`POSTED`]; in the bits above, for how
    /// many microseconds the block is pinned softly.
    posted: LookupMap<u64, u64>,
}

/// Put into an outbox, and the same while its tier was written from what is gone from above.
const POSTED: u64 = 1;
const LOOSE: u64 = 2;
/// Where the time begins.
const PIN: u32 = 2;

impl Outbox {
    /// Whether a block in it keeps its place in CPU memory.
    fn keeps(&self, hash: u64) -> bool {
        self.written != Written::WhenEvicted && self.posted.get(hash).is_none_or(|how| how & LOOSE == 0)
    }
}

/// The tiers of one replica.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Tiers {
    pub(super) cpu: Option<CpuTier>,
    /// What is known of uses to come, where blocks of CPU memory that are used last go first.
    pub(super) uses: Option<Box<Uses>>,
    below: Vec<Outbox>,
    pub(super) loads: LoadCounts,
    pub(super) prompt_only: bool,
    /// Blocks that may leave the GPU, where some may not.
    may_leave: Option<LookupMap<u64, u32>>,
    /// How many requests have had a block, where a tier counts that.
    had: Option<LookupMap<u64, u32>>,
    /// What requests want kept in stores, if any does.
    pins: Option<Box<Pins>>,
}

impl Tiers {
    pub(super) fn new(settings: &TierSettings) -> Self {
        let outbox = |written: &Written| Outbox {
            written: *written,
            waiting: Vec::new(),
            writing: Vec::new(),
            posted: LookupMap::default(),
        };
        let counts = |written: &Written| matches!(written, Written::WhenHit(_));
        let any_counts =
            settings.cpu.is_some_and(|cpu| counts(&cpu.written)) || settings.below.iter().any(counts);
        Self {
            cpu: settings.cpu.map(CpuTier::new),
            uses: None,
            below: settings.below.iter().map(outbox).collect(),
            loads: LoadCounts::default(),
            prompt_only: settings.prompt_only,
            may_leave: settings.restricted.then(LookupMap::default),
            had: any_counts.then(LookupMap::default),
            pins: None,
        }
    }

    /// The empty tiers of a restarted engine; counters stay, and what is being written is for the caller to end.
    pub(super) fn restarted(&self) -> Self {
        let empty = |outbox: &Outbox| Outbox {
            written: outbox.written,
            waiting: Vec::new(),
            writing: Vec::new(),
            posted: LookupMap::default(),
        };
        Self {
            cpu: self.cpu.as_ref().map(CpuTier::restarted),
            uses: self.uses.clone(),
            below: self.below.iter().map(empty).collect(),
            loads: self.loads.lost(),
            prompt_only: self.prompt_only,
            may_leave: self.may_leave.clone(),
            had: self.had.as_ref().map(|_| LookupMap::default()),
            pins: None,
        }
    }

    /// The GPU's cache knows a block from now on.
    pub(super) fn known(&mut self, hash: u64, filled: Filled) {
        let may = match filled {
            Filled::Computed { end, limit } => end <= limit,
            Filled::Loaded => true,
        };
        if let Some(all) = self.may_leave.as_mut().filter(|_| may) {
            all.insert(hash, 1);
        }
        if let Some(cpu) = &self.cpu {
            if cpu.settings.written == Written::WhenFull {
                self.write_to_cpu(hash);
            }
        } else {
            self.post_where(hash, |written| written == Written::WhenFull);
        }
        if filled != Filled::Loaded {
            self.had_by_another(hash);
        }
    }

    /// A request has blocks that were cached.
    pub(super) fn pinned(&mut self, hashes: &[u64]) {
        if let Some(cpu) = &mut self.cpu {
            cpu.use_all(hashes.iter().copied());
        }
        if self.had.is_some() {
            for &hash in hashes {
                self.had_by_another(hash);
            }
        }
    }

    /// One more request has had a block.
    fn had_by_another(&mut self, hash: u64) {
        let Some(had) = &mut self.had else { return };
        let times = had.get(hash).unwrap_or(0).saturating_add(1);
        had.insert(hash, times);
        let enough = |written: Written| matches!(written, Written::WhenHit(n) if times >= n);
        if self.cpu.as_ref().is_some_and(|cpu| enough(cpu.settings.written)) {
            self.write_to_cpu(hash);
        }
        self.post_where(hash, enough);
    }

    /// The GPU evicted a block.
    pub(super) fn left_gpu(&mut self, hash: u64) {
        if let Some(cpu) = &self.cpu {
            if cpu.settings.written == Written::WhenEvicted {
                self.write_to_cpu(hash);
            }
        } else {
            self.post_where(hash, |written| written == Written::WhenEvicted);
        }
    }

    /// A request that is complete is about to give back these blocks.
    pub(super) fn completed(&mut self, hashes: &[u64]) {
        if self.cpu.as_ref().is_some_and(|cpu| cpu.settings.written == Written::WhenReleased) {
            for &hash in hashes {
                self.write_to_cpu(hash);
            }
        }
        for tier in 0..self.below.len() {
            if self.below[tier].written == Written::WhenReleased {
                for &hash in hashes {
                    self.post(tier, hash);
                }
            }
        }
    }

    /// Writes a block to CPU memory, unless it may not leave or there is no room.
    fn write_to_cpu(&mut self, hash: u64) {
        if self.may_leave.as_ref().is_some_and(|all| all.get(hash).is_none()) {
            return;
        }
        let Some(cpu) = &mut self.cpu else { return };
        if cpu.find(hash).is_some() {
            cpu.touch(hash);
            return;
        }
        if !self.take_slot(hash, true) {
            return;
        }
        self.post_where(hash, |written| written == Written::WhenFull);
    }

    /// A slot of CPU memory for a block; whether there was one. One for what is on its way is referred to once.
    pub(super) fn take_slot(&mut self, hash: u64, ready: bool) -> bool {
        let Some(cpu) = &mut self.cpu else { return false };
        let Some(room) = cpu.make_room(self.uses.as_deref()) else {
            cpu.counts.refused += u64::from(ready);
            return false;
        };
        if let Room::Instead(gone) = room {
            self.post_where(gone, |written| written == Written::WhenEvicted);
        }
        if let Some(cpu) = &mut self.cpu {
            cpu.insert(hash, ready);
        }
        true
    }

    fn post_where(&mut self, hash: u64, which: impl Fn(Written) -> bool) {
        for tier in 0..self.below.len() {
            if which(self.below[tier].written) {
                self.post(tier, hash);
            }
        }
    }

    /// Puts a block into the outbox of a tier below; while it lies in CPU memory, it stays there until it is written.
    fn post(&mut self, tier: usize, hash: u64) {
        let out = &mut self.below[tier];
        if self.may_leave.as_ref().is_some_and(|all| all.get(hash).is_none())
            || out.posted.get(hash).is_some()
        {
            return;
        }
        if let Some(cpu) = self.cpu.as_mut().filter(|_| out.written != Written::WhenEvicted) {
            if !cpu.is_ready(hash) {
                return;
            }
            cpu.refer(hash);
        }
        let pin = self.pins.as_ref().map_or(0, |pins| pins.of(hash).0).min(u64::MAX >> PIN);
        out.posted.insert(hash, pin << PIN | POSTED);
        out.waiting.push(hash);
    }

    /// The tiers below with something to be written and nothing being written.
    pub(super) fn due(&self) -> Vec<u32> {
        let due = |(_, out): &(u32, &Outbox)| out.writing.is_empty() && !out.waiting.is_empty();
        (0..).zip(&self.below).filter(due).map(|(tier, _)| tier).collect()
    }

    /// What is to be written to a tier below, in order. The caller says of each whether it is written now.
    pub(super) fn take_outbox(&mut self, tier: u32) -> Vec<u64> {
        std::mem::take(&mut self.below[tier as usize].waiting)
    }

    /// These of what was taken are written from now on.
    pub(super) fn begin_write(&mut self, tier: u32, blocks: Vec<u64>) {
        self.below[tier as usize].writing = blocks;
    }

    /// A block that was taken out of an outbox is not written any more.
    pub(super) fn unpost(&mut self, tier: u32, hash: u64) {
        let out = &mut self.below[tier as usize];
        let keeps = out.keeps(hash);
        out.posted.remove(hash);
        if let Some(cpu) = self.cpu.as_mut().filter(|_| keeps) {
            cpu.unrefer(hash);
        }
    }

    /// What was being written to a tier below is there, or will not be.
    pub(super) fn end_write(&mut self, tier: u32) {
        for hash in std::mem::take(&mut self.below[tier as usize].writing) {
            self.unpost(tier, hash);
        }
    }

    /// For how long a block that is posted is pinned softly.
    pub(super) fn pin_of(&self, tier: u32, hash: u64) -> Span {
        Span(self.below[tier as usize].posted.get(hash).map_or(0, |how| how >> PIN))
    }

    /// A request wants these blocks kept in stores for that long.
    pub(super) fn tell_pins(&mut self, request: u32, blocks: &[(u64, Span)]) {
        self.pins.get_or_insert_default().tell(request, blocks);
    }

    /// A request has left.
    pub(super) fn forget_pins(&mut self, request: u32) {
        if let Some(pins) = &mut self.pins {
            pins.forget(request);
            if pins.is_empty() {
                self.pins = None;
            }
        }
    }

    pub(super) fn has_pins(&self) -> bool {
        self.pins.is_some()
    }

    /// How many blocks wait to be written to a tier below.
    pub(super) fn waiting_to_write(&self, tier: u32) -> u32 {
        self.below[tier as usize].waiting.len() as u32
    }

    /// The leading run of `chain` in CPU memory.
    pub(super) fn lookup(&mut self, chain: &[u64]) -> Below {
        let mut below = Below::default();
        let Some(cpu) = &mut self.cpu else { return below };
        for &hash in chain {
            let Some(seen) = cpu.find(hash) else { break };
            below.blocks += 1;
            if seen == Seen::Moving {
                below.arriving = true;
                break;
            }
        }
        below
    }

    /// The present.
    pub(super) fn set_clock(&mut self, now: Micros) {
        if let Some(cpu) = &mut self.cpu {
            cpu.set_clock(now);
        }
    }

    /// INV-4 and INV-13.2: `loading` blocks are being loaded, and blocks of CPU memory are referred to by outboxes and by
    /// `others`, which are in order.
    pub(super) fn verify(&self, loading: u32, others: &[u64]) {
        let Some(cpu) = &self.cpu else { return };
        cpu.verify(loading);
        let mut all = others.to_vec();
        for out in &self.below {
            all.extend(out.waiting.iter().chain(&out.writing).filter(|hash| out.keeps(**hash)));
        }
        all.sort_unstable();
        let mut expected: Vec<(u64, u32)> = Vec::new();
        for hash in all {
            match expected.last_mut() {
                Some((last, n)) if *last == hash => *n += 1,
                _ => expected.push((hash, 1)),
            }
        }
        assert!(cpu.refs() == expected, "INV-13: the references of the CPU tier are miscounted");
    }
}

mod adopt;
#[cfg(test)]
mod tests;
