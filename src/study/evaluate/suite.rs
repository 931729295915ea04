//! Suites: the cases that candidates are evaluated on, the policies that they are compared with, and what counts.

use super::candidate::{Candidate, YamlReader};
use super::run::CaseRun;
use crate::compare::Metric;
use base::digest::Digest;
use base::{Diagnostic, Diagnostics, Severity, alike, json};
use document::{Scenario, TimedEdit, data_from_value, from_value, limits, set_path, shape};
use run::session::report::Statistic;
use run::session::{Audience, Session, Trace};
use serde_json::{Map, Value};
use std::sync::{Arc, OnceLock};

/// The version of the format of suites.
pub const SUITE_VERSION: u32 = 1;

/// Which cases are evaluated: those that a search sees, those that choose among its results, those held back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Split {
    /// Cases that a search sees.
    #[default]
    Train,
    /// Cases that choose among the results of a search.
    Val,
    /// Cases held back.
    Test,
}

shape! { names Split { Train "train" Val "val" Test "test" } }

impl Split {
    /// All of them, in order.
    pub const ALL: [Self; 3] = [Self::Train, Self::Val, Self::Test];
}

/// Which values of a figure are the better ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Small ones.
    Lower,
    /// Large ones.
    Higher,
}

shape! { names Better { Lower "lower" Higher "higher" } }

/// A case as a suite names it.
#[apply(document::readable!)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SuiteCase {
    /// Its name within the suite.
    pub id: String,
    /// Its split.
    pub split: Split,
    /// A built-in scenario, a file beside the suite, or the scenario itself.
    pub scenario: Value,
    /// A file with the recorded traffic that it replays, beside the suite.
    pub trace: Option<String>,
    /// Fields of the scenario with other values, by path.
    pub set: Map<String, Value>,
    /// The seeds of its runs; without any, the scenario's.
    pub seeds: Vec<u64>,
}

/// A figure that counts.
#[apply(document::readable!)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Objective {
    /// Path of a figure of the report, such as `latency_ms.ttft.p99`; entries of lists by name, such as `classes.batch.ttft_ms.p99`.
    pub metric: String,
    /// Which values are the better ones.
    pub direction: Option<Better>,
    /// Its weight among the objectives.
    pub weight: Option<f64>,
}

impl Objective {
    /// Its weight; 1 if it has none.
    pub fn weight(&self) -> f64 {
        self.weight.unwrap_or(1.0)
    }
}

/// A part of the work, for searches that stop early.
#[apply(document::readable!)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stage {
    /// Names of its cases; all of them without any.
    pub cases: Vec<String>,
    /// How many seeds of each, the first ones; 0 for all.
    pub seeds: u32,
}

/// A benchmark of a policy on a real cluster, for `tokenyard rank`.
#[apply(document::readable!)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeasuredPolicy {
    /// Name of the policy: `baseline`, one of the suite's `policies`, or a router.
    pub policy: String,
    /// The result of a benchmark, beside the suite.
    pub file: String,
}

/// A suite as a document.
#[apply(document::readable!)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SuiteDocument {
    /// Version of the format; 1 if it is left out.
    pub tokenyard_suite: Option<u32>,
    /// Title.
    pub title: String,
    /// What it is about.
    pub note: String,
    /// The cases.
    pub cases: Vec<SuiteCase>,
    /// The policies that candidates are compared with, and that they keep where they set none.
    pub baseline: Value,
    /// The figures that count.
    pub objectives: Vec<Objective>,
    /// Parts of the work, the smallest first.
    pub stages: Vec<Stage>,
    /// Further policies by name, as candidates have them, for `tokenyard rank`.
    pub policies: Map<String, Value>,
    /// Benchmarks of policies, for `tokenyard rank`.
    pub measured: Vec<MeasuredPolicy>,
}

/// The path in the report of the time that a column of comparisons has: `latency_ms.ttft.p99` for `ttft_p99_ms`.
fn path_of_column(name: &str) -> Option<String> {
    let (metric, statistic) = name.strip_suffix("_ms")?.rsplit_once('_')?;
    let metric = Metric::ALL.into_iter().find(|known| known.name() == metric)?;
    let statistic = Statistic::named(statistic)?;
    Some(format!("latency_ms.{}.{}", metric.name(), statistic.name()))
}

impl SuiteDocument {
    /// Reads a suite from a tree; every problem of its own is reported.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a tree is read once, and its callers make it for this"
    )]
    pub fn read(tree: Value) -> Result<Self, Diagnostics> {
        let mut document: Self = data_from_value(&tree, "a suite")?;
        for objective in &mut document.objectives {
            if let Some(path) = path_of_column(&objective.metric) {
                objective.metric = path;
            }
        }
        let problems = document.problems();
        if problems.is_empty() { Ok(document) } else { Err(problems) }
    }

    fn problems(&self) -> Diagnostics {
        let mut all = Diagnostics::new();
        let mut wrong = |path: String, found: String, allowed: String, fix: &str| {
            all.push(Diagnostic::error(path, found, allowed, fix));
        };
        if let Some(version) = self.tokenyard_suite.filter(|version| *version != SUITE_VERSION) {
            let fix = "it was made for another Tokenyard: update this one";
            wrong("tokenyard_suite".to_owned(), version.to_string(), SUITE_VERSION.to_string(), fix);
        }
        let mut sized = |path: &str, found: usize, least: usize, most: usize, fix: &str| {
            if !(least..=most).contains(&found) {
                wrong(path.to_owned(), format!("{found} entries"), format!("{least} to {most}"), fix);
            }
        };
        sized("cases", self.cases.len(), 1, limits::SUITE_CASES, "add cases with id, scenario and seeds");
        let fix = "such as {metric: latency_ms.ttft.p99, direction: lower}";
        sized("objectives", self.objectives.len(), 1, limits::SUITE_OBJECTIVES, fix);
        sized("stages", self.stages.len(), 0, limits::SUITE_STAGES, "keep the first stages");
        for (i, case) in self.cases.iter().enumerate() {
            sized(&format!("cases[{i}].seeds"), case.seeds.len(), 0, limits::SUITE_SEEDS, "use fewer seeds");
        }
        for (i, case) in self.cases.iter().enumerate() {
            let path = format!("cases[{i}].id");
            if case.id.trim().is_empty() {
                wrong(path, "nothing".to_owned(), "a name".to_owned(), "name the case");
            } else if self.cases[..i].iter().any(|other| other.id == case.id) {
                wrong(path, case.id.clone(), "a name of its own".to_owned(), "rename one of the two");
            }
            let repeated = case.seeds.iter().enumerate().find(|(at, seed)| case.seeds[..*at].contains(seed));
            if let Some((_, seed)) = repeated {
                let path = format!("cases[{i}].seeds");
                wrong(path, format!("{seed} twice"), "each seed once".to_owned(), "remove one of the two");
            }
        }
        self.problems_of_objectives(&mut all);
        self.problems_of_stages(&mut all);
        all
    }

    fn problems_of_objectives(&self, all: &mut Diagnostics) {
        for (i, objective) in self.objectives.iter().enumerate() {
            let mut wrong = |key: &str, found: &str, allowed: &str, fix: &str| {
                all.push(Diagnostic::error(format!("objectives[{i}].{key}"), found, allowed, fix));
            };
            if objective.metric.is_empty() {
                wrong(
                    "metric",
                    "nothing",
                    "the path of a figure of the report",
                    "such as latency_ms.ttft.p99",
                );
            }
            if self.objectives[..i].iter().any(|other| other.metric == objective.metric) {
                wrong("metric", &objective.metric, "each figure once", "remove one of the two");
            }
            if objective.direction.is_none() {
                wrong("direction", "nothing", "lower, higher", "say which values are the better ones");
            }
            let weight = objective.weight();
            if !(weight > 0.0 && weight <= limits::WEIGHT) {
                let allowed = format!("above 0, up to {}", limits::WEIGHT);
                wrong("weight", &weight.to_string(), &allowed, "leave out what does not count");
            }
        }
    }

    fn problems_of_stages(&self, all: &mut Diagnostics) {
        let ids: Vec<&str> = self.cases.iter().map(|case| case.id.as_str()).collect();
        for (i, stage) in self.stages.iter().enumerate() {
            for (at, id) in stage.cases.iter().enumerate().filter(|(_, id)| !ids.contains(&id.as_str())) {
                let path = format!("stages[{i}].cases[{at}]");
                all.push(no_such_case(path, id, &ids));
            }
        }
    }
}

/// The problem of a name that no case has.
pub(super) fn no_such_case(path: String, id: &str, ids: &[&str]) -> Diagnostic {
    let near = alike::nearest(id, ids.iter().copied());
    let fix = near.map_or_else(|| "name one of these".to_owned(), |near| format!("did you mean `{near}`?"));
    Diagnostic::error(path, id.chars().take(60).collect::<String>(), ids.join(", "), fix)
}

/// What a case names, read by the caller: its scenario as a tree, and its trace.
#[derive(Clone, Debug, Default)]
pub struct CaseSource {
    /// The scenario.
    pub scenario: Value,
    /// The recorded traffic.
    pub trace: Option<Arc<Trace>>,
}

/// A case that can be run.
#[derive(Debug)]
pub struct Case {
    /// Its name.
    pub id: String,
    /// Its split.
    pub split: Split,
    /// The scenario with the policies of the baseline.
    pub scenario: Scenario,
    /// The recorded traffic.
    pub trace: Option<Arc<Trace>>,
    /// Its seeds.
    pub seeds: Vec<u64>,
    /// The runs of the baseline by seed, made once.
    pub(super) reference: Vec<OnceLock<Arc<CaseRun>>>,
}

/// A suite that can be run.
#[derive(Debug)]
pub struct Suite {
    /// Title.
    pub title: String,
    /// The cases, in order.
    pub cases: Vec<Case>,
    /// The policies that candidates are compared with.
    pub baseline: Candidate,
    /// The figures that count.
    pub objectives: Vec<Objective>,
    /// Parts of the work.
    pub stages: Vec<Stage>,
    /// Digest of the suite with its scenarios and traces.
    pub digest: String,
    /// Reads candidates in YAML.
    pub(super) yaml: YamlReader,
}

impl Suite {
    /// A suite with what its cases name, in their order. Every problem of every case is reported.
    pub fn new(
        document: &SuiteDocument,
        sources: Vec<CaseSource>,
        yaml: YamlReader,
    ) -> Result<Self, Diagnostics> {
        assert!(sources.len() == document.cases.len(), "a source for each case");
        let mut problems = Diagnostics::new();
        let baseline = match Candidate::from_value(document.baseline.clone()) {
            Ok(baseline) => baseline,
            Err(all) => {
                problems.extend(below("baseline", all));
                Candidate::default()
            }
        };
        let mut cases = Vec::new();
        for (i, (case, source)) in document.cases.iter().zip(sources).enumerate() {
            match prepared(case, source, &baseline) {
                Ok(case) => cases.push(case),
                Err(all) => problems.extend(below(&format!("cases[{i}]"), all)),
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let mut said = vec![json::compact(&baseline.policies)];
        for objective in &document.objectives {
            said.push(format!("{} {:?} {}", objective.metric, objective.direction, objective.weight()));
        }
        for case in &cases {
            let trace = case.trace.as_ref().map(|trace| trace.digest().hex()).unwrap_or_default();
            let (id, split, seeds) = (&case.id, case.split.name(), &case.seeds);
            said.push(format!("{id} {split} {seeds:?} {trace} {}", json::compact(&case.scenario)));
        }
        Ok(Self {
            title: document.title.clone(),
            cases,
            baseline,
            objectives: document.objectives.clone(),
            stages: document.stages.clone(),
            digest: Digest::of(said.join("\n").as_bytes()).hex(),
            yaml,
        })
    }
}

/// The case with its scenario set up, or its problems.
fn prepared(case: &SuiteCase, source: CaseSource, baseline: &Candidate) -> Result<Case, Diagnostics> {
    let mut tree = source.scenario;
    if !tree.is_object() {
        let found = "a scenario that is not an object";
        return Err(vec![Diagnostic::error(
            "scenario",
            found,
            "a scenario",
            "name a built-in one or a file",
        )]);
    }
    for (path, value) in &case.set {
        set_path(&mut tree, path, &value.to_string()).map_err(|all| below("set", all))?;
    }
    let scenario = from_value(tree).map_err(|all| below("scenario", all))?;
    let mut problems = Diagnostics::new();
    if scenario.run.horizon_s <= 0.0 {
        let fix = "set run.horizon_s: under a bad policy requests may never end";
        problems.push(Diagnostic::error("scenario.run.horizon_s", "0", "above 0", fix));
    }
    for (i, edit) in scenario.edits.iter().enumerate().filter(|(_, edit)| !edit.off) {
        if let Some(path) = policy_of(edit) {
            let fix = "remove the edit: the policies are the candidate's";
            let found = format!("an edit of {path}");
            problems.push(Diagnostic::error(
                format!("scenario.edits[{i}]"),
                found,
                "edits of other things",
                fix,
            ));
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let scenario = baseline.applied(&scenario).map_err(|all| below("baseline", all))?;
    let started = Session::start(scenario.clone(), source.trace.clone(), Audience::Batch);
    started.map_err(|all| below("scenario", errors(all)))?;
    let seeds = if case.seeds.is_empty() { vec![scenario.seed] } else { case.seeds.clone() };
    let reference = seeds.iter().map(|_| OnceLock::new()).collect();
    Ok(Case { id: case.id.clone(), split: case.split, scenario, trace: source.trace, seeds, reference })
}

/// Those that keep a scenario from running.
pub(super) fn errors(mut problems: Diagnostics) -> Diagnostics {
    problems.retain(|problem| problem.severity == Severity::Error);
    problems
}

/// What an edit sets that is a policy.
fn policy_of(edit: &TimedEdit) -> Option<String> {
    if edit.route.is_some() {
        return Some("the route of a request".to_owned());
    }
    let is_policy = |path: &&str| {
        let whole = ["cluster", "cluster.pools"].contains(path);
        let own = ["cluster.admission", "cluster.routing"].iter().any(|key| path.starts_with(key));
        let parts = [".engine", ".engine.scheduler", ".engine.priority", ".scaling", ".scaling.policy"];
        whole || own || parts.iter().any(|part| path.ends_with(part))
    };
    edit.set.keys().map(String::as_str).find(is_policy).map(str::to_owned)
}

/// The same problems for a value at `path`.
pub(super) fn below(path: &str, mut problems: Diagnostics) -> Diagnostics {
    for problem in &mut problems {
        let dot = if problem.path.is_empty() || problem.path.starts_with('[') { "" } else { "." };
        problem.path = format!("{path}{dot}{}", problem.path);
    }
    problems
}
