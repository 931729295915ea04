//! The cost function of NVIDIA Dynamo's KV router, in KV blocks of the replica:
//!
//! ```text
//! cost = scale · max(prefill + prompt − credit / (1 + decay · excess) · cached − host credit · below − disk credit · disk, 0)
//!      + decode + weight · active
//! ```
//!
//! `prefill` counts the tokens of requests that the router sent there and that have no first token yet, each without
//! the tokens that the cache had then; `cached`, `below` and `disk` are the prompt's leading blocks in the cache, after
//! them in the CPU tier, and after those on disks; `excess` is `prefill` above that of the candidate with the least, over the prompt's blocks;
//! `decode` counts the blocks of the prompts that the router sent there and that have not left, with those that this
//! request would add; `active` counts the requests. The router counts these itself: they are never out of date. The
//! lowest cost wins, or any replica with probability in proportion to e^(−(cost − lowest) / ((highest − lowest) ·
//! temperature)). A session can be bound to the replica of its latest request.
//!
//! What a cache holds the router knows from the replica, or it guesses from the prompts that it sent there lately.

use super::active_blocks::{ActiveBlocks, ActiveBlocksHeld};
use super::picker::by_weight;
use super::recent_use::RecentUse;
use super::{Choice, Fleet, Outcome, Router, Scores, Term};
use crate::policy::{ReplicaView, RequestView};
use base::lookup::LookupMap;
use base::math;
use base::rng::{Purpose, Stream};
use base::{ReplicaId, RequestId};
use document::{CacheIndex, KvCost as Settings, limits};
use serde::{Deserialize, Serialize};

/// The lowest cost wins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KvCost {
    settings: Keys,
    draws: Stream,
    /// By replica number: the load sent there that has not left.
    loads: Vec<SentLoad>,
    /// By request number: the index of its charge in `charges`.
    charged: LookupMap<u64, u32>,
    charges: Vec<SentCharge>,
    /// Free indices in `charges`.
    vacant: Vec<u32>,
    /// How long blocks of a routed prompt count as cached, and how many of them, if the router guesses.
    guesses: Option<(f64, u32)>,
    /// By replica number: the blocks that it guesses to be there.
    guessed: Vec<RecentUse>,
    /// The replica of each session, if sessions are bound.
    bound: Option<RecentUse>,
}

/// The keys in force. Part of snapshots, which have every field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Keys {
    overlap_credit: f64,
    credit_decay: f64,
    host_credit: f64,
    disk_credit: f64,
    prefill_scale: f64,
    active_weight: f64,
    temperature: f64,
    index: CacheIndex,
    assume_reuse: bool,
    session_ttl_s: f64,
}

/// Shares of a prompt's full blocks, from the first one on.
#[derive(Clone, Copy, Debug, Default)]
struct KnownShares {
    /// In the cache.
    cached: f64,
    /// After these, in the CPU tier.
    below: f64,
    /// After those, on disks.
    disk: f64,
}

/// The load that the router has sent to a replica.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct SentLoad {
    prefill_tokens: u64,
    active: ActiveBlocks,
}

/// The charge of one request to its replica.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct SentCharge {
    replica: ReplicaId,
    /// Tokens to prefill; 0 once it has its first token.
    prefill_tokens: u32,
    held: ActiveBlocksHeld,
}

impl KvCost {
    pub(super) fn new(s: &Settings, seed: u64) -> Self {
        let s = s.in_force();
        let guesses = s.remembered();
        let bound = s.session_ttl_s > 0.0;
        Self {
            draws: Stream::new(seed, Purpose::CostPicks, 0),
            loads: Vec::new(),
            charged: LookupMap::default(),
            charges: Vec::new(),
            vacant: Vec::new(),
            guesses,
            guessed: Vec::new(),
            bound: bound.then(|| RecentUse::new(s.session_ttl_s, limits::SESSIONS)),
            settings: Keys {
                overlap_credit: s.overlap_credit,
                credit_decay: s.credit_decay,
                host_credit: s.host_credit,
                disk_credit: s.disk_credit,
                prefill_scale: s.prefill_scale,
                active_weight: s.active_weight,
                temperature: s.temperature,
                index: s.index,
                assume_reuse: s.assume_reuse,
                session_ttl_s: s.session_ttl_s,
            },
        }
    }

    /// Approximate size of a copy in bytes, beyond its own size.
    pub(super) fn bytes(&self) -> u64 {
        let loads: u64 = self.loads.iter().map(|load| load.active.bytes()).sum();
        let recent: u64 = self.guessed.iter().chain(&self.bound).map(RecentUse::bytes).sum();
        loads + recent + 40 * self.charges.len() as u64
    }

    /// Whether it asks the caches.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    pub(super) fn asks_caches(&self) -> bool {
        matches!(self.settings.index, CacheIndex::Events)
    }

    /// Whether it asks what only disks have.
    pub(super) fn asks_disks(&self) -> bool {
        self.settings.disk_credit > 0.0 && matches!(self.settings.index, CacheIndex::Events)
    }

    /// Whether it guesses what the caches hold.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    pub(super) fn guesses(&self) -> bool {
        matches!(self.settings.index, CacheIndex::Approximate(_))
    }

    /// How many leading blocks of `chain` it guesses to be in the cache of a replica.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    pub(super) fn guessed(&self, replica: u32, chain: &[u64], now: base::Micros) -> u32 {
        let Some(recent) = self.guessed.get(replica as usize) else { return 0 };
        chain.iter().take_while(|hash| recent.get(**hash, now).is_some()).count() as u32
    }

    /// Forgets which blocks it guesses to be in the cache of a replica.
    pub(super) fn forget(&mut self, replica: ReplicaId) {
        if let (Some((ttl_s, most)), Some(recent)) = (self.guesses, self.guessed.get_mut(replica.index())) {
            *recent = RecentUse::new(ttl_s, most);
        }
    }

    /// Continues with the loads and memories of `before`, and with its draws.
    pub(super) fn resume(&mut self, before: Self) {
        self.draws = before.draws;
        self.loads = before.loads;
        self.charged = before.charged;
        self.charges = before.charges;
        self.vacant = before.vacant;
        if let Some((ttl_s, most)) = self.guesses {
            self.guessed = before.guessed.into_iter().map(|old| old.with(ttl_s, most)).collect();
        }
        if let (Some(new), Some(old)) = (&mut self.bound, before.bound) {
            *new = old.with(self.settings.session_ttl_s, limits::SESSIONS);
        }
    }

    /// What the router takes for there of the prompt on the replica at `position`.
    fn known(&self, request: &RequestView<'_>, fleet: &Fleet<'_>, position: usize) -> KnownShares {
        let id = fleet.replicas[position].id;
        match self.settings.index {
            CacheIndex::Events => {
                let [cached, below] = [(fleet.cached_share)(id, request), (fleet.below_share)(id, request)];
                let disk = fleet.tier_shares.get(id.index()).copied().unwrap_or_default();
                let guessed = self.guessed_share(request, fleet, position);
                if guessed > cached {
                    let rest = cached + below - guessed;
                    KnownShares {
                        cached: guessed,
                        below: rest.max(0.0),
                        disk: (disk + rest.min(0.0)).max(0.0),
                    }
                } else {
                    KnownShares { cached, below, disk }
                }
            }
            CacheIndex::None => KnownShares::default(),
            CacheIndex::Approximate(_) => {
                KnownShares { cached: self.guessed_share(request, fleet, position), ..KnownShares::default() }
            }
        }
    }

    /// The leading share of the prompt's full blocks that were sent to the replica at `position` lately.
    fn guessed_share(&self, request: &RequestView<'_>, fleet: &Fleet<'_>, position: usize) -> f64 {
        let block = fleet.pool_of(position).block_tokens;
        let Some(recent) = self.guessed.get(fleet.replicas[position].id.index()) else { return 0.0 };
        let known = request.chain(block).iter().take_while(|hash| recent.get(**hash, request.now).is_some());
        let known = known.count() as f64;
        if known > 0.0 { known / f64::from(request.full_blocks(block)) } else { 0.0 }
    }

    /// The shareable blocks of the prompt, or none if the router does not count on their reuse.
    fn shared<'r>(&self, request: &'r RequestView<'_>, block: u32) -> &'r [u64] {
        if self.settings.assume_reuse { request.chain(block) } else { &[] }
    }

    /// The terms of the cost of the replica at `position`: blocks to prefill, and blocks in use. `least` is the fewest
    /// tokens to prefill of any candidate.
    fn weigh(&self, request: &RequestView<'_>, fleet: &Fleet<'_>, position: usize, least: u64) -> [f64; 2] {
        let (id, block) = (fleet.replicas[position].id, fleet.pool_of(position).block_tokens);
        let full = f64::from(request.full_blocks(block));
        let load = &self.loads[id.index()];
        let all = request.prompt_tokens.div_ceil(block);
        let mut overlap_credit = self.settings.overlap_credit;
        if self.settings.credit_decay > 0.0 {
            let excess = (load.prefill_tokens - least) as f64 / f64::from(block) / f64::from(all.max(1));
            overlap_credit *= 1.0 / (1.0 + self.settings.credit_decay * excess);
        }
        let known = self.known(request, fleet, position);
        let mut credit = overlap_credit * known.cached + self.settings.host_credit * known.below;
        if known.disk > 0.0 {
            credit += self.settings.disk_credit * known.disk;
        }
        let tokens = load.prefill_tokens + u64::from(request.prompt_tokens);
        let prefill = tokens as f64 / f64::from(block) - credit * full;
        let decode = load.active.blocks_with(self.shared(request, block), all) as f64;
        [prefill.max(0.0), decode]
    }

    /// Scores every candidate: its cost, negative.
    fn score(&self, request: &RequestView<'_>, fleet: &Fleet<'_>, scores: &mut Scores) {
        let n = fleet.replicas.len();
        let weight = self.settings.active_weight;
        let terms =
            [(Term::Prefill, self.settings.prefill_scale), (Term::Decode, 1.0), (Term::Active, weight)];
        let used = if weight > 0.0 { 3 } else { 2 };
        scores.begin(n, terms.into_iter().take(used));
        let prefill = |v: &ReplicaView| self.loads[v.id.index()].prefill_tokens;
        let least = fleet.replicas.iter().map(prefill).min().unwrap_or_default();
        for position in 0..n {
            let [prefill, decode] = self.weigh(request, fleet, position, least);
            // Scores are negative costs; subtracted from 0 to avoid -0.
            scores.parts[0].values[position] = 0.0 - prefill;
            scores.parts[1].values[position] = 0.0 - decode;
            if let Some(part) = scores.parts.get_mut(2) {
                part.values[position] = 0.0 - f64::from(fleet.replicas[position].in_flight);
            }
        }
        scores.sum_up();
    }

    /// The position of the replica that the session of the request is bound to.
    fn home(&self, request: &RequestView<'_>, fleet: &Fleet<'_>) -> Option<usize> {
        let home = self.bound.as_ref()?.get(session_of(request)?, request.now)?;
        fleet.replicas.iter().position(|v| v.id.0 == home)
    }

    /// Charges the request to the replica at `position`, and remembers where it went.
    fn charge(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, position: usize) {
        let (replica, block) = (fleet.replicas[position].id, fleet.pool_of(position).block_tokens);
        let full = request.full_blocks(block);
        let cached = self.known(request, fleet, position).cached;
        let cached = math::floor(cached * f64::from(full) + 0.5) as u32;
        let prefill_tokens = request.prompt_tokens - (cached * block).min(request.prompt_tokens);
        let shared = self.shared(request, block);
        let load = &mut self.loads[replica.index()];
        load.prefill_tokens += u64::from(prefill_tokens);
        let held = load.active.add(shared, request.prompt_tokens.div_ceil(block));
        let charge = SentCharge { replica, prefill_tokens, held };
        let place = self.vacant.pop().unwrap_or(self.charges.len() as u32);
        if place as usize == self.charges.len() {
            self.charges.push(charge);
        } else {
            self.charges[place as usize] = charge;
        }
        self.charged.insert(request.id.0.into(), place);
        if let Some((ttl_s, most)) = self.guesses {
            let count = self.guessed.len().max(replica.index() + 1);
            self.guessed.resize_with(count, || RecentUse::new(ttl_s, most));
            let recent = &mut self.guessed[replica.index()];
            request.chain(block).iter().for_each(|hash| recent.put(*hash, 0, request.now));
        }
        if let (Some(bound), Some(session)) = (&mut self.bound, session_of(request)) {
            bound.put(session, replica.0, request.now);
        }
    }
}

/// The key of the request's session; a session that uses several models has a home for each.
fn session_of(request: &RequestView<'_>) -> Option<u64> {
    (request.session > 0).then(|| u64::from(request.model) << 32 | u64::from(request.session))
}

impl Router for KvCost {
    fn pick(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, scores: &mut Scores) -> Choice {
        let n = fleet.replicas.len();
        let highest = fleet.replicas.iter().map(|v| v.id.index() + 1).max().unwrap_or_default();
        if self.loads.len() < highest {
            self.loads.resize(highest, SentLoad::default());
        }
        self.score(request, fleet, scores);
        let best = scores.best();
        let temperature = self.settings.temperature;
        let worst = scores.totals.iter().copied().fold(f64::INFINITY, f64::min);
        let range = scores.totals[best] - worst;
        let position = if let Some(home) = self.home(request, fleet) {
            home
        } else if temperature > 0.0 {
            let (totals, step) = (&scores.totals, range * temperature);
            let weight =
                |i: usize| if range > 0.0 { math::exp((totals[i] - totals[best]) / step) } else { 1.0 };
            by_weight(n, weight, &mut self.draws)
        } else {
            best
        };
        self.charge(request, fleet, position);
        Ok(position)
    }

    fn prefilled(&mut self, request: RequestId) {
        let Some(place) = self.charged.get(request.0.into()) else { return };
        let charge = &mut self.charges[place as usize];
        let tokens = std::mem::take(&mut charge.prefill_tokens);
        self.loads[charge.replica.index()].prefill_tokens -= u64::from(tokens);
    }

    fn left(&mut self, gone: &Outcome) {
        self.prefilled(gone.request);
        let Some(place) = self.charged.remove(gone.request.0.into()) else { return };
        let charge = self.charges[place as usize];
        self.loads[charge.replica.index()].active.remove(charge.held);
        self.vacant.push(place);
    }
}
