//! A bucket of tokens that fills at a steady rate. A request is admitted if the bucket holds as many tokens as its
//! prompt has, and takes them; there is no partial use. In any window of length t at most capacity + rate · t prompt
//! tokens are admitted.

use super::bucket::Buckets;
use super::{Admission, Circumstances, Verdict, over_time};
use crate::policy::Reason;
use crate::policy::RequestView;
use base::Micros;
use document::{OverLimit, TokenBucket as Settings};
use serde::{Deserialize, Serialize};

/// A bucket of prompt tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TokenBucket {
    buckets: Buckets,
    then: OverLimit,
}

impl TokenBucket {
    pub(super) fn new(s: &Settings) -> Self {
        Self { buckets: Buckets::new(s.capacity_tokens, s.refill_tokens_per_s, s.per_tenant), then: s.then }
    }

    /// Continues with the levels of `before`.
    pub(super) fn resume(&mut self, before: Self, now: Micros) {
        self.buckets.resume(before.buckets, now);
    }
}

impl Admission for TokenBucket {
    fn decide(&mut self, request: &RequestView<'_>, _: Circumstances) -> Verdict {
        let taken = self.buckets.take(request.tenant, f64::from(request.prompt_tokens), request.now);
        over_time(taken, Reason::InsufficientTokens, self.then)
    }

    fn queue(&self, tenant: u32) -> u32 {
        self.buckets.queue(tenant)
    }
}
