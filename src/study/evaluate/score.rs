//! Scores: how good a candidate is on a case beside the baseline, from 0 to 1, where 0.5 is as good.

use super::run::{CaseRun, Figure};
use super::suite::{Better, Objective};
use serde::Serialize;

/// One objective of one run, or its mean over the seeds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ObjectiveScore {
    /// Path of the figure.
    pub metric: String,
    /// The baseline's figure.
    pub baseline: f64,
    /// The candidate's; null if its run has none.
    pub candidate: Option<f64>,
    /// The score.
    pub score: f64,
}

/// The score of a figure: b / (b + x) for what should be small, x / (b + x) for what should be large.
pub fn score(direction: Better, baseline: f64, candidate: Option<f64>) -> f64 {
    let b = baseline.max(0.0);
    let Some(x) = candidate.map(|x| x.max(0.0)) else { return 0.0 };
    let sum = b + x;
    if sum <= 0.0 {
        return 0.5;
    }
    match direction {
        Better::Lower => b / sum,
        Better::Higher => x / sum,
    }
}

/// The score of an objective in a pair of runs; `None` if the baseline has no such figure.
///
/// A figure that is no rate may improve because requests are missing: its score is multiplied by the requests served,
/// as a share of those that the baseline served, at most 1.
pub(super) fn objective_score(
    objective: &Objective,
    baseline: &CaseRun,
    candidate: &CaseRun,
) -> Option<ObjectiveScore> {
    let figure = Figure::read(&objective.metric);
    let miss_ms = baseline.length_ms().max(candidate.length_ms());
    let b = figure.of(baseline, miss_ms)?;
    let x = figure.of(candidate, miss_ms);
    let ratio = score(objective.direction.unwrap_or(Better::Lower), b, x);
    let [of_baseline, of_candidate] = [baseline, candidate].map(|run| run.served(figure.group) as f64);
    let served =
        if figure.is_rate() || of_baseline <= 0.0 { 1.0 } else { (of_candidate / of_baseline).min(1.0) };
    Some(ObjectiveScore {
        metric: objective.metric.clone(),
        baseline: b,
        candidate: x,
        score: ratio * served,
    })
}

/// The mean of scores by the weights of their objectives.
pub(super) fn weighted(objectives: &[Objective], scores: &[f64]) -> f64 {
    let weights: f64 = objectives.iter().map(Objective::weight).sum();
    let sum: f64 = objectives.iter().zip(scores).map(|(objective, score)| objective.weight() * score).sum();
    if weights > 0.0 { sum / weights } else { 0.0 }
}

/// The mean of values; 0 without any. The mean of equal values is that value, to the bit.
pub(super) fn mean(values: &[f64]) -> f64 {
    let Some(first) = values.first() else { return 0.0 };
    first + values.iter().map(|value| value - first).sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_bounded_and_half_for_the_same() {
        for b in [0.0, 1e-9, 0.3, 7.0, 1e12] {
            for direction in [Better::Lower, Better::Higher] {
                assert_eq!(score(direction, b, Some(b)).to_bits(), 0.5_f64.to_bits());
                assert_eq!(score(direction, b, None).to_bits(), 0.0_f64.to_bits());
                for x in [0.0, 0.2, 1e9] {
                    assert!((0.0..=1.0).contains(&score(direction, b, Some(x))));
                }
            }
        }
        assert!(score(Better::Lower, 2.0, Some(1.0)) > 0.66 && score(Better::Higher, 2.0, Some(1.0)) < 0.34);
    }
}
