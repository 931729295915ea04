//! Requests: generated from client descriptions, given one by one, or read from a recorded trace.
//!
//! A [`Source`] is an iterator of requests in order of arrival, drawing from streams of its own. It knows nothing of the
//! cluster, so the same scenario and seed give the same requests under every policy.

use crate::base::{Content, Micros, Piece};
use crate::scenario::Scenario;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One request as it arrives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestSpec {
    /// When it arrives.
    pub arrival: Micros,
    /// Number of its client: clients first, then the tenants of explicit requests in order of first appearance.
    pub client: u32,
    /// Number of its SLO class name in [`Source::classes`].
    pub class: u32,
    /// Rank of its name among all explicit requests in alphabetical order; position in order of arrival otherwise.
    pub rank: u32,
    /// Position in the scenario's list of explicit requests; `u32::MAX` otherwise.
    pub listed: u32,
    /// The prompt.
    pub prompt: Content,
    /// Its length.
    pub prompt_tokens: u32,
    /// The answer; its length is nobody's to know before it is produced.
    pub output: Piece,
}

/// A recorded trace in memory, shared between runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    // Replaced by the real thing.
}

/// All requests of a run, in order of arrival.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Source {
    // Replaced by the real thing.
}

impl Source {
    /// The requests of `scenario`; `trace` must be given if it replays one.
    pub fn new(_scenario: &Scenario, _trace: Option<&Arc<Trace>>) -> Self {
        Self {}
    }

    /// Gives a restored source its trace back (a trace is not part of a snapshot).
    pub fn attach(&mut self, _trace: Option<&Arc<Trace>>) {}

    /// When the next request arrives; `None` when there is none.
    pub fn peek(&self) -> Option<Micros> {
        None
    }

    /// Takes the next request.
    pub fn take(&mut self) -> Option<RequestSpec> {
        None
    }

    /// Changes the rate of one client from `now` on: the gap that is running shrinks or stretches with it.
    pub fn set_rate(&mut self, _client: u32, _rate_per_s: f64, _now: Micros) {}

    /// Names of the clients by number.
    pub fn clients(&self) -> &[String] {
        &[]
    }

    /// Names of the SLO classes by number; number 0 is "default".
    pub fn classes(&self) -> &[String] {
        &[]
    }
}
