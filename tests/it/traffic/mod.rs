//! Traffic: trace files and sessions.

mod sessions;
mod trace_files;
mod traces;
