//! Replay of measured serving runs: the measurements, the simulated figures, and the errors.
//!
//! `experiment` reads the measured format, `replay` and `pool` make scenarios of it, `run` runs them, `compare` makes rows
//! and aggregates of both. Files are read by the caller.

mod accuracy;
mod accuracy_page;
mod closed;
mod compare;
mod distance;
mod evidence;
mod experiment;
mod first;
mod fit;
mod gate;
mod halves;
mod held_back;
mod ladder;
mod left_out;
mod levels;
mod linear;
mod one_error;
mod open;
mod opened;
mod orders;
mod page;
mod points;
mod pool;
mod ranking;
mod recorded;
mod replay;
mod run;
mod sample;
mod silicon;
mod split_pools;
mod split_table;
mod steps;

pub use accuracy::{OfVersion, of_version, with_version};
pub use accuracy_page::{Links, accuracy_page};
pub use compare::{Aggregate, Row, aggregates, median};
pub use distance::{Distance, distance_table, distances};
pub use engine::perf::{carried, same_chip};
pub use evidence::evidence_table;
pub use experiment::{Experiment, read};
pub use first::first_values;
pub use fit::{Fit, Pull, Replays, Told, fit};
pub use gate::{Recorded, recorded, worse};
pub use held_back::{Coverage, HeldBack, coverage, coverage_table, crossed_coverage, held_back, kind_errors};
pub use left_out::{LeftOut, left_out, left_out_lines, left_out_table};
pub use levels::{level_table, page_figures, page_level, page_models, page_rankings};
pub use opened::{page_data, stage_links};
pub use orders::{Order, orders, orders_table};
pub use page::{Picture, pictures, tables};
pub use pool::{Found, Latency, built_in, model_name, precision_name, served_by, without_precision};
pub use ranking::{Ranking, rankings};
pub use replay::{Options, Outcome, Unmodelled, replay};
pub use silicon::{is_silicon, read_silicon};
pub use split_table::{is_split_table, read_split_table};

/// Reads a file next to the experiments, by its name there; the error is the reason of a failure.
pub type Files<'a> = dyn Fn(&str) -> Result<Vec<u8>, String> + 'a;
