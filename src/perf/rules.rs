//! How a document is read, as far as the figures of its pools depend on it.

use crate::scenario::{CalibrationTable, Compat, LatencyModel, Pool, Scenario};

/// How a document is read: its mode, and the version of its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Whose rules the simulation follows.
    pub compat: Compat,
    /// Version of the format, which decides what settings mean that are left out.
    pub version: u32,
}

impl Rules {
    /// The rules of a scenario.
    pub fn of(scenario: &Scenario) -> Self {
        Self { compat: scenario.cluster.compat, version: scenario.tokenyard }
    }

    /// Whether the catalogue's refined shapes and newer prices count for a pool.
    pub fn refine(self, pool: &Pool) -> bool {
        match &pool.latency {
            LatencyModel::Calibrated(s) => s.table(self.version) == CalibrationTable::Y2026,
            LatencyModel::Catalogue
            | LatencyModel::Fitted(_)
            | LatencyModel::Roofline(_)
            | LatencyModel::CrossModel(_)
            | LatencyModel::Piecewise(_) => self.version >= 3,
        }
    }
}

impl From<Compat> for Rules {
    /// Those of a document without a version.
    fn from(compat: Compat) -> Self {
        Self { compat, version: 1 }
    }
}
