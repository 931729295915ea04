//! The scores behind a decision, kept to explain it.

use super::picker::first_best;
use crate::policy::ReplicaView;
use document::{FilterMetric, Scorer};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// The term that a score measures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Term {
    /// A named scorer of the weighted policy.
    Scorer(Scorer),
    /// A scorer of the weighted policy that is an expression: its text.
    Expression(Rc<str>),
    /// The cached part of the prompt.
    Cache,
    /// How idle the replica is.
    Idle,
    /// The cost of the replica, negative.
    Cost,
    /// Blocks to prefill there, negative.
    Prefill,
    /// Blocks in use there, negative.
    Decode,
    /// Requests in flight there, negative.
    Active,
}

impl Term {
    /// The term of a scorer of the weighted policy.
    pub fn of(scorer: &Scorer) -> Self {
        match scorer {
            Scorer::Expression(text) => Self::Expression(Rc::from(text.0.as_str())),
            named => Self::Scorer(named.clone()),
        }
    }

    /// Its name for display.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Scorer(scorer) => scorer.name(),
            Self::Expression(_) => "expression",
            Self::Cache => "cache",
            Self::Idle => "idle",
            Self::Cost => "cost",
            Self::Prefill => "prefill",
            Self::Decode => "decode",
            Self::Active => "active",
        }
    }
}

/// One kind of score, for every candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// What it measures.
    pub term: Term,
    /// Its weight.
    pub weight: f64,
    /// The scores, by candidate.
    pub values: Vec<f64>,
}

/// A summand of an expression, before weights and limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summand {
    /// Position of its part.
    pub part: u32,
    /// Its text, with its sign.
    pub text: Rc<str>,
    /// Its values, by candidate.
    pub values: Vec<f64>,
}

/// Why a replica was excluded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Excluded {
    /// Its wait queue was full, as seen.
    QueueFull,
    /// It was over the limit of a filter.
    OverLimit {
        /// The limited metric.
        metric: FilterMetric,
        /// Its value, as seen.
        value: f64,
        /// The limit.
        max: f64,
    },
    /// The session belongs to another replica.
    OtherSession,
    /// By its predicted distance from the objectives: those that meet them are kept, or those that miss them.
    Headroom {
        /// Objective of TTFT minus prediction, in milliseconds.
        ttft_ms: f64,
        /// Objective of TPOT minus prediction, in milliseconds.
        tpot_ms: f64,
    },
    /// It was sent too little of the prompt before.
    LowAffinity {
        /// The share of the prompt.
        share: f64,
        /// The least share that is enough.
        threshold: f64,
    },
}

/// The scores of all candidates of one decision. Empty if the policy does not score.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Weighted sums, by candidate: the highest wins.
    pub totals: Vec<f64>,
    /// The parts of the sums.
    pub parts: Vec<Part>,
    /// The summands of the parts that are expressions, in order.
    pub summands: Vec<Summand>,
    /// Why a filter excluded each candidate; empty if none was. Excluded candidates score 0.
    pub excluded: Vec<Option<Excluded>>,
}

impl Scores {
    /// Clears all scores.
    pub fn clear(&mut self) {
        self.totals.clear();
        self.parts.clear();
        self.summands.clear();
        self.excluded.clear();
    }

    /// Starts a decision among `candidates` with one part for each of `terms` and without summands; all values are 0.
    pub(super) fn begin(&mut self, candidates: usize, terms: impl ExactSizeIterator<Item = (Term, f64)>) {
        self.totals.clear();
        self.totals.resize(candidates, 0.0);
        let (wanted, spare) = (terms.len(), Part { term: Term::Cost, weight: 0.0, values: Vec::new() });
        self.parts.resize(wanted, spare);
        for (part, (term, weight)) in self.parts.iter_mut().zip(terms) {
            part.term = term;
            part.weight = weight;
            part.values.clear();
            part.values.resize(candidates, 0.0);
        }
        self.summands.clear();
    }

    /// Adds the parts up, in their order.
    pub(super) fn sum_up(&mut self) {
        for part in &self.parts {
            for (total, value) in self.totals.iter_mut().zip(&part.values) {
                *total += value * part.weight;
            }
        }
    }

    /// Moves the scores of the candidates at the positions `kept`, in ascending order, to their places among `all`.
    pub(super) fn spread(&mut self, kept: &[u32], all: usize) {
        let parts = self.parts.iter_mut().map(|part| &mut part.values);
        let summands = self.summands.iter_mut().map(|summand| &mut summand.values);
        let columns = parts.chain(summands).chain([&mut self.totals]);
        for column in columns {
            column.resize(all, 0.0);
            // From the last one down, so that no value is overwritten before it has moved.
            for (from, &to) in kept.iter().enumerate().rev() {
                let value = std::mem::replace(&mut column[from], 0.0);
                column[to as usize] = value;
            }
        }
    }

    /// The first candidate with the highest total.
    pub(super) fn best(&self) -> usize {
        first_best(&self.totals)
    }
}

/// The score by which a policy without scores of its own is judged: less load is better.
pub fn by_load(view: &ReplicaView) -> f64 {
    // Subtracted from 0 to avoid -0 without load.
    0.0 - f64::from(view.load())
}
