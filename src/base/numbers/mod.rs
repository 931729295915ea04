//! Arithmetic, random draws and digests that are the same everywhere.

pub mod bits;
pub mod curve;
pub mod digest;
pub mod dist;
pub mod math;
pub mod multiply;
pub mod rng;
