//! Settings of a pool's scaling: the autoscaler, its measurements, and the start and stop of replicas.

pub(crate) mod carrier;
pub(crate) mod horizontal;
pub(crate) mod keda;
pub(crate) mod planners;
pub(crate) mod router_metrics;
pub(crate) mod scaling_policy;
pub(crate) mod slo_quantile;
pub(crate) mod start_up;

use crate::limits;
use crate::table::fields::fields;
use crate::types::scaling::carrier::CarriedOutBy;
use crate::types::scaling::horizontal::Horizontal;
use crate::types::scaling::scaling_policy::ScalingPolicy;
use crate::types::scaling::start_up::StartUp;

/// The autoscaler of a pool, and how its replicas come and go.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    /// Autoscaling policy. Without one only edits change the number of replicas.
    pub policy: ScalingPolicy,
    /// Who carries out the number that the policy wants: the policy itself, or a horizontal autoscaler that delays and limits it.
    pub carried_out_by: CarriedOutBy,
    /// Whether the pool decides alone, or together with the pools of the same model (its variants). Needs the same `wva-` policy and the same time between decisions in all of them.
    pub optimizer: Optimizer,
    /// Price of a replica as the optimiser counts it, in US dollars per hour. 0 means the price of its GPUs, or 10 if that is unknown.
    pub usd_per_hour: f64,
    /// Weight of the model when `greedy` distributes GPUs: the largest value among its pools. 0 counts as 1.
    pub priority: f64,
    /// Fewest replicas that the policy asks for. With 0 some policies scale to zero.
    pub min: u32,
    /// Most replicas that the policy asks for.
    pub max: u32,
    /// GPUs that the pool may hold, including those of starting and draining replicas; a replica without a free GPU waits for one. 0 means no limit. With `greedy`, pools with the same GPU share their budgets.
    pub gpus: u32,
    /// Seconds between two decisions.
    pub tick_s: f64,
    /// Seconds between two measurements of the replicas. A decision sees the latest measurement, not the present.
    pub scrape_s: f64,
    /// Length of the window over which measurements are averaged, in seconds. 0 uses the latest measurement alone.
    pub window_s: f64,
    /// Age of a measurement before a decision can see it, in seconds: the time of collecting and querying.
    pub lag_s: f64,
    /// Longest time that a request waits at the gateway while its pool has no serving replica, in seconds; then it is refused. 0 refuses it at once.
    pub hold_s: f64,
    /// Time from the decision until a new replica serves, also for replicas that edits add.
    pub start: StartUp,
    /// Number of requests that a new replica serves cold.
    pub warm_up_requests: u32,
    /// Factor on the step times of a cold replica.
    pub warm_up_factor: f64,
    /// What happens to the requests of a removed replica.
    pub drain: Drain,
    /// Which replica is removed first.
    pub victim: Victim,
}

fields! {
    struct Scaling {
        policy: "Policy" => Scaling;
        carried_out_by [omit]: "Carried out by" => Scaling;
        optimizer [omit]: "Optimiser" => Scaling;
        usd_per_hour [omit]: "Cost" of "$/h" in [0.0, limits::USD_PER_HOUR] or "use 0 for the price of the GPUs" => Scaling;
        priority [omit]: "Priority" in [0.0, limits::WEIGHT] or "1 is the priority of all others" => Scaling;
        min: "Min" in [0, limits::REPLICAS] or "0 lets the last replica go" => Scaling;
        max: "Max" in [1, limits::REPLICAS] or "it is a number of replicas" => Scaling;
        gpus: "GPU budget" of "GPUs" in [0, limits::GPUS] or "use 0 for no budget" => Scaling;
        tick_s: "Decides every" of "s" in [limits::SCALING_PERIOD_S_MIN, limits::SCALING_S]
            or "Kubernetes decides every 15 s" => Scaling;
        scrape_s: "Measures every" of "s" in [limits::SCALING_PERIOD_S_MIN, limits::SCALING_S]
            or "Prometheus measures every 15 s" => Scaling;
        window_s: "Window" of "s" in [0.0, limits::SCALING_S]
            or "use 0 to look at the latest measurement alone" => Scaling;
        lag_s: "Lag" of "s" in [0.0, limits::SCALING_S] or "use 0 for measurements seen at once" => Scaling;
        hold_s: "Held at most" of "s" in [0.0, limits::SCALING_S] or "use 0 to refuse at once" => Scaling;
        start: "Start-up" => Starts;
        warm_up_requests: "Cold requests" of "req" in [0, limits::IN_FLIGHT]
            or "use 0 for replicas that are warm at once" => Starts;
        warm_up_factor: "Cold steps" of "×" in [1.0, limits::RATE_FACTOR]
            or "1 is no slower than warm" => Starts;
        drain: "Drain" => Drains;
        victim: "Goes first" => Drains;
    }
}

impl Default for Scaling {
    fn default() -> Self {
        Self {
            policy: ScalingPolicy::None,
            carried_out_by: CarriedOutBy::Policy,
            optimizer: Optimizer::Alone,
            usd_per_hour: 0.0,
            priority: 1.0,
            min: 1,
            max: 8,
            gpus: 0,
            tick_s: 15.0,
            scrape_s: 15.0,
            window_s: 60.0,
            lag_s: 0.0,
            hold_s: 60.0,
            start: StartUp::Instant,
            warm_up_requests: 0,
            warm_up_factor: 1.0,
            drain: Drain::Wait,
            victim: Victim::Newest,
        }
    }
}

impl Scaling {
    /// Whether it says nothing: a pool that only edits change, at once.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The time within which two opposite decisions are an oscillation, in seconds.
    pub fn oscillation_s(&self) -> f64 {
        match &self.carried_out_by {
            CarriedOutBy::Policy => self.policy.oscillation_s(self.tick_s),
            CarriedOutBy::Hpa(_) => ScalingPolicy::Hpa(Horizontal::default()).oscillation_s(self.tick_s),
        }
    }

    /// Most replicas that the pool can have: its own number, or what the policy may ask for.
    pub fn most(&self, replicas: u32) -> u32 {
        if self.policy == ScalingPolicy::None { replicas } else { replicas.max(self.max) }
    }
}

/// Settings as text within bytes that have no names, where fields cannot be left out.
pub mod settings_text {
    use super::Scaling;
    use crate::{At, Problems, Read, Write};
    use base::json;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes them.
    pub fn serialize<S: Serializer>(settings: &Scaling, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&json::compact(&settings.write()))
    }

    /// Reads them.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Scaling, D::Error> {
        let tree = serde_json::from_str(&String::deserialize(from)?).map_err(D::Error::custom)?;
        let mut problems = Problems::of("settings");
        let read = Scaling::read(&tree, &At::ROOT, &mut problems);
        read.filter(|_| problems.is_empty())
            .ok_or_else(|| D::Error::custom("settings that were not written here"))
    }
}

/// How replicas are distributed over pools that serve the same model.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Optimizer {
    /// Not at all: each pool decides alone, by its own measurements.
    #[default]
    Alone,
    /// Adds replicas where capacity costs least, up to the pool's maximum, and removes the most expensive first.
    CostAware,
    /// The same within GPU budgets that models share: the model that lacks most comes first.
    Greedy,
}

fields! {
    names Optimizer { Alone "alone" CostAware "cost-aware" Greedy "greedy" }
}

impl Optimizer {
    /// Whether pools with it decide together that serve these two models.
    pub fn joins(self, same_model: bool) -> bool {
        match self {
            Self::Alone => false,
            Self::CostAware => same_model,
            Self::Greedy => true,
        }
    }
}

/// What happens to the requests of a removed replica.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drain {
    /// They are finished; the replica stops after the last of them.
    #[default]
    Wait,
    /// They are dropped: waiting requests at once, running requests when the current step ends.
    Immediate,
    /// Requests that have not run yet go back to the router; the others are finished.
    Redirect,
}

fields! {
    names Drain { Wait "wait" Immediate "immediate" Redirect "redirect" }
}

/// Which replica is removed first. A starting replica always goes before serving ones.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Victim {
    /// The newest, as in Kubernetes.
    #[default]
    Newest,
    /// The oldest.
    Oldest,
    /// The replica with the fewest requests.
    LeastLoaded,
    /// The replica with the smallest prefix cache.
    LeastCache,
}

fields! {
    names Victim { Newest "newest" Oldest "oldest" LeastLoaded "least-loaded" LeastCache "least-cache" }
}
