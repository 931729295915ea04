//! Settings of KEDA, which is built on the horizontal autoscaler of Kubernetes.

use crate::expression::{Problem, TriggerFormula, parse_of_triggers};
use crate::limits;
use crate::table::fields::fields;
use crate::types::scaling::horizontal::{Behavior, ScalingMetric, TargetOf};

/// KEDA.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct Keda {
    /// Name of the trigger in a formula. Empty means that of the metric, with `_` for `-`.
    pub name: String,
    /// The metric of the trigger, as a sum over the pool; requests held at the gateway count as waiting.
    pub metric: ScalingMetric,
    /// Threshold of the metric for each replica or for the pool.
    pub threshold: f64,
    /// Whether the threshold is per replica or for the pool.
    pub target_of: TargetOf,
    /// The trigger is active above this.
    pub activation: f64,
    /// Further triggers, at most four: any of them keeps the pool awake, and the one that asks for the most decides.
    pub more: Vec<FurtherTrigger>,
    /// One number made of all triggers, which decides in place of their thresholds.
    pub formula: Option<KedaFormula>,
    /// Time without an active trigger after which the last replica is removed, in seconds.
    pub cooldown_s: f64,
    /// How fast the number of replicas may change above one replica.
    pub behavior: Behavior,
}

fields! {
    struct Keda {
        name [omit]: "Name" => Scaling;
        metric: "Trigger" => Scaling;
        threshold: "Threshold" in [limits::EFFICIENCY_MIN, limits::COST] or "it is what each replica should have" => Scaling;
        target_of [omit]: "Threshold of" => Scaling;
        activation: "Active above" in [0.0, limits::COST] or "0 is any signal" => Scaling;
        more [omit]: "More triggers" up_to [limits::SCALING_METRICS, "triggers", "trigger"] => Scaling;
        formula [omit]: "Formula" => Scaling;
        cooldown_s: "Cooldown" of "s" in [0.0, limits::SCALING_S] or "it is in seconds" => Scaling;
        behavior: "Behaviour" => Scaling;
    }
}

impl Default for Keda {
    fn default() -> Self {
        let FurtherTrigger { name, metric, threshold, target_of, activation } = FurtherTrigger::default();
        let (more, formula, behavior) = (Vec::new(), None, Behavior::Default);
        Self { name, metric, threshold, target_of, activation, more, formula, cooldown_s: 300.0, behavior }
    }
}

/// A further trigger of KEDA.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct FurtherTrigger {
    /// Name of the trigger in a formula. Empty means that of the metric, with `_` for `-`.
    pub name: String,
    /// The metric of the trigger, as a sum over the pool; requests held at the gateway count as waiting.
    pub metric: ScalingMetric,
    /// Threshold of the metric for each replica or for the pool.
    pub threshold: f64,
    /// Whether the threshold is per replica or for the pool.
    pub target_of: TargetOf,
    /// The trigger is active above this.
    pub activation: f64,
}

fields! {
    struct FurtherTrigger {
        name [omit]: "Name" => Scaling;
        metric: "Trigger" => Scaling;
        threshold: "Threshold" in [limits::EFFICIENCY_MIN, limits::COST] or "it is what each replica should have" => Scaling;
        target_of [omit]: "Threshold of" => Scaling;
        activation: "Active above" in [0.0, limits::COST] or "0 is any signal" => Scaling;
    }
}

impl Default for FurtherTrigger {
    fn default() -> Self {
        Self {
            name: String::new(),
            metric: ScalingMetric::Requests,
            threshold: 8.0,
            target_of: TargetOf::Replica,
            activation: 0.0,
        }
    }
}

impl Keda {
    /// All its triggers, in order.
    pub fn triggers(&self) -> Vec<FurtherTrigger> {
        let Self { name, metric, threshold, target_of, activation, .. } = self;
        let (name, metric, threshold) = (name.clone(), *metric, *threshold);
        let first =
            FurtherTrigger { name, metric, threshold, target_of: *target_of, activation: *activation };
        std::iter::once(first).chain(self.more.iter().cloned()).collect()
    }

    /// The names of a formula: those of the triggers, then [`BESIDE_TRIGGERS`] that no trigger has.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.triggers().iter().map(FurtherTrigger::named).collect();
        for (name, _) in BESIDE_TRIGGERS {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        names
    }

    /// Its formula, or the problems of its text.
    pub fn combined(&self) -> Option<Result<TriggerFormula, Vec<Problem>>> {
        self.formula.as_ref().map(|formula| parse_of_triggers(&formula.formula, self.names()))
    }
}

/// Names that every formula has beside its triggers, and what they mean.
pub const BESIDE_TRIGGERS: [(&str, ScalingMetric); 3] = [
    ("replicas", ScalingMetric::Replicas),
    ("ready", ScalingMetric::ReadyReplicas),
    ("pending", ScalingMetric::PendingReplicas),
];

impl FurtherTrigger {
    /// Its name in a formula.
    pub fn named(&self) -> String {
        if self.name.is_empty() { self.metric.name().replace('-', "_") } else { self.name.clone() }
    }
}

/// A number made of all triggers of KEDA (`scalingModifiers`).
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct KedaFormula {
    /// The formula, in a part of expr-lang: names of triggers, `replicas`, `ready` and `pending`, arithmetic, comparisons, `c ? a : b`, `a ?? b` for a trigger without a value, `min(…)`, `max(…)`, and `let name = value;` before it.
    pub formula: String,
    /// Target value of the formula for each replica or for the pool.
    pub target: f64,
    /// Whether the target is per replica or for the pool.
    pub target_of: TargetOf,
    /// The formula is active above this.
    pub activation: f64,
}

fields! {
    struct KedaFormula {
        formula: "Formula" and { "x-first": "queue / 5" } => Scaling;
        target: "Target" in [limits::EFFICIENCY_MIN, limits::COST] or "it is what each replica should have" => Scaling;
        target_of [omit]: "Target of" => Scaling;
        activation: "Active above" in [0.0, limits::COST] or "0 is any signal" => Scaling;
    }
}

impl Default for KedaFormula {
    fn default() -> Self {
        Self { formula: String::new(), target: 1.0, target_of: TargetOf::Replica, activation: 0.0 }
    }
}
