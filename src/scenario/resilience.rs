//! What happens to requests whose replica breaks: whether and when they are sent elsewhere, and when routers know.

use super::fields::{fields, without_fields};
use super::limits;
use serde::{Deserialize, Serialize};

/// Attempts after one that broke. The defaults of the budget and the back-off are those of the Envoy proxy.
#[apply(field_schema!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Resilience {
    /// Most further attempts of a request whose attempt broke. A request without an attempt left is lost.
    pub retries: u32,
    /// Base of the back-off before attempt k + 1: it is drawn evenly between 0 and (2^k - 1) times the base.
    pub backoff_ms: f64,
    /// Longest back-off.
    pub backoff_max_ms: f64,
    /// Retry budget: most retries that wait or are under way, as a share of the requests in the system.
    pub retry_budget_share: f64,
    /// Retries that are always within the budget.
    pub retry_budget_least: u32,
    /// Whether an answer that has begun goes on elsewhere: prompt and answer so far are computed again. Otherwise such a request is lost.
    pub resume: bool,
    /// Time until routers know that a replica is gone or back. Requests sent to a dead replica before that are refused at once.
    pub discovery_ms: f64,
    /// What happens to a request whose KV was on its way from its prefill replica to its home when that replica crashed or the transfer took too long.
    pub kv_load_failure: KvLoadFailure,
    /// Time for which a prefill replica holds the blocks of a request whose home crashed: from the crash, or from the end of the prefill if that is later.
    pub lease_s: f64,
    /// Longest time from the start of a transfer of KV to its landing. It counts from the first fault of a run on.
    pub transfer_timeout_s: f64,
}

/// What happens to a request whose KV was lost on the way to its home.
#[apply(schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KvLoadFailure {
    /// Its attempt breaks.
    #[default]
    Fail,
    /// Its home computes its prompt again, at the head of its queue.
    Recompute,
}

without_fields! { KvLoadFailure }

fields! {
    struct Resilience {
        retries: "Retries" in [0, limits::RETRIES] or "0 means that a request has one attempt" => Resilience;
        backoff_ms: "Back-off" of "ms" in [0.0, limits::LATENCY_MS] or "25 is Envoy's default" => Resilience;
        backoff_max_ms: "Longest back-off" of "ms" in [0.0, limits::LATENCY_MS] or "250 is Envoy's default" => Resilience;
        retry_budget_share: "Retry budget" in [0.0, 1.0] or "0.2 is Envoy's default; 1 means no budget" => Resilience;
        retry_budget_least: "Budget, least" of "req" in [0, limits::IN_FLIGHT] or "3 is Envoy's default" => Resilience;
        resume: "Resume" => Resilience;
        discovery_ms: "Discovery" of "ms" in [0.0, limits::LATENCY_MS] or "0 means at once" => Resilience;
        kv_load_failure: "KV lost" => Resilience;
        lease_s: "Lease" of "s" in [0.0, limits::HORIZON_S] or "0 means that nothing is held" => Resilience;
        transfer_timeout_s: "Transfer time-out" of "s" in [0.0, limits::HORIZON_S] or "0 means none" => Resilience;
    }
}

impl Default for Resilience {
    fn default() -> Self {
        Self {
            retries: 0,
            backoff_ms: 25.0,
            backoff_max_ms: 250.0,
            retry_budget_share: 0.2,
            retry_budget_least: 3,
            resume: false,
            discovery_ms: 1000.0,
            kv_load_failure: KvLoadFailure::Fail,
            lease_s: 20.0,
            transfer_timeout_s: 30.0,
        }
    }
}

impl Resilience {
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
