//! Routing: the choice of a replica for each request.

mod active_blocks;
mod affinity;
mod always_busiest;
mod cache_aware;
mod cost_escalation;
mod filter;
mod fleet;
mod kv_cost;
mod least_kv;
mod least_loaded;
mod lru;
mod picker;
#[cfg(any(feature = "cli", feature = "closeup"))]
mod picture;
mod power_of_d;
mod predictor;
mod prefix_aware;
mod prefix_index;
mod prefix_overlap;
mod random;
mod recent_use;
mod round_robin;
mod scorer;
mod scores;
mod sent_tokens;
mod session_affinity;
mod slo_headroom;
mod weighted;

pub use fleet::{Fleet, Outcome};
#[cfg(any(feature = "cli", feature = "closeup"))]
pub use picture::CachePicture;
pub use scorer::TierPrefix;
pub use scores::{Excluded, Part, Scores, Summand, Term, by_load};

use super::{Reason, RequestView};
use base::{ReplicaId, RequestId};
use document::RoutingPolicy;
use fleet::{Choice, Router};
use serde::{Deserialize, Serialize};

/// The state of the routing policy in force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum RouterState {
    /// See [`RoutingPolicy::RoundRobin`].
    RoundRobin(round_robin::RoundRobin),
    /// See [`RoutingPolicy::Random`].
    Random(Box<random::Random>),
    /// See [`RoutingPolicy::LeastLoaded`].
    LeastLoaded(least_loaded::LeastLoaded),
    /// See [`RoutingPolicy::PowerOfD`].
    PowerOfD(Box<power_of_d::PowerOfD>),
    /// See [`RoutingPolicy::AlwaysBusiest`].
    AlwaysBusiest(always_busiest::AlwaysBusiest),
    /// See [`RoutingPolicy::LeastKv`].
    LeastKv(least_kv::LeastKv),
    /// See [`RoutingPolicy::PrefixAware`].
    PrefixAware(prefix_aware::PrefixAware),
    /// See [`RoutingPolicy::PrefixOverlap`].
    PrefixOverlap(prefix_overlap::PrefixOverlap),
    /// See [`RoutingPolicy::SessionAffinity`].
    SessionAffinity(session_affinity::SessionAffinity),
    /// See [`RoutingPolicy::CostEscalation`].
    CostEscalation(cost_escalation::CostEscalation),
    /// See [`RoutingPolicy::KvCost`].
    KvCost(Box<kv_cost::KvCost>),
    /// See [`RoutingPolicy::CacheAware`].
    CacheAware(cache_aware::CacheAware),
    /// See [`RoutingPolicy::Weighted`].
    Weighted(Box<weighted::Weighted>),
}

impl RouterState {
    /// The policy in its initial state, in a run with `seed`.
    pub fn new(policy: &RoutingPolicy, seed: u64) -> Self {
        match policy {
            RoutingPolicy::RoundRobin => Self::RoundRobin(round_robin::RoundRobin::default()),
            RoutingPolicy::Random => Self::Random(Box::new(random::Random::new(seed))),
            RoutingPolicy::LeastLoaded => Self::LeastLoaded(least_loaded::LeastLoaded),
            RoutingPolicy::PowerOfD(s) => Self::PowerOfD(Box::new(power_of_d::PowerOfD::new(s, seed))),
            RoutingPolicy::AlwaysBusiest => Self::AlwaysBusiest(always_busiest::AlwaysBusiest),
            RoutingPolicy::LeastKv => Self::LeastKv(least_kv::LeastKv),
            RoutingPolicy::PrefixAware(s) => Self::PrefixAware(prefix_aware::PrefixAware::new(s)),
            RoutingPolicy::PrefixOverlap(s) => Self::PrefixOverlap(prefix_overlap::PrefixOverlap::new(s)),
            RoutingPolicy::SessionAffinity(s) => {
                Self::SessionAffinity(session_affinity::SessionAffinity::new(s))
            }
            RoutingPolicy::CostEscalation(s) => Self::CostEscalation(cost_escalation::CostEscalation::new(s)),
            RoutingPolicy::KvCost(s) => Self::KvCost(Box::new(kv_cost::KvCost::new(s, seed))),
            RoutingPolicy::CacheAware(s) => Self::CacheAware(cache_aware::CacheAware::new(s)),
            RoutingPolicy::Weighted(s) => Self::Weighted(Box::new(weighted::Weighted::new(s, seed))),
        }
    }

    /// Approximate size of a copy in bytes, beyond its own size.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Weighted(s) => s.bytes(),
            Self::KvCost(s) => s.bytes(),
            Self::CacheAware(s) => s.bytes(),
            Self::RoundRobin(_)
            | Self::Random(_)
            | Self::LeastLoaded(_)
            | Self::PowerOfD(_)
            | Self::AlwaysBusiest(_)
            | Self::LeastKv(_)
            | Self::PrefixAware(_)
            | Self::PrefixOverlap(_)
            | Self::SessionAffinity(_)
            | Self::CostEscalation(_) => 0,
        }
    }

    /// Changes the policy, in a run with `seed`. A new policy of the same kind keeps the memory of the old one; any
    /// other starts afresh.
    pub fn change(&mut self, policy: &RoutingPolicy, seed: u64) {
        match (std::mem::replace(self, Self::new(policy, seed)), self) {
            (Self::RoundRobin(old), Self::RoundRobin(new)) => *new = old,
            (Self::Random(old), Self::Random(new)) => *new = old,
            (Self::PowerOfD(old), Self::PowerOfD(new)) => new.resume(*old),
            (Self::SessionAffinity(old), Self::SessionAffinity(new)) => new.resume(old),
            (Self::CostEscalation(old), Self::CostEscalation(new)) => new.resume(old),
            (Self::KvCost(old), Self::KvCost(new)) => new.resume(*old),
            (Self::CacheAware(old), Self::CacheAware(new)) => new.resume(old),
            (Self::Weighted(old), Self::Weighted(new)) => new.resume(*old),
            (
                Self::RoundRobin(_)
                | Self::Random(_)
                | Self::LeastLoaded(_)
                | Self::PowerOfD(_)
                | Self::AlwaysBusiest(_)
                | Self::LeastKv(_)
                | Self::PrefixAware(_)
                | Self::PrefixOverlap(_)
                | Self::SessionAffinity(_)
                | Self::CostEscalation(_)
                | Self::KvCost(_)
                | Self::CacheAware(_)
                | Self::Weighted(_),
                _,
            ) => {}
        }
    }

    /// What blocks are worth to it in each tier, if it asks what tiers have.
    pub fn tier_prefix(&self) -> Option<TierPrefix> {
        if let Self::Weighted(p) = self { p.tier_prefix() } else { None }
    }

    /// Whether it asks what only disks have.
    pub fn asks_disks(&self) -> bool {
        matches!(self, Self::KvCost(p) if p.asks_disks())
    }

    /// Whether it reads signals beyond those in the views.
    pub fn wants_signals(&self) -> bool {
        matches!(self, Self::Weighted(p) if p.wants_signals())
    }

    /// Whether it reads the adapters of replicas.
    pub fn wants_adapters(&self) -> bool {
        matches!(self, Self::Weighted(p) if p.wants_adapters())
    }

    /// How many scores counted as 0 because they were not finite.
    pub fn not_finite(&self) -> u64 {
        if let Self::Weighted(p) = self { p.not_finite() } else { 0 }
    }

    /// The priority that it gave with its latest choice; `None` leaves it to the replica's policy.
    pub fn priority(&self) -> Option<i64> {
        if let Self::Weighted(p) = self { p.given_priority() } else { None }
    }

    /// Whether it asks to be called when requests leave their replica.
    pub fn wants_departures(&self) -> bool {
        match self {
            Self::Weighted(p) => p.wants_departures(),
            Self::KvCost(_) => true,
            Self::RoundRobin(_)
            | Self::Random(_)
            | Self::LeastLoaded(_)
            | Self::PowerOfD(_)
            | Self::AlwaysBusiest(_)
            | Self::LeastKv(_)
            | Self::PrefixAware(_)
            | Self::PrefixOverlap(_)
            | Self::SessionAffinity(_)
            | Self::CostEscalation(_)
            | Self::CacheAware(_) => false,
        }
    }

    /// A routed request has its first token.
    pub fn prefilled(&mut self, request: RequestId) {
        self.policy().prefilled(request);
    }

    /// A request has left its replica.
    pub fn left(&mut self, gone: &Outcome) {
        self.policy().left(gone);
    }

    /// A replica has an empty cache: memories of prompts that were sent there are cleared.
    pub fn forget(&mut self, replica: ReplicaId) {
        match self {
            Self::KvCost(p) => p.forget(replica),
            Self::CacheAware(p) => p.forget(replica.0),
            Self::Weighted(p) => p.forget(replica.0),
            Self::RoundRobin(_)
            | Self::Random(_)
            | Self::LeastLoaded(_)
            | Self::PowerOfD(_)
            | Self::AlwaysBusiest(_)
            | Self::LeastKv(_)
            | Self::PrefixAware(_)
            | Self::PrefixOverlap(_)
            | Self::SessionAffinity(_)
            | Self::CostEscalation(_) => {}
        }
    }

    /// Chooses the position in `fleet` that gets the request, or refuses it. A policy that scores explains the choice
    /// in `scores`.
    pub fn pick(
        &mut self,
        request: &RequestView<'_>,
        fleet: &Fleet<'_>,
        scores: &mut Scores,
    ) -> Result<usize, Reason> {
        assert!(!fleet.replicas.is_empty(), "INV-2: a request with nowhere to go");
        scores.totals.clear();
        scores.excluded.clear();
        let choice = self.policy().pick(request, fleet, scores);
        if scores.totals.is_empty() {
            scores.parts.clear();
            scores.summands.clear();
        }
        if let Ok(position) = choice {
            assert!(position < fleet.replicas.len(), "INV-2: a request sent to replica {position} of none");
        }
        choice
    }

    fn policy(&mut self) -> &mut dyn Router {
        match self {
            Self::RoundRobin(p) => p,
            Self::Random(p) => &mut **p,
            Self::LeastLoaded(p) => p,
            Self::PowerOfD(p) => &mut **p,
            Self::AlwaysBusiest(p) => p,
            Self::LeastKv(p) => p,
            Self::PrefixAware(p) => p,
            Self::PrefixOverlap(p) => p,
            Self::SessionAffinity(p) => p,
            Self::CostEscalation(p) => p,
            Self::KvCost(p) => &mut **p,
            Self::CacheAware(p) => p,
            Self::Weighted(p) => &mut **p,
        }
    }
}
