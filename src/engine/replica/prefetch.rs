//! Prefetches: the context of a session comes back before its next turn, from CPU memory to the GPU, or from below to CPU memory.
//!
//! A prefetch takes free blocks alone, and leaves those that loaders keep; where there are too few it is refused, not queued. It gives
//! them back as soon as a running request finds none.

use super::state::Replica;
use super::world::World;
use crate::clock::ReplicaEvent;
use crate::facts::{FlowKind, Sink};
use crate::kv::BlockTable;
use crate::request::{Life, PrefetchOutcome, Turn, UnderWay, goes_to_gpu, scope_of};
use base::Micros;

impl Replica {
    /// What is missing of the context of a turn's session is asked for.
    pub(crate) fn prefetch<S: Sink>(
        &mut self,
        prefetch: u32,
        turn: &Turn,
        now: Micros,
        w: &mut World<'_, S>,
    ) {
        let Some(rules) = turn.rules.prefetch.filter(|_| self.kv.has_order()) else { return };
        let block = self.kv.block_tokens();
        let chain = turn.text.chain(block, turn.stored / block);
        if !goes_to_gpu(&rules) {
            self.prefetch_to_cpu(prefetch, &chain, now, w);
            return;
        }
        let Some(life) = w.life.as_deref_mut() else { return };
        let scope = scope_of(turn.request, turn.session);
        let kept = self.loads.kept() + rules.reserve_blocks;
        let kv = self.kv.own();
        let (first, blocks) = kv.prefetch_run(&chain);
        if blocks == 0 {
            kv.hold_run(&chain, (scope, rules.hold));
            return;
        }
        let row = life.row(prefetch);
        if !kv.has_room_beside(&chain[..first as usize], blocks, kept) {
            row.outcome = PrefetchOutcome::Refused;
            return;
        }
        (row.outcome, row.blocks) = (PrefetchOutcome::Asked, blocks);
        let mut table = BlockTable::default();
        let until = kv.begin_prefetch(&mut table, &chain[..(first + blocks) as usize], first, now);
        let replica = self.id;
        let hold = rules.hold;
        life.under_way.push(UnderWay { prefetch, replica, table, chain, first, scope, hold });
        self.events.schedule(until, ReplicaEvent::Prefetched(prefetch));
    }

    /// A prefetch has landed, unless it was stopped.
    pub(super) fn end_prefetch<S: Sink>(&mut self, prefetch: u32, now: Micros, w: &mut World<'_, S>) {
        let Some(life) = w.life.as_deref_mut() else { return };
        let Some(at) = life.under_way.iter().position(|one| one.prefetch == prefetch) else { return };
        let mut done = life.under_way.remove(at);
        let row = life.row(prefetch);
        (row.outcome, row.done) = (PrefetchOutcome::Landed, now.into());
        let kv = self.kv.own();
        kv.end_prefetch(&mut done.table, (&done.chain, done.first), prefetch, now);
        kv.hold_run(&done.chain, (done.scope, done.hold));
        if !self.waiting.is_empty() {
            self.wake(now);
        }
    }

    /// The latest prefetch under way here, if there is any, gives its blocks back.
    pub(super) fn stop_latest_prefetch<S: Sink>(&mut self, w: &mut World<'_, S>) -> bool {
        let any = self.kv.prefetching() > 0;
        if let Some(life) = w.life.as_deref_mut().filter(|_| any) {
            self.stop_last(life);
        }
        any
    }

    /// All prefetches under way here do.
    pub(crate) fn stop_prefetches(&mut self, life: &mut Life) {
        while self.kv.prefetching() > 0 {
            self.stop_last(life);
        }
    }

    fn stop_last(&mut self, life: &mut Life) {
        let last = life.under_way.iter().rposition(|one| one.replica == self.id);
        let mut stopped = life.under_way.remove(last.expect("INV-4: a prefetch that is not known"));
        life.row(stopped.prefetch).outcome = PrefetchOutcome::Stopped;
        let hashes = stopped.hashes().to_vec();
        self.kv.own().stop_prefetch(&mut stopped.table, &hashes, self.clock);
    }

    /// What lies below comes to CPU memory: a slot for each block, and a flow for each tier.
    fn prefetch_to_cpu<S: Sink>(&mut self, prefetch: u32, chain: &[u64], now: Micros, w: &mut World<'_, S>) {
        let (Some(lower), Some(life)) = (w.lower.as_deref_mut(), w.life.as_deref_mut()) else { return };
        let mut plan: Vec<(u32, Vec<u64>)> = Vec::new();
        let kv = self.kv.own();
        for &hash in &chain[kv.lookup(chain).blocks as usize..] {
            if kv.lookup_below(&[hash]).blocks > 0 {
                continue;
            }
            let Some(tier) = lower.find_uncounted(self.id, hash, now) else { break };
            if !kv.take_slot(hash) {
                break;
            }
            match plan.iter_mut().find(|(of, _)| *of == tier) {
                Some((_, blocks)) => blocks.push(hash),
                None => plan.push((tier, vec![hash])),
            }
        }
        base::small::sort::sort_by_key(&mut plan, |(tier, _)| u64::from(*tier));
        let row = life.row(prefetch);
        row.blocks = plan.iter().map(|(_, blocks)| blocks.len() as u32).sum();
        if !plan.is_empty() {
            row.outcome = PrefetchOutcome::Asked;
        }
        for (tier, blocks) in plan {
            for &hash in &blocks {
                if let Some(place) = lower.place_mut(self.id, tier) {
                    place.promise(hash, now);
                }
            }
            self.kv.own().expect();
            let flow = lower.start((FlowKind::Prefetch(prefetch), None), (self.id, tier), blocks, now);
            w.sink.tiers(now, flow.news());
        }
    }

    /// A flow of a prefetch to CPU memory has ended.
    pub(super) fn end_prefetch_to_cpu<S: Sink>(
        &mut self,
        prefetch: u32,
        hashes: &[u64],
        has_landed: bool,
        now: Micros,
        w: &mut World<'_, S>,
    ) {
        let kv = self.kv.own();
        kv.expect_no_more();
        for &hash in hashes {
            kv.end_coming(hash, has_landed);
        }
        if let Some(life) = w.life.as_deref_mut() {
            let row = life.row(prefetch);
            row.outcome = if has_landed { PrefetchOutcome::Landed } else { PrefetchOutcome::Failed };
            row.done = now.into();
        }
        self.refused = None;
        if !self.waiting.is_empty() {
            self.wake(now);
        }
    }
}
