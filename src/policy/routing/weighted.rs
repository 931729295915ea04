//! The highest weighted sum of scores wins. Weights are divided by their sum; scores are cut to [0, 1] and summed up in the
//! order of the configuration, which fixes the last bit. Ties go to the lowest number, or to any of the best by a random
//! stream that serves nothing else.

use super::scorer::ScorerState;
use super::{Fleet, Router, Scores, Term};
use crate::base::rng::{Purpose, Stream};
use crate::policy::RequestView;
use crate::scenario::{Scorer, Ties, Weighted as Settings};
use serde::{Deserialize, Serialize};

/// The highest weighted sum of scores wins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weighted {
    rows: Vec<Row>,
    /// Where ties are settled at random.
    draws: Option<Stream>,
}

/// A scorer and its share of all weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Row {
    scorer: Scorer,
    weight: f64,
    state: ScorerState,
}

impl Weighted {
    pub(super) fn new(s: &Settings, seed: u64) -> Self {
        let scorers = s.scorers();
        let mut sum = 0.0;
        for row in &scorers {
            sum += row.weight;
        }
        let row = |r: &crate::scenario::WeightedScorer| Row {
            scorer: r.scorer,
            weight: r.weight / sum,
            state: ScorerState::new(r.scorer, s.prefix_index_blocks),
        };
        let draws = match s.ties() {
            Ties::Lowest => None,
            Ties::Random => Some(Stream::new(seed, Purpose::Ties, 0)),
        };
        Self { rows: scorers.iter().map(row).collect(), draws }
    }

    /// Goes on with what the scorers of `before` remember, where they score still, and with its draws.
    pub(super) fn resume(&mut self, before: Self) {
        for old in before.rows {
            if let Some(row) = self.rows.iter_mut().find(|row| row.scorer == old.scorer) {
                row.state.resume(old.state);
            }
        }
        if self.draws.is_some() && before.draws.is_some() {
            self.draws = before.draws;
        }
    }
}

impl Router for Weighted {
    fn pick(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, scores: &mut Scores) -> usize {
        let terms = self.rows.iter().map(|r| (Term::Scorer(r.scorer), r.weight));
        scores.begin(fleet.replicas.len(), terms);
        let mut known = false;
        // Who needs to know whether any replica knows the prompt comes after those who find it out.
        for late in [false, true] {
            for (row, part) in self.rows.iter_mut().zip(&mut scores.parts) {
                if (row.scorer == Scorer::NoHitLru) != late {
                    continue;
                }
                row.state.score(request, fleet, known, &mut part.values);
                for value in &mut part.values {
                    *value = value.clamp(0.0, 1.0);
                }
                if matches!(row.scorer, Scorer::PrefixAffinity | Scorer::PrecisePrefix) {
                    known |= part.values.iter().any(|&v| v > 0.0);
                }
            }
        }
        scores.sum_up();
        let mut best = scores.best();
        if let Some(draws) = &mut self.draws {
            let highest = scores.totals[best];
            let equal = |&position: &usize| scores.totals[position] >= highest;
            let ties = (0..scores.totals.len()).filter(equal).count() as u32;
            if ties > 1 {
                let drawn = draws.below(ties) as usize;
                let mut equals = (0..scores.totals.len()).filter(equal);
                best = equals.nth(drawn).expect("INV-6: fewer equals than were counted");
            }
        }
        for row in &mut self.rows {
            row.state.chosen(request, fleet, best, known);
        }
        best
    }
}
