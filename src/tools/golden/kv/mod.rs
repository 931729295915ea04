//! Golden files of tiers below the GPU.

mod convert;
mod counters;
mod file;
mod log;
mod sections;

pub(super) use convert::{cache, directive, hint, problems, session_kv, store_ports, stores, transfer};
pub(super) use counters::counters;
pub(super) use file::{Directive, KvConfig};
pub(super) use log::TierLog;
pub(super) use sections::add;

/// Their format.
pub(super) const SCHEMA: &str = "kv-golden/1";

/// The section that only they have.
pub(super) const SECTION: &str = "kv";
