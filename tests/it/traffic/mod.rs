//! Traffic: clients with a bound, trace files and sessions.

mod bounded;
mod sessions;
mod trace_files;
mod traces;
