//! The kinds of anomalies.

use serde::{Deserialize, Serialize};

/// What is wrong.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnomalyKind {
    /// A request joined a batch and left a more urgent request waiting on the same replica.
    PriorityInversion,
    /// The first of a queue waited for KV blocks while one behind it would have fitted.
    HeadOfLineBlocking,
    /// Requests of one replica lost their KV blocks again after they had returned, or reloaded blocks that had just
    /// been copied down.
    KvThrashing,
    /// A thousand preemptions on one replica and nothing finished between them.
    Livelock,
    /// Some replicas had much more to do than others for some time.
    LoadImbalance,
    /// An autoscaler reversed a change that it had just made.
    Oscillation,
    /// An autoscaler did not get the replicas that it wanted.
    CapacityNeverReached,
    /// The filter of an autoscaler rejects all its measurements.
    TunerLockedOut,
    /// Requests waited in a band of the gateway's queue and none of them went on, while others did.
    StarvedBand,
    /// Requests whose prompts are computed waited for room at their home, while their prefill replicas held their blocks.
    DecodePoolFull,
    /// Transfers shared the network ports of a replica all the time.
    PortSaturated,
    /// Requests that come again, or get a further attempt, are a large part of the load.
    RetryStorm,
    /// All replicas of a pool that served are down.
    UnavailablePool,
    /// Goodput was not back half a minute after a fault was over.
    SlowRecovery,
}

impl AnomalyKind {
    /// All kinds.
    pub const ALL: [Self; 14] = [
        Self::PriorityInversion,
        Self::HeadOfLineBlocking,
        Self::KvThrashing,
        Self::Livelock,
        Self::LoadImbalance,
        Self::Oscillation,
        Self::CapacityNeverReached,
        Self::TunerLockedOut,
        Self::StarvedBand,
        Self::DecodePoolFull,
        Self::PortSaturated,
        Self::RetryStorm,
        Self::UnavailablePool,
        Self::SlowRecovery,
    ];

    /// Its name in reports and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::PriorityInversion => "priority-inversion",
            Self::HeadOfLineBlocking => "head-of-line-blocking",
            Self::KvThrashing => "kv-thrashing",
            Self::Livelock => "livelock",
            Self::LoadImbalance => "load-imbalance",
            Self::Oscillation => "oscillation",
            Self::CapacityNeverReached => "capacity-never-reached",
            Self::TunerLockedOut => "tuner-locked-out",
            Self::StarvedBand => "starved-band",
            Self::DecodePoolFull => "decode-pool-full",
            Self::PortSaturated => "port-saturated",
            Self::RetryStorm => "retry-storm",
            Self::UnavailablePool => "unavailable-pool",
            Self::SlowRecovery => "slow-recovery",
        }
    }

    /// Whether it concerns autoscalers.
    pub(super) fn is_of_autoscalers(self) -> bool {
        matches!(self, Self::Oscillation | Self::CapacityNeverReached | Self::TunerLockedOut)
    }

    /// Whether it concerns what breaks.
    pub(super) fn is_of_faults(self) -> bool {
        matches!(self, Self::RetryStorm | Self::UnavailablePool | Self::SlowRecovery)
    }

    /// Whether it concerns hand-overs.
    pub(super) fn is_of_handovers(self) -> bool {
        matches!(self, Self::DecodePoolFull | Self::PortSaturated)
    }
}

/// What makes one request more urgent than another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum UrgentBy {
    /// Nothing: priorities are constant and all requests are of one SLO class.
    None,
    /// Priorities are constant, SLO classes differ.
    Class,
    /// See [`document::PriorityPolicy::SloBased`].
    Age,
    /// See [`document::PriorityPolicy::InvertedSlo`].
    Youth,
    /// See [`document::PriorityPolicy::SloClass`].
    ClassScore,
    /// See [`document::PriorityPolicy::TenantPriority`].
    TenantScore,
    /// See [`document::PriorityPolicy::DeadlineAware`].
    Deadline,
    /// See [`document::PriorityPolicy::Request`].
    Own,
}
