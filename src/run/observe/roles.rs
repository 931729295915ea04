//! Whether a scenario's replicas have different roles, so that requests move between them.

use document::{Role, Scenario};

/// Whether a pool prefills for others, or has others prefill for it.
pub fn roles_differ(scenario: &Scenario) -> bool {
    scenario.cluster.pools.iter().any(|pool| pool.role != Role::Mixed)
}
