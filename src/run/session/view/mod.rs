//! Views of a session for a screen: plain data in the reader's vocabulary, times in whole microseconds.
//!
//! These types are the boundary. They are serialised as JSON and printed as TypeScript by `cli/commands/page/types.rs`; every number a
//! page shows is in one of them, so no page computes anything. Whole numbers stay below 2^53, which JavaScript holds exactly.

mod cells;
mod columns;
#[cfg(any(feature = "cli", feature = "closeup"))]
mod columns_of_faults;
#[cfg(any(feature = "cli", feature = "closeup"))]
mod columns_of_lanes;
#[cfg(any(feature = "cli", feature = "closeup"))]
mod columns_of_waits;
mod document;
mod evidence;
mod expression;
mod fault;
mod flows;
mod frame;
mod gateway;
mod handover;
mod handover_screen;
mod in_words;
mod inspect;
#[cfg(feature = "schema")]
pub mod listing;
mod log;
mod mark;
mod pool;
mod ranks;
mod rates;
mod request;
mod scaling;
mod screen;
mod split;
mod split_screen;
mod statement;
mod transit;

pub use crate::observe::anomaly::AnomalyKind;
pub use crate::observe::{
    Candidate, Move, MoveKind, Part, Percentiles, ScorePart, Segment, SegmentKind, SummandValue,
};
pub use cells::KvFrame;
pub use columns::{Columns, ColumnsQuery, View};
#[cfg(feature = "types")]
pub use document::PresetInfo;
pub use document::{BesideRun, DescribedModel, OpenedLink, TraceOutcome};
pub use engine::RequestState;
pub use evidence::{Basis, CoefficientEvidence, Evidence, EvidenceOf, EvidencePart};
pub use expression::{ExpressionProblem, ExpressionReading, scorer_as_expression};
pub use frame::{
    AnomalyMark, BatchFrame, ClientFrame, Counts, CrashFrame, FaultFigures, FaultFlag, Flag, Frame,
    FrameQuery, KeyFigures, LifeFrame, LifePhase, QueueChip, ReplicaFault, ReplicaFrame, RunFigures,
};
pub use handover::{AheadPart, BlocksDetail, HandoverDetail, RateStep, TransferDetail};
pub(super) use log::kind_of;
pub use log::{EventKind, EventRow, EventRows, EventsQuery};
pub use mark::Mark;
pub use pool::PoolFrame;
pub use ranks::{RankFrame, ServerFrame};
pub use request::{AttemptDetail, RequestDetail};
pub use scaling::{ScalingQuery, ScalingRow, ScalingRows};
pub use split::{
    DecidedFrame, DeciderFrame, DecisionMark, MovingFrame, PairFrame, PortFrame, RoleFrame, SplitFrame,
    TransferFrame,
};
pub use statement::Statement;
