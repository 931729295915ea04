//! Free blocks in an order that is not by use alone: the pool tells the order what happens to blocks, and asks it which goes next.

use super::{Block, BlockPool};
use crate::kv::BlockTable;
use crate::kv::cpu_tier::Seen;
use crate::kv::order::{Brought, EvictionRule, Keep, Keeper, Next, Order, OrderSettings};
use crate::kv::tiers::Filled;
use crate::kv::uses::{UseNews, Uses};
use base::{Micros, Span};

impl BlockPool {
    /// The pool with free blocks in this order.
    #[must_use]
    pub fn with_order(mut self, settings: OrderSettings) -> Self {
        self.order = Some(Box::new(Order::new(settings)));
        self
    }

    /// Follows other settings of the order of free blocks from `now` on, and whether an oracle says what CPU memory evicts.
    pub fn adopt_order(&mut self, settings: Option<OrderSettings>, known: bool, now: Micros) {
        let uses = if self.follows_uses() { self.uses().into_iter().flatten().next().cloned() } else { None };
        if settings.is_some() && self.order.is_none() {
            self.order_by_use();
        }
        let by_use = OrderSettings { rule: EvictionRule::Lru, max_protected: 1.0 };
        if let Some(mut order) = self.order.take() {
            order.now = now;
            order.uses = Uses::default();
            order.adopt(settings.unwrap_or(by_use), |b| self.known(b));
            self.order = Some(order);
        }
        if let Some(tiers) = &mut self.tiers {
            tiers.uses = known.then(Box::default);
        }
        if let Some(uses) = uses.filter(|_| self.follows_uses()) {
            self.set_uses(&uses);
        }
    }

    /// What is known of uses to come.
    fn set_uses(&mut self, uses: &Uses) {
        if let Some(order) = &mut self.order {
            order.uses = uses.clone();
        }
        if let Some(mine) = self.tiers.as_mut().and_then(|tiers| tiers.uses.as_mut()) {
            **mine = uses.clone();
        }
    }

    /// Whether free blocks stand in an order that is not by use alone.
    #[inline]
    pub fn has_order(&self) -> bool {
        self.order.is_some()
    }

    fn order(&mut self) -> &mut Order {
        self.order.as_mut().expect("INV-4: no order of free blocks")
    }

    /// The content by which a block is found.
    fn known(&self, b: u32) -> Option<u64> {
        let hash = self.hashes.get(b as usize).copied().filter(|hash| *hash != 0)?;
        (self.by_hash.get(hash) == Some(b)).then_some(hash)
    }

    /// A request that waits wants this kept.
    pub fn tell(&mut self, request: u32, keeper: Keeper) {
        if let Some(order) = &mut self.order {
            order.told.insert(request, keeper);
        }
    }

    /// A request has left.
    pub fn forget_keeper(&mut self, request: u32) {
        if let Some(order) = &mut self.order {
            order.told.remove(&request);
        }
        if let Some(tiers) = &mut self.tiers {
            tiers.forget_pins(request);
        }
    }

    /// A request is about to release its blocks: what it wants kept of the first `n` takes effect.
    pub fn direct(&mut self, block_table: &BlockTable, n: u32, request: u32) {
        let (block, total) = (self.block_tokens, self.total());
        if let Some(order) = &mut self.order {
            order.direct(&block_table.blocks[..n as usize], block, request, total);
        }
    }

    /// Blocks under directives that live.
    pub fn protected(&self) -> u32 {
        self.order.as_ref().map_or(0, |order| order.protected())
    }

    /// What became of the blocks of a prefetch.
    pub fn brought(&self, prefetch: u32) -> Brought {
        let of = |order: &Order| order.results.get(&prefetch).copied();
        self.order.as_ref().and_then(|order| of(order)).unwrap_or_default()
    }

    /// Something is known of uses to come, or is over.
    pub fn follow_uses(&mut self, news: &UseNews) {
        if let Some(order) = &mut self.order {
            order.uses.follow(news);
        }
        if let Some(uses) = self.tiers.as_mut().and_then(|tiers| tiers.uses.as_mut()) {
            uses.follow(news);
        }
    }

    /// What another pool knows of uses to come is known here too.
    pub fn learn_uses(&mut self, other: &Self) {
        let [gpu, cpu] = other.uses();
        if let (Some(order), Some(uses)) = (&mut self.order, gpu) {
            order.uses = uses.clone();
        }
        if let (Some(mine), Some(uses)) = (self.tiers.as_mut().and_then(|tiers| tiers.uses.as_mut()), cpu) {
            **mine = uses.clone();
        }
    }

    fn uses(&self) -> [Option<&Uses>; 2] {
        let cpu = self.tiers.as_ref().and_then(|tiers| tiers.uses.as_deref());
        [self.order.as_ref().map(|order| &order.uses), cpu]
    }

    /// A content is found in another block than before.
    #[inline]
    pub(super) fn order_entered(&mut self, (hash, parent): (u64, u64), before: Option<u32>) {
        if let Some(order) = &mut self.order
            && let Some(parent) = order.entered(hash, parent, before)
        {
            self.order_turned(parent);
        }
    }

    /// A content is found in no block.
    #[inline]
    pub(super) fn order_lost(&mut self, hash: u64) {
        if let Some(order) = &mut self.order
            && let Some(parent) = order.lost(hash)
        {
            self.order_turned(parent);
        }
    }

    fn order_turned(&mut self, hash: u64) {
        if let Some(b) = self.by_hash.get(hash) {
            self.order().turned(b, hash);
        }
    }

    /// A block came on the free list, at this place.
    pub(super) fn order_freed(&mut self, b: u32, place: u32) {
        if self.places.len() <= b as usize {
            self.places.resize(b as usize + 1, 0);
            self.hashes.resize(b as usize + 1, 0);
        }
        self.places[b as usize] = place;
        let known = self.known(b);
        self.order().freed(b, known);
    }

    /// All blocks on the free list have their place there.
    pub(super) fn order_places(&mut self) {
        let all: Vec<(u32, u32)> = self.listed.iter().collect();
        for (place, entry) in all {
            let b = (entry & Block::HOLDERS) as usize;
            if self.places.len() <= b {
                self.places.resize(b + 1, 0);
                self.hashes.resize(b + 1, 0);
            }
            self.places[b] = place;
        }
    }

    /// Takes the block that goes next off the free list; its entry there.
    pub(super) fn pop_in_order(&mut self) -> Option<u32> {
        let hashes = &self.hashes;
        let order = self.order.as_mut()?;
        let next = order.next(false, |b| hashes[b as usize])?;
        match next {
            Next::Block(b) => Some(self.unlist(b)),
            Next::Unused => None,
        }
    }

    fn unlist(&mut self, b: u32) -> u32 {
        let place = std::mem::take(&mut self.places[b as usize]);
        let entry = self.listed.remove(place);
        assert!(entry == self.entry(b), "INV-4: block {b} is on the free list elsewhere");
        self.order().evicted(b);
        entry
    }

    /// Takes the block that goes next; its record is `block` now.
    pub(super) fn take_in_order(&mut self, block: Block) -> Option<u32> {
        let unused = self.touched < self.limit;
        let hashes = &self.hashes;
        let order = self.order.as_mut()?;
        if unused && order.next(true, |b| hashes[b as usize]) == Some(Next::Unused) {
            self.touched += 1;
            self.blocks.push(block);
            return Some(self.touched - 1);
        }
        self.take_listed(block)
    }

    /// Opens `n` further blocks, one after the other.
    pub(super) fn open_in_order(&mut self, block_table: &mut BlockTable, n: u32, block: Block) {
        for _ in 0..n {
            let b = self.take_in_order(block).expect("INV-4: no free block although there was room");
            block_table.blocks.push(b);
        }
        self.count_opened(n);
    }

    /// The blocks of a session on the GPU: the leading run of its context.
    fn run(&self, chain: &[u64]) -> Vec<u32> {
        chain.iter().map_while(|hash| self.by_hash.get(*hash)).collect()
    }

    /// A turn of a session is complete, with this context: what else it wanted kept goes first.
    pub fn supersede(&mut self, scope: u64, context: &[u64]) {
        let mut own = context.to_vec();
        own.sort_unstable();
        let hashes = std::mem::take(&mut self.hashes);
        let is_own = |b: u32| {
            let hash = hashes.get(b as usize).copied().unwrap_or(0);
            hash != 0 && own.binary_search(&hash).is_ok()
        };
        let old = self.order().supersede(scope, is_own);
        self.hashes = hashes;
        for b in old {
            let known = self.known(b);
            self.order().put_first(b, known);
        }
    }

    /// A session has been idle for long: those of its free blocks go first that lie below too.
    pub fn demote(&mut self, context: &[u64]) {
        for b in self.run(context) {
            let hash = self.hashes[b as usize];
            let is_free = self.order().is_free(b);
            let is_below = match self.tiers.as_mut().and_then(|tiers| tiers.cpu.as_mut()) {
                Some(cpu) if is_free => cpu.find(hash).is_some(),
                Some(_) | None => true,
            };
            if is_free && is_below {
                let known = self.known(b);
                self.order().forget(b);
                self.order().put_first(b, known);
            }
        }
    }

    /// INV-4 of the order: it has the free blocks, and each where it stands on the free list.
    pub(super) fn verify_order(&self) {
        let Some(order) = &self.order else { return };
        assert!(order.len() == self.listed.len(), "INV-4: the order has other free blocks than the list");
        for (place, entry) in self.listed.iter() {
            let b = entry & Block::HOLDERS;
            let stands = order.is_free(b) && self.places[b as usize] == place;
            assert!(stands, "INV-4: block {b} is free and stands in no order");
        }
    }
}

/// Prefetches.
impl BlockPool {
    /// Whether anything here depends on what is used next.
    pub fn follows_uses(&self) -> bool {
        let belady = |order: &Order| order.settings.rule == EvictionRule::Belady;
        self.order.as_ref().is_some_and(|order| belady(order))
            || self.tiers.as_ref().is_some_and(|tiers| tiers.uses.is_some())
    }

    /// Prefetches that hold blocks.
    #[inline]
    pub fn prefetching(&self) -> u32 {
        self.order.as_ref().map_or(0, |order| order.prefetching)
    }

    /// Prefetches that a request may wait for: those that hold blocks, and flows to CPU memory.
    #[inline]
    pub fn prefetches(&self) -> u32 {
        self.order.as_ref().map_or(0, |order| order.prefetching + order.coming)
    }

    /// A flow of a prefetch to CPU memory begins.
    pub fn expect(&mut self) {
        self.order().coming += 1;
    }

    /// It has ended. It may have begun before a restart.
    pub fn expect_no_more(&mut self) {
        let coming = &mut self.order().coming;
        *coming = coming.saturating_sub(1);
    }

    /// Free blocks stand in an order of their own from now on, that of their use.
    pub fn order_by_use(&mut self) {
        self.order =
            Some(Box::new(Order::new(OrderSettings { rule: EvictionRule::Lru, max_protected: 1.0 })));
        self.order_places();
        let all: Vec<u32> = self.listed.iter().map(|(_, entry)| entry & Block::HOLDERS).collect();
        for b in all {
            self.order().freed(b, None);
        }
    }

    /// The blocks of a context on the GPU are put last, and what continues them in CPU memory is looked up: how many there are of both.
    pub fn prefetch_run(&mut self, chain: &[u64]) -> (u32, u32) {
        let first = self.put_last(chain);
        let cpu = self.tiers.as_mut().and_then(|tiers| tiers.cpu.as_mut());
        let blocks = cpu.map_or(0, |cpu| {
            let rest = &chain[first as usize..];
            rest.iter().take_while(|hash| cpu.find(**hash) == Some(Seen::Here)).count() as u32
        });
        (first, blocks)
    }

    /// The blocks of a context on the GPU that are free go last. How many are on the GPU.
    fn put_last(&mut self, chain: &[u64]) -> u32 {
        let run = self.run(chain);
        for &b in run.iter().rev() {
            let known = self.known(b);
            self.order().put_last(b, known);
        }
        run.len() as u32
    }

    /// Whether there is room for `blocks` more beside the free ones of `run` and what is `kept` for others.
    pub fn has_room_beside(&self, run: &[u64], blocks: u32, kept: u32) -> bool {
        let idle = self.lookup(run).free;
        u64::from(self.free()) >= u64::from(idle) + u64::from(blocks) + u64::from(kept)
    }

    /// Opens blocks for what continues the first `first` blocks of a context, and starts its load. When it ends.
    pub fn begin_prefetch(
        &mut self,
        block_table: &mut BlockTable,
        chain: &[u64],
        first: u32,
        now: Micros,
    ) -> Micros {
        let loaded = &chain[first as usize..];
        let tokens = loaded.len() as u64 * u64::from(self.block_tokens);
        let cpu = self.tiers.as_mut().and_then(|tiers| tiers.cpu.as_mut());
        let cpu = cpu.expect("INV-4: a load without a CPU tier");
        cpu.hold(loaded);
        let until = cpu.begin_load(loaded.len() as u64, tokens, now);
        cpu.use_all(chain.iter().copied());
        self.open_for(block_table, loaded.len() as u32);
        self.order().prefetching += 1;
        until
    }

    /// The contents of a prefetch are there: they can be hit, and no request holds them.
    pub fn end_prefetch(
        &mut self,
        block_table: &mut BlockTable,
        (chain, first): (&[u64], u32),
        prefetch: u32,
        now: Micros,
    ) {
        let blocks = block_table.blocks.clone();
        for (k, &b) in (first as usize..).zip(&blocks) {
            self.end_load(&chain[k..=k]);
            let parent = k.checked_sub(1).map_or(0, |before| chain[before]);
            self.set_hash(b, (chain[k], parent), Filled::Loaded);
            self.order().brought.insert(b, prefetch);
        }
        self.order().prefetching -= 1;
        self.let_go(block_table, 0, now);
    }

    /// A prefetch gives its blocks back before its contents are there.
    pub fn stop_prefetch(&mut self, block_table: &mut BlockTable, hashes: &[u64], now: Micros) {
        self.end_load(hashes);
        self.order().prefetching -= 1;
        self.let_go(block_table, 0, now);
    }

    /// The free blocks of a context on the GPU are kept for a while, where directives mean anything, and go last.
    pub fn hold_run(&mut self, chain: &[u64], (scope, hold): (u64, Span)) {
        if hold > Span::ZERO && self.order().obeys() {
            let until = self.order().now.saturating_add(hold);
            for b in self.run(chain) {
                if self.order().is_free(b) {
                    let keep = Keep { priority: HELD, until, scope };
                    self.order().say(b, Some(keep), scope);
                }
            }
        }
        self.put_last(chain);
    }
}

/// The priority of what a prefetch holds.
const HELD: u32 = 70;
