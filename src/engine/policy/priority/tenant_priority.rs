//! By tenant: a fixed score each.

use super::{Priority, WaitingView};
use document::TenantScores;
use serde::{Deserialize, Serialize};

/// A score for each tenant, by number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TenantPriority {
    scores: Vec<i32>,
}

impl TenantPriority {
    pub(super) fn new(scores: &TenantScores, tenants: &[String]) -> Self {
        let score = |name: &String| {
            let named = scores.tenants.iter().find(|t| t.tenant == *name);
            named.map_or(scores.others, |t| t.priority)
        };
        Self { scores: tenants.iter().map(score).collect() }
    }
}

impl Priority for TenantPriority {
    fn of(&self, request: &WaitingView) -> i64 {
        i64::from(self.scores[request.tenant as usize])
    }
}
