//! Filters and pickers of a weighted router: which replicas are left out before scoring, and how one is picked
//! afterwards.

use super::fields::{fields, without_fields};
use super::{PrefixAffinityFilter, SloHeadroomFilter, limits};
use serde::{Deserialize, Serialize};

/// Removes replicas before scoring.
#[apply(schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Filter {
    /// Removes replicas that are over a limit, as the router sees them.
    Utilization(UtilizationFilter),
    /// Keeps only the replica that the session went to last, if it is still a candidate. Requests without a session, and new sessions, keep all replicas.
    Session(SessionFilter),
    /// Keeps the replicas that were sent most of the prompt before, unless their prompts in flight make them much slower than another: llm-d's prefix-cache-affinity-filter.
    PrefixAffinity(PrefixAffinityFilter),
    /// Keeps the replicas that are predicted to meet the objectives of the request's class, if there are any: llm-d's slo-headroom-tier-filter.
    SloHeadroom(SloHeadroomFilter),
}

fields! {
    choice Filter [] { Utilization "utilization" Session "session" PrefixAffinity "prefix-affinity" SloHeadroom "slo-headroom" }
}

/// Removes replicas that are over a limit.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UtilizationFilter {
    /// The limits; a replica must be within all of them.
    pub conditions: Vec<Condition>,
    /// What happens to a request when no replica is within the limits.
    pub fallback: Fallback,
}

fields! {
    struct UtilizationFilter {
        conditions: "Conditions" up_to [limits::FILTERS, "conditions", "condition"] => Routing;
        fallback: "Fallback" => Routing;
    }
}

impl Default for UtilizationFilter {
    fn default() -> Self {
        let condition = |(metric, max)| Condition { metric, max };
        let conditions = [(FilterMetric::WaitingRequests, 5.0), (FilterMetric::KvUtilization, 0.8)];
        Self { conditions: conditions.map(condition).to_vec(), fallback: Fallback::All }
    }
}

/// One limit of a filter.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// The limited quantity.
    pub metric: FilterMetric,
    /// Largest value within the limit.
    pub max: f64,
}

fields! {
    struct Condition {
        metric: "Metric" => Routing;
        max: "Max" in [0.0, f64::from(limits::IN_FLIGHT)]
            or "a number of requests, or a share of KV blocks" first 0.8 => Routing;
    }
}

/// The metric that a filter limits.
#[apply(schema!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FilterMetric {
    /// Share of KV blocks in use, 0 to 1.
    KvUtilization,
    /// Requests in the wait queue.
    WaitingRequests,
    /// Requests in the batch.
    RunningRequests,
    /// Requests sent there that have not left.
    ActiveRequests,
}

without_fields! { FilterMetric }

impl FilterMetric {
    /// Its name, as written in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            Self::KvUtilization => "kv-utilization",
            Self::WaitingRequests => "waiting-requests",
            Self::RunningRequests => "running-requests",
            Self::ActiveRequests => "active-requests",
        }
    }
}

/// What happens to a request when a filter leaves no replica.
#[apply(schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fallback {
    /// The filter is skipped: all its candidates stay.
    #[default]
    All,
    /// The request is refused.
    Refuse,
}

without_fields! { Fallback }

/// Keeps a session on its replica.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionFilter {
    /// Most sessions remembered; the least recently used is forgotten first.
    pub max_sessions: u32,
    /// How long after its latest request a session is remembered, in seconds; 300 in llm-d. 0 means for ever.
    #[serde(skip_serializing_if = "is_for_ever")]
    #[cfg_attr(feature = "schema", schemars(extend("default" = 0.0)))]
    pub ttl_s: f64,
}

fields! {
    struct SessionFilter {
        max_sessions: "Most sessions" of "sessions" in [1, limits::SESSIONS]
            or "100,000 is plenty" => Routing;
        ttl_s: "Remembered for" of "s" in [0.0, limits::ROUTER_TTL_S] or "0 remembers for ever" => Routing;
    }
}

impl Default for SessionFilter {
    fn default() -> Self {
        Self { max_sessions: 100_000, ttl_s: 0.0 }
    }
}

#[cfg_attr(
    not(target_arch = "wasm32"),
    expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")
)]
fn is_for_ever(ttl_s: &f64) -> bool {
    *ttl_s <= 0.0
}

/// How a replica is chosen once all candidates are scored.
#[apply(schema!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Picker {
    /// The replica with the highest score; `ties` breaks ties.
    #[default]
    Max,
    /// A random replica, with probabilities in proportion to the scores; equal probabilities if all scores are 0.
    WeightedRandom,
    /// A random replica, with probabilities in proportion to exp(score / temperature).
    Softmax(Softmax),
}

fields! {
    choice Picker [Max WeightedRandom] { Softmax "softmax" }
}

impl Picker {
    /// Whether it is the default.
    pub(super) fn is_max(&self) -> bool {
        *self == Self::Max
    }
}

/// Randomness of the choice.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Softmax {
    /// A difference in score of this much makes a replica e = 2.7 times as likely. Close to 0 picks the highest score; far above 1 all replicas are about equally likely.
    pub temperature: f64,
}

fields! {
    struct Softmax {
        temperature: "Temperature" in [limits::TEMPERATURE_MIN, limits::TEMPERATURE]
            or "use the picker max for a choice without chance" => Routing;
    }
}

impl Default for Softmax {
    fn default() -> Self {
        Self { temperature: 0.1 }
    }
}
