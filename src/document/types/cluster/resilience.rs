//! What happens to requests whose replica breaks: whether and when they are sent elsewhere, and when routers know.

use crate::limits;
use crate::table::fields::fields;
use serde::{Deserialize, Serialize};

/// Attempts after one that broke. The defaults of the budget and the back-off are those of the Envoy proxy.
#[apply(field_schema!)]
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// Time until an attempt breaks whose replica cannot be reached.
    pub connect_ms: f64,
    /// Time until routers know that a replica is gone or back. Requests sent to a dead replica before that are refused at once.
    pub discovery_ms: f64,
    /// What happens to a request whose KV was on its way from its prefill replica to its home when that replica crashed or the transfer took too long.
    pub kv_load_failure: KvLoadFailure,
    /// Time for which a prefill replica holds the blocks of a request whose home crashed: from the crash, or from the end of the prefill if that is later.
    pub lease_s: f64,
    /// Longest time from the start of a transfer of KV to its landing. It counts from the first fault of a run on.
    pub transfer_timeout_s: f64,
    /// Probes of replicas that may be stuck or out of reach. Without it there are none.
    pub probe: Option<Probe>,
    /// Ejection of replicas whose attempts break one after the other. Without it there is none.
    pub outlier: Option<Outlier>,
}

/// What happens to a request whose KV was lost on the way to its home.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KvLoadFailure {
    /// Its attempt breaks.
    #[default]
    Fail,
    /// Its home computes its prompt again, at the head of its queue.
    Recompute,
}

fields! {
    names KvLoadFailure { Fail "fail" Recompute "recompute" }
}

fields! {
    struct Resilience {
        retries: "Retries" in [0, limits::RETRIES] or "0 means that a request has one attempt" => Resilience;
        backoff_ms: "Back-off" of "ms" in [0.0, limits::LATENCY_MS] or "25 is Envoy's default" => Resilience;
        backoff_max_ms: "Longest back-off" of "ms" in [0.0, limits::LATENCY_MS] or "250 is Envoy's default" => Resilience;
        retry_budget_share: "Retry budget" in [0.0, 1.0] or "0.2 is Envoy's default; 1 means no budget" => Resilience;
        retry_budget_least: "Budget, least" of "req" in [0, limits::IN_FLIGHT] or "3 is Envoy's default" => Resilience;
        resume: "Resume" => Resilience;
        connect_ms: "Connect timeout" of "ms" in [0.0, limits::LATENCY_MS] or "0 means at once" => Resilience;
        discovery_ms: "Discovery" of "ms" in [0.0, limits::LATENCY_MS] or "0 means at once" => Resilience;
        kv_load_failure: "KV lost" => Resilience;
        lease_s: "Lease" of "s" in [0.0, limits::HORIZON_S] or "0 means that nothing is held" => Resilience;
        transfer_timeout_s: "Transfer time-out" of "s" in [0.0, limits::HORIZON_S] or "0 means none" => Resilience;
        probe [omit]: "Probe" => Resilience;
        outlier [omit]: "Outliers" => Resilience;
    }
}

/// Probes of replicas at multiples of an interval, as those of Kubernetes. A probe fails if the replica is stuck or cannot be reached; a slow one passes.
#[apply(field_schema!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// Time between two probes.
    pub interval_s: f64,
    /// Time until a probe without an answer has failed.
    pub timeout_s: f64,
    /// Failures in a row after which something is done.
    pub failures: u32,
    /// Successes in a row after which an ejected replica gets requests again.
    pub successes: u32,
    /// What is done.
    pub then: ProbeAction,
    /// With `restart`: time from then until the replica serves again, with an empty cache. 0 means never.
    pub restart_s: f64,
}

fields! {
    struct Probe {
        interval_s: "Every" of "s" in [limits::PROBE_S_MIN, limits::HORIZON_S] or "10 is the default of Kubernetes" => Resilience;
        timeout_s: "Timeout" of "s" in [0.0, limits::HORIZON_S] or "1 is the default of Kubernetes" => Resilience;
        failures: "Failures" in [1, limits::PROBES] or "3 is the default of Kubernetes" => Resilience;
        successes: "Successes" in [1, limits::PROBES] or "1 is the default of Kubernetes" => Resilience;
        then: "Then" => Resilience;
        restart_s: "Back after" of "s" in [0.0, limits::HORIZON_S] or "0 means never" => Resilience;
    }
}

impl Default for Probe {
    fn default() -> Self {
        Self {
            interval_s: 10.0,
            timeout_s: 1.0,
            failures: 3,
            successes: 1,
            then: ProbeAction::Eject,
            restart_s: 30.0,
        }
    }
}

/// What follows from probes that failed.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProbeAction {
    /// The replica is ejected: it runs and gets nothing new.
    #[default]
    Eject,
    /// The replica is restarted, which breaks its requests as a crash does. A run has at most 10,000 such restarts.
    Restart,
}

fields! {
    names ProbeAction { Eject "eject" Restart "restart" }
}

/// Ejection of replicas whose attempts break one after the other, as in the Envoy proxy.
#[apply(field_schema!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outlier {
    /// Attempts at a replica that break, with none completed between them, after which it is ejected.
    pub consecutive: u32,
    /// Time for which it is ejected, times how often it was.
    pub ejection_s: f64,
    /// Largest share of a pool's replicas that are ejected so. One always may be.
    pub most_share: f64,
}

fields! {
    struct Outlier {
        consecutive: "In a row" in [1, limits::PROBES] or "5 is Envoy's default" => Resilience;
        ejection_s: "Ejected for" of "s" in [limits::PROBE_S_MIN, limits::HORIZON_S] or "30 is Envoy's default" => Resilience;
        most_share: "Most of a pool" in [0.0, 1.0] or "0.1 is Envoy's default" => Resilience;
    }
}

impl Default for Outlier {
    fn default() -> Self {
        Self { consecutive: 5, ejection_s: 30.0, most_share: 0.1 }
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
            connect_ms: 1000.0,
            discovery_ms: 1000.0,
            kv_load_failure: KvLoadFailure::Fail,
            lease_s: 20.0,
            transfer_timeout_s: 30.0,
            probe: None,
            outlier: None,
        }
    }
}
