//! A limit on requests per second: a bucket as in the token-bucket policy, from which each request takes one.

use super::bucket::Buckets;
use super::{Admission, Circumstances, Verdict, over_time};
use crate::policy::Reason;
use crate::policy::RequestView;
use base::Micros;
use document::{OverLimit, RateLimit as Settings};
use serde::{Deserialize, Serialize};

/// A limit on requests per second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RateLimit {
    buckets: Buckets,
    then: OverLimit,
}

impl RateLimit {
    pub(super) fn new(s: &Settings) -> Self {
        Self { buckets: Buckets::new(f64::from(s.burst), s.requests_per_s, s.per_tenant), then: s.then }
    }

    /// Continues with the levels of `before`.
    pub(super) fn resume(&mut self, before: Self, now: Micros) {
        self.buckets.resume(before.buckets, now);
    }
}

impl Admission for RateLimit {
    fn decide(&mut self, request: &RequestView<'_>, _: Circumstances) -> Verdict {
        let taken = self.buckets.take(request.tenant, 1.0, request.now);
        over_time(taken, Reason::RateLimit, self.then)
    }

    fn queue(&self, tenant: u32) -> u32 {
        self.buckets.queue(tenant)
    }
}
