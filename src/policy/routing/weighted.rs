//! The highest weighted sum of scores wins, of the replicas that the filters leave, or any of them at random by score.
//! Weights are divided by their sum; scores are cut to [0, 1] and summed up in the order of the configuration, which fixes
//! the last bit. Scorers see only what the filters have left.

use super::filter::FilterState;
use super::picker::PickerState;
use super::scorer::ScorerState;
use super::{Choice, Fleet, Outcome, Router, Scores, Term};
use crate::policy::{Reason, ReplicaView, RequestView};
use crate::scenario::{Scorer, Weighted as Settings};
use serde::{Deserialize, Serialize};

/// A weighted sum of scores decides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weighted {
    rows: Vec<Row>,
    filters: Vec<FilterState>,
    picker: PickerState,
    /// Whether any scorer wants the further signals, which every event of a replica asks.
    wants_signals: bool,
    /// Positions of the candidates that the filters left at the latest decision, and what was seen of them.
    kept: Vec<u32>,
    kept_views: Vec<ReplicaView>,
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
            state: ScorerState::new(r.scorer, s),
        };
        let rows: Vec<Row> = scorers.iter().map(row).collect();
        Self {
            wants_signals: rows.iter().any(|row| row.state.wants_signals()),
            rows,
            filters: s.filters.iter().map(FilterState::new).collect(),
            picker: PickerState::new(s, seed),
            kept: Vec::new(),
            kept_views: Vec::new(),
        }
    }

    /// Goes on with what the scorers and filters of `before` remember, where they are there still, and with its draws.
    pub(super) fn resume(&mut self, before: Self) {
        for old in before.rows {
            if let Some(row) = self.rows.iter_mut().find(|row| row.scorer == old.scorer) {
                row.state.resume(old.state);
            }
        }
        for old in before.filters {
            self.filters.iter_mut().for_each(|filter| filter.resume(&old));
        }
        self.picker.resume(before.picker);
    }

    pub(super) fn wants_signals(&self) -> bool {
        self.wants_signals
    }

    pub(super) fn wants_departures(&self) -> bool {
        self.rows.iter().any(|row| row.state.wants_departures())
    }

    /// Scores the candidates in `fleet`; true if a scorer of prefixes has found the prompt anywhere.
    fn score(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, scores: &mut Scores) -> bool {
        let terms = self.rows.iter().map(|r| (Term::Scorer(r.scorer), r.weight));
        scores.begin(fleet.replicas.len(), terms);
        let mut known = false;
        // Scorers that need to know whether any replica knows the prompt come after those that find it out.
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
        known
    }

    /// Scores, picks, and tells the scorers which replica was picked.
    fn pick_of(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, scores: &mut Scores) -> usize {
        let known = self.score(request, fleet, scores);
        let position = self.picker.pick(&scores.totals);
        for row in &mut self.rows {
            row.state.chosen(request, fleet, position, known);
        }
        position
    }

    /// Leaves the positions that pass all filters in `kept`.
    fn filter(
        &mut self,
        request: &RequestView<'_>,
        fleet: &Fleet<'_>,
        scores: &mut Scores,
    ) -> Result<(), Reason> {
        self.kept.clear();
        self.kept.extend(0..fleet.replicas.len() as u32);
        scores.excluded.resize(fleet.replicas.len(), None);
        for filter in &self.filters {
            filter.keep(request, fleet, &mut self.kept, &mut scores.excluded)?;
        }
        Ok(())
    }
}

impl Router for Weighted {
    fn pick(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, scores: &mut Scores) -> Choice {
        if self.filters.is_empty() {
            return Ok(self.pick_of(request, fleet, scores));
        }
        self.filter(request, fleet, scores)?;
        let mut views = std::mem::take(&mut self.kept_views);
        views.clear();
        views.extend(self.kept.iter().map(|&position| fleet.replicas[position as usize]));
        let left = Fleet { replicas: &views, ..*fleet };
        let picked = self.pick_of(request, &left, scores);
        for filter in &mut self.filters {
            filter.chosen(request, views[picked].id);
        }
        self.kept_views = views;
        scores.spread(&self.kept, fleet.replicas.len());
        Ok(self.kept[picked] as usize)
    }
    fn left(&mut self, gone: &Outcome) {
        for row in &mut self.rows {
            row.state.left(gone);
        }
    }
}
