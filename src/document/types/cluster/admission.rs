//! The admission policies and their settings.

use crate::limits;
use crate::table::fields::fields;
use crate::{ClassPriorities, Detector};
use serde::{Deserialize, Serialize};

/// Which requests are admitted.
#[apply(choice_schema!)]
#[derive(Clone, Debug, Default, PartialEq)]
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
    /// A limit on the requests and prompt tokens admitted in any window of time.
    SlidingWindow(SlidingWindow),
    /// Requests of low priority are refused while the replicas are saturated.
    Shed(Shed),
    /// A limit on the sessions that were let in: a request of another session waits until one of them has been idle for a while.
    SessionCap(SessionCap),
}

fields! {
    choice AdmissionPolicy [AlwaysAdmit "always-admit" RejectAll "reject-all"] { TokenBucket "token-bucket" RateLimit "rate-limit" TenantQuota "tenant-quota" ConcurrencyLimit "concurrency-limit"
        SlidingWindow "sliding-window" Shed "shed" SessionCap "session-cap" }
}

/// What happens to a request that is over a limit.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OverLimit {
    /// It is refused.
    #[default]
    Reject,
    /// It is held back at the gateway until it fits, first come, first served.
    Delay,
}

fields! {
    names OverLimit { Reject "reject" Delay "delay" }
}

/// A bucket of tokens, full at the start.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
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
#[derive(Clone, Debug, PartialEq)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TenantQuota {
    /// Most requests of one tenant that are admitted and not finished.
    pub max_in_flight: u32,
    /// Limits of single tenants, in place of the general one.
    pub tenants: Vec<TenantLimit>,
    /// What happens to a request over the quota.
    pub then: OverLimit,
}

fields! {
    struct TenantQuota {
        max_in_flight: "Most in flight" of "req" in [1, limits::IN_FLIGHT]
            or "use reject-all to admit no request" => Admission;
        tenants [omit]: "Single tenants" up_to [limits::CLIENTS, "tenants", "tenant"] => Admission;
        then: "Over the limit" => Admission;
    }
}

impl Default for TenantQuota {
    fn default() -> Self {
        Self { max_in_flight: 64, tenants: Vec::new(), then: OverLimit::Reject }
    }
}

/// A limit of one tenant.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TenantLimit {
    /// Name of the tenant.
    pub tenant: String,
    /// Most of its requests that are admitted and not finished. 0 admits none, whatever `then` says.
    pub max_in_flight: u32,
}

fields! {
    entry TenantLimit {
        tenant: "Tenant" => Admission;
        max_in_flight: "Most in flight" of "req" in [0, limits::IN_FLIGHT] or "0 admits none" first 16 => Admission;
    }
}

/// Limits on what is admitted in any window of time.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct SlidingWindow {
    /// Length of the window in seconds: what was admitted in the seconds before a request counts.
    pub window_s: f64,
    /// Most requests admitted in a window. 0 means no limit.
    pub max_requests: u32,
    /// Most prompt tokens admitted in a window. 0 means no limit. A longer prompt is never admitted.
    pub max_prompt_tokens: u64,
    /// Whether each tenant has limits of its own.
    pub per_tenant: bool,
    /// What happens to a request over the limit.
    pub then: OverLimit,
}

fields! {
    struct SlidingWindow {
        window_s: "Window" of "s" in [limits::WINDOW_S_MIN, limits::SCALING_S] or "60 counts the last minute" => Admission;
        max_requests: "Requests" of "req" in [0, limits::IN_FLIGHT] or "0 means no limit" => Admission;
        max_prompt_tokens: "Prompt tokens" of "tokens" in [0, limits::FLOW_TOKENS] or "0 means no limit" => Admission;
        per_tenant: "Per tenant" => Admission;
        then: "Over the limit" => Admission;
    }
}

impl Default for SlidingWindow {
    fn default() -> Self {
        Self {
            window_s: 60.0,
            max_requests: 600,
            max_prompt_tokens: 0,
            per_tenant: false,
            then: OverLimit::Reject,
        }
    }
}

/// Refusal of requests of low priority by the saturation of the replicas.
#[apply(field_schema!)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shed {
    /// What counts as saturated.
    pub detector: Detector,
    /// Priority of each SLO class. Requests of a priority below 0 can be refused.
    pub priorities: ClassPriorities,
    /// When they are refused.
    pub rule: ShedRule,
}

fields! {
    struct Shed {
        detector: "Detector" => Admission;
        priorities: "Priorities" => Admission;
        rule: "Rule" => Admission;
    }
}

/// When a request of low priority is refused.
#[apply(choice_schema!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShedRule {
    /// At a saturation of 1 and above, as llm-d's router without flow control.
    #[default]
    Saturated,
    /// With a probability that grows with the saturation: llm-d's probabilistic admitter.
    Probabilistic(Probabilistic),
}

fields! {
    choice ShedRule [Saturated "saturated"] { Probabilistic "probabilistic" }
}

/// Refusal with probability min(factor · saturation ^ exponent, 1).
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Probabilistic {
    /// Factor of the power.
    pub factor: f64,
    /// Exponent of the saturation.
    pub exponent: f64,
}

fields! {
    struct Probabilistic {
        factor: "Factor" in [0.0, limits::COST] or "300 is llm-d's default" => Admission;
        exponent: "Exponent" in [0.1, 100.0] or "5 is llm-d's default" => Admission;
    }
}

impl Default for Probabilistic {
    fn default() -> Self {
        Self { factor: 300.0, exponent: 5.0 }
    }
}

/// A limit on the requests in the whole cluster.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// A limit on sessions.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct SessionCap {
    /// Most sessions that are active: with a request that was let in and has not finished, or idle for less than `idle_s`. Requests without a session are let in.
    pub max_sessions: u32,
    /// How long a session without a request in flight keeps its place, in seconds. Make it longer than the time that tools take between two turns.
    pub idle_s: f64,
    /// What happens to a request of another session when all places are taken.
    pub then: OverLimit,
}

fields! {
    struct SessionCap {
        max_sessions: "Most sessions" of "sessions" in [1, limits::SESSIONS]
            or "use reject-all to admit no request" => Admission;
        idle_s: "Idle" of "s" in [0.0, limits::SCALING_S] or "30 outlasts most tools" => Admission;
        then: "Over the limit" => Admission;
    }
}

impl Default for SessionCap {
    fn default() -> Self {
        Self { max_sessions: 32, idle_s: 30.0, then: OverLimit::Delay }
    }
}
