//! A checked scenario with what it resolves to: what the engine takes.

use super::weights::without_experts;
use super::{Resolved, resolve};
use crate::base::{Diagnostic, Diagnostics};
use crate::scenario::{Change, Checked, Compat, Pool, Scenario, check_start};

/// A scenario in which everything is in its range, and every model and GPU it names is known. The only way to make one is to
/// check.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    scenario: Checked<Scenario>,
    /// By pool.
    resolved: Vec<Resolved>,
}

impl Plan {
    /// Checks a scenario, reporting all problems at once; warnings come along with a sound one. What its edits make of it is
    /// not looked at.
    pub fn new(scenario: Scenario) -> Result<(Self, Diagnostics), Diagnostics> {
        let (pools, compat) = (scenario.cluster.pools.clone(), scenario.cluster.compat);
        let resolved = resolve_all(&pools, compat, &[], &[]);
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

    /// The plan of `scenario`, checked before, with figures that were resolved in another way.
    pub fn of(scenario: Checked<Scenario>, resolved: Vec<Resolved>) -> Self {
        assert!(
            scenario.get().cluster.pools.len() == resolved.len(),
            "INV-2: pools without hardware figures"
        );
        Self { scenario, resolved }
    }

    /// The plan after an edit; warnings about what it changes come along. Paths in the problems are those of the document.
    pub fn edited(&self, change: &Change) -> Result<(Self, Diagnostics), Diagnostics> {
        let (scenario, mut warnings) = self.scenario.edited(change)?;
        let (old, new) = (&self.scenario().cluster, &scenario.get().cluster);
        let resolved = resolve_all(&new.pools, new.compat, &old.pools, &self.resolved)?;
        warnings.extend(in_vain(&new.pools).filter(|d| !in_vain(&old.pools).any(|was| was == *d)));
        Ok((Self { scenario, resolved }, warnings))
    }

    /// The scenario.
    pub fn scenario(&self) -> &Scenario {
        self.scenario.get()
    }

    /// What its pools resolve to.
    pub fn resolved(&self) -> &[Resolved] {
        &self.resolved
    }
}

/// What pools say that means nothing for their models.
fn in_vain(pools: &[Pool]) -> impl Iterator<Item = Diagnostic> {
    let at = |(i, pool)| without_experts(pool, &format!("cluster.pools[{i}]"));
    pools.iter().enumerate().filter_map(at)
}

/// What all pools resolve to, or all problems. Pools that are as they were keep what they resolved to.
fn resolve_all(
    pools: &[Pool],
    compat: Compat,
    old: &[Pool],
    known: &[Resolved],
) -> Result<Vec<Resolved>, Diagnostics> {
    let (mut resolved, mut problems) = (Vec::with_capacity(pools.len()), Diagnostics::new());
    for (i, pool) in pools.iter().enumerate() {
        if old.get(i) == Some(pool) {
            resolved.push(known[i].clone());
            continue;
        }
        match resolve(pool, compat, &format!("cluster.pools[{i}]")) {
            Ok(figures) => resolved.push(figures),
            Err(found) => problems.extend(found),
        }
    }
    if problems.is_empty() { Ok(resolved) } else { Err(problems) }
}
