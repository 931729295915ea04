//! Results of benchmark tools and servers, which `import` reads, and replay, comparison and calibration of the user's own
//! measurements.
//!
//! `scenario` turns a result into a run, `told` adds the load that the user gives, `compare` compares measured with
//! simulated figures and `over_time` series, `replayed` has what replays of experiments share with these, `calibrate` fixes the few coefficients that one run determines. The page and
//! the command line share this code.

#[macro_use]
extern crate macro_rules_attribute;
#[macro_use]
extern crate base;

mod band;
mod calibrate;
mod capped;
mod compare;
pub mod import;
mod model_names;
mod over_time;
pub mod questions;
#[cfg(feature = "cli")]
mod rank;
pub mod replayed;
mod scenario;
mod simulated;
mod told;

pub use band::{Band, Halves, bands, bands_of};
pub use calibrate::{CoefficientChange, OneRun, calibrate};
pub use compare::{Compared, Comparison, compare};
pub use over_time::SeriesCompared;
#[cfg(feature = "cli")]
pub use rank::{Gap, PolicyFigure, PolicyRun, Ranked, rank};
pub use scenario::{Replay, replay};
pub use told::{ToldLoad, options};
