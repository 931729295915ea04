//! Servers of several ranks that routers see as one replica, and the rank to which such a server gives a request.

use super::around::Around;
use super::ejection::Takers;
use super::picture::Picture;
use super::state::Gateway;
use crate::fleet::Fleet;
use crate::perf::{Chunk, StepLoad};
use crate::policy::{AdapterView, PoolView, ReplicaView, Signals};
use crate::replica::Replica;
use crate::request::ActiveRequest;
use base::math::round_to_span;
use base::rng::{Purpose, Stream};
use base::{Micros, ReplicaId, Span};
use document::{Pool, RankBalance, RanksSeen};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is seen of the ranks of servers, and the counts by which these choose among them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SeenServers {
    /// By pool.
    pools: Vec<SeenRanks>,
    /// By number of the server.
    counts: BTreeMap<u32, RankCounts>,
}

/// The same of a pool.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct SeenRanks {
    seen: RanksSeen,
    balance: RankBalance,
    sync: Span,
}

/// The counts of a server's ranks.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct RankCounts {
    taken: Micros,
    of: Vec<RankCount>,
    /// How many requests it gave away.
    given: u64,
}

/// The counts of a rank.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct RankCount {
    rank: ReplicaId,
    waiting: u64,
    running: u64,
    /// In use in its cache, and of prompts that wait.
    tokens: u64,
}

impl RankCount {
    fn of(replica: &Replica) -> Self {
        let view = replica.view(&ReplicaView::unseen(replica.id(), replica.pool()));
        let in_use = u64::from(view.kv_used) * u64::from(replica.kv().block_tokens());
        Self {
            rank: replica.id(),
            waiting: view.waiting.into(),
            running: view.running.into(),
            tokens: in_use + replica.signals(&Signals::default()).waiting_tokens,
        }
    }

    /// The rank with the least gets the next request; where ranks take turns, none has less.
    fn score(&self, balance: RankBalance) -> u64 {
        match balance {
            RankBalance::Waiting => 4 * self.waiting + self.running,
            RankBalance::Requests => self.waiting + self.running,
            RankBalance::Tokens => self.tokens,
            RankBalance::RoundRobin => 0,
        }
    }
}

/// Candidates among which servers stand as one replica each.
pub(super) struct Grouped {
    pub(super) views: Vec<ReplicaView>,
    pub(super) signals: Vec<Signals>,
    pub(super) adapters: Vec<AdapterView>,
    pub(super) pools: Vec<PoolView>,
    pub(super) tier_shares: Vec<f64>,
    /// By candidate: the ranks that can have the request; of a replica that is no such server, itself.
    ranks: Vec<Vec<ReplicaId>>,
    /// By candidate: its server, if it is one.
    servers: Vec<Option<u32>>,
}

/// What a router sees of single replicas, of which those of `pools` can have the request.
pub(super) struct Single<'a> {
    pub(super) pools: u64,
    pub(super) picture: &'a Picture,
    pub(super) fleet: &'a Fleet,
    pub(super) tier_shares: &'a [f64],
}

impl SeenServers {
    /// Those of some pools; none if routers see every rank.
    pub(super) fn of(pools: &[Pool]) -> Option<Box<Self>> {
        let seen = |p: &Pool| SeenRanks {
            seen: if p.expert_ranks_lockstep { p.ranks.seen } else { RanksSeen::Flat },
            balance: p.ranks.balance,
            sync: round_to_span(p.ranks.sync_ms * 1000.0),
        };
        let pools: Vec<SeenRanks> = pools.iter().map(seen).collect();
        let any = pools.iter().any(|pool| pool.seen != RanksSeen::Flat);
        any.then(|| Box::new(Self { pools, counts: BTreeMap::new() }))
    }

    /// Follows other settings; the counts stay as old as they are.
    pub(super) fn adopted(before: Option<Box<Self>>, pools: &[Pool]) -> Option<Box<Self>> {
        let mut now = Self::of(pools)?;
        now.counts = before.map(|before| before.counts).unwrap_or_default();
        Some(now)
    }

    fn is_one(&self, pool: u32) -> bool {
        self.pools.get(pool as usize).is_some_and(|pool| pool.seen != RanksSeen::Flat)
    }

    /// The replica by whose number routers know the server of a replica.
    pub(super) fn known_as(&self, replica: ReplicaId, fleet: &Fleet) -> ReplicaId {
        let pool = fleet.replicas()[replica.index()].pool();
        let first = fleet.ranks_beside(replica).and_then(|(_, ranks)| ranks.first().copied());
        first.filter(|_| self.is_one(pool)).unwrap_or(replica)
    }

    /// The candidates, with one for each server that routers see as one replica, in the place of its first rank.
    pub(super) fn grouped(&self, candidates: &[ReplicaView], from: &Single<'_>) -> Grouped {
        let picture = from.picture;
        let takers = Takers::of(picture.views(), from.pools);
        let mut g = Grouped {
            views: Vec::new(),
            signals: picture.signals().to_vec(),
            adapters: picture.adapters().to_vec(),
            pools: picture.pools().to_vec(),
            tier_shares: from.tier_shares.to_vec(),
            ranks: Vec::new(),
            servers: Vec::new(),
        };
        let mut widened = vec![false; g.pools.len()];
        let mut places: BTreeMap<u32, usize> = BTreeMap::new();
        for view in candidates {
            let Some((server, ranks)) = from.fleet.ranks_beside(view.id).filter(|_| self.is_one(view.pool))
            else {
                g.push(*view, None);
                continue;
            };
            if let Some(&place) = places.get(&server) {
                g.ranks[place].push(view.id);
                continue;
            }
            places.insert(server, g.views.len());
            let beside = |rank: &&ReplicaId| takers.has(&picture.views()[rank.index()]);
            let serving: Vec<ReplicaId> = ranks.iter().filter(beside).copied().collect();
            g.push(ReplicaView { id: ranks[0], ..*view }, Some((server, view.id)));
            g.sum(&serving, picture, from.tier_shares);
            if !std::mem::replace(&mut widened[view.pool as usize], true) {
                widen(&mut g.pools[view.pool as usize], ranks.len() as u32);
            }
        }
        g
    }

    /// The candidates of a decision that is kept, the first `open` of which were not full, with one for each server; with the true
    /// loads. How many of them were not full.
    pub(super) fn regroup(
        &self,
        (seen, open): (&mut Vec<ReplicaView>, usize),
        from: &Single<'_>,
        load: impl Fn(&ReplicaView) -> u32,
        loads: &mut Vec<u32>,
    ) -> usize {
        let able = self.grouped(&seen[..open], from);
        let mut full = self.grouped(&seen[open..], from);
        let of_able: Vec<u32> = able.servers.iter().copied().flatten().collect();
        let mut at = 0..full.views.len();
        let is_other = |server: Option<u32>| server.is_none_or(|server| !of_able.contains(&server));
        full.views.retain(|_| at.next().is_some_and(|at| is_other(full.servers[at])));
        let views = from.picture.views();
        let true_load = |view: &ReplicaView| match from.fleet.ranks_beside(view.id) {
            Some((_, ranks)) if self.is_one(view.pool) => {
                ranks.iter().map(|rank| load(&views[rank.index()])).sum()
            }
            Some(_) | None => load(view),
        };
        let open = able.views.len();
        seen.clear();
        seen.extend(able.views.iter().chain(&full.views));
        loads.extend(seen.iter().map(true_load));
        open
    }

    /// The rank of a candidate that gets a request. Where the server balances, its counts are as old as they may be, and what it gave
    /// to a rank since then counts as waiting there.
    pub(super) fn rank_of(
        &mut self,
        (grouped, place): (&Grouped, usize),
        request: &ActiveRequest,
        (seed, now): (u64, Micros),
        fleet: &Fleet,
    ) -> ReplicaId {
        let able = &grouped.ranks[place];
        let Some(server) = grouped.servers[place] else { return able[0] };
        let settings = self.pools[grouped.views[place].pool as usize];
        if settings.seen == RanksSeen::Hash {
            let at = Stream::new(seed, Purpose::RankHash, request.id.0).below(able.len() as u32);
            return able[at as usize];
        }
        let ranks = fleet.ranks_beside(able[0]).map_or(&able[..], |(_, ranks)| ranks);
        let none = || RankCounts { taken: Micros::ZERO, of: Vec::new(), given: 0 };
        let counts = self.counts.entry(server).or_insert_with(none);
        if now.since(counts.taken) >= settings.sync.max(Span(1))
            || !counts.of.iter().map(|c| &c.rank).eq(ranks)
        {
            let count = |rank: &ReplicaId| RankCount::of(&fleet.replicas()[rank.index()]);
            (counts.taken, counts.of) = (now, ranks.iter().map(count).collect());
        }
        counts.given += 1;
        if settings.balance == RankBalance::RoundRobin {
            return able[((counts.given - 1) % able.len() as u64) as usize];
        }
        let can = counts.of.iter_mut().filter(|count| able.contains(&count.rank));
        let Some(least) = can.min_by_key(|count| (count.score(settings.balance), count.rank)) else {
            return able[0];
        };
        least.waiting += 1;
        least.tokens += u64::from(request.prompt_tokens);
        least.rank
    }
}

impl Gateway {
    /// The number by which routers know a replica.
    pub(super) fn known_as(&self, replica: ReplicaId, around: &Around<'_>) -> ReplicaId {
        let servers = self.servers.as_deref();
        servers.map_or(replica, |servers| servers.known_as(replica, around.fleet))
    }
}

/// A server of that many ranks has room for as many times what one has.
fn widen(pool: &mut PoolView, ranks: u32) {
    pool.max_waiting = pool.max_waiting.saturating_mul(ranks);
    pool.step_tokens = pool.step_tokens.saturating_mul(ranks);
    pool.max_running = pool.max_running.saturating_mul(ranks);
    pool.max_loras = pool.max_loras.saturating_mul(ranks);
    pool.usd_per_hour *= f64::from(ranks);
    pool.peak_prefill_tokens_per_s *= f64::from(ranks);
}

impl Grouped {
    fn push(&mut self, view: ReplicaView, server: Option<(u32, ReplicaId)>) {
        self.ranks.push(vec![server.map_or(view.id, |(_, rank)| rank)]);
        self.servers.push(server.map(|(server, _)| server));
        self.views.push(view);
    }

    /// The candidate that came last has the sums of these ranks.
    fn sum(&mut self, ranks: &[ReplicaId], picture: &Picture, tier_shares: &[f64]) {
        let Some(view) = self.views.last_mut() else { return };
        let index = view.id.index();
        let each = || ranks.iter().map(|rank| picture.views()[rank.index()]);
        view.waiting = each().map(|v| v.waiting).sum();
        view.running = each().map(|v| v.running).sum();
        view.in_flight = each().map(|v| v.in_flight).sum();
        view.kv_used = each().map(|v| v.kv_used).fold(0, u32::saturating_add);
        view.kv_total = each().map(|v| v.kv_total).fold(0, u32::saturating_add);
        let signals: Vec<Signals> = ranks.iter().map(|rank| picture.signals()[rank.index()]).collect();
        self.signals[index] = of_all(&signals);
        let mut adapters = AdapterView::default();
        for rank in ranks {
            let own = &picture.adapters()[rank.index()];
            adapters.running.extend(&own.running);
            adapters.waiting.extend(&own.waiting);
        }
        for list in [&mut adapters.running, &mut adapters.waiting] {
            list.sort_unstable();
            list.dedup();
        }
        self.adapters[index] = adapters;
        if !tier_shares.is_empty() {
            let most = ranks.iter().map(|rank| tier_shares[rank.index()]).fold(0.0, f64::max);
            self.tier_shares[index] = most;
        }
    }

    /// The most that any rank of a candidate has.
    pub(super) fn most(&self, candidate: ReplicaId, of: impl Fn(ReplicaId) -> f64) -> f64 {
        let place = self.views.iter().position(|view| view.id == candidate);
        place.map_or_else(
            || of(candidate),
            |place| self.ranks[place].iter().map(|rank| of(*rank)).fold(0.0, f64::max),
        )
    }

    /// A load that a candidate would have, as one of its ranks has it.
    pub(super) fn step(
        &self,
        candidate: ReplicaId,
        load: &StepLoad<'_>,
        of: impl Fn(ReplicaId, &StepLoad<'_>) -> Span,
    ) -> Span {
        let place = self.views.iter().position(|view| view.id == candidate);
        let Some((ranks, rank)) = place.map(|place| (self.ranks[place].len() as u32, self.ranks[place][0]))
        else {
            return of(candidate, load);
        };
        if ranks == 1 {
            return of(rank, load);
        }
        let chunk = |chunk: &Chunk| Chunk { tokens: chunk.tokens.div_ceil(ranks), ..*chunk };
        let prefill: Vec<Chunk> = load.prefill.iter().map(chunk).collect();
        let own = StepLoad {
            prefill: &prefill,
            decode: load.decode.div_ceil(ranks),
            decode_context: load.decode_context / u64::from(ranks),
            drafts: load.drafts.div_ceil(ranks),
            padding: load.padding,
        };
        of(rank, &own)
    }
}

/// The signals of several replicas as those of one.
fn of_all(each: &[Signals]) -> Signals {
    let mean = |of: fn(&Signals) -> Option<u64>| {
        let known: Vec<u64> = each.iter().filter_map(of).collect();
        (!known.is_empty()).then(|| known.iter().sum::<u64>() / known.len() as u64)
    };
    // The rates of completions add up.
    let rate: f64 = each.iter().filter_map(|s| s.gap_us).map(|gap| 1.0 / gap.max(1) as f64).sum();
    Signals {
        tokens_in_flight: each.iter().map(|s| s.tokens_in_flight).sum(),
        waiting_tokens: each.iter().map(|s| s.waiting_tokens).sum(),
        hit_rate: each.iter().map(|s| s.hit_rate).sum::<f64>() / each.len().max(1) as f64,
        ttft_us: mean(|s| s.ttft_us),
        tpot_us: mean(|s| s.tpot_us),
        gap_us: (rate > 0.0).then(|| round_to_span(1.0 / rate).0),
        served: each.iter().map(|s| s.served).sum(),
        idle_since: each.iter().map(|s| s.idle_since).max().unwrap_or(Micros::MAX),
    }
}
