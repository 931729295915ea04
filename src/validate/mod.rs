//! Measured serving runs replayed: what was measured, what the simulation makes of it, and how far apart the two are.
//!
//! `experiment` reads the measured format, `pool` and `traffic` make scenarios of it, `replay` runs them, `compare` makes rows
//! and aggregates of both. Files are read by whoever calls.

mod closed;
mod compare;
mod experiment;
mod fit;
mod gate;
mod open;
mod page;
mod points;
mod pool;
mod ranking;
mod recorded;
mod replay;
mod sample;

pub use compare::{Aggregate, Row, aggregates, median};
pub use experiment::{Experiment, read};
pub use fit::{Fit, Replays, fit};
pub use gate::{Recorded, recorded, worse};
pub use page::{Picture, pictures, tables};
pub use pool::{Latency, served_by};
pub use ranking::{Ranking, rankings};
pub use replay::{Options, Outcome, Unmodelled, replay};

/// Reads a file beside the experiments, by its name there; the error says why it cannot.
pub type Files<'a> = dyn Fn(&str) -> Result<Vec<u8>, String> + 'a;
