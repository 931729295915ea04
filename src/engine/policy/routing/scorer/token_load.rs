//! Scores the tokens that the router sent to each replica and that still count, with those that the prompt would add:
//! 1 for none, 0 from a threshold on. The token-load-scorer of llm-d.

use super::signal::below;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TokenLoad {
    pub(super) threshold: u32,
}

impl TokenLoad {
    /// Scores every candidate by its `tokens`.
    pub(super) fn score(&self, tokens: &[u64], out: &mut [f64]) {
        for (score, &tokens) in out.iter_mut().zip(tokens) {
            *score = below(tokens as f64, self.threshold);
        }
    }
}
