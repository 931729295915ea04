//! Traffic: clients with a bound, trace files and sessions.

mod agents;
mod bounded;
mod kept_columns;
mod readers;
mod sessions;
mod trace_files;
mod traces;
mod trees;
