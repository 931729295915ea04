//! Whether a scenario's replicas have different roles, so that requests move between them.

use document::{HomeHits, Role, Scenario};

/// Whether a pool prefills for others, or has others prefill for it.
pub fn roles_differ(scenario: &Scenario) -> bool {
    scenario.cluster.pools.iter().any(|pool| pool.role != Role::Mixed)
}

/// Whether homes read from their CPU memory what prompts that are computed elsewhere have there.
pub fn homes_read(scenario: &Scenario) -> bool {
    scenario.cluster.disaggregation.as_ref().is_some_and(|d| d.home_hits == HomeHits::GpuCpu)
}
