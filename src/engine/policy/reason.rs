//! Why a request is refused or delayed, by admission, the router or a replica.

use serde::{Deserialize, Serialize};

/// Why a request is refused or held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    /// No request is admitted.
    RejectAll,
    /// The bucket holds fewer tokens than the prompt has.
    InsufficientTokens,
    /// Too many requests in too short a time.
    RateLimit,
    /// Its tenant is at its limit of requests in flight.
    TenantQuota,
    /// The cluster is at its limit of requests in flight.
    ConcurrencyLimit,
    /// The router found no replica that takes requests.
    NoReplica,
    /// The router found no replica that takes requests and serves the requested model.
    NoReplicaOfModel,
    /// The wait queue is full: that of its replica or, for the router, those of all replicas.
    QueueFull,
    /// A filter of the router left no replica.
    NoCandidate,
    /// The replicas are saturated: it waits in the gateway's queue.
    Saturated,
    /// The gateway's queue, or its band, is full.
    GatewayFull,
    /// It waited in the gateway's queue for as long as it may.
    WaitedTooLong,
    /// It waited in the gateway's queue, and no replica served.
    NoReplicaInTime,
    /// The replicas are saturated, and it is of low priority.
    Shed,
    /// As many sessions are active as may be.
    SessionCap,
}

impl Reason {
    /// All of them, in order.
    pub const ALL: [Self; 15] = [
        Self::RejectAll,
        Self::InsufficientTokens,
        Self::RateLimit,
        Self::TenantQuota,
        Self::ConcurrencyLimit,
        Self::NoReplica,
        Self::NoReplicaOfModel,
        Self::QueueFull,
        Self::NoCandidate,
        Self::Saturated,
        Self::GatewayFull,
        Self::WaitedTooLong,
        Self::NoReplicaInTime,
        Self::Shed,
        Self::SessionCap,
    ];

    /// Its name in reports and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::RejectAll => "reject-all",
            Self::InsufficientTokens => "insufficient tokens",
            Self::RateLimit => "rate limit",
            Self::TenantQuota => "tenant quota",
            Self::ConcurrencyLimit => "concurrency limit",
            Self::NoReplica => "no replica takes requests",
            Self::NoReplicaOfModel => "no replica serves the model",
            Self::QueueFull => "wait queue full",
            Self::NoCandidate => "no replica passes the filters",
            Self::Saturated => "replicas saturated",
            Self::GatewayFull => "gateway queue full",
            Self::WaitedTooLong => "waited too long at the gateway",
            Self::NoReplicaInTime => "no replica served in time",
            Self::Shed => "shed",
            Self::SessionCap => "session cap",
        }
    }

    /// The stage that refuses for this reason: admission, the gateway's queue or the router. A replica, too, can refuse
    /// with a full wait queue.
    pub fn by(self) -> &'static str {
        match self {
            Self::RejectAll
            | Self::InsufficientTokens
            | Self::RateLimit
            | Self::TenantQuota
            | Self::ConcurrencyLimit
            | Self::Shed
            | Self::SessionCap => "admission",
            Self::Saturated | Self::GatewayFull | Self::WaitedTooLong | Self::NoReplicaInTime => {
                "flow control"
            }
            Self::NoReplica | Self::NoReplicaOfModel | Self::QueueFull | Self::NoCandidate => "the router",
        }
    }
}
