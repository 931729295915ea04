//! The report of an evolution: the candidates of a search with their evaluations, as one page of HTML.
//!
//! Evaluations on `train` are the population. Those on `val` and `test` belong to the candidate with the same name, or
//! else with the same text.

mod chart;
mod page;
mod read;

pub use page::page;
pub use read::{LabCase, LabEvaluation, LabObjective, LabRecord, LabSuite, LabTexts, read};

use base::{Diagnostic, Diagnostics};
use serde_json::Value;
use std::collections::BTreeMap;

/// A candidate of the population.
#[derive(Clone, Debug)]
pub struct LabCandidate {
    /// Its name: as recorded, or its number in the file.
    pub name: String,
    /// Its generation.
    pub generation: u32,
    /// The name of the candidate that it was made from.
    pub parent: Option<String>,
    /// Its text.
    pub text: String,
    /// Its score; `None` if it did not run.
    pub score: Option<f64>,
    /// Its evaluations by split: train, val, test.
    pub evaluations: [Option<LabEvaluation>; 3],
}

/// An evolution.
#[derive(Clone, Debug)]
pub struct Lab {
    /// The population, in the order of the file.
    pub candidates: Vec<LabCandidate>,
    /// Positions of those that were the best of their time, in order.
    pub bests: Vec<usize>,
    /// The median score of each generation that has one.
    pub medians: Vec<(u32, f64)>,
}

impl Lab {
    /// The evolution of these records.
    pub fn new(records: Vec<LabRecord>) -> Result<Self, Diagnostics> {
        let mut candidates: Vec<LabCandidate> = Vec::new();
        let mut others = Vec::new();
        let mut named: BTreeMap<String, usize> = BTreeMap::new();
        let mut by_text: BTreeMap<String, usize> = BTreeMap::new();
        for record in records {
            if place_of(&record.evaluation) > 0 {
                others.push(record);
                continue;
            }
            let name = record.id.as_ref().map_or_else(|| candidates.len().to_string(), plain);
            let text = text_of(&record.candidate);
            named.insert(name.clone(), candidates.len());
            by_text.insert(text.clone(), candidates.len());
            let ran = record.evaluation.status == "success";
            candidates.push(LabCandidate {
                name,
                generation: record.generation.unwrap_or_default(),
                parent: record.parent.as_ref().filter(|parent| !parent.is_null()).map(plain),
                text,
                score: ran.then_some(record.evaluation.combined_score),
                evaluations: [Some(record.evaluation), None, None],
            });
        }
        for record in others {
            let by_name = record.id.as_ref().and_then(|id| named.get(&plain(id)));
            let found = by_name.or_else(|| by_text.get(&text_of(&record.candidate)));
            if let Some(&i) = found {
                let place = place_of(&record.evaluation);
                candidates[i].evaluations[place] = Some(record.evaluation);
            }
        }
        if candidates.is_empty() {
            let fix = "evaluate candidates on train";
            let none = "no evaluation on train";
            return Err(vec![Diagnostic::error("", none, "one at least", fix)]);
        }
        let (bests, medians) = (bests(&candidates), medians(&candidates));
        Ok(Self { candidates, bests, medians })
    }

    /// The best candidate.
    pub fn best(&self) -> Option<&LabCandidate> {
        self.bests.last().map(|&i| &self.candidates[i])
    }

    /// Generation and score on val of those that were the best of their time.
    pub fn on_val(&self) -> Vec<(u32, f64)> {
        let of = |&i: &usize| {
            let candidate = &self.candidates[i];
            Some((candidate.generation, candidate.evaluations[1].as_ref()?.combined_score))
        };
        self.bests.iter().filter_map(of).collect()
    }

    /// The last generation.
    pub fn last_generation(&self) -> u32 {
        self.candidates.iter().map(|candidate| candidate.generation).max().unwrap_or_default()
    }

    /// How many did not run.
    pub fn not_run(&self) -> usize {
        self.candidates.iter().filter(|candidate| candidate.score.is_none()).count()
    }
}

/// Position of the split of an evaluation.
fn place_of(evaluation: &LabEvaluation) -> usize {
    match evaluation.suite.split.as_str() {
        "val" => 1,
        "test" => 2,
        _ => 0,
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The text of a candidate: as recorded, or written from its tree.
fn text_of(candidate: &Value) -> String {
    candidate.as_str().map_or_else(|| base::json::indented(candidate), str::to_owned)
}

/// The candidates that beat all before them, in order of generation.
fn bests(candidates: &[LabCandidate]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|&i| (candidates[i].generation, i));
    let mut best = f64::NEG_INFINITY;
    order.retain(|&i| {
        let better = candidates[i].score.is_some_and(|score| score > best);
        best = if better { candidates[i].score.unwrap_or(best) } else { best };
        better
    });
    order
}

fn medians(candidates: &[LabCandidate]) -> Vec<(u32, f64)> {
    let mut by_generation: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for candidate in candidates {
        if let Some(score) = candidate.score {
            by_generation.entry(candidate.generation).or_default().push(score);
        }
    }
    let median = |mut scores: Vec<f64>| {
        scores.sort_by(f64::total_cmp);
        let n = scores.len();
        f64::midpoint(scores[(n - 1) / 2], scores[n / 2])
    };
    by_generation.into_iter().map(|(generation, scores)| (generation, median(scores))).collect()
}
