//! The bucket of the token-bucket and rate-limit policies: it starts full, fills steadily and never overflows.

use base::{Micros, Span, math, units::US_PER_S};
use serde::{Deserialize, Serialize};

/// The level of the bucket, and its instant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Bucket {
    level: f64,
    filled_at: Micros,
}

impl Bucket {
    /// A full bucket at time zero.
    pub(super) fn full(capacity: f64) -> Self {
        Self { level: capacity, filled_at: Micros::ZERO }
    }

    /// Adds what has flowed in until `now`.
    fn fill(&mut self, now: Micros, capacity: f64, per_s: f64) {
        let elapsed = now.since(self.filled_at);
        if elapsed > Span::ZERO {
            // The order of operations matters: the golden files are exact to the last bit.
            self.level = capacity.min(self.level + elapsed.0 as f64 * per_s / US_PER_S as f64);
            self.filled_at = now;
        }
    }

    /// Takes `cost` out at `now` if the level allows it; otherwise returns when it will, `None` if never.
    pub(super) fn take(
        &mut self,
        cost: f64,
        now: Micros,
        capacity: f64,
        per_s: f64,
    ) -> Result<(), Option<Micros>> {
        self.fill(now, capacity, per_s);
        if self.level >= cost {
            self.level -= cost;
            return Ok(());
        }
        if cost > capacity {
            return Err(None);
        }
        let wait_us = ((cost - self.level) / per_s * US_PER_S as f64).ceil().clamp(1.0, Micros::END.0 as f64);
        Err(Some(now.saturating_add(math::truncate_to_span(wait_us))))
    }
}

/// One bucket for all tenants, or one each, made when it is first needed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Buckets {
    capacity: f64,
    per_s: f64,
    per_tenant: bool,
    buckets: Vec<Bucket>,
}

impl Buckets {
    /// Full buckets.
    pub(super) fn new(capacity: f64, per_s: f64, per_tenant: bool) -> Self {
        Self { capacity, per_s, per_tenant, buckets: Vec::new() }
    }

    /// Continues with the levels of `before` at `now`, up to the new capacity. A change between one bucket for all
    /// and one for each tenant starts with full buckets.
    pub(super) fn resume(&mut self, before: Self, now: Micros) {
        if self.per_tenant != before.per_tenant {
            return;
        }
        self.buckets = before.buckets;
        for bucket in &mut self.buckets {
            bucket.fill(now, before.capacity, before.per_s);
            bucket.level = bucket.level.min(self.capacity);
        }
    }

    /// The number of the bucket of a request of `tenant`, and of the queue in which it waits.
    pub(super) fn queue(&self, tenant: u32) -> u32 {
        if self.per_tenant { tenant } else { 0 }
    }

    /// Takes `cost` out of the bucket of `tenant`; otherwise returns when the level will allow it, `None` if never.
    pub(super) fn take(&mut self, tenant: u32, cost: f64, now: Micros) -> Result<(), Option<Micros>> {
        let queue = self.queue(tenant) as usize;
        if self.buckets.len() <= queue {
            self.buckets.resize(queue + 1, Bucket::full(self.capacity));
        }
        self.buckets[queue].take(cost, now, self.capacity, self.per_s)
    }
}
