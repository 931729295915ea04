//! Routing: which replica gets a request?

mod least_loaded;
mod random;
mod round_robin;

use super::{ReplicaView, RequestView};
use crate::scenario::RoutingPolicy;
use serde::{Deserialize, Serialize};

/// A routing policy.
trait Router {
    /// Chooses the position in `replicas` (never empty) that gets the request.
    fn pick(&mut self, request: &RequestView<'_>, replicas: &[ReplicaView]) -> usize;
}

/// The state of the routing policy in force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum RouterState {
    /// See [`RoutingPolicy::RoundRobin`].
    RoundRobin(round_robin::RoundRobin),
    /// See [`RoutingPolicy::Random`].
    Random(Box<random::Random>),
    /// See [`RoutingPolicy::LeastLoaded`].
    LeastLoaded(least_loaded::LeastLoaded),
}

impl RouterState {
    /// The policy at its beginning, in a run with `seed`.
    pub fn new(policy: &RoutingPolicy, seed: u64) -> Self {
        match policy {
            RoutingPolicy::RoundRobin => Self::RoundRobin(round_robin::RoundRobin::default()),
            RoutingPolicy::Random => Self::Random(Box::new(random::Random::new(seed))),
            RoutingPolicy::LeastLoaded => Self::LeastLoaded(least_loaded::LeastLoaded),
        }
    }

    /// Chooses the position in `replicas` (never empty) that gets the request.
    pub fn pick(&mut self, request: &RequestView<'_>, replicas: &[ReplicaView]) -> usize {
        assert!(!replicas.is_empty(), "INV-2: a request with nowhere to go");
        match self {
            Self::RoundRobin(p) => p.pick(request, replicas),
            Self::Random(p) => p.pick(request, replicas),
            Self::LeastLoaded(p) => p.pick(request, replicas),
        }
    }

    /// The score by which a policy without scores of its own would be judged: less load is better.
    pub fn score(view: &ReplicaView) -> f64 {
        -f64::from(view.load())
    }
}
