//! One decision, column by column.

use engine::policy::ReplicaView;
use engine::policy::routing::{Excluded, Term};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// A decision, column by column: candidates as the router saw them, their true loads, and their scores.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct KeptDecision {
    pub(super) request: u32,
    /// Position of the chosen candidate; `None` if the request was refused.
    pub(super) chosen: Option<u32>,
    pub(super) seen: Vec<ReplicaView>,
    pub(super) true_load: Vec<u32>,
    /// Why each candidate was excluded; empty if none was.
    pub(super) excluded: Vec<Option<Excluded>>,
    /// Empty if the policy has no scores.
    pub(super) totals: Vec<f64>,
    pub(super) terms: Vec<(Term, f64)>,
    /// One column after another, as many as there are terms.
    pub(super) values: Vec<f64>,
    /// Summands of terms that are expressions: the position of the term and the text.
    pub(super) summands: Vec<(u32, Rc<str>)>,
    /// One column after another, as many as there are summands.
    pub(super) summand_values: Vec<f64>,
}

impl KeptDecision {
    /// Clears all columns and keeps their memory.
    pub(super) fn clear(&mut self) {
        let Self {
            request: _,
            chosen: _,
            seen,
            true_load,
            excluded,
            totals,
            terms,
            values,
            summands,
            summand_values,
        } = self;
        seen.clear();
        true_load.clear();
        excluded.clear();
        totals.clear();
        terms.clear();
        values.clear();
        summands.clear();
        summand_values.clear();
    }

    pub(super) fn size(&self) -> u64 {
        let rows = self.seen.len() * (size_of::<ReplicaView>() + 4);
        let rows = rows + self.excluded.len() * size_of::<Option<Excluded>>();
        let columns = self.totals.len() + self.values.len() + self.summand_values.len();
        let numbers = columns + 3 * (self.terms.len() + self.summands.len());
        (size_of::<Self>() + rows + 8 * numbers) as u64
    }
}
