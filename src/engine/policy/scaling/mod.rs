//! Scaling policies: they set the number of replicas from measurements. They are pure functions of views and of their
//! own state; every decision carries its measurements, the rule that fired and the effect of the bounds.
//!
//! One file each. Bounds are applied last and in the same way: [`Bounds::clamp`].

pub mod carrier;
pub mod dynamo_load;
pub mod dynamo_throughput;
mod estimate;
pub mod formula;
mod group;
pub mod hpa;
pub mod keda;
pub mod kpa;
mod metric;
pub mod optimizer;
pub mod oracle;
pub mod plan;
pub mod queueing_model;
pub mod saturation_v1;
pub mod saturation_v2;
mod settings;
pub mod slo_aware;
mod state;
pub mod token_aware;
mod view;

pub use estimate::{Estimate, FIGURE_NAMES};
pub use group::{Member, Need, Variants, decide_together};
pub use state::Scaler;
pub use view::{Finished, Measured, PoolSight};

use document::ScalingMetric;
use serde::{Deserialize, Serialize};

/// Fewest and most replicas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// Fewest.
    pub min: u32,
    /// Most.
    pub max: u32,
}

/// The effect of bounds on a number of replicas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Clamped {
    /// Nothing.
    No,
    /// Raised to the minimum.
    ToMin,
    /// Lowered to the maximum.
    ToMax,
}

impl Clamped {
    /// Its name in logs and rows.
    pub fn name(self) -> &'static str {
        match self {
            Self::No => "",
            Self::ToMin => "to-min",
            Self::ToMax => "to-max",
        }
    }
}

impl Bounds {
    /// A number of replicas within the bounds, and their effect. If the minimum is above the maximum, the maximum
    /// applies.
    pub fn clamp(self, wanted: u32) -> (u32, Clamped) {
        if wanted > self.max {
            (self.max, Clamped::ToMax)
        } else if wanted < self.min.min(self.max) {
            (self.min.min(self.max), Clamped::ToMin)
        } else {
            (wanted, Clamped::No)
        }
    }
}

/// The rule behind a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rule {
    /// Nothing was measured, or the policy never changes anything.
    Hold,
    /// The measured load is near enough to its target.
    WithinTolerance,
    /// The measured load asks for this number.
    Target,
    /// An earlier recommendation is still within the stabilisation window.
    Stabilised,
    /// No more replicas may be added or removed in this period.
    RateLimited,
    /// A burst: the short window decides, and no replica is removed.
    Panic,
    /// The measured load is above the threshold.
    AboveThreshold,
    /// The measured load is below the threshold.
    BelowThreshold,
    /// Too soon after the last change.
    Cooldown,
    /// A signal woke a policy that had scaled to zero.
    Woken,
    /// No signal for long enough.
    Idle,
    /// Replicas are starting, and the policy waits for them.
    Transition,
    /// The GPUs are too few for the wanted replicas.
    GpuBudget,
}

impl Rule {
    /// All of them, in order.
    pub const ALL: [Self; 13] = [
        Self::Hold,
        Self::WithinTolerance,
        Self::Target,
        Self::Stabilised,
        Self::RateLimited,
        Self::Panic,
        Self::AboveThreshold,
        Self::BelowThreshold,
        Self::Cooldown,
        Self::Woken,
        Self::Idle,
        Self::Transition,
        Self::GpuBudget,
    ];

    /// Its name in logs and rows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hold => "hold",
            Self::WithinTolerance => "within-tolerance",
            Self::Target => "target",
            Self::Stabilised => "stabilised",
            Self::RateLimited => "rate-limited",
            Self::Panic => "panic",
            Self::AboveThreshold => "above-threshold",
            Self::BelowThreshold => "below-threshold",
            Self::Cooldown => "cooldown",
            Self::Woken => "woken",
            Self::Idle => "idle",
            Self::Transition => "transition",
            Self::GpuBudget => "gpu-budget",
        }
    }
}

/// The decision of a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Replicas at the tick.
    pub current: u32,
    /// The number of replicas by the measured load alone.
    pub recommended: u32,
    /// That number after the stabilisation window.
    pub stabilised: u32,
    /// The wanted number, within all limits.
    pub desired: u32,
    /// The rule that decided.
    pub rule: Rule,
    /// The effect of the bounds.
    pub clamped: Clamped,
    /// The metric that asked for the most replicas, if there are several.
    pub metric: Option<ScalingMetric>,
}

impl Decision {
    /// A decision without a window or other limits.
    pub fn direct(current: u32, wanted: u32, rule: Rule, bounds: Bounds) -> Self {
        let (desired, clamped) = bounds.clamp(wanted);
        Self { current, recommended: wanted, stabilised: wanted, desired, rule, clamped, metric: None }
    }
}

impl Decision {
    /// Adds the metric that asked for the most replicas, if metrics decided.
    fn by_metric(self, metric: Option<ScalingMetric>) -> Self {
        let others = matches!(self.rule, Rule::Hold | Rule::Woken | Rule::Idle);
        Self { metric: metric.filter(|_| !others), ..self }
    }
}

/// A number of replicas from a float: rounded up, never negative, bounded.
fn rounded_up(x: f64) -> u32 {
    if x.is_finite() { x.ceil().clamp(0.0, f64::from(u32::MAX)) as u32 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_whatever_is_wanted() {
        let bounds = Bounds { min: 2, max: 5 };
        assert_eq!(bounds.clamp(0), (2, Clamped::ToMin));
        assert_eq!(bounds.clamp(3), (3, Clamped::No));
        assert_eq!(bounds.clamp(9), (5, Clamped::ToMax));
        assert_eq!(Bounds { min: 9, max: 5 }.clamp(1), (5, Clamped::ToMin));
    }
}
