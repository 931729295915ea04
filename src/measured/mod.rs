//! Replay, comparison and calibration of the user's own measurements. `exchange/import` reads the files that benchmark
//! tools and servers write.
//!
//! `scenario` turns a result into a run, `compare` compares measured with simulated figures, `calibrate` fixes the few
//! coefficients that one run determines. The page and the command line share this code.

mod band;
mod calibrate;
mod capped;
mod compare;
mod model_names;
mod scenario;
mod simulated;

pub use band::{Band, Halves, bands, bands_of};
pub use calibrate::{CoefficientChange, OneRun, calibrate};
pub use compare::{Compared, Comparison, compare};
pub use scenario::{Replay, replay};
