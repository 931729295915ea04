//! Evaluation of policies that a program or a person proposes: a candidate runs on the cases of a suite beside the
//! baseline, on the same traffic, and gets scores and feedback in words.
//!
//! The same candidate, suite and options give the same bytes. A candidate that cannot run is a result, not an error:
//! status "error" and score 0. docs/reference/evaluate.md lists the formats.

mod candidate;
mod chosen;
mod evaluated;
mod evaluation;
mod feedback;
pub mod lab;
mod losers;
mod options;
mod run;
mod run_pair;
mod runner;
mod score;
mod suite;
mod text;

pub use candidate::{Candidate, KEYS, YamlReader};
pub use evaluation::{Artifacts, CaseResult, EvaluatedSuite, Evaluation, Status};
pub use options::Options;
pub use runner::{OneByOne, Runner};
pub use score::{ObjectiveScore, score};
pub use suite::{
    Better, Case, CaseSource, MeasuredPolicy, Objective, SUITE_VERSION, Split, Stage, Suite, SuiteCase,
    SuiteDocument,
};

use ::run::session::{Audience, Session};
use base::digest::Digest;
use base::{Diagnostics, json};
use candidate::in_candidate;
use chosen::{Chosen, chosen};
use document::Scenario;
use evaluated::evaluated;
use run_pair::pairs;
use serde_json::Value;
use std::collections::BTreeMap;
use suite::errors;

/// Evaluates a candidate, one run after the other. Problems of the suite or the options are errors; those of the candidate are results.
pub fn evaluate(candidate: &str, suite: &Suite, options: &Options) -> Result<Evaluation, Diagnostics> {
    evaluate_with(candidate, suite, options, &OneByOne)
}

/// The same with runs as `runner` carries them out; the result does not depend on it.
pub fn evaluate_with(
    candidate: &str,
    suite: &Suite,
    options: &Options,
    runner: &impl Runner,
) -> Result<Evaluation, Diagnostics> {
    let chosen = chosen(suite, options)?;
    let read = match Candidate::parse(candidate, suite.yaml) {
        Ok(read) => read,
        Err(problems) => return Ok(refused(suite, options, None, problems)),
    };
    let scenarios = match applied(&read, suite, &chosen) {
        Ok(scenarios) => scenarios,
        Err(problems) => return Ok(refused(suite, options, Some(&read), problems)),
    };
    let pairs = pairs(suite, &chosen, &scenarios, runner)?;
    let evaluated = evaluated(suite, &chosen, &pairs)?;
    Ok(feedback::written(
        &feedback::Subject { suite, options, candidate: &read, scenarios: &scenarios, evaluated },
        runner,
    ))
}

/// The scenario of each chosen case with the candidate's policies, checked.
fn applied(candidate: &Candidate, suite: &Suite, chosen: &[Chosen]) -> Result<Vec<Scenario>, Diagnostics> {
    let scenario = |chosen: &Chosen| {
        let case = &suite.cases[chosen.case];
        let scenario = candidate.applied(&case.scenario)?;
        Session::start(scenario.clone(), case.trace.clone(), Audience::Batch)
            .map_err(|all| in_candidate(errors(all)))?;
        Ok(scenario)
    };
    chosen.iter().map(scenario).collect()
}

/// The evaluation of a candidate that cannot run.
fn refused(
    suite: &Suite,
    options: &Options,
    candidate: Option<&Candidate>,
    problems: Diagnostics,
) -> Evaluation {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let feedback =
        text::cut(&format!("The candidate cannot run: score 0.\n{}\n", lines.join("\n")), options.text_bytes);
    let nodes = candidate.map_or(0, Candidate::nodes) as f64;
    let policies = candidate.map(|candidate| Value::Object(candidate.policies.clone()));
    let candidate = policies.unwrap_or_default();
    let said = format!("{} {} {}", suite.digest, json::compact(&candidate), lines.join("\n"));
    Evaluation {
        status: Status::Error,
        combined_score: 0.0,
        metrics: BTreeMap::from([("score".to_owned(), 0.0), ("expression_nodes".to_owned(), nodes)]),
        scores: suite.objectives.iter().map(|objective| (objective.metric.clone(), 0.0)).collect(),
        cases: Vec::new(),
        artifacts: Artifacts { feedback },
        candidate,
        problems,
        suite: EvaluatedSuite::of(suite, options),
        digest: Digest::of(said.as_bytes()).hex(),
    }
}
