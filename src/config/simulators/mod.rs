//! Other simulators: BLIS in both directions, RouteSim as an import.

pub(crate) mod blis;
pub(crate) mod routesim;
