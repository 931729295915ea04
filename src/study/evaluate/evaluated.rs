//! Cases with the scores of their runs.

use super::chosen::Chosen;
use super::evaluation::CaseResult;
use super::run_pair::RunPair;
use super::score::{ObjectiveScore, mean, objective_score, weighted};
use super::suite::Suite;
use base::digest::Digest;
use base::stats::{SHARE, mean_interval};
use base::{Diagnostic, Diagnostics};

/// A case with its runs and its scores.
#[derive(Debug)]
pub(super) struct Evaluated<'a> {
    pub(super) result: CaseResult,
    pub(super) runs: &'a [RunPair],
}

/// The chosen cases with their scores; a problem if the baseline lacks an objective.
pub(super) fn evaluated<'a>(
    suite: &Suite,
    chosen: &[Chosen],
    pairs: &'a [Vec<RunPair>],
) -> Result<Vec<Evaluated<'a>>, Diagnostics> {
    let of_case = |(chosen, runs): (&Chosen, &'a Vec<RunPair>)| {
        let case = &suite.cases[chosen.case];
        let mut by_objective: Vec<Vec<ObjectiveScore>> = Vec::new();
        for (i, objective) in suite.objectives.iter().enumerate() {
            let of_run = |pair: &RunPair| objective_score(objective, &pair.baseline, &pair.candidate);
            let scores: Option<Vec<ObjectiveScore>> = runs.iter().map(of_run).collect();
            by_objective.push(scores.ok_or_else(|| {
                let found = format!(
                    "{}, which the report of the baseline on case {} lacks",
                    objective.metric, case.id
                );
                let fix = "docs/reference/report.md lists the figures";
                let path = format!("objectives[{i}].metric");
                vec![Diagnostic::error(path, found, "the path of a number of the report", fix)]
            })?);
        }
        let of_seed = |seed: usize| {
            let scores: Vec<f64> = by_objective.iter().map(|scores| scores[seed].score).collect();
            weighted(&suite.objectives, &scores)
        };
        let scores: Vec<f64> = (0..runs.len()).map(of_seed).collect();
        let reports: Vec<&str> =
            runs.iter().map(|pair| pair.candidate.outcomes.report_digest.as_str()).collect();
        let result = CaseResult {
            id: case.id.clone(),
            split: case.split,
            score: mean(&scores),
            ci95: mean_interval(&scores, SHARE).map(|i| [i.lo, i.hi]),
            digest: Digest::of(reports.join(" ").as_bytes()).hex(),
            seeds: runs.len(),
            objectives: by_objective.iter().map(|scores| mean_of(scores)).collect(),
            feedback: String::new(),
        };
        Ok(Evaluated { result, runs })
    };
    chosen.iter().zip(pairs).map(of_case).collect()
}

/// The means of an objective over the seeds.
fn mean_of(scores: &[ObjectiveScore]) -> ObjectiveScore {
    let of = |value: fn(&ObjectiveScore) -> f64| mean(&scores.iter().map(value).collect::<Vec<_>>());
    let candidates: Option<Vec<f64>> = scores.iter().map(|score| score.candidate).collect();
    ObjectiveScore {
        metric: scores.first().map(|score| score.metric.clone()).unwrap_or_default(),
        baseline: of(|score| score.baseline),
        candidate: candidates.map(|values| mean(&values)),
        score: of(|score| score.score),
    }
}
