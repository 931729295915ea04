//! Whether a scenario's replicas have different roles, so that requests move between them.

use crate::scenario::{Role, Scenario};

/// Whether a pool prefills for others, or has others prefill for it.
pub(crate) fn roles_differ(scenario: &Scenario) -> bool {
    scenario.cluster.pools.iter().any(|pool| pool.role != Role::Mixed)
}
