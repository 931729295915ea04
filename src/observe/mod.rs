//! What is learnt from the stream of facts: distributions, time series, objectives met, anomalies, decisions, the report.
//!
//! The recorder listens to the engine and sums up; everything else here reads what it has summed up. Nothing here knows who asks,
//! or decides how far a run goes.

pub mod anomaly;
mod decisions;
pub(crate) mod life;
mod meters;
mod notices;
mod objectives;
pub(crate) mod recorder;
pub mod report;
mod warmup;
pub(crate) mod window;
pub(crate) mod words;

pub use decisions::{Candidate, DecisionPart, ScorePart};
pub use life::{Part, Segment, SegmentKind};
pub use notices::{Notice, NoticeKind};
pub(crate) use notices::{RunSoFar, requests_asked};
pub use recorder::{Move, MoveKind};
pub use report::Report;
pub use window::Percentiles;
