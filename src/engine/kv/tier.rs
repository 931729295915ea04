//! The CPU tier of BLIS: a store keyed by the GPU block number, read back when an allocation fails.
//!
//! When the GPU is over a threshold as blocks are released, cached free blocks are copied down and leave the table; when
//! an allocation fails, all stored blocks are copied back into free ones, which may make a prefix longer. A copy back
//! costs time that the next step pays.

use super::BlockPool;
use base::lookup::LookupMap;
use base::{Micros, Span};
use serde::{Deserialize, Serialize};

/// A reload this soon after the offload counts as thrashing.
const THRASH_WITHIN: Span = Span(1000);

/// Settings of the tier.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReloadSettings {
    /// Capacity in blocks.
    pub capacity: u32,
    /// Share of GPU blocks in use above which released blocks are copied down, 0 to 1.
    pub threshold: f64,
    /// Tokens copied in a microsecond.
    pub tokens_per_us: f64,
    /// Fixed time of copying one block.
    pub base: Span,
}

/// The store in CPU memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Tier {
    settings: ReloadSettings,
    /// By GPU block: the hash of the content, and when it was copied down.
    store: LookupMap<u32, (u64, Micros)>,
    /// Blocks copied down minus blocks copied back; overwriting an entry counts too.
    used: u32,
    counts: TierCounts,
    /// Copying time that the next step pays.
    pending: Span,
}

/// Counters of the CPU tier, of either kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TierCounts {
    /// Blocks written to it.
    pub offloads: u64,
    /// Blocks found there and loaded back.
    pub hits: u64,
    /// Blocks looked up there and not found; with the tier of BLIS, failed allocations for which nothing could be
    /// copied back.
    pub misses: u64,
    /// Blocks evicted there because it was full.
    pub evictions: u64,
    /// Loads, each of one block or more.
    pub loads: u64,
    /// Total time of all loads, each from request to end.
    pub load_time: Span,
    /// Blocks not written because nothing in the tier could be evicted.
    pub refused: u64,
    /// Blocks that were not used for longer than they are kept.
    pub expired: u64,
    /// The tier of BLIS: blocks copied back within a millisecond of being copied down.
    pub thrash: u64,
}

impl Tier {
    /// How many blocks it holds.
    pub(super) fn len(&self) -> usize {
        self.store.len()
    }

    pub(super) fn new(settings: ReloadSettings) -> Self {
        Self {
            settings,
            store: LookupMap::default(),
            used: 0,
            counts: TierCounts::default(),
            pending: Span::ZERO,
        }
    }

    /// The empty tier of a restarted engine; its counters stay.
    pub(super) fn restarted(&self) -> Self {
        Self { counts: self.counts, ..Self::new(self.settings) }
    }
}

impl BlockPool {
    /// The pool with the CPU tier of BLIS below it.
    #[must_use]
    pub fn with_reload(mut self, settings: ReloadSettings) -> Self {
        self.tier = Some(Box::new(Tier::new(settings)));
        self
    }

    /// Whether the CPU tier is that of BLIS.
    pub fn reloads(&self) -> bool {
        self.tier.is_some()
    }

    /// Whether there is a CPU tier.
    pub fn tiered(&self) -> bool {
        self.tier.is_some() || self.cpu().is_some()
    }

    /// Counters of the CPU tier.
    pub fn tier_counts(&self) -> TierCounts {
        let counts = self.tier.as_ref().map(|t| t.counts).or(self.cpu().map(|s| s.counts));
        counts.unwrap_or_default()
    }

    /// Blocks stored in the CPU tier, and its capacity.
    pub fn tier_blocks(&self) -> (u32, u32) {
        let tier = self.tier.as_ref().map(|t| (t.used, t.settings.capacity));
        let cpu = self.cpu();
        tier.or_else(|| Some(cpu?.blocks())).unwrap_or((0, 0))
    }

    /// Copying time not yet paid.
    pub fn pending_transfer(&self) -> Span {
        self.tier.as_ref().map_or(Span::ZERO, |t| t.pending)
    }

    /// Takes the copying time that the next step pays.
    pub fn take_transfer(&mut self) -> Span {
        self.tier.as_mut().map_or(Span::ZERO, |t| std::mem::take(&mut t.pending))
    }

    /// After a failed allocation: copies stored blocks back. False if there was none to copy, or there is no tier.
    pub fn reload(&mut self, now: Micros) -> bool {
        let Some(mut tier) = self.tier.take() else { return false };
        let mut any = false;
        self.mark(now);
        for (key, (hash, at)) in tier.store.sorted() {
            if self.knows(hash) {
                continue;
            }
            if !self.reload_into_free(hash) {
                break;
            }
            let s = &tier.settings;
            let copying =
                base::math::truncate_to_span(libm::ceil(f64::from(self.block_tokens()) / s.tokens_per_us));
            tier.pending += s.base + copying;
            if now > Micros::ZERO && now.since(at) < THRASH_WITHIN {
                tier.counts.thrash += 1;
            }
            tier.store.remove(key);
            tier.used -= 1;
            tier.counts.hits += 1;
            any = true;
        }
        if !any {
            tier.counts.misses += 1;
        }
        self.tier = Some(tier);
        any
    }

    /// After a release: while the GPU is over the threshold, copies cached free blocks down, least recently used first.
    pub(super) fn offload(&mut self, now: Micros) {
        let Some(mut tier) = self.tier.take() else { return };
        let s = tier.settings;
        let mut next = self.first_cached(None);
        while f64::from(self.used()) / f64::from(self.total()) > s.threshold && tier.used < s.capacity {
            let Some(place) = next else { break };
            next = self.first_cached(Some(place));
            let (b, hash) = self.take_content(place);
            tier.store.insert(b, (hash, now));
            tier.used += 1;
            tier.counts.offloads += 1;
        }
        self.tier = Some(tier);
    }
}
