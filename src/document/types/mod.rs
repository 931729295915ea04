//! The types of the scenario, each with its table of fields.

pub(crate) mod cluster;
pub(crate) mod faults;
pub(crate) mod keep;
pub(crate) mod latency;
pub(crate) mod routing;
pub(crate) mod scaling;
pub(crate) mod slo;
pub(crate) mod workload;
