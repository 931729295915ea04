//! Golden files: recorded inputs and results.

mod files;
mod queueing_files;
mod recorded;
mod roles;
