//! A decision of an autoscaler on its way to the fleet.

use crate::policy::scaling::{Decision, Estimate, PoolSight};

/// A decision of a pool's autoscaler, with what it was made on.
pub(crate) struct Decided {
    pub(super) pool: u32,
    pub(super) sight: PoolSight,
    pub(super) decision: Decision,
    pub(super) estimate: Option<Box<Estimate>>,
    pub(super) by: DecidedBy,
}

/// Who made a decision.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DecidedBy {
    /// The pool's policy.
    Policy,
    /// The horizontal autoscaler that carries out what the policy wants.
    Carrier,
}

impl Decided {
    /// The pool that it is about.
    pub(crate) fn pool(&self) -> u32 {
        self.pool
    }
}
