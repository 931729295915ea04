//! The part of a report about autoscalers: their decisions and the results.

use super::measure::MeasurementWindow;
use crate::observe::recorder::Recorder;
use document::{Pool, ScalingPolicy, Scenario};
use serde::Serialize;

/// A pool's autoscaler, warm-up included except in paid times.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScalingPart {
    /// Name of the pool.
    pub pool: String,
    /// Name of its policy now.
    pub policy: String,
    /// Decisions, including those without a change.
    pub decisions: u32,
    /// Decisions for more replicas.
    pub scale_ups: u32,
    /// Decisions for fewer.
    pub scale_downs: u32,
    /// Decisions raised to the minimum number of replicas.
    pub clamped_to_min: u32,
    /// Decisions lowered to the maximum number of replicas.
    pub clamped_to_max: u32,
    /// Changes that soon reversed the one before.
    pub oscillations: u32,
    /// How often the wanted number changed, or the run ended, before that many replicas served.
    pub capacity_never_reached: u32,
    /// Decisions after which replicas waited for GPUs.
    pub without_room: u32,
    /// Most replicas that waited for GPUs at once.
    pub most_without_room: u32,
    /// Replicas placed.
    pub starts: u32,
    /// Placed replicas that were cancelled before they served.
    pub starts_given_up: u32,
    /// Mean seconds from placement to serving; missing if no replica got there.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_start_s: Option<f64>,
    /// Requests sent back to the router because their replica was removed.
    pub redirected: u32,
    /// Requests held at the gateway for the pool now.
    pub held: u32,
    /// Replicas wanted now.
    pub desired: u32,
    /// Replicas that serve now.
    pub serving: u32,
    /// Replicas that start now.
    pub starting: u32,
    /// Replicas that drain now.
    pub draining: u32,
    /// Most replicas that served at once.
    pub most_serving: u32,
    /// Replica-seconds paid, from placement until removal.
    pub replica_seconds: f64,
    /// GPU-seconds paid.
    pub gpu_seconds: f64,
}

/// Each pool that has or had an autoscaler.
pub(super) fn scaling(
    scenario: &Scenario,
    m: &MeasurementWindow<'_>,
    recorder: &Recorder,
) -> Vec<ScalingPart> {
    let part = |(pool, p): (u32, &Pool)| {
        let log = recorder.scaling.pools.get(pool as usize).copied().unwrap_or_default();
        let decides = p.scaling.policy != ScalingPolicy::None || log.decisions > 0;
        let (mut us, mut gpu_us) = (0, 0);
        for (r, read) in m.engine().replicas().iter().zip(m.readings()).filter(|(r, _)| r.pool() == pool) {
            us += read.up_us;
            gpu_us += read.up_us * u64::from(r.gpus());
        }
        let counts = m.engine().pool_counts(pool);
        decides.then(|| ScalingPart {
            pool: p.name.clone(),
            policy: p.scaling.policy.name().to_owned(),
            decisions: log.decisions,
            scale_ups: log.ups,
            scale_downs: log.downs,
            clamped_to_min: log.clamped_to_min,
            clamped_to_max: log.clamped_to_max,
            oscillations: log.reversals,
            capacity_never_reached: recorder.scaling.never_reached(pool),
            without_room: log.without_room,
            most_without_room: log.most_unplaced,
            starts: log.starts,
            starts_given_up: log.starts_given_up,
            mean_start_s: (log.started > 0).then(|| log.start_us as f64 / 1e6 / f64::from(log.started)),
            redirected: log.redirected,
            held: m.engine().held_for(pool),
            desired: log.wanted,
            serving: counts.serving,
            starting: counts.starting,
            draining: counts.draining,
            most_serving: log.most_serving,
            replica_seconds: us as f64 / 1e6,
            gpu_seconds: gpu_us as f64 / 1e6,
        })
    };
    (0..).zip(&scenario.cluster.pools).filter_map(part).collect()
}
