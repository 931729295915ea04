//! What the engine says: facts as they happen, decisions with what they were made on, and the trace of every step.

mod decision;
mod fact;
mod fault_fact;
mod handover_fact;
mod scaling_record;
mod step_terms;
mod step_trace;

pub use decision::{Decision, Stage, ranking};
pub use fact::{
    AdapterSource, CacheFact, DropReason, Fact, FleetFact, Ignore, ReplicaFact, RequestFact, Sink, StepParts,
};
pub use fault_fact::{BreakReason, EjectedBy, FaultFact, FaultKind};
pub use handover_fact::{DeciderReason, HandoverFact};
pub use scaling_record::{Present, ScalingRecord};
pub use step_terms::{PromptChunk, StepTerms};
pub use step_trace::{Detail, StepTrace};
