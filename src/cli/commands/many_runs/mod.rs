//! Commands that make many runs, and what these share: workers, further figures, suites.

mod cache;
pub(crate) mod capacity;
pub(crate) mod compare;
pub(crate) mod evaluate;
pub(crate) mod lab;
pub(crate) mod metrics;
mod near_the_knee;
pub(crate) mod parallel;
pub(crate) mod rank;
pub(crate) mod ratio;
mod searches;
pub(crate) mod suite_files;
pub(crate) mod sweep;
