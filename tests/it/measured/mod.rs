//! Measured runs: recorded tables, and files of benchmark tools.

mod benchmark_files;
mod loads;
mod recorded_runs;
mod reproduced;
