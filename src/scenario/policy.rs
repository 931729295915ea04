//! The policy half of the cluster: who is let in, and where a request goes.

#[cfg(feature = "cli")]
use super::limits;
use serde::{Deserialize, Serialize};

/// Who is let in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AdmissionPolicy {
    /// Everybody.
    #[default]
    AlwaysAdmit,
    /// Nobody: to see what the gateway alone does.
    RejectAll,
    /// A bucket of tokens that fills at a steady rate; a request takes as many as its prompt has.
    TokenBucket(TokenBucket),
    /// So many requests per second, with bursts up to a limit.
    RateLimit(RateLimit),
    /// So many requests of one tenant at a time.
    TenantQuota(TenantQuota),
    /// So many requests in the whole cluster at a time.
    ConcurrencyLimit(ConcurrencyLimit),
}

/// What happens to a request that is over a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OverLimit {
    /// It is refused.
    #[default]
    Reject,
    /// It is held back at the gateway until it fits, first come, first served.
    Delay,
}

/// A bucket of tokens, full at the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TokenBucket {
    /// Most tokens in the bucket. A longer prompt is never let in.
    #[cfg_attr(feature = "cli", schemars(range(min = limits::BUCKET_MIN, max = limits::BUCKET_TOKENS)))]
    pub capacity_tokens: f64,
    /// Tokens that flow in each second.
    #[cfg_attr(feature = "cli", schemars(range(min = limits::BUCKET_MIN, max = limits::BUCKET_TOKENS)))]
    pub refill_tokens_per_s: f64,
    /// Whether each tenant has a bucket of its own.
    pub per_tenant: bool,
    /// What happens to a request for which there are not enough tokens.
    pub then: OverLimit,
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RateLimit {
    /// Requests per second in the long run.
    #[cfg_attr(feature = "cli", schemars(range(min = limits::BUCKET_MIN, max = limits::RATE_PER_S)))]
    pub requests_per_s: f64,
    /// Most requests at once after a quiet time.
    #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::IN_FLIGHT)))]
    pub burst: u32,
    /// Whether each tenant has a limit of its own.
    pub per_tenant: bool,
    /// What happens to a request over the limit.
    pub then: OverLimit,
}

impl Default for RateLimit {
    fn default() -> Self {
        Self { requests_per_s: 8.0, burst: 16, per_tenant: false, then: OverLimit::Reject }
    }
}

/// A limit on the requests of one tenant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TenantQuota {
    /// Most requests of one tenant that are let in and not finished.
    #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::IN_FLIGHT)))]
    pub most_in_flight: u32,
    /// What happens to a request over the quota.
    pub then: OverLimit,
}

impl Default for TenantQuota {
    fn default() -> Self {
        Self { most_in_flight: 64, then: OverLimit::Reject }
    }
}

/// A limit on the requests in the whole cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ConcurrencyLimit {
    /// Most requests that are let in and not finished.
    #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::IN_FLIGHT)))]
    pub most_in_flight: u32,
    /// What happens to a request over the limit.
    pub then: OverLimit,
}

impl Default for ConcurrencyLimit {
    fn default() -> Self {
        Self { most_in_flight: 256, then: OverLimit::Delay }
    }
}

/// Which replica gets a request. Ties go to the lowest replica number.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RoutingPolicy {
    /// In turn, whatever their load.
    RoundRobin,
    /// At random, every replica equally likely.
    Random,
    /// The replica with the smallest load: waiting + running + in flight, as the router sees them.
    #[default]
    LeastLoaded,
}
