//! By SLO class: a fixed score each.

use super::{Priority, WaitingView};
use document::ClassScores;
use serde::{Deserialize, Serialize};

/// A score for each SLO class, by number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SloClass {
    scores: Vec<i32>,
}

impl SloClass {
    pub(super) fn new(scores: &ClassScores, classes: &[String]) -> Self {
        Self { scores: classes.iter().map(|name| scores.of(name)).collect() }
    }
}

impl Priority for SloClass {
    fn of(&self, request: &WaitingView) -> i64 {
        i64::from(self.scores[request.class as usize])
    }
}
