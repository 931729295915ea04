//! What leaves the session for a screen: plain data in the reader's vocabulary, times in whole microseconds.
//!
//! These types are the boundary. They are serialised as JSON and printed as TypeScript by `cli/types.rs`; every number a
//! page shows is in one of them, so no page computes anything. Whole numbers stay below 2^53, which JavaScript holds exactly.

mod columns;
mod document;
mod frame;
mod inspect;
#[cfg(feature = "cli")]
pub mod listing;
mod log;
mod mark;
mod pool;
mod request;
mod screen;

pub use crate::engine::RequestState;
pub use crate::observe::anomaly::AnomalyKind;
pub use crate::observe::{Candidate, Move, MoveKind, Part, Percentiles, ScorePart, Segment, SegmentKind};
pub use columns::{Columns, ColumnsQuery, View};
pub use document::{PresetInfo, TraceOutcome};
pub use frame::{
    AnomalyMark, BatchBar, ClientFrame, Counts, Flag, Frame, FrameQuery, KeyFigures, KvFrame, QueueChip,
    ReplicaFrame,
};
pub use log::{EventKind, EventRow, EventRows, EventsQuery};
pub use mark::Mark;
pub use pool::PoolFrame;
pub use request::RequestDetail;
