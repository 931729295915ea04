//! Golden files of tiers below the GPU.

mod convert;
mod counters;
mod faults;
mod file;
mod log;
mod sections;

pub(super) use convert::{
    cache, directive, draws, hint, problems, routing, session_kv, source, store_ports, stores, transfer,
};
pub(super) use counters::counters;
pub(super) use faults::{Losses, ended, faults, inside, last_instant, resilience};
pub(super) use file::{Directive, KvConfig};
pub(super) use log::TierLog;
pub(super) use sections::add;

/// Their format.
pub(super) const SCHEMA: &str = "kv-golden/1";

/// The section that only they have.
pub(super) const SECTION: &str = "kv";
