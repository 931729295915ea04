//! Loading blocks back from the tiers below.

use super::{Block, BlockPool, Filled, Hit};
use crate::kv::BlockTable;
use crate::kv::cpu_tier::CpuTier;
use crate::kv::served::{Ages, LoadCounts};
use crate::kv::tiers::{Below, TierSettings, Tiers};
use base::stats::Sketch;
use base::{Micros, Span};

impl BlockPool {
    /// The pool with tiers below it.
    #[must_use]
    pub fn with_tiers(mut self, settings: &TierSettings) -> Self {
        self.tiers = Some(Box::new(Tiers::new(settings)));
        self
    }

    /// The pool with a CPU tier from which the block that is used last goes first.
    #[must_use]
    pub fn with_known_uses(mut self) -> Self {
        if let Some(tiers) = &mut self.tiers {
            tiers.uses = Some(Box::default());
        }
        self
    }

    /// The tiers below follow other settings from `now` on.
    pub fn adopt_tiers(&mut self, settings: &TierSettings, now: Micros) {
        let Some(tiers) = &mut self.tiers else { return };
        tiers.set_clock(now);
        let by_hash = &self.by_hash;
        tiers.adopt(settings, || by_hash.sorted().into_iter().map(|(hash, _)| hash).collect());
    }

    /// Whether there are tiers below, other than that of BLIS.
    pub fn has_tiers(&self) -> bool {
        self.tiers.is_some()
    }

    /// Whether CPU memory is one of them.
    pub fn has_cpu_tier(&self) -> bool {
        self.cpu().is_some()
    }

    pub(in crate::kv) fn cpu(&self) -> Option<&CpuTier> {
        self.tiers.as_ref().and_then(|tiers| tiers.cpu.as_ref())
    }

    /// Whether blocks of answers are kept from all tiers.
    pub fn prompt_only(&self) -> bool {
        self.tiers.as_ref().is_some_and(|tiers| tiers.prompt_only)
    }

    /// Whether a tier forgets what is not used.
    pub fn has_ttl(&self) -> bool {
        self.cpu().is_some_and(|cpu| cpu.settings.ttl > Span::ZERO)
    }

    /// Whether anything here depends on the present.
    pub fn knows_time(&self) -> bool {
        self.has_cpu_tier() || self.has_order() || self.is_seen_late()
    }

    /// The present, for tiers that forget what is not used.
    pub fn set_clock(&mut self, now: Micros) {
        if let Some(tiers) = &mut self.tiers {
            tiers.set_clock(now);
        }
        if let Some(order) = &mut self.order {
            order.now = now;
        }
        if let Some(past) = &mut self.version.past {
            past.now = now;
        }
    }

    /// As [`BlockPool::can_admit`], with `kept` free blocks reserved for others.
    pub fn can_admit_beside(&self, kept: u32, hit: Hit, tokens: u32) -> bool {
        tokens.div_ceil(self.block_tokens).saturating_sub(hit.blocks) + hit.free + kept <= self.free()
    }

    /// Where blocks of prompts were found, and what loads held; none without tiers.
    pub fn load_counts(&self) -> Option<&LoadCounts> {
        self.tiers.as_ref().map(|tiers| &tiers.loads)
    }

    /// How long requests waited for loads from the CPU tier, and the ages of its blocks.
    pub fn cpu_figures(&self) -> Option<(&Sketch, &Ages)> {
        self.cpu().map(|cpu| (&cpu.waits, &cpu.ages))
    }

    /// For how long the link of the CPU tier has loaded, or will have when it has.
    pub fn link_busy(&self) -> Span {
        self.cpu().map_or(Span::ZERO, |cpu| cpu.link_busy)
    }

    /// A request joins a batch, or loads what it needs to: how many blocks of its prompt were on the GPU and below it, and which of
    /// these in the CPU tier.
    pub fn prompt_found(&mut self, [gpu, below]: [u32; 2], in_cpu: impl Iterator<Item = u64>) {
        let Some(tiers) = &mut self.tiers else { return };
        tiers.loads.from_gpu += u64::from(gpu);
        tiers.loads.from_below += u64::from(below);
        let Some(cpu) = &mut tiers.cpu else { return };
        for hash in in_cpu {
            tiers.loads.from_cpu += 1;
            cpu.hit(hash);
        }
    }

    /// A request has waited for a load from the CPU tier.
    pub fn waited_for_load(&mut self, waited: Span) {
        if let Some(cpu) = self.cpu_mut() {
            cpu.waits.add(waited.0, 1);
        }
    }

    /// A request that loads holds these blocks.
    pub fn hold_for_load(&mut self, blocks: u32, now: Micros) {
        if let Some(tiers) = &mut self.tiers {
            tiers.loads.hold(blocks, now);
        }
    }

    /// A load ends: its request joins a batch with its blocks, or gives them back. `unused` of them were loaded and not used.
    pub fn let_go_after_load(&mut self, blocks: u32, unused: u32, now: Micros) {
        if let Some(tiers) = &mut self.tiers {
            tiers.loads.let_go(blocks, now);
            tiers.loads.given_back += u64::from(unused);
        }
    }

    /// Prompt blocks found in the CPU tier and loaded back.
    fn loaded(&self) -> u64 {
        self.cpu().map_or(0, |cpu| cpu.counts.hits)
    }

    /// Prompt blocks found on the GPU or loaded to it: from the CPU tier, or where there is none from what lies below.
    pub fn found(&self) -> u64 {
        self.hits() + if self.has_cpu_tier() { self.loaded() } else { self.received }
    }

    /// Blocks opened for contents from tiers below.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Looks up `rest`, which follows a cached run, in the CPU tier.
    pub fn lookup_below(&mut self, rest: &[u64]) -> Below {
        self.tiers.as_mut().map_or_else(Below::default, |tiers| tiers.lookup(rest))
    }

    /// How many leading blocks of `rest`, which follows a cached run, are in the CPU tier.
    pub fn known_below(&self, rest: &[u64]) -> u32 {
        self.cpu().map_or(0, |cpu| cpu.lookup(rest))
    }

    /// Whether other replicas can read a block in the CPU tier; one that was not used for too long goes now.
    pub fn lends(&mut self, hash: u64) -> bool {
        self.cpu_mut().is_some_and(|cpu| cpu.find(hash).is_some() && cpu.is_ready(hash))
    }

    /// How many leading blocks of `chain` are in the CPU tier, or on the GPU where that counts too.
    pub fn leading(&mut self, chain: &[u64], with_gpu: bool, now: Micros) -> u32 {
        if self.is_seen_late() {
            let is_shown = |hash: &&u64| self.shows_below(**hash, now) || with_gpu && self.shows(**hash, now);
            return chain.iter().take_while(is_shown).count() as u32;
        }
        let is_here = |hash: &&u64| self.lends(**hash) || with_gpu && self.knows(**hash);
        chain.iter().take_while(is_here).count() as u32
    }

    /// Counts blocks looked up in the CPU tier and not found.
    pub fn missed_below(&mut self, blocks: u32) {
        if let Some(cpu) = self.tiers.as_mut().and_then(|tiers| tiers.cpu.as_mut()) {
            cpu.counts.misses += u64::from(blocks);
        }
    }

    /// A request has all its tokens, and is about to give its blocks back.
    pub fn completed(&mut self, block_table: &BlockTable) {
        if let Some(tiers) = &mut self.tiers {
            let hashed = block_table.blocks.iter().filter(|&&b| self.blocks[b as usize].is_hashed());
            let hashes: Vec<u64> = hashed.map(|&b| self.hashes[b as usize]).collect();
            tiers.completed(&hashes);
        }
    }

    /// Pins the first `cached` blocks of `chain`, opens blocks for the others, and starts the load of their contents from the
    /// CPU tier, where a [`BlockPool::lookup_below`] has just found them. The caller must have checked for free blocks.
    /// Returns when the load ends.
    pub fn begin_load(
        &mut self,
        block_table: &mut BlockTable,
        (chain, cached): (&[u64], u32),
        now: Micros,
    ) -> Micros {
        let loaded = &chain[cached as usize..];
        self.hold(loaded);
        self.pin(block_table, &chain[..cached as usize]);
        let tokens = loaded.len() as u64 * u64::from(self.block_tokens);
        let cpu = self.tiers.as_mut().and_then(|tiers| tiers.cpu.as_mut());
        let cpu = cpu.expect("INV-4: a load without a CPU tier");
        let done_at = cpu.begin_load(loaded.len() as u64, tokens, now);
        cpu.use_all(chain.iter().copied());
        self.open_for(block_table, loaded.len() as u32);
        done_at
    }

    /// The leading blocks of `rest` that are in the CPU tier are read for a request whose other blocks come from elsewhere: how many,
    /// and when the link has brought them; none if there is none.
    pub fn read_beside(&mut self, rest: &[u64], now: Micros) -> Option<(u32, Micros)> {
        let block_tokens = u64::from(self.block_tokens);
        let cpu = self.cpu_mut()?;
        let is_here = |hash: &&u64| cpu.find(**hash).is_some() && cpu.is_ready(**hash);
        let blocks = rest.iter().take_while(is_here).count();
        if blocks == 0 {
            return None;
        }
        let until = cpu.begin_load(blocks as u64, blocks as u64 * block_tokens, now);
        cpu.use_all(rest[..blocks].iter().copied());
        Some((blocks as u32, until))
    }

    /// Pins the first `cached` blocks of `chain` and opens blocks for the others, whose contents come without a link. The caller
    /// must have checked for free blocks.
    pub fn begin_direct(&mut self, block_table: &mut BlockTable, (chain, cached): (&[u64], u32)) {
        self.pin(block_table, &chain[..cached as usize]);
        self.open_for(block_table, chain.len() as u32 - cached);
    }

    /// How long the link of the CPU tier takes for a number of tokens; no time without one.
    pub fn link_time(&self, tokens: u64) -> Span {
        self.cpu().map_or(Span::ZERO, |cpu| cpu.transfer(tokens))
    }

    fn cpu_mut(&mut self) -> Option<&mut CpuTier> {
        self.tiers.as_mut().and_then(|tiers| tiers.cpu.as_mut())
    }

    /// Something needs a block of the CPU tier.
    pub fn refer(&mut self, hash: u64) {
        if let Some(cpu) = self.cpu_mut() {
            cpu.refer(hash);
        }
    }

    /// It needs it no more.
    pub fn unrefer(&mut self, hash: u64) {
        if let Some(cpu) = self.cpu_mut() {
            cpu.unrefer(hash);
        }
    }

    /// A slot of the CPU tier for a block that will come; whether there was one. It is needed by whom it comes for.
    pub fn take_slot(&mut self, hash: u64) -> bool {
        self.tiers.as_mut().is_some_and(|tiers| tiers.take_slot(hash, false))
    }

    /// A block that was to come to the CPU tier is there.
    pub fn slot_filled(&mut self, hash: u64) {
        if let Some(cpu) = self.cpu_mut() {
            cpu.arrive(hash);
        }
    }

    /// A block that was to come to the CPU tier will not.
    pub fn slot_lost(&mut self, hash: u64) {
        if let Some(cpu) = self.cpu_mut() {
            cpu.forget(hash);
        }
    }

    /// A block that was to come to the CPU tier for a prefetch is there, or will not be.
    pub fn end_coming(&mut self, hash: u64, is_here: bool) {
        if let Some(cpu) = self.cpu_mut() {
            cpu.end_coming(hash, is_here);
        }
    }

    /// The tiers below CPU memory with something to be written and nothing being written.
    #[inline]
    pub fn due_writes(&self) -> Vec<u32> {
        self.tiers.as_ref().map_or_else(Vec::new, |tiers| tiers.due())
    }

    /// What is to be written to a tier, in order. The caller says of each block whether it is.
    pub fn take_outbox(&mut self, tier: u32) -> Vec<u64> {
        self.tiers.as_mut().map_or_else(Vec::new, |tiers| tiers.take_outbox(tier))
    }

    /// These of what was taken are written from now on.
    pub fn begin_write(&mut self, tier: u32, blocks: Vec<u64>) {
        if let Some(tiers) = &mut self.tiers {
            tiers.begin_write(tier, blocks);
        }
    }

    /// A block that was taken is not written.
    pub fn unpost(&mut self, tier: u32, hash: u64) {
        if let Some(tiers) = &mut self.tiers {
            tiers.unpost(tier, hash);
        }
    }

    /// What was being written to a tier is there, or will not be.
    pub fn end_write(&mut self, tier: u32) {
        if let Some(tiers) = &mut self.tiers {
            tiers.end_write(tier);
        }
    }

    /// For how long a block in the outbox of a tier is pinned softly.
    pub fn pin_of(&self, tier: u32, hash: u64) -> Span {
        self.tiers.as_ref().map_or(Span::ZERO, |tiers| tiers.pin_of(tier, hash))
    }

    /// A request wants these blocks kept in stores for that long after they are written.
    pub fn tell_pins(&mut self, request: u32, blocks: &[(u64, Span)]) {
        if let Some(tiers) = &mut self.tiers {
            tiers.tell_pins(request, blocks);
        }
    }

    /// Whether anything is known of what requests want kept.
    pub fn has_wishes(&self) -> bool {
        self.has_order() || self.tiers.as_ref().is_some_and(|tiers| tiers.has_pins())
    }

    /// How many blocks wait to be written to a tier.
    pub fn waiting_to_write(&self, tier: u32) -> u32 {
        self.tiers.as_ref().map_or(0, |tiers| tiers.waiting_to_write(tier))
    }

    /// A load reads these blocks of the CPU tier.
    fn hold(&mut self, loaded: &[u64]) {
        if let Some(cpu) = self.tiers.as_mut().and_then(|tiers| tiers.cpu.as_mut()) {
            cpu.hold(loaded);
        }
    }

    /// Opens `n` further blocks for contents that are on their way.
    pub(super) fn open_for(&mut self, block_table: &mut BlockTable, n: u32) {
        self.open(block_table, n, Block(1));
        block_table.tokens = block_table.len() * self.block_tokens;
        self.received += u64::from(n);
    }

    /// The contents of `chain` from block `from` on have arrived: they can be hit.
    pub fn finish_load(&mut self, block_table: &mut BlockTable, chain: &[u64], from: u32) {
        self.end_load(&chain[from as usize..]);
        for (index, &hash) in chain.iter().enumerate().skip(from as usize) {
            let parent = index.checked_sub(1).map_or(0, |before| chain[before]);
            self.set_hash(block_table.blocks[index], (hash, parent), Filled::Loaded);
            block_table.last_hash = hash;
        }
    }

    /// Ends a load, whether its contents are still needed or not.
    pub fn end_load(&mut self, loaded: &[u64]) {
        if let Some(cpu) = self.tiers.as_mut().and_then(|tiers| tiers.cpu.as_mut()) {
            cpu.end_load(loaded);
        }
        self.version.number += 1;
    }

    /// Blocks written to the CPU tier and evicted there since the last call.
    pub fn take_tier_news(&mut self) -> (u32, u32) {
        self.tiers.as_mut().and_then(|tiers| tiers.cpu.as_mut()).map_or((0, 0), CpuTier::take_news)
    }

    /// INV-4 of the tiers; `loading` blocks are being loaded, and `others` need blocks of the CPU tier, in any order.
    pub fn verify_tiers(&self, loading: u32, others: &[u64]) {
        if let Some(tiers) = &self.tiers {
            tiers.verify(loading, others);
        }
    }
}
