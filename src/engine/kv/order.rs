//! Orders of eviction on the GPU other than by use alone: which free block goes first, and what clients want kept.
//!
//! A directive says of a range of a request's tokens how urgently they are to be kept, and for how long from their release. It never
//! pins: every free block can be evicted. What a directive means is the order's: `vllm` takes blocks without one first, `sglang` and
//! `trtllm` take the leaf with the lowest priority, `belady` the leaf that is used last.

use super::uses::{Family, Uses, used_last};
use base::lookup::LookupMap;
use base::{Micros, Span};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Which free block is evicted first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EvictionRule {
    /// The one used longest ago.
    Lru,
    /// One without a directive; then the lowest priority.
    Vllm,
    /// The leaf with the lowest priority: 0 without a directive.
    Sglang,
    /// The same: 35 without a directive.
    Trtllm,
    /// The leaf that is used last.
    Belady,
}

/// Settings of an order.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrderSettings {
    /// Which block goes first.
    pub rule: EvictionRule,
    /// The share of the blocks that directives may protect.
    pub max_protected: f64,
}

/// What is wanted of a range of a request's tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Directive {
    /// The first token.
    pub start: u32,
    /// The token after the last; [`u32::MAX`] for all, answers included.
    pub end: u32,
    /// How urgently they are to be kept.
    pub priority: u32,
    /// For how long after their release; nothing for ever.
    pub duration: Option<Span>,
}

/// What a request wants kept, and for whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keeper {
    /// Its session, or itself.
    pub scope: u64,
    /// What it wants.
    pub directives: Vec<Directive>,
}

impl Keeper {
    /// What it wants of block number `k`: the most urgent of the directives that overlap it.
    pub(crate) fn of_block(&self, k: u64, block_tokens: u32) -> Option<Directive> {
        let (first, last) = (k * u64::from(block_tokens), (k + 1) * u64::from(block_tokens));
        let overlaps = |d: &&Directive| u64::from(d.start) < last && u64::from(d.end) > first;
        let mut best: Option<Directive> = None;
        for d in self.directives.iter().filter(overlaps) {
            if best.is_none_or(|best| d.priority > best.priority) {
                best = Some(*d);
            }
        }
        best
    }
}

/// What holds of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Keep {
    pub(super) priority: u32,
    pub(super) until: Micros,
    pub(super) scope: u64,
}

impl Keep {
    fn lives(&self, now: Micros) -> bool {
        now <= self.until
    }
}

/// Among which a free block stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Class {
    /// Those that go first, in order of release.
    Open,
    /// Those that are ranked.
    Ranked,
    /// Those that are ranked after all others: something that is known continues them.
    Inner,
}

/// Where a free block stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stand {
    /// The number of its release; negative for blocks that were put to the front.
    freed: i64,
    class: Class,
    priority: u32,
    lapses: Micros,
}

/// What a prefetch brought: blocks that were hit before they went, and blocks that were not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brought {
    /// Hit.
    pub useful: u32,
    /// Evicted before.
    pub wasted: u32,
}

/// Which block goes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// This one.
    Block(u32),
    /// One that was never used.
    Unused,
}

/// The order of a replica's free blocks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) settings: OrderSettings,
    pub(super) now: Micros,
    keep: BTreeMap<u32, Keep>,
    free: LookupMap<u32, Stand>,
    releases: i64,
    open: BTreeSet<(i64, u32)>,
    ranked: BTreeSet<(u32, i64, u32)>,
    inner: BTreeSet<(u32, i64, u32)>,
    /// When the directives of ranked blocks lapse, where that changes their rank at once.
    lapses: BTreeSet<(Micros, u32)>,
    family: Family,
    /// By request: what it wants kept.
    pub(super) told: BTreeMap<u32, Keeper>,
    /// By block: the prefetch that brought it.
    pub(super) brought: LookupMap<u32, u32>,
    pub(super) results: BTreeMap<u32, Brought>,
    /// Prefetches that hold blocks.
    pub(super) prefetching: u32,
    /// Flows of prefetches to CPU memory.
    pub(super) coming: u32,
    pub(super) uses: Uses,
}

impl Order {
    pub(super) fn new(settings: OrderSettings) -> Self {
        Self {
            settings,
            now: Micros::ZERO,
            keep: BTreeMap::new(),
            free: LookupMap::default(),
            releases: 0,
            open: BTreeSet::new(),
            ranked: BTreeSet::new(),
            inner: BTreeSet::new(),
            lapses: BTreeSet::new(),
            family: Family::default(),
            told: BTreeMap::new(),
            brought: LookupMap::default(),
            results: BTreeMap::new(),
            prefetching: 0,
            coming: 0,
            uses: Uses::default(),
        }
    }

    /// Free blocks stand in another order from now on, sorted anew by their release. What continues a content that was there before is
    /// known where the order before followed that too.
    pub(super) fn adopt(&mut self, settings: OrderSettings, known: impl Fn(u32) -> Option<u64>) {
        let followed = self.follows_families();
        self.settings = settings;
        if self.follows_families() != followed {
            self.family = Family::default();
        }
        for (b, _) in self.free.sorted() {
            self.reclass(b, known(b));
        }
    }

    /// That of a restarted engine: what it knew of blocks is gone.
    pub(super) fn restarted(&self) -> Self {
        let (results, uses) = (self.results.clone(), self.uses.clone());
        Self { now: self.now, results, uses, ..Self::new(self.settings) }
    }

    /// Whether leaves go before what they continue.
    pub(super) fn follows_families(&self) -> bool {
        !matches!(self.settings.rule, EvictionRule::Lru | EvictionRule::Vllm)
    }

    /// Whether directives mean anything.
    pub(super) fn obeys(&self) -> bool {
        !matches!(self.settings.rule, EvictionRule::Lru | EvictionRule::Belady)
    }

    /// The priority of a block without a directive.
    fn usual(&self) -> u32 {
        if self.settings.rule == EvictionRule::Trtllm { 35 } else { 0 }
    }

    /// A block is free from now on; `known` is its content, if it can be found in it.
    pub(super) fn freed(&mut self, b: u32, known: Option<u64>) {
        self.releases += 1;
        self.enter(b, self.releases, known);
    }

    fn enter(&mut self, b: u32, freed: i64, known: Option<u64>) {
        let keep = self.keep.get(&b).copied();
        let mut stand = Stand { freed, class: Class::Open, priority: 0, lapses: Micros::MAX };
        if self.follows_families() {
            if let Some(hash) = known {
                let is_leaf = self.family.is_leaf(hash);
                stand.class = if is_leaf { Class::Ranked } else { Class::Inner };
                let lives = keep.filter(|keep| self.obeys() && keep.lives(self.now));
                stand.priority = lives.map_or(self.usual(), |keep| keep.priority);
                stand.lapses = lives.map_or(Micros::MAX, |keep| keep.until);
            }
        } else if let Some(keep) = keep.filter(|_| self.settings.rule == EvictionRule::Vllm) {
            (stand.class, stand.priority) = (Class::Ranked, keep.priority);
        }
        self.stand(b, stand);
    }

    fn stand(&mut self, b: u32, stand: Stand) {
        let Stand { freed, class, priority, lapses } = stand;
        match class {
            Class::Open => self.open.insert((freed, b)),
            Class::Ranked => self.ranked.insert((priority, freed, b)),
            Class::Inner => self.inner.insert((priority, freed, b)),
        };
        if lapses < Micros::MAX {
            self.lapses.insert((lapses, b));
        }
        let before = self.free.insert(b, stand);
        assert!(before.is_none(), "INV-4: block {b} is free twice");
    }

    fn leave(&mut self, b: u32) -> Option<Stand> {
        let stand = self.free.remove(b)?;
        let Stand { freed, class, priority, lapses } = stand;
        match class {
            Class::Open => self.open.remove(&(freed, b)),
            Class::Ranked => self.ranked.remove(&(priority, freed, b)),
            Class::Inner => self.inner.remove(&(priority, freed, b)),
        };
        if lapses < Micros::MAX {
            self.lapses.remove(&(lapses, b));
        }
        Some(stand)
    }

    /// What is known of a free block's content has changed.
    fn reclass(&mut self, b: u32, known: Option<u64>) {
        if let Some(stand) = self.leave(b) {
            self.enter(b, stand.freed, known);
        }
    }

    /// A block that was free is held: it was hit.
    pub(super) fn pinned(&mut self, b: u32) {
        self.leave(b);
        self.used(b);
    }

    /// A block was hit.
    pub(super) fn used(&mut self, b: u32) {
        if let Some(prefetch) = self.brought.remove(b) {
            self.results.entry(prefetch).or_default().useful += 1;
        }
    }

    /// A block loses its content.
    pub(super) fn evicted(&mut self, b: u32) {
        self.leave(b);
        self.keep.remove(&b);
        if let Some(prefetch) = self.brought.remove(b) {
            self.results.entry(prefetch).or_default().wasted += 1;
        }
    }

    /// A content that follows `parent` can be found in another block than `before`. The content whose block has something to
    /// continue it from now on.
    pub(super) fn entered(&mut self, hash: u64, parent: u64, before: Option<u32>) -> Option<u64> {
        if !self.follows_families() {
            return None;
        }
        if let Some(before) = before {
            self.reclass(before, None);
        }
        self.family.enter(hash, parent)
    }

    /// A content can not be found any more. The content whose block has nothing left to continue it.
    pub(super) fn lost(&mut self, hash: u64) -> Option<u64> {
        if self.follows_families() { self.family.leave(hash) } else { None }
    }

    /// Whether something continues the content of a block has changed.
    pub(super) fn turned(&mut self, b: u32, hash: u64) {
        self.reclass(b, Some(hash));
    }

    /// Which block goes next; `unused` says whether some were never used, `hash_of` what a block has.
    pub(super) fn next(&mut self, unused: bool, hash_of: impl Fn(u32) -> u64) -> Option<Next> {
        let open = self.open.first().copied();
        if let Some((_, b)) = open.filter(|(freed, _)| *freed < 0 || !unused) {
            return Some(Next::Block(b));
        }
        if unused {
            return Some(Next::Unused);
        }
        match self.settings.rule {
            EvictionRule::Lru => None,
            EvictionRule::Vllm => self.lowest_of_vllm(),
            EvictionRule::Sglang | EvictionRule::Trtllm => {
                self.settle_lapses();
                let lowest = self.ranked.first().or_else(|| self.inner.first());
                lowest.map(|(_, _, b)| Next::Block(*b))
            }
            EvictionRule::Belady => {
                let all = if self.ranked.is_empty() { &self.inner } else { &self.ranked };
                used_last(&self.uses, all.iter().map(|&(_, _, b)| (b, hash_of(b)))).map(Next::Block)
            }
        }
    }

    /// The heap of vLLM: a block whose time is over is entered anew with priority 0 when it comes to the top, not before.
    fn lowest_of_vllm(&mut self) -> Option<Next> {
        loop {
            let &(priority, freed, b) = self.ranked.first()?;
            let lives = self.keep.get(&b).filter(|keep| keep.lives(self.now));
            let actual = lives.map_or(0, |keep| keep.priority);
            if actual == priority {
                return Some(Next::Block(b));
            }
            self.leave(b);
            self.stand(b, Stand { freed, class: Class::Ranked, priority: actual, lapses: Micros::MAX });
        }
    }

    /// Blocks whose time is over have the usual priority.
    fn settle_lapses(&mut self) {
        while let Some(&(until, b)) = self.lapses.first()
            && until < self.now
        {
            let Some(stand) = self.leave(b) else { return };
            self.stand(b, Stand { priority: self.usual(), lapses: Micros::MAX, ..stand });
        }
    }

    /// The directives of a request take effect on its blocks, which it is about to release. `total` blocks are in service.
    pub(super) fn direct(&mut self, blocks: &[u32], block_tokens: u32, request: u32, total: u32) {
        if !self.obeys() {
            return;
        }
        let Some(keeper) = self.told.get(&request).cloned() else { return };
        let (now, scope) = (self.now, keeper.scope);
        let wanted = |k: usize| {
            keeper.of_block(k as u64, block_tokens).map(|d| {
                let until = d.duration.map_or(Micros::MAX, |duration| now.saturating_add(duration));
                Keep { priority: d.priority, until, scope }
            })
        };
        let mut all: Vec<Option<Keep>> = (0..blocks.len()).map(wanted).collect();
        if self.settings.max_protected < 1.0 && self.protects_too_much(blocks, &all, total) {
            all.fill(None);
        }
        for (&b, mine) in blocks.iter().zip(all) {
            self.say(b, mine, scope);
        }
    }

    /// Whether directives would protect more than may be.
    fn protects_too_much(&self, blocks: &[u32], wanted: &[Option<Keep>], total: u32) -> bool {
        let more =
            blocks.iter().zip(wanted).filter(|(b, mine)| mine.is_some() && !self.protects(**b)).count();
        let most = self.settings.max_protected * f64::from(total);
        (self.protected() as usize + more) as f64 > most
    }

    fn protects(&self, b: u32) -> bool {
        self.keep.get(&b).is_some_and(|keep| keep.lives(self.now))
    }

    /// Blocks under directives that live.
    pub(super) fn protected(&self) -> u32 {
        self.keep.values().filter(|keep| keep.lives(self.now)).count() as u32
    }

    /// Until when `scope` wants a block kept, if it said so.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    pub(super) fn wanted_until(&self, b: u32, scope: u64) -> Option<Micros> {
        self.keep.get(&b).filter(|keep| keep.scope == scope).map(|keep| keep.until)
    }

    /// What `scope` says of a block. The word of another scope stands while it lives, if it is as strong.
    pub(super) fn say(&mut self, b: u32, mine: Option<Keep>, scope: u64) {
        let strength = |keep: &Keep| (keep.priority, keep.until);
        if let Some(old) = self.keep.get(&b).filter(|old| old.scope != scope && old.lives(self.now))
            && mine.is_none_or(|mine| strength(&mine) <= strength(old))
        {
            return;
        }
        match mine {
            Some(mine) => self.keep.insert(b, mine),
            None => self.keep.remove(&b),
        };
    }

    /// Blocks of `scope` that are not in its own context lose their directive. Those of them that are free, released last first.
    pub(super) fn supersede(&mut self, scope: u64, is_own: impl Fn(u32) -> bool) -> Vec<u32> {
        let of = |(b, keep): (&u32, &Keep)| (keep.scope == scope && !is_own(*b)).then_some(*b);
        let old: Vec<u32> = self.keep.iter().filter_map(of).collect();
        let mut free: BTreeMap<i64, u32> = BTreeMap::new();
        for b in old {
            self.keep.remove(&b);
            free.extend(self.free.get(b).map(|stand| (stand.freed, b)));
        }
        free.into_values().rev().collect()
    }

    /// A free block goes first.
    pub(super) fn put_first(&mut self, b: u32, known: Option<u64>) {
        if self.leave(b).is_some() {
            self.releases += 1;
            self.enter(b, -self.releases, known);
        }
    }

    /// A free block goes last, as if it was just released.
    pub(super) fn put_last(&mut self, b: u32, known: Option<u64>) {
        if self.leave(b).is_some() {
            self.releases += 1;
            self.enter(b, self.releases, known);
        }
    }

    /// A block has no directive any more.
    pub(super) fn forget(&mut self, b: u32) {
        self.keep.remove(&b);
    }

    pub(super) fn is_free(&self, b: u32) -> bool {
        self.free.get(b).is_some()
    }

    /// How many blocks are free, of those that were used before.
    pub(super) fn len(&self) -> u32 {
        self.free.len() as u32
    }
}
