//! The cheapest replica wins, the lowest number among equals, and each request raises its cost:
//!
//! ```text
//! cost += base + queue · waiting + kv · (share of KV blocks in use) + price · (US dollars per hour of the replica)
//! ```
//!
//! as seen before the request joins. Between decisions all costs fall by exp(−decay · t). The rule is RouteSim's,
//! which has no prices: there price is 0. With base, queue and kv at 0 a replica at half the price gets twice the
//! requests.

use super::{Choice, Fleet, Router, Scores, Term};
use crate::policy::RequestView;
use base::{Micros, math};
use document::CostEscalation as Settings;
use serde::{Deserialize, Serialize};

/// The cheapest replica wins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CostEscalation {
    base: f64,
    queue: f64,
    kv: f64,
    price: f64,
    decay_per_s: f64,
    /// By replica number, as of `at`.
    costs: Vec<f64>,
    at: Micros,
}

impl CostEscalation {
    pub(super) fn new(s: &Settings) -> Self {
        let Settings { base, queue, kv, price, decay_per_s } = *s;
        Self { base, queue, kv, price, decay_per_s, costs: Vec::new(), at: Micros::ZERO }
    }

    /// Continues with the costs of `before`, which decay at the new rate from its latest decision on.
    pub(super) fn resume(&mut self, before: Self) {
        (self.costs, self.at) = (before.costs, before.at);
    }
}

impl Router for CostEscalation {
    fn pick(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, scores: &mut Scores) -> Choice {
        let decay = math::exp(-self.decay_per_s * request.now.since(self.at).as_secs());
        self.at = request.now;
        for cost in &mut self.costs {
            *cost *= decay;
        }
        let highest = fleet.replicas.iter().map(|v| v.id.index() + 1).max().unwrap_or_default();
        if self.costs.len() < highest {
            self.costs.resize(highest, 0.0);
        }
        scores.begin(fleet.replicas.len(), [(Term::Cost, 1.0)].into_iter());
        for (value, view) in scores.parts[0].values.iter_mut().zip(fleet.replicas) {
            *value = 0.0 - self.costs[view.id.index()];
        }
        scores.sum_up();
        let best = scores.best();
        let view = &fleet.replicas[best];
        self.costs[view.id.index()] += self.base
            + self.queue * f64::from(view.waiting)
            + self.kv * view.kv_use()
            + self.price * fleet.pool_of(best).usd_per_hour;
        Ok(best)
    }
}
