//! How far the latency figures of a run can be trusted, pool by pool, and which pools would be a guess.

use super::Session;
use crate::observe::{RunVerdict, regime};
use base::{Diagnostic, Diagnostics};
use document::Scenario;
use engine::perf::{self, Plan, PoolEvidence, Regime, RegimeBasis};

impl Session {
    /// The evidence for the latency figures of each pool, in the regime of the run so far.
    pub fn pool_evidence(&self, verdict: &RunVerdict) -> Vec<PoolEvidence> {
        let scenario = self.plan.scenario();
        pool_evidence(scenario, regime(scenario, &self.engine, &self.recorder, verdict))
    }
}

/// The evidence for the latency figures of each pool of a scenario in a regime; `None` if that is not known.
pub fn pool_evidence(scenario: &Scenario, regime: Option<(Regime, RegimeBasis)>) -> Vec<PoolEvidence> {
    scenario.cluster.pools.iter().map(|pool| PoolEvidence::new(pool, regime)).collect()
}

/// The evidence of the pool of which least is known, the first of equal ones; `None` without pools.
pub fn weakest(pools: &[PoolEvidence]) -> Option<&PoolEvidence> {
    pools.iter().reduce(|worst, pool| if pool.class > worst.class { pool } else { worst })
}

/// The pools whose step times would be a guess, at the start or after an edit: a GPU of which nothing is known but its
/// peaks, with the coefficients of another one.
pub fn guesses(scenario: &Scenario) -> Diagnostics {
    let mut found = of_pools(scenario);
    // Problems of the scenario and of its edits are reported when it starts.
    let Ok((mut plan, _)) = Plan::new(Scenario { edits: Vec::new(), ..scenario.clone() }) else {
        return found;
    };
    for (i, edit) in scenario.edits.iter().enumerate().filter(|(_, edit)| !edit.off) {
        let Ok((edited, _)) = plan.edited(&edit.change()) else { continue };
        let before = of_pools(plan.scenario());
        let new = of_pools(edited.scenario()).into_iter().filter(|guess| !before.contains(guess));
        found.extend(new.map(|guess| Diagnostic { path: format!("edits[{i}]: {}", guess.path), ..guess }));
        plan = edited;
    }
    found
}

fn of_pools(scenario: &Scenario) -> Diagnostics {
    let pools = scenario.cluster.pools.iter().enumerate();
    pools.filter_map(|(i, pool)| perf::guess(pool, &format!("cluster.pools[{i}]"))).collect()
}
