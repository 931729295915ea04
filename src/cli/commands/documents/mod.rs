//! Commands on documents: configuration of other programs, links, traces, and the names that a scenario can use.

pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod link;
pub(crate) mod list;
pub(crate) mod trace;
mod trace_tiers;
