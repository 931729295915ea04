//! The runs of a step: which scenarios, which seeds, and which figures of their reports are needed.

use super::{Lesson, LessonStep, Question};
use base::{Diagnostic, Diagnostics};
use document::{Scenario, limits, to_json};
use run::session::figures::{Figure, Gives};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The root of the value of a curve.
const RUN: &str = "run";

/// One run of a step.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LessonCase {
    /// The run by its name, or `x0`, `x1` and so on for the points of a curve.
    pub run: String,
    /// The number of its seed, from 0.
    pub seed: u32,
    /// The scenario as JSON text.
    pub scenario: String,
    /// The paths into its report that are needed, for the close-up `figures`.
    pub paths: Vec<String>,
}

/// The figures of such a run.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseFigures {
    /// The run.
    pub run: String,
    /// The number of its seed.
    pub seed: u32,
    /// The values in the order of the paths.
    pub values: Vec<Option<f64>>,
}

impl LessonStep {
    /// The expressions over runs, with their places below the step.
    pub(super) fn expressions(&self) -> Vec<(String, &str, Gives)> {
        let mut all: Vec<(String, &str, Gives)> = Vec::new();
        for (k, claim) in self.claims.iter().enumerate() {
            all.push((format!("claims[{k}].value"), &claim.value, Gives::Number));
        }
        for (name, figure) in self.figures.iter().filter(|(_, figure)| !is_live(&figure.value)) {
            all.push((format!("figures.{name}.value"), &figure.value, Gives::Number));
        }
        match &self.ask {
            Some(Question::Choose(ask)) => {
                for (k, answer) in ask.answers.iter().enumerate() {
                    all.push((format!("ask.choose.answers[{k}].right"), &answer.right, Gives::Condition));
                }
            }
            Some(Question::Order(ask)) => {
                for (k, item) in ask.items.iter().enumerate() {
                    all.push((format!("ask.order.items[{k}].value"), &item.value, Gives::Number));
                }
            }
            Some(Question::Number(ask)) => {
                all.push(("ask.number.value".to_owned(), &ask.value, Gives::Number));
            }
            Some(Question::Draw(_)) | None => {}
        }
        all
    }
}

/// Whether an expression reads the live run.
pub(super) fn is_live(text: &str) -> bool {
    let names = document::expression::names_in(text);
    names
        .iter()
        .any(|name| run::session::figures::LIVE_ROOTS.contains(&name.split('.').next().unwrap_or_default()))
}

impl Lesson {
    /// How many seeds its runs have.
    pub fn seed_count(&self) -> u32 {
        if self.seeds == 0 { 20 } else { self.seeds }
    }

    /// The names of its runs.
    pub(super) fn run_names(&self) -> Vec<&str> {
        self.runs.keys().map(String::as_str).collect()
    }

    /// The paths into the report of each run of a step.
    pub(super) fn paths(&self, step: usize) -> Result<BTreeMap<String, Vec<String>>, Diagnostics> {
        let mut paths: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let roots = self.run_names();
        for (place, text, gives) in self.steps[step].expressions() {
            let figure = Figure::read(&format!("steps[{step}].{place}"), text, &roots, gives)?;
            for path in figure.paths() {
                let (run, rest) = path.split_once('.').unwrap_or((path, ""));
                paths.entry(run.to_owned()).or_default().insert(rest.to_owned());
            }
        }
        if let Some(Question::Draw(ask)) = &self.steps[step].ask {
            let figure =
                Figure::read(&format!("steps[{step}].ask.draw.value"), &ask.value, &[RUN], Gives::Number)?;
            for k in 0..ask.values.len() {
                let of_point = paths.entry(format!("x{k}")).or_default();
                of_point.extend(
                    figure.paths().iter().filter_map(|path| Some(path.split_once('.')?.1.to_owned())),
                );
            }
        }
        Ok(paths.into_iter().map(|(run, paths)| (run, paths.into_iter().collect())).collect())
    }

    /// The runs of a step over all seeds: every seed of all runs before the next seed.
    pub fn cases(&self, step: usize) -> Result<Vec<LessonCase>, Diagnostics> {
        let mut scenarios = Vec::new();
        for (run, paths) in self.paths(step)? {
            let scenario = match self.point(step, &run) {
                Some(value) => self.scenario_of_point(step, value)?,
                None => self.scenario_of_run(&run)?,
            };
            scenarios.push((run, scenario, paths));
        }
        let seeds = self.seed_count();
        if scenarios.len() * seeds as usize > limits::LESSON_CASES {
            let found = format!("{} runs with {seeds} seeds each", scenarios.len());
            let allowed = format!("at most {} together", limits::LESSON_CASES);
            return Err(vec![Diagnostic::error(
                format!("steps[{step}]"),
                found,
                allowed,
                "use fewer seeds or points",
            )]);
        }
        let case = |seed: u32, (run, scenario, paths): &(String, Scenario, Vec<String>)| LessonCase {
            run: run.clone(),
            seed,
            scenario: to_json(&Scenario {
                seed: scenario.seed.wrapping_add(u64::from(seed)),
                ..scenario.clone()
            }),
            paths: paths.iter().map(|path| format!("report.{path}")).collect(),
        };
        Ok((0..seeds).flat_map(|seed| scenarios.iter().map(move |all| case(seed, all))).collect())
    }

    /// The value of a point of the step's curve.
    fn point(&self, step: usize, run: &str) -> Option<f64> {
        let Some(Question::Draw(ask)) = &self.steps[step].ask else { return None };
        ask.values.get(run.strip_prefix('x')?.parse::<usize>().ok()?).copied()
    }

    /// The scenario of a point of the step's curve.
    fn scenario_of_point(&self, step: usize, value: f64) -> Result<Scenario, Diagnostics> {
        let Some(Question::Draw(ask)) = &self.steps[step].ask else { return Ok(Scenario::default()) };
        let at = format!("steps[{step}].ask.draw");
        let Some(run) = self.runs.get(&ask.run) else {
            let known = self.run_names().join(", ");
            let found = format!("no run \"{}\"", ask.run);
            return Err(vec![Diagnostic::error(format!("{at}.run"), found, known, "add it under runs")]);
        };
        let document = self.document(&run.scenario, &format!("runs.{}.scenario", ask.run))?;
        let mut set = run.set.clone();
        let whole = value.abs() < 1e15 && libm::floor(value) >= value;
        set.insert(ask.path.clone(), if whole { Value::from(value as i64) } else { Value::from(value) });
        super::open::with_settings(document, &set, &at)
    }
}
