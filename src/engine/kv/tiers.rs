//! The tiers below the GPU's cache as one replica has them, in order: CPU memory, if there is any, and what lies below.
//!
//! A block is written to each of them by that tier's rule, from the tier above it: to CPU memory from the GPU, to those below
//! from CPU memory, or from the GPU where there is none. What is to be written below waits in the outbox of its tier; while
//! it lies in CPU memory, it stays there until then. Where blocks lie below CPU memory is not known here: see `place`.

use super::cpu_tier::{CpuTier, Room, Seen, StoreSettings};
use super::uses::Uses;
use super::written::Written;
use base::Micros;
use base::lookup::LookupMap;
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
    /// Both.
    posted: LookupMap<u64, u32>,
}

/// The tiers of one replica.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Tiers {
    pub(super) cpu: Option<CpuTier>,
    /// What is known of uses to come, where blocks of CPU memory that are used last go first.
    pub(super) uses: Option<Box<Uses>>,
    below: Vec<Outbox>,
    pub(super) prompt_only: bool,
    /// Blocks that may leave the GPU, where some may not.
    may_leave: Option<LookupMap<u64, u32>>,
    /// How many requests have had a block, where a tier counts that.
    had: Option<LookupMap<u64, u32>>,
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
            prompt_only: settings.prompt_only,
            may_leave: settings.restricted.then(LookupMap::default),
            had: any_counts.then(LookupMap::default),
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
            prompt_only: self.prompt_only,
            may_leave: self.may_leave.clone(),
            had: self.had.as_ref().map(|_| LookupMap::default()),
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
        out.posted.insert(hash, 1);
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
        out.posted.remove(hash);
        if let Some(cpu) = self.cpu.as_mut().filter(|_| out.written != Written::WhenEvicted) {
            cpu.unrefer(hash);
        }
    }

    /// What was being written to a tier below is there, or will not be.
    pub(super) fn end_write(&mut self, tier: u32) {
        for hash in std::mem::take(&mut self.below[tier as usize].writing) {
            self.unpost(tier, hash);
        }
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
            cpu.now = now;
        }
    }

    /// INV-4 and INV-13.2: `loading` blocks are being loaded, and blocks of CPU memory are referred to by outboxes and by
    /// `others`, which are in order.
    pub(super) fn verify(&self, loading: u32, others: &[u64]) {
        let Some(cpu) = &self.cpu else { return };
        cpu.verify(loading);
        let mut all = others.to_vec();
        for out in self.below.iter().filter(|out| out.written != Written::WhenEvicted) {
            all.extend(out.waiting.iter().chain(&out.writing));
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

#[cfg(test)]
mod tests {
    use super::*;
    use base::Span;

    fn tiers(capacity: u32, written: Written, below: &[Written]) -> Tiers {
        let cpu = StoreSettings { capacity, written, tokens_per_us: 4.0, base: Span(10), ttl: Span::ZERO };
        Tiers::new(&TierSettings {
            cpu: Some(cpu),
            below: below.to_vec(),
            prompt_only: false,
            restricted: false,
        })
    }

    fn fill(t: &mut Tiers, hashes: &[u64]) {
        for &hash in hashes {
            t.known(hash, Filled::Computed { end: 4, limit: u32::MAX });
        }
    }

    fn stored(t: &Tiers, hashes: &[u64]) -> Vec<u64> {
        t.verify(0, &[]);
        let cpu = t.cpu.as_ref().expect("there is one");
        hashes.iter().copied().filter(|h| cpu.lookup(&[*h]) == 1).collect()
    }

    fn cpu(t: &mut Tiers) -> &mut CpuTier {
        t.cpu.as_mut().expect("there is one")
    }

    fn load(t: &mut Tiers, hashes: &[u64], tokens: u64, now: Micros) -> Micros {
        cpu(t).hold(hashes);
        cpu(t).begin_load(hashes.len() as u64, tokens, now)
    }

    #[test]
    fn the_block_used_longest_ago_makes_room() {
        let mut t = tiers(3, Written::WhenFull, &[]);
        fill(&mut t, &[1, 3, 5]);
        t.pinned(&[1, 3]);
        fill(&mut t, &[7]);
        assert_eq!(stored(&t, &[1, 3, 5, 7]), [1, 3, 7]);
        // Of one request's blocks the first outlives the others.
        fill(&mut t, &[9]);
        assert_eq!(stored(&t, &[1, 3, 7, 9]), [1, 7, 9]);
        let cpu = cpu(&mut t);
        assert_eq!((cpu.counts.offloads, cpu.counts.evictions, cpu.blocks()), (5, 2, (3, 3)));
        assert_eq!(cpu.take_news(), (5, 2));
        assert_eq!(cpu.take_news(), (0, 0));
    }

    #[test]
    fn a_block_that_is_stored_is_not_written_again() {
        let mut t = tiers(2, Written::WhenFull, &[]);
        fill(&mut t, &[1, 3, 1, 5]);
        assert_eq!(stored(&t, &[1, 3, 5]), [1, 5]);
        assert_eq!(cpu(&mut t).counts.offloads, 3);
    }

    #[test]
    fn blocks_are_written_by_the_rule_of_the_tier() {
        for (written, expected) in [
            (Written::WhenFull, vec![1, 3]),
            (Written::WhenEvicted, vec![5]),
            (Written::WhenReleased, vec![3]),
            (Written::WhenHit(2), vec![1]),
        ] {
            let mut t = tiers(4, written, &[]);
            fill(&mut t, &[1, 3]);
            t.pinned(&[1]);
            t.completed(&[3]);
            t.left_gpu(5);
            assert_eq!(stored(&t, &[1, 3, 5]), expected, "{written:?}");
        }
    }

    #[test]
    fn blocks_beyond_the_limit_of_all_requests_do_not_leave_the_gpu() {
        let cpu = StoreSettings {
            capacity: 4,
            written: Written::WhenFull,
            tokens_per_us: 4.0,
            base: Span(10),
            ttl: Span::ZERO,
        };
        let mut t = Tiers::new(&TierSettings {
            cpu: Some(cpu),
            below: Vec::new(),
            prompt_only: true,
            restricted: true,
        });
        t.known(1, Filled::Computed { end: 4, limit: 4 });
        t.known(3, Filled::Computed { end: 8, limit: 4 });
        assert_eq!(stored(&t, &[1, 3]), [1]);
        t.known(3, Filled::Computed { end: 8, limit: 8 });
        assert_eq!(stored(&t, &[1, 3]), [1, 3]);
    }

    #[test]
    fn a_block_is_found_for_as_long_as_its_time_lasts_and_a_use_begins_it_anew() {
        let mut t = tiers(4, Written::WhenFull, &[]);
        cpu(&mut t).settings.ttl = Span(100);
        fill(&mut t, &[1, 3]);
        t.set_clock(Micros(60));
        t.pinned(&[1]);
        t.set_clock(Micros(101));
        assert_eq!((t.lookup(&[1]).blocks, t.lookup(&[3]).blocks), (1, 0));
        assert_eq!(cpu(&mut t).counts.expired, 1);
        assert_eq!(cpu(&mut t).blocks().0, 1);
    }

    #[test]
    fn loads_take_turns_on_the_link() {
        let mut t = tiers(4, Written::WhenFull, &[]);
        fill(&mut t, &[1, 3]);
        // 10 us and 16 tokens at 4 tokens a microsecond, twice.
        assert_eq!(load(&mut t, &[1], 16, Micros(100)), Micros(114));
        assert_eq!(load(&mut t, &[3], 16, Micros(101)), Micros(128));
        let cpu = cpu(&mut t);
        assert_eq!(cpu.done_at(2, Micros(500)), Micros(511));
        assert_eq!((cpu.counts.loads, cpu.counts.hits, cpu.counts.load_time), (2, 2, Span(14 + 27)));
    }

    #[test]
    fn a_block_that_is_being_loaded_stays_and_is_told_of() {
        let mut t = tiers(2, Written::WhenFull, &[]);
        fill(&mut t, &[1, 3]);
        load(&mut t, &[1], 4, Micros::ZERO);
        assert_eq!(t.lookup(&[1, 3]), Below { blocks: 1, arriving: true });
        fill(&mut t, &[5]);
        t.verify(1, &[]);
        assert_eq!((t.lookup(&[1]).blocks, t.lookup(&[3]).blocks, t.lookup(&[5]).blocks), (1, 0, 1));
        load(&mut t, &[5], 4, Micros::ZERO);
        fill(&mut t, &[7]);
        assert_eq!((t.lookup(&[7]).blocks, cpu(&mut t).counts.refused), (0, 1));
        cpu(&mut t).end_load(&[1, 5]);
        assert_eq!(stored(&t, &[1, 5]), [1, 5]);
    }

    #[test]
    fn a_block_that_waits_to_be_written_below_keeps_its_place() {
        let mut t = tiers(2, Written::WhenFull, &[Written::WhenFull]);
        fill(&mut t, &[1, 3, 5]);
        t.verify(0, &[]);
        assert_eq!((t.lookup(&[5]).blocks, t.due(), t.waiting_to_write(0)), (0, vec![0], 2));
        assert_eq!(t.take_outbox(0), [1, 3]);
        t.unpost(0, 3);
        t.begin_write(0, vec![1]);
        fill(&mut t, &[7]);
        assert_eq!((t.lookup(&[1]).blocks, t.lookup(&[3]).blocks, t.lookup(&[7]).blocks), (1, 0, 1));
        t.verify(0, &[]);
        t.end_write(0);
        t.verify(0, &[]);
        assert_eq!(t.take_outbox(0), [7]);
    }

    #[test]
    fn what_cpu_memory_forgets_is_written_back_without_a_place() {
        let mut t = tiers(1, Written::WhenFull, &[Written::WhenEvicted]);
        fill(&mut t, &[1, 3]);
        assert_eq!((t.lookup(&[1]).blocks, t.take_outbox(0)), (0, vec![1]));
        t.begin_write(0, vec![1]);
        t.end_write(0);
        t.verify(0, &[]);
    }
}
