//! The plan: a checked scenario with its resolved figures, the input of the engine.

use super::weights::without_experts;
use super::{Resolved, Rules, resolve};
use crate::base::{Diagnostic, Diagnostics};
use crate::scenario::{Change, Checked, Pool, Scenario, check_start};

/// A scenario with all values in range and all models and GPUs known. Only a check makes one.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    scenario: Checked<Scenario>,
    /// By pool.
    resolved: Vec<Resolved>,
}

impl Plan {
    /// Checks a scenario, reporting all problems at once; a valid one is returned with warnings. The results of its
    /// edits are not checked.
    pub fn new(scenario: Scenario) -> Result<(Self, Diagnostics), Diagnostics> {
        let (pools, rules) = (scenario.cluster.pools.clone(), Rules::of(&scenario));
        let resolved = resolve_all(&pools, rules, &[], &[]);
        match (check_start(scenario), resolved) {
            (Ok((scenario, mut warnings)), Ok(resolved)) => {
                warnings.extend(in_vain(&pools));
                Ok((Self { scenario, resolved }, warnings))
            }
            (Ok(_), Err(problems)) => Err(problems),
            (Err(mut problems), resolved) => {
                problems.extend(resolved.err().unwrap_or_default());
                Err(problems)
            }
        }
    }

    /// The plan of a checked `scenario`, with figures resolved in another way.
    pub fn of(scenario: Checked<Scenario>, resolved: Vec<Resolved>) -> Self {
        assert!(
            scenario.get().cluster.pools.len() == resolved.len(),
            "INV-2: pools without hardware figures"
        );
        Self { scenario, resolved }
    }

    /// The plan after an edit, with warnings about the change. Paths in the problems are those of the document.
    pub fn edited(&self, change: &Change) -> Result<(Self, Diagnostics), Diagnostics> {
        let (scenario, mut warnings) = self.scenario.edited(change)?;
        let rules = Rules::of(scenario.get());
        let (old, new) = (&self.scenario().cluster, &scenario.get().cluster);
        let resolved = resolve_all(&new.pools, rules, &old.pools, &self.resolved)?;
        warnings.extend(in_vain(&new.pools).filter(|d| !in_vain(&old.pools).any(|was| was == *d)));
        Ok((Self { scenario, resolved }, warnings))
    }

    /// The scenario.
    pub fn scenario(&self) -> &Scenario {
        self.scenario.get()
    }

    /// The resolved figures of its pools.
    pub fn resolved(&self) -> &[Resolved] {
        &self.resolved
    }
}

/// Warnings of settings of pools that have no effect for their models.
fn in_vain(pools: &[Pool]) -> impl Iterator<Item = Diagnostic> {
    let at = |(i, pool)| without_experts(pool, &format!("cluster.pools[{i}]"));
    pools.iter().enumerate().filter_map(at)
}

/// The resolved figures of all pools, or all problems. Unchanged pools keep their figures.
fn resolve_all(
    pools: &[Pool],
    rules: Rules,
    old: &[Pool],
    known: &[Resolved],
) -> Result<Vec<Resolved>, Diagnostics> {
    let (mut resolved, mut problems) = (Vec::with_capacity(pools.len()), Diagnostics::new());
    for (i, pool) in pools.iter().enumerate() {
        if old.get(i) == Some(pool) {
            resolved.push(known[i].clone());
            continue;
        }
        match resolve(pool, rules, &format!("cluster.pools[{i}]")) {
            Ok(figures) => resolved.push(figures),
            Err(found) => problems.extend(found),
        }
    }
    if problems.is_empty() { Ok(resolved) } else { Err(problems) }
}
