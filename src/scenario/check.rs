//! Meaning: ranges, limits and references of a scenario that already has the right shape.

use super::{Edit, Scenario};
use crate::base::{Diagnostics, diag::has_errors};

/// A document that passed [`check`]. The only way to make one is to check.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked<T>(T);

impl<T> Checked<T> {
    /// The document.
    pub fn get(&self) -> &T {
        &self.0
    }
}

/// Checks everything and reports all problems at once; warnings come along with a usable scenario.
pub fn check(scenario: Scenario) -> Result<(Checked<Scenario>, Diagnostics), Diagnostics> {
    let all = Diagnostics::new();
    if has_errors(&all) { Err(all) } else { Ok((Checked(scenario), all)) }
}

/// Checks one edit against the scenario it applies to.
pub fn check_edit(_scenario: &Scenario, _edit: &Edit, _path: &str) -> Diagnostics {
    Diagnostics::new()
}
