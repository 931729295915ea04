//! Measured runs: recorded tables, and files of benchmark tools.

mod benchmark_files;
mod console;
mod given_load;
mod hostile;
mod loads;
mod other_tools;
mod recorded_runs;
mod reports;
mod reproduced;
mod servers;
