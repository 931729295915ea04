//! The admission policies and their settings.

use super::fields::{fields, without_fields};
use super::limits;
use serde::{Deserialize, Serialize};

/// Which requests are admitted.
#[apply(schema!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AdmissionPolicy {
    /// All requests are admitted.
    #[default]
    AlwaysAdmit,
    /// No request is admitted: shows the gateway alone.
    RejectAll,
    /// A bucket of tokens that fills at a steady rate; a request takes as many as its prompt has.
    TokenBucket(TokenBucket),
    /// A limit on requests per second, with bursts up to a limit.
    RateLimit(RateLimit),
    /// A limit on the requests of one tenant in flight.
    TenantQuota(TenantQuota),
    /// A limit on the requests in flight in the whole cluster.
    ConcurrencyLimit(ConcurrencyLimit),
}

fields! {
    choice AdmissionPolicy [AlwaysAdmit RejectAll] { TokenBucket "token-bucket" RateLimit "rate-limit" TenantQuota "tenant-quota" ConcurrencyLimit "concurrency-limit" }
}

/// What happens to a request that is over a limit.
#[apply(schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OverLimit {
    /// It is refused.
    #[default]
    Reject,
    /// It is held back at the gateway until it fits, first come, first served.
    Delay,
}

without_fields! { OverLimit }

/// A bucket of tokens, full at the start.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TokenBucket {
    /// Most tokens in the bucket. A longer prompt is never admitted.
    pub capacity_tokens: f64,
    /// Tokens added each second.
    pub refill_tokens_per_s: f64,
    /// Whether each tenant has a bucket of its own.
    pub per_tenant: bool,
    /// What happens to a request when the bucket has too few tokens.
    pub then: OverLimit,
}

fields! {
    struct TokenBucket {
        capacity_tokens: "Capacity" of "tokens" in [limits::BUCKET_MIN, limits::BUCKET_TOKENS]
            or "both must be above zero; use reject-all to admit no request" => Admission;
        refill_tokens_per_s: "Refill" of "tok/s" in [limits::BUCKET_MIN, limits::BUCKET_TOKENS]
            or "both must be above zero; use reject-all to admit no request" => Admission;
        per_tenant: "Per tenant" => Admission;
        then: "Over the limit" => Admission;
    }
}

impl Default for TokenBucket {
    fn default() -> Self {
        Self {
            capacity_tokens: 10_000.0,
            refill_tokens_per_s: 5_000.0,
            per_tenant: false,
            then: OverLimit::Reject,
        }
    }
}

/// A limit on requests per second.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RateLimit {
    /// Requests per second in the long run.
    pub requests_per_s: f64,
    /// Most requests at once after a quiet time.
    pub burst: u32,
    /// Whether each tenant has a limit of its own.
    pub per_tenant: bool,
    /// What happens to a request over the limit.
    pub then: OverLimit,
}

fields! {
    struct RateLimit {
        requests_per_s: "Rate" of "req/s" in [limits::BUCKET_MIN, limits::RATE_PER_S]
            or "both must be above zero; use reject-all to admit no request" => Admission;
        burst: "Burst" of "req" in [1, limits::IN_FLIGHT] or "1 allows no burst" => Admission;
        per_tenant: "Per tenant" => Admission;
        then: "Over the limit" => Admission;
    }
}

impl Default for RateLimit {
    fn default() -> Self {
        Self { requests_per_s: 8.0, burst: 16, per_tenant: false, then: OverLimit::Reject }
    }
}

/// A limit on the requests of one tenant.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TenantQuota {
    /// Most requests of one tenant that are admitted and not finished.
    pub max_in_flight: u32,
    /// What happens to a request over the quota.
    pub then: OverLimit,
}

fields! {
    struct TenantQuota {
        max_in_flight: "Most in flight" of "req" in [1, limits::IN_FLIGHT]
            or "use reject-all to admit no request" => Admission;
        then: "Over the limit" => Admission;
    }
}

impl Default for TenantQuota {
    fn default() -> Self {
        Self { max_in_flight: 64, then: OverLimit::Reject }
    }
}

/// A limit on the requests in the whole cluster.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConcurrencyLimit {
    /// Most requests that are admitted and not finished.
    pub max_in_flight: u32,
    /// What happens to a request over the limit.
    pub then: OverLimit,
}

fields! {
    struct ConcurrencyLimit {
        max_in_flight: "Most in flight" of "req" in [1, limits::IN_FLIGHT]
            or "use reject-all to admit no request" => Admission;
        then: "Over the limit" => Admission;
    }
}

impl Default for ConcurrencyLimit {
    fn default() -> Self {
        Self { max_in_flight: 256, then: OverLimit::Delay }
    }
}
