//! Reading the records of an evolution: JSON lines, one for each evaluation.

use crate::evaluate::text::cut;
use base::{Diagnostic, Diagnostics, Severity};
use document::{data_from_value, limits, value_from_json};
use serde_json::{Map, Value};

/// Most problems that are reported.
const PROBLEMS: usize = 20;

/// One evaluation of a search.
#[apply(document::readable!)]
#[derive(Clone, Debug, Default)]
pub struct LabRecord {
    /// Its name, a text or a number; left out: its number among the evaluations on train, from 0.
    pub id: Option<Value>,
    /// Its generation, from 0.
    pub generation: Option<u32>,
    /// The candidate: its text, or its tree.
    pub candidate: Value,
    /// What `tokenyard evaluate` printed.
    pub evaluation: LabEvaluation,
    /// The name of the candidate that it was made from.
    pub parent: Option<Value>,
}

/// What `tokenyard evaluate` printed, as far as the report shows it.
#[apply(document::readable!)]
#[derive(Clone, Debug, Default)]
pub struct LabEvaluation {
    /// `success` or `error`.
    pub status: String,
    /// The score.
    pub combined_score: f64,
    /// Plain numbers.
    pub metrics: Map<String, Value>,
    /// Scores of the objectives.
    pub scores: Map<String, Value>,
    /// Each case.
    pub cases: Vec<LabCase>,
    /// Texts.
    pub artifacts: LabTexts,
    /// The candidate as understood.
    pub candidate: Value,
    /// What is wrong with it.
    pub problems: Vec<Value>,
    /// The suite.
    pub suite: LabSuite,
    /// Digest of the results.
    pub digest: String,
}

/// The texts of an evaluation.
#[apply(document::readable!)]
#[derive(Clone, Debug, Default)]
pub struct LabTexts {
    /// What happened.
    pub feedback: String,
}

/// The suite of an evaluation.
#[apply(document::readable!)]
#[derive(Clone, Debug, Default)]
pub struct LabSuite {
    /// Its title.
    pub title: String,
    /// Its digest.
    pub digest: String,
    /// The split.
    pub split: String,
    /// The stage.
    pub stage: Option<u32>,
}

/// A case of an evaluation.
#[apply(document::readable!)]
#[derive(Clone, Debug, Default)]
pub struct LabCase {
    /// Its name.
    pub id: String,
    /// Its split.
    pub split: String,
    /// Its score.
    pub score: f64,
    /// 95 % interval over the seeds.
    pub ci95: Option<[f64; 2]>,
    /// Digest of its reports.
    pub digest: String,
    /// How many seeds.
    pub seeds: u64,
    /// The objectives.
    pub objectives: Vec<LabObjective>,
    /// What happened.
    pub feedback: String,
}

/// An objective of a case.
#[apply(document::readable!)]
#[derive(Clone, Debug, Default)]
pub struct LabObjective {
    /// Path of the figure.
    pub metric: String,
    /// The baseline's figure.
    pub baseline: f64,
    /// The candidate's.
    pub candidate: Option<f64>,
    /// The score.
    pub score: f64,
}

/// Reads the records; problems name their lines.
pub fn read(text: &str) -> Result<Vec<LabRecord>, Diagnostics> {
    let (mut records, mut problems) = (Vec::new(), Diagnostics::new());
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match record(line) {
            Ok(_) if records.len() >= limits::LAB_RECORDS => {
                let allowed = format!("at most {}", limits::LAB_RECORDS);
                problems.push(Diagnostic::error(
                    format!("line {}", i + 1),
                    "more records",
                    allowed,
                    "leave some out",
                ));
                break;
            }
            Ok(record) => records.push(record),
            Err(all) => problems.extend(all.into_iter().map(|problem| {
                let dot = if problem.path.is_empty() { "" } else { ": " };
                Diagnostic { path: format!("line {}{dot}{}", i + 1, problem.path), ..problem }
            })),
        }
        if problems.len() >= PROBLEMS {
            break;
        }
    }
    if problems.is_empty() { Ok(records) } else { Err(problems) }
}

fn record(line: &str) -> Result<LabRecord, Diagnostics> {
    let mut record: LabRecord = data_from_value(&value_from_json(line)?, "a record of an evaluation")?;
    let mut problems = Diagnostics::new();
    let mut missing = |path: &str, allowed: &str, fix: &str| {
        problems.push(Diagnostic::error(path, "nothing", allowed, fix));
    };
    if record.generation.is_none() {
        missing("generation", "a number from 0", "say in which generation it was made");
    }
    if record.candidate.is_null() {
        missing("candidate", "a text or an object", "give the candidate");
    }
    if !["success", "error"].contains(&record.evaluation.status.as_str()) {
        missing(
            "evaluation.status",
            "success, error",
            "put what `tokenyard evaluate` printed under `evaluation`",
        );
    }
    if !(0.0..=1.0).contains(&record.evaluation.combined_score) {
        let found = record.evaluation.combined_score.to_string();
        problems.push(Diagnostic {
            severity: Severity::Error,
            path: "evaluation.combined_score".to_owned(),
            found,
            allowed: "0 to 1".to_owned(),
            fix: "put what `tokenyard evaluate` printed under `evaluation`".to_owned(),
        });
    }
    let feedback = &mut record.evaluation.artifacts.feedback;
    *feedback = cut(feedback, limits::LAB_FEEDBACK_BYTES);
    if problems.is_empty() { Ok(record) } else { Err(problems) }
}
