//! Foundations: units, ids, maths, random numbers, digests and diagnostics.
//!
//! Nothing here depends on the simulation. Every other module may use everything here.

#[macro_use]
extern crate macro_rules_attribute;

#[macro_use]
mod derives;

pub mod alike;
pub mod ask;
pub mod bits;
pub mod chunks;
pub mod columns;
pub mod content;
pub mod csv_text;
pub mod curve;
pub mod diag;
pub mod digest;
pub mod dist;
#[cfg(any(feature = "cli", feature = "outcomes"))]
pub mod html_text;
pub mod ids;
pub mod import;
pub mod json;
pub mod lookup;
pub mod math;
pub mod multiply;
pub mod number_text;
pub mod pointer;
pub mod queue;
pub mod repeated_keys;
pub mod rng;
pub mod shared;
pub mod shared_queue;
pub mod small;
pub mod stats;
pub mod units;

pub use chunks::Chunks;
pub use content::{Content, Piece};
pub use curve::{Between, Curve};
pub use diag::{Diagnostic, Diagnostics, Severity};
pub use ids::{ReplicaId, RequestId};
pub use shared::Shared;
pub use shared_queue::SharedQueue;
pub use small::SortedMap;
pub use units::{Blocks, Maybe, Micros, Period, Span, Tokens};

/// Whether checkpoints are packed. The module of a first visit keeps plain copies: it must be small, and hands the run
/// over to the module built for speed before there are many.
pub const PACKS: bool = cfg!(any(feature = "cli", feature = "whatif"));
