//! Who carries out the number of replicas that a scaling policy wants.

use crate::limits;
use crate::table::fields::fields;
use crate::types::scaling::horizontal::Behavior;

/// Who carries out what a policy wants.
#[apply(choice_schema!)]
#[derive(Clone, Debug, Default, PartialEq)]
pub enum CarriedOutBy {
    /// The policy itself, when it decides.
    #[default]
    Policy,
    /// A horizontal autoscaler of Kubernetes that reads the wanted number as a metric of its own.
    #[cfg_attr(feature = "schema", schemars(extend("x-label" = "HPA")))]
    Hpa(Carrier),
}

fields! {
    choice CarriedOutBy [Policy "policy"] { Hpa "hpa" }
}

impl CarriedOutBy {
    /// Whether the policy itself does.
    pub fn is_policy(&self) -> bool {
        *self == Self::Policy
    }
}

/// A horizontal autoscaler that follows a policy: the wanted number is its only metric, with an average value of 1 as the target.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct Carrier {
    /// Seconds between two decisions of the horizontal autoscaler.
    pub sync_s: f64,
    /// How fast the number of replicas may change, and how long a change is delayed.
    pub behavior: Behavior,
}

fields! {
    struct Carrier {
        sync_s: "Every" of "s" in [limits::SCALING_PERIOD_S_MIN, limits::SCALING_S]
            or "Kubernetes decides every 15 s" => Scaling;
        behavior: "Behaviour" => Scaling;
    }
}

impl Default for Carrier {
    fn default() -> Self {
        Self { sync_s: 15.0, behavior: Behavior::Default }
    }
}
