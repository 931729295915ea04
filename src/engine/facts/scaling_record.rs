//! A decision of an autoscaler with what it was made on.

use crate::policy::scaling::{Decision, Estimate};
use base::Micros;
use serde::{Deserialize, Serialize};

/// What a measurement of this very instant would show of the time since the latest one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Present {
    /// Requests per second that came.
    pub rate_per_s: f64,
    /// Mean time to first token, in milliseconds; 0 if nothing finished.
    pub ttft_ms: f64,
    /// Mean time between tokens, in milliseconds; 0 if nothing finished.
    pub itl_ms: f64,
}

/// A decision of an autoscaler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScalingRecord {
    /// When it was made.
    pub at: Micros,
    /// Number of the pool.
    pub pool: u32,
    /// Its number among the decisions of the pool since its settings last changed.
    pub number: u32,
    /// When the measurement was taken that it saw last; `None` if it saw none.
    pub seen_at: Option<Micros>,
    /// Replicas that served, now and not as measured.
    pub ready: u32,
    /// Replicas that started or waited for room.
    pub pending: u32,
    /// Replicas that drained.
    pub draining: u32,
    /// Replicas that served and had been measured.
    pub measured: u32,
    /// Their mean of the larger of the shares of KV blocks and of the batch in use.
    pub utilization: f64,
    /// Their mean share of KV blocks in use.
    pub kv: f64,
    /// Requests that waited, at replicas and at the gateway.
    pub queued: f64,
    /// Requests that ran.
    pub running: f64,
    /// Requests per second that came.
    pub rate_per_s: f64,
    /// Requests per second that will come, for who may know.
    pub future_per_s: Option<f64>,
    /// Mean time to first token, in milliseconds; 0 if nothing finished.
    pub ttft_ms: f64,
    /// Mean time between tokens, in milliseconds; 0 if nothing finished.
    pub itl_ms: f64,
    /// What was decided, by which rule, and what was clamped.
    pub decision: Decision,
    /// Whether it is the opposite of the change before, and soon after it: an oscillation.
    pub reverses: bool,
    /// Replicas that found no room and wait for it.
    pub unplaced: u32,
    /// What the policy does not see; `None` before the first measurement.
    pub present: Option<Present>,
    /// What the policy learnt about the server, if it does.
    pub estimate: Option<Box<Estimate>>,
}
