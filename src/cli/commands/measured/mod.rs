//! Commands that hold the simulation to measurements: validation, calibration, sizing.

pub(crate) mod benchmark;
pub(crate) mod calibrate;
pub(crate) mod leave_out;
pub(crate) mod size;
pub(crate) mod validate;
