//! What the engine says: facts as they happen, decisions with what they were made on, and the trace of every step.

mod decision;
mod drop_reason;
mod fact;
mod fault_fact;
mod fault_kind;
mod handover_fact;
mod scaling_record;
mod step_terms;
mod step_trace;
mod tier_news;

pub use decision::{Decision, Stage, ranking};
pub use drop_reason::DropReason;
pub use fact::{
    AdapterSource, CacheFact, Fact, FleetFact, Ignore, ReplicaFact, RequestFact, Sink, StepParts,
};
pub use fault_fact::{BreakReason, EjectedBy, FaultFact};
pub use fault_kind::{FaultKind, FaultWords};
pub use handover_fact::{DeciderReason, HandoverFact};
pub use scaling_record::{Present, ScalingRecord};
pub use step_terms::{PromptChunk, StepTerms};
pub use step_trace::{Detail, StepTrace};
pub use tier_news::{FlowKind, FlowOutcome, TierNews};
