//! Commands that hold the simulation to measurements: validation, calibration, sizing.

pub(crate) mod benchmark;
pub(crate) mod calibrate;
mod experiments;
mod fit_set;
pub(crate) mod leave_out;
mod own_row;
mod replay_jobs;
mod rows_of;
pub(crate) mod size;
pub(crate) mod validate;
