//! In place of the log of steps, in builds without feature `steps`: it keeps nothing and takes no room.

use base::{Micros, ReplicaId, Span};
use engine::{PromptChunk, ReplicaFact, StepTerms};
use serde::{Deserialize, Serialize};

/// No steps.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct StepLog;

impl StepLog {
    /// Whether this build keeps steps.
    pub(crate) const KEEPS: bool = false;

    pub(crate) fn terms(&mut self, _: StepTerms, _: u64) {}

    pub(crate) fn chunk(&mut self, _: PromptChunk) {}

    pub(crate) fn fact(&mut self, _: Micros, _: ReplicaFact) {}

    pub(crate) fn waits(&self, _: ReplicaId, _: Micros, _: Span) -> Option<Span> {
        None
    }

    pub(crate) fn pack(&mut self) {}

    pub(crate) fn unpack(&mut self) {}

    pub(crate) fn bytes_beside(&self, _: Option<&Self>) -> u64 {
        0
    }
}
