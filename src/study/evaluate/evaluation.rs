//! The result of an evaluation: scores and feedback, of all cases and of each.

use super::options::Options;
use super::score::ObjectiveScore;
use super::suite::{Split, Suite};
use base::{Diagnostics, json};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The status of an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The candidate ran.
    Success,
    /// The candidate cannot run.
    Error,
}

/// The result of a case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CaseResult {
    /// Its name.
    pub id: String,
    /// Its split.
    pub split: Split,
    /// Mean of the scores over the seeds.
    pub score: f64,
    /// 95 % interval of the score over the seeds; null for one seed.
    pub ci95: Option<[f64; 2]>,
    /// Digest of the candidate's reports: equal for equal results.
    pub digest: String,
    /// How many seeds.
    pub seeds: usize,
    /// The objectives: means over the seeds.
    pub objectives: Vec<ObjectiveScore>,
    /// What happened, in words.
    pub feedback: String,
}

/// Texts beside the numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Artifacts {
    /// What happened over all cases, the most informative first.
    pub feedback: String,
}

/// The suite of an evaluation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EvaluatedSuite {
    /// Its title.
    pub title: String,
    /// Its digest, with its scenarios and traces.
    pub digest: String,
    /// The split.
    pub split: Split,
    /// The stage; null for all.
    pub stage: Option<u32>,
}

impl EvaluatedSuite {
    /// The suite, and which part of it the options ask for.
    pub(super) fn of(suite: &Suite, options: &Options) -> Self {
        let (title, digest) = (suite.title.clone(), suite.digest.clone());
        Self { title, digest, split: options.split, stage: options.stage }
    }
}

/// The result of an evaluation: what `tokenyard evaluate` prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evaluation {
    /// Whether the candidate ran.
    pub status: Status,
    /// Mean of the scores of the cases; 0 for a candidate that cannot run.
    pub combined_score: f64,
    /// Plain numbers: the score, the objectives as measured, and features.
    pub metrics: BTreeMap<String, f64>,
    /// Scores of the objectives over all cases; higher is better.
    pub scores: BTreeMap<String, f64>,
    /// Each case.
    pub cases: Vec<CaseResult>,
    /// Texts.
    pub artifacts: Artifacts,
    /// The candidate as understood, defaults written out; as written if it cannot run; null if it cannot be read.
    pub candidate: Value,
    /// What is wrong with the candidate.
    pub problems: Diagnostics,
    /// The suite.
    pub suite: EvaluatedSuite,
    /// Digest of the results: equal for equal candidates, suites and results.
    pub digest: String,
}

impl Evaluation {
    /// The result as JSON text.
    pub fn json(&self) -> String {
        let mut text = json::indented(self);
        text.push('\n');
        text
    }
}
