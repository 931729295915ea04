//! The user's own measurements, run and compared. `exchange/import` reads the files that benchmark tools and servers write.
//!
//! `scenario` makes a run of a result, `compare` puts measured and simulated figures beside each other, `calibrate` fixes the few
//! coefficients that one run can tell. The page and the command line do it the same way.

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
