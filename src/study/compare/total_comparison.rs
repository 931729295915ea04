//! A figure of whole runs in both runs of a comparison.

use super::{Difference, Direction};
use serde::Serialize;

/// A figure of whole runs.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TotalComparison {
    /// Which values are the better ones.
    pub better: Direction,
    /// The figure.
    #[serde(flatten)]
    pub difference: Difference,
}
