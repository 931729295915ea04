//! Golden files of clusters whose pools have roles: prefill and decode apart.

mod convert;
mod file;
mod keys;
mod sections;

pub(super) use convert::{Stands, network, pools};
pub(super) use file::{PoolConfig, Settings};
pub(super) use keys::{keys, only_here};
pub(super) use sections::build;

/// Their format.
pub(super) const SCHEMA: &str = "pd-golden/1";

/// The sections of their results.
pub(super) const SECTIONS: [&str; 9] = [
    "per_request",
    "per_instance",
    "transfers",
    "routing",
    "rejections",
    "drops",
    "preemption_log",
    "cluster_clock_us",
    "summary",
];
