//! Foundations: units, ids, maths, random numbers, digests and diagnostics.
//!
//! Nothing here depends on the simulation. Every other module may use everything here.

#[macro_use]
extern crate macro_rules_attribute;

#[macro_use]
mod derives;

mod boundary;
mod collections;
mod numbers;
mod text;

pub mod diag;
pub mod ids;
pub mod json;
pub mod small;
pub mod stats;
pub mod units;

pub use boundary::ask;
pub use boundary::import;
pub use boundary::pointer;
pub use boundary::repeated_keys;
pub use collections::chunks;
pub use collections::chunks::Chunks;
pub use collections::columns;
pub use collections::content;
pub use collections::content::{Content, Piece};
pub use collections::lookup;
pub use collections::queue;
pub use collections::reuse;
pub use collections::shared;
pub use collections::shared::Shared;
pub use collections::shared_queue;
pub use collections::shared_queue::SharedQueue;
pub use diag::{Diagnostic, Diagnostics, Severity};
pub use ids::{ReplicaId, RequestId};
pub use numbers::bits;
pub use numbers::curve;
pub use numbers::curve::{Between, Curve};
pub use numbers::digest;
pub use numbers::dist;
pub use numbers::math;
pub use numbers::multiply;
pub use numbers::rng;
pub use small::SortedMap;
pub use text::alike;
pub use text::csv_text;
#[cfg(any(feature = "cli", feature = "outcomes"))]
pub use text::html_text;
pub use text::log_lines;
pub use text::number_text;
#[cfg(any(feature = "cli", feature = "outcomes"))]
pub use text::yaml_text;
pub use units::{Blocks, Maybe, Micros, Period, Span, Tokens};

/// Whether checkpoints are packed. The module of a first visit keeps plain copies: it must be small, and hands the run
/// over to the module built for speed before there are many.
pub const PACKS: bool = cfg!(any(feature = "cli", feature = "whatif"));
