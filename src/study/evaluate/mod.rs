//! Evaluation of policies that a program or a person proposes: a candidate runs on the cases of a suite beside the
//! baseline, on the same traffic, and gets scores and feedback in words.
//!
//! The same candidate, suite and options give the same bytes. A candidate that cannot run is a result, not an error:
//! status "error" and score 0. docs/reference/evaluate.md lists the formats.

mod candidate;
mod feedback;
pub mod lab;
mod losers;
mod run;
mod score;
mod suite;
mod text;

pub use candidate::{Candidate, KEYS, YamlReader};
pub use score::{ObjectiveScore, score};
pub use suite::{
    Better, Case, CaseSource, MeasuredPolicy, Objective, SUITE_VERSION, Split, Stage, Suite, SuiteCase,
    SuiteDocument,
};

use ::run::session::{Audience, Session};
use base::digest::Digest;
use base::stats::{SHARE, mean_interval};
use base::{Diagnostic, Diagnostics, json};
use candidate::in_candidate;
use document::Scenario;
use run::CaseRun;
use score::{mean, objective_score, weighted};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use suite::{errors, no_such_case};

/// What to evaluate, and how much to say.
#[derive(Clone, Debug)]
pub struct Options {
    /// The split.
    pub split: Split,
    /// The stage, from 1; all of the split without one.
    pub stage: Option<u32>,
    /// Only these cases, whatever their split.
    pub cases: Vec<String>,
    /// Most bytes of a feedback; with 0 none is written.
    pub text_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { split: Split::Train, stage: None, cases: Vec::new(), text_bytes: 8000 }
    }
}

/// Carries out pieces of work that do not depend on each other.
pub trait Runner {
    /// The results of the work for each number below `count`, in order.
    fn each<T: Send>(&self, count: usize, work: impl Fn(usize) -> T + Send + Sync) -> Vec<T>;
}

/// One piece after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct OneByOne;

impl Runner for OneByOne {
    fn each<T: Send>(&self, count: usize, work: impl Fn(usize) -> T + Send + Sync) -> Vec<T> {
        (0..count).map(work).collect()
    }
}

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

/// A case and how many of its seeds.
#[derive(Clone, Copy, Debug)]
struct Chosen {
    case: usize,
    seeds: usize,
}

/// The cases that the options ask for.
fn chosen(suite: &Suite, options: &Options) -> Result<Vec<Chosen>, Diagnostics> {
    let ids: Vec<&str> = suite.cases.iter().map(|case| case.id.as_str()).collect();
    let unknown = options.cases.iter().filter(|id| !ids.contains(&id.as_str()));
    let unknown: Diagnostics = unknown.map(|id| no_such_case("--case".to_owned(), id, &ids)).collect();
    if !unknown.is_empty() {
        return Err(unknown);
    }
    let stage = match options.stage {
        None => None,
        Some(number) => {
            Some((number as usize).checked_sub(1).and_then(|i| suite.stages.get(i)).ok_or_else(|| {
                let allowed = if suite.stages.is_empty() {
                    "none: the suite has no stages".to_owned()
                } else {
                    format!("1 to {}", suite.stages.len())
                };
                vec![Diagnostic::error("--stage", number.to_string(), allowed, "stages are counted from 1")]
            })?)
        }
    };
    let named = |id: &String, names: &[String]| names.is_empty() || names.contains(id);
    let mut chosen = Vec::new();
    for (i, case) in suite.cases.iter().enumerate() {
        let of_split = if options.cases.is_empty() {
            case.split == options.split
        } else {
            options.cases.contains(&case.id)
        };
        if of_split && stage.is_none_or(|stage| named(&case.id, &stage.cases)) {
            let most = stage.map_or(0, |stage| stage.seeds as usize);
            let seeds = if most == 0 { case.seeds.len() } else { most.min(case.seeds.len()) };
            chosen.push(Chosen { case: i, seeds });
        }
    }
    if chosen.is_empty() {
        let found = format!("no case of split {}", options.split.name());
        let fix = "choose another split or stage";
        return Err(vec![Diagnostic::error("", found, "a split and a stage with cases", fix)]);
    }
    Ok(chosen)
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

/// The runs of one case with one seed.
#[derive(Debug)]
struct RunPair {
    case: usize,
    seed: u64,
    baseline: Arc<CaseRun>,
    candidate: CaseRun,
}

/// The runs of all chosen cases and seeds.
fn pairs(
    suite: &Suite,
    chosen: &[Chosen],
    scenarios: &[Scenario],
    runner: &impl Runner,
) -> Result<Vec<Vec<RunPair>>, Diagnostics> {
    let jobs =
        chosen.iter().zip(scenarios).flat_map(|(c, s)| (0..c.seeds).map(move |seed| (c.case, s, seed)));
    let jobs: Vec<(usize, &Scenario, usize)> = jobs.collect();
    let made = runner.each(jobs.len() * 2, |i| {
        let (number, scenario, at) = jobs[i / 2];
        let case = &suite.cases[number];
        if i % 2 == 1 {
            return CaseRun::of(case, scenario, case.seeds[at]).map(Arc::new);
        }
        if let Some(known) = case.reference[at].get() {
            return Ok(Arc::clone(known));
        }
        let run = Arc::new(CaseRun::of(case, &case.scenario, case.seeds[at])?);
        Ok(Arc::clone(case.reference[at].get_or_init(|| run)))
    });
    let mut made = made.into_iter().collect::<Result<Vec<_>, Diagnostics>>()?.into_iter();
    let mut all: Vec<Vec<RunPair>> = chosen.iter().map(|_| Vec::new()).collect();
    let places = chosen.iter().enumerate().flat_map(|(place, c)| (0..c.seeds).map(move |_| place));
    for ((place, (case, _, at)), (baseline, candidate)) in
        places.zip(&jobs).zip(std::iter::from_fn(|| Some((made.next()?, made.next()?))))
    {
        let candidate = Arc::unwrap_or_clone(candidate);
        all[place].push(RunPair { case: *case, seed: suite.cases[*case].seeds[*at], baseline, candidate });
    }
    Ok(all)
}

/// A case with its runs and its scores.
#[derive(Debug)]
struct Evaluated<'a> {
    result: CaseResult,
    runs: &'a [RunPair],
}

fn evaluated<'a>(
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
        suite: of_suite(suite, options),
        digest: Digest::of(said.as_bytes()).hex(),
    }
}

fn of_suite(suite: &Suite, options: &Options) -> EvaluatedSuite {
    let (title, digest) = (suite.title.clone(), suite.digest.clone());
    EvaluatedSuite { title, digest, split: options.split, stage: options.stage }
}
