//! Admission: whether and when a request is admitted.

mod always_admit;
mod bucket;
mod concurrency_limit;
mod rate_limit;
mod reject_all;
mod session_cap;
mod shed;
mod sliding_window;
mod tenant_quota;
mod token_bucket;
mod verdict;

pub use verdict::{Circumstances, RetryWhen, Verdict};

use super::RequestView;
use base::Micros;
use document::AdmissionPolicy;
use serde::{Deserialize, Serialize};
use verdict::{Admission, over_count, over_time};

/// The state of the admission policy in force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum AdmissionState {
    /// See [`AdmissionPolicy::AlwaysAdmit`].
    AlwaysAdmit(always_admit::AlwaysAdmit),
    /// See [`AdmissionPolicy::RejectAll`].
    RejectAll(reject_all::RejectAll),
    /// See [`AdmissionPolicy::TokenBucket`].
    TokenBucket(token_bucket::TokenBucket),
    /// See [`AdmissionPolicy::RateLimit`].
    RateLimit(rate_limit::RateLimit),
    /// See [`AdmissionPolicy::TenantQuota`].
    TenantQuota(tenant_quota::TenantQuota),
    /// See [`AdmissionPolicy::ConcurrencyLimit`].
    ConcurrencyLimit(concurrency_limit::ConcurrencyLimit),
    /// See [`AdmissionPolicy::SlidingWindow`].
    SlidingWindow(sliding_window::SlidingWindow),
    /// See [`AdmissionPolicy::Shed`].
    Shed(Box<shed::Shed>),
    /// See [`AdmissionPolicy::SessionCap`].
    SessionCap(Box<session_cap::SessionCap>),
}

impl AdmissionState {
    /// The policy in its initial state, in a run with `seed`.
    pub fn new(policy: &AdmissionPolicy, seed: u64) -> Self {
        match policy {
            AdmissionPolicy::AlwaysAdmit => Self::AlwaysAdmit(always_admit::AlwaysAdmit),
            AdmissionPolicy::RejectAll => Self::RejectAll(reject_all::RejectAll),
            AdmissionPolicy::TokenBucket(s) => Self::TokenBucket(token_bucket::TokenBucket::new(s)),
            AdmissionPolicy::RateLimit(s) => Self::RateLimit(rate_limit::RateLimit::new(s)),
            AdmissionPolicy::TenantQuota(s) => Self::TenantQuota(tenant_quota::TenantQuota::new(s)),
            AdmissionPolicy::ConcurrencyLimit(s) => {
                Self::ConcurrencyLimit(concurrency_limit::ConcurrencyLimit::new(s))
            }
            AdmissionPolicy::SlidingWindow(s) => Self::SlidingWindow(sliding_window::SlidingWindow::new(s)),
            AdmissionPolicy::Shed(s) => Self::Shed(Box::new(shed::Shed::new(s, seed))),
            AdmissionPolicy::SessionCap(s) => Self::SessionCap(Box::new(session_cap::SessionCap::new(s))),
        }
    }

    /// Changes the policy from `now` on. A bucket of the same kind keeps its level and a window what it has admitted; any other starts anew.
    pub fn change(&mut self, policy: &AdmissionPolicy, seed: u64, now: Micros) {
        match (std::mem::replace(self, Self::new(policy, seed)), self) {
            (Self::TokenBucket(old), Self::TokenBucket(new)) => new.resume(old, now),
            (Self::RateLimit(old), Self::RateLimit(new)) => new.resume(old, now),
            (Self::SlidingWindow(old), Self::SlidingWindow(new)) => new.resume(old),
            (Self::Shed(old), Self::Shed(new)) => new.resume(*old),
            (Self::SessionCap(old), Self::SessionCap(new)) => new.resume(*old),
            (
                Self::AlwaysAdmit(_)
                | Self::RejectAll(_)
                | Self::TokenBucket(_)
                | Self::RateLimit(_)
                | Self::TenantQuota(_)
                | Self::ConcurrencyLimit(_)
                | Self::SlidingWindow(_)
                | Self::Shed(_)
                | Self::SessionCap(_),
                _,
            ) => {}
        }
    }

    /// Knows these tenants, in order of number.
    pub fn know_tenants(&mut self, tenants: &[String]) {
        if let Self::TenantQuota(p) = self {
            p.know(tenants);
        }
    }

    /// Decides about one request.
    pub fn decide(&mut self, request: &RequestView<'_>, seen: Circumstances) -> Verdict {
        self.policy_mut().decide(request, seen)
    }

    /// Whether a request of a session is decided on although others wait in its queue.
    pub fn overtakes(&self, session: u32, now: Micros) -> bool {
        self.policy().overtakes(session, now)
    }

    /// A request of a session that was let in has left.
    pub fn left(&mut self, session: u32, now: Micros) {
        self.policy_mut().left(session, now);
    }

    /// The number of the queue in which a tenant's requests wait when they are delayed.
    pub fn queue(&self, tenant: u32) -> u32 {
        self.policy().queue(tenant)
    }

    fn policy(&self) -> &dyn Admission {
        match self {
            Self::AlwaysAdmit(p) => p,
            Self::RejectAll(p) => p,
            Self::TokenBucket(p) => p,
            Self::RateLimit(p) => p,
            Self::TenantQuota(p) => p,
            Self::ConcurrencyLimit(p) => p,
            Self::SlidingWindow(p) => p,
            Self::Shed(p) => &**p,
            Self::SessionCap(p) => &**p,
        }
    }

    fn policy_mut(&mut self) -> &mut dyn Admission {
        match self {
            Self::AlwaysAdmit(p) => p,
            Self::RejectAll(p) => p,
            Self::TokenBucket(p) => p,
            Self::RateLimit(p) => p,
            Self::TenantQuota(p) => p,
            Self::ConcurrencyLimit(p) => p,
            Self::SlidingWindow(p) => p,
            Self::Shed(p) => &mut **p,
            Self::SessionCap(p) => &mut **p,
        }
    }
}
