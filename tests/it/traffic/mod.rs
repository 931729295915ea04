//! Traffic: clients with a bound, trace files and sessions.

mod agents;
mod bounded;
mod carried;
mod client_kinds;
mod figures;
mod kept_columns;
mod on_off;
mod operations;
mod readers;
mod sessions;
mod shared_prefixes;
mod trace_files;
mod traces;
mod trees;
