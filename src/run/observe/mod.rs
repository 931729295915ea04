//! Everything measured in the stream of facts: distributions, time series, objectives met, anomalies, decisions, the
//! report.
//!
//! The recorder reads the facts of the engine and keeps sums; the other modules read these sums. Nothing here depends
//! on the caller or decides how far a run goes.

pub mod anomaly;
mod bytes;
mod decisions;
pub(crate) mod event_log;
pub(crate) mod fault_log;
mod meters;
#[cfg(not(feature = "steps"))]
mod no_steps;
mod notices;
pub mod objectives;
#[cfg_attr(not(any(feature = "cli", feature = "closeup")), expect(dead_code, reason = "close-ups read it"))]
pub(crate) mod origins;
mod packed;
mod passages;
#[cfg(any(feature = "cli", feature = "closeup"))]
pub(crate) mod pauses;
pub(crate) mod recent;
pub mod recorder;
mod regime;
pub mod report;
mod roles;
pub(crate) mod rolling;
pub(crate) mod scaling;
pub mod segments;
#[cfg(feature = "steps")]
pub(crate) mod step_log;
pub(crate) mod summaries;
#[cfg_attr(not(any(feature = "cli", feature = "closeup")), expect(dead_code, reason = "close-ups read it"))]
pub(crate) mod texts;
pub mod transit;
mod trips;
mod verdict;
pub mod warmup;
pub(crate) mod window;

pub use decisions::excluded_words;
pub use decisions::{Candidate, DecisionPart, ScorePart, StageDecisionPart, SummandValue};
#[cfg(not(feature = "steps"))]
pub(crate) use no_steps::StepLog;
pub use notices::{Notice, NoticeKind};
pub(crate) use notices::{RunSoFar, requests_asked};
pub use recorder::{Move, MoveKind};
pub(crate) use regime::regime;
pub use report::Report;
pub use roles::{homes_read, roles_differ};
pub use segments::{Part, Segment, SegmentKind};
#[cfg(feature = "steps")]
pub(crate) use step_log::StepLog;
pub(crate) use verdict::verdict;
pub use verdict::{LoadState, RunVerdict};
pub use window::Percentiles;
