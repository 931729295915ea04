//! The cost function of NVIDIA Dynamo's KV router, in KV blocks of the replica:
//!
//! ```text
//! cost = scale · max(prefill + prompt − credit · cached − host credit · below, 0) + decode
//! ```
//!
//! `prefill` counts the tokens of requests that the router sent there and that have no first token yet, each without
//! the tokens that the cache had then; `cached` and `below` are the prompt's leading blocks in the cache and, after
//! them, in the CPU tier; `decode` counts the blocks of the prompts that the router sent there and that have not
//! left, with those that this request would add. The router counts both itself: they are never out of date. The
//! lowest cost wins, or any replica with probability in proportion to e^(−(cost − lowest) / ((highest − lowest) ·
//! temperature)).

use super::active_blocks::{ActiveBlocks, Held};
use super::picker::by_weight;
use super::{Choice, Fleet, Outcome, Router, Scores, Term};
use crate::base::lookup::LookupMap;
use crate::base::math;
use crate::base::rng::{Purpose, Stream};
use crate::base::{ReplicaId, RequestId};
use crate::policy::RequestView;
use crate::scenario::KvCost as Settings;
use serde::{Deserialize, Serialize};

/// The lowest cost wins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KvCost {
    settings: Settings,
    draws: Stream,
    /// By replica number: the load sent there that has not left.
    loads: Vec<Load>,
    /// By request number: the index of its charge in `charges`.
    charged: LookupMap<u64, u32>,
    charges: Vec<Charge>,
    /// Free indices in `charges`.
    vacant: Vec<u32>,
}

/// The load that the router has sent to a replica.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Load {
    prefill_tokens: u64,
    active: ActiveBlocks,
}

/// The charge of one request to its replica.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Charge {
    replica: ReplicaId,
    /// Tokens to prefill; 0 once it has its first token.
    prefill_tokens: u32,
    held: Held,
}

impl KvCost {
    pub(super) fn new(s: &Settings, seed: u64) -> Self {
        let draws = Stream::new(seed, Purpose::CostPicks, 0);
        Self {
            settings: s.clone(),
            draws,
            loads: Vec::new(),
            charged: LookupMap::default(),
            charges: Vec::new(),
            vacant: Vec::new(),
        }
    }

    /// Approximate size of a copy in bytes, beyond its own size.
    pub(super) fn bytes(&self) -> u64 {
        let loads: u64 = self.loads.iter().map(|load| load.active.bytes()).sum();
        loads + 40 * self.charges.len() as u64
    }

    /// Continues with the loads of `before`, and with its draws.
    pub(super) fn resume(&mut self, before: Self) {
        self.draws = before.draws;
        self.loads = before.loads;
        self.charged = before.charged;
        self.charges = before.charges;
        self.vacant = before.vacant;
    }

    /// The two terms of the cost of the replica at `position`: blocks to prefill, and blocks in use.
    fn weigh(&self, request: &RequestView<'_>, fleet: &Fleet<'_>, position: usize) -> [f64; 2] {
        let (id, block) = (fleet.replicas[position].id, fleet.pool_of(position).block_tokens);
        let full = f64::from(request.full_blocks(block));
        let load = &self.loads[id.index()];
        let shared = request.chain(block);
        let credit = self.settings.overlap_credit * (fleet.cached_share)(id, request)
            + self.settings.host_credit * (fleet.below_share)(id, request);
        let tokens = load.prefill_tokens + u64::from(request.prompt_tokens);
        let prefill = tokens as f64 / f64::from(block) - credit * full;
        let all = request.prompt_tokens.div_ceil(block);
        [prefill.max(0.0), load.active.blocks_with(shared, all) as f64]
    }

    /// Charges the request to the replica at `position`.
    fn charge(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, position: usize) {
        let (replica, block) = (fleet.replicas[position].id, fleet.pool_of(position).block_tokens);
        let full = request.full_blocks(block);
        let cached = math::floor((fleet.cached_share)(replica, request) * f64::from(full) + 0.5) as u32;
        let load = &mut self.loads[replica.index()];
        let prefill_tokens = request.prompt_tokens - (cached * block).min(request.prompt_tokens);
        load.prefill_tokens += u64::from(prefill_tokens);
        let held = load.active.add(request.chain(block), request.prompt_tokens.div_ceil(block));
        let charge = Charge { replica, prefill_tokens, held };
        let place = self.vacant.pop().unwrap_or(self.charges.len() as u32);
        if place as usize == self.charges.len() {
            self.charges.push(charge);
        } else {
            self.charges[place as usize] = charge;
        }
        self.charged.insert(request.id.0.into(), place);
    }
}

impl Router for KvCost {
    fn pick(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, scores: &mut Scores) -> Choice {
        let n = fleet.replicas.len();
        let highest = fleet.replicas.iter().map(|v| v.id.index() + 1).max().unwrap_or_default();
        if self.loads.len() < highest {
            self.loads.resize(highest, Load::default());
        }
        let terms = [(Term::Prefill, self.settings.prefill_scale), (Term::Decode, 1.0)];
        scores.begin(n, terms.into_iter());
        for position in 0..n {
            let [prefill, decode] = self.weigh(request, fleet, position);
            // Scores are negative costs; subtracted from 0 to avoid -0.
            scores.parts[0].values[position] = 0.0 - prefill;
            scores.parts[1].values[position] = 0.0 - decode;
        }
        scores.sum_up();
        let best = scores.best();
        let temperature = self.settings.temperature;
        let worst = scores.totals.iter().copied().fold(f64::INFINITY, f64::min);
        let range = scores.totals[best] - worst;
        let position = if temperature > 0.0 {
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
