//! What came of reading a source.

use crate::import::configuration::mapping::Mapping;
use crate::import::configuration::server_identity::{RouterRole, ServerIdentity};
use crate::import::configuration::sets::Set;
use base::Diagnostics;
use base::diag::has_errors;

/// The result of a source: its keys one by one, and its problems.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The result of each key.
    pub mappings: Vec<Mapping>,
    /// Errors, and warnings about keys that were left out or have an unexpected meaning.
    pub problems: Diagnostics,
    /// The fields that it sets, besides those of its settings.
    pub(crate) sets: Vec<Set>,
    /// The roles that it gives servers as a router.
    pub(crate) roles: Vec<RouterRole>,
    /// What routers can know its servers by.
    pub(crate) servers: Vec<ServerIdentity>,
}

impl Report {
    /// The report, or all problems if one is an error.
    pub(crate) fn sound(self) -> Result<Self, Diagnostics> {
        if has_errors(&self.problems) { Err(self.problems) } else { Ok(self) }
    }
}
