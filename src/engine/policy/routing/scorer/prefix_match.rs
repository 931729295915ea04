//! A bonus for a replica to which the router sent the first block of the prompt lately, however long the match is.

use serde::{Deserialize, Serialize};

/// The bonus for a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PrefixMatch {
    pub(super) bonus: f64,
}

impl PrefixMatch {
    /// Scores candidates by the share of the prompt that each was sent before.
    pub(super) fn score(&self, prefix: &[f64], out: &mut [f64]) {
        for (score, share) in out.iter_mut().zip(prefix) {
            *score = if *share > 0.0 { self.bonus } else { 0.0 };
        }
    }
}
