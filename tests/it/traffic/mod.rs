//! Traffic: clients with a bound, trace files and sessions.

mod agents;
mod bounded;
mod kept_columns;
mod readers;
mod carried;
mod client_kinds;
mod on_off;
mod operations;
mod sessions;
mod shared_prefixes;
mod trace_files;
mod traces;
mod trees;
