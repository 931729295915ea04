//! Filters and pickers of a weighted router: which replicas are left out before scoring, and how one is picked
//! afterwards.

use crate::table::fields::fields;
use crate::{PrefixAffinityFilter, SloHeadroomFilter, limits};
use serde::{Deserialize, Serialize};

/// Removes replicas before scoring.
#[apply(choice_schema!)]
#[derive(Clone, Debug, PartialEq)]
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
pub struct Condition {
    /// The limited quantity.
    pub metric: FilterMetric,
    /// Largest value within the limit.
    pub max: f64,
}

fields! {
    entry Condition {
        metric: "Metric" => Routing;
        max: "Max" in [0.0, f64::from(limits::IN_FLIGHT)]
            or "a number of requests, or a share of KV blocks" first 0.8 => Routing;
    }
}

/// The metric that a filter limits.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

fields! {
    names FilterMetric {
        KvUtilization "kv-utilization" WaitingRequests "waiting-requests" RunningRequests "running-requests"
        ActiveRequests "active-requests"
    }
}

/// What happens to a request when a filter leaves no replica.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fallback {
    /// The filter is skipped: all its candidates stay.
    #[default]
    All,
    /// The request is refused.
    Refuse,
}

fields! {
    names Fallback { All "all" Refuse "refuse" }
}

/// Keeps a session on its replica.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct SessionFilter {
    /// Most sessions remembered; the least recently used is forgotten first.
    pub max_sessions: u32,
    /// How long after its latest request a session is remembered, in seconds; 300 in llm-d. 0 means for ever.
    pub ttl_s: f64,
}

fields! {
    struct SessionFilter {
        max_sessions: "Most sessions" of "sessions" in [1, limits::SESSIONS]
            or "100,000 is plenty" => Routing;
        ttl_s [omit]: "Remembered for" of "s" in [0.0, limits::ROUTER_TTL_S] or "0 remembers for ever" => Routing;
    }
}

impl Default for SessionFilter {
    fn default() -> Self {
        Self { max_sessions: 100_000, ttl_s: 0.0 }
    }
}

/// How a replica is chosen once all candidates are scored.
#[apply(choice_schema!)]
#[derive(Clone, Debug, Default, PartialEq)]
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
    choice Picker [Max "max" WeightedRandom "weighted-random"] { Softmax "softmax" }
}

/// Randomness of the choice.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
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
