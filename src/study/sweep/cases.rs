//! The cases of a sweep: every combination of values with every seed. Each is a separate run that any machine can
//! make.

use super::row::RunRow;
use super::summary::SweepRow;
use super::vary::Vary;
use crate::compare::{Outcomes, RunError};
use base::digest::Digest;
use base::{Diagnostic, Diagnostics, csv_text, json};
use document::{Scenario, from_value, limits, to_json};
use run::session::report::RunMetric;
use run::session::{PoolEvidence, Regime, RegimeBasis, Trace, pool_evidence};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A part of the cases: those whose number leaves `of` the remainder `part` - 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 1.
    pub part: u32,
    /// How many parts there are.
    pub of: u32,
}

impl Shard {
    /// Reads `3/16`.
    pub fn parse(text: &str) -> Result<Self, Diagnostic> {
        let read = || {
            let (part, of) = text.split_once('/')?;
            let (part, of) = (part.trim().parse().ok()?, of.trim().parse().ok()?);
            (1 <= part && part <= of && of as usize <= limits::CASES).then_some(Self { part, of })
        };
        read().ok_or_else(|| {
            let allowed = format!("PART/PARTS, such as 3/16, of at most {} parts", limits::CASES);
            Diagnostic::error(
                "",
                text.chars().take(40).collect::<String>(),
                allowed,
                "parts are counted from 1",
            )
        })
    }

    fn has(self, case: u32) -> bool {
        case % self.of == self.part - 1
    }
}

/// One run of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Its number among all cases.
    pub number: u32,
    /// Values of the paths as JSON text, in their order.
    pub values: Vec<String>,
    /// The scenario to run.
    pub scenario: Scenario,
    /// Digest of the scenario and the trace: equal for the same case on every machine.
    pub digest: String,
}

/// A run of a sweep, as text.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CaseText {
    /// Its number among all cases.
    pub number: u32,
    /// Values of the paths as JSON text, in their order.
    pub values: Vec<String>,
    /// Digest of the scenario and the trace.
    pub digest: String,
    /// The scenario to run, as JSON text.
    pub scenario: String,
    /// How far the latency figures of each pool can be trusted, in whatever regime it will run.
    pub evidence: Vec<PoolEvidence>,
}

/// All cases of a sweep.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The paths that are varied.
    pub paths: Vec<String>,
    /// The cases, in order.
    pub cases: Vec<Case>,
    /// Edits that are left out because they set what is varied, in words.
    pub left_out: Vec<String>,
    by_digest: BTreeMap<String, u32>,
    trace: Option<Arc<Trace>>,
    /// Further figures of each row.
    metrics: Vec<RunMetric>,
}

/// A row: its case, the values of its paths, the figures of its run, and a digest of these.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseRow {
    /// Number of the case.
    pub number: u32,
    /// The row as a JSON object, in the order of its columns.
    pub fields: Map<String, Value>,
    /// The values of the paths and the figures of the run.
    pub row: SweepRow,
}

impl Plan {
    /// The cases of a scenario, each of which must pass `check`. All problems of all values are reported at once.
    pub fn new(
        scenario: &Scenario,
        trace: Option<Arc<Trace>>,
        varied: &[Vary],
        seeds: u32,
        check: impl Fn(&Scenario) -> Result<(), Diagnostics>,
    ) -> Result<Self, Diagnostics> {
        let count = varied.iter().map(|v| v.values.len() as u64).product::<u64>() * u64::from(seeds);
        if varied.len() > limits::VARIED || count > limits::CASES as u64 {
            let found = format!("{} paths, {count} cases", varied.len());
            let allowed =
                format!("at most {} paths and {} cases, seeds included", limits::VARIED, limits::CASES);
            return Err(vec![Diagnostic::error(
                "",
                found,
                allowed,
                "vary fewer values, or make several sweeps",
            )]);
        }
        let paths: Vec<String> = varied.iter().map(|v| v.path.clone()).collect();
        if let Some((_, twice)) = paths.iter().enumerate().find(|(i, path)| paths[..*i].contains(path)) {
            return Err(vec![Diagnostic::error(
                twice,
                "varied twice",
                "each path once",
                "give all its values at once",
            )]);
        }
        let base = json::tree(scenario);
        let (cases, by_digest, metrics) = (Vec::new(), BTreeMap::new(), Vec::new());
        let mut plan = Self { paths, cases, left_out: Vec::new(), by_digest, trace, metrics };
        let mut problems = Diagnostics::new();
        for combination in 0..count / u64::from(seeds) {
            let values = values_of(varied, combination);
            let made = with_values(&base, varied, &values).map(|mut scenario| {
                let held =
                    varied.iter().zip(&values).flat_map(|(vary, value)| vary.hold(&mut scenario, value));
                plan.left_out = held.collect();
                scenario
            });
            match made.and_then(|scenario| check(&scenario).map(|()| scenario)) {
                Ok(scenario) => plan.add(&scenario, &values, seeds),
                Err(found) => {
                    problems.extend(found.into_iter().filter(|p| !problems.contains(p)).collect::<Vec<_>>());
                }
            }
        }
        if problems.is_empty() { Ok(plan) } else { Err(problems) }
    }

    /// The same, whose rows have further figures.
    #[must_use]
    pub fn with_metrics(self, metrics: Vec<RunMetric>) -> Self {
        Self { metrics, ..self }
    }

    fn add(&mut self, scenario: &Scenario, values: &[String], seeds: u32) {
        for k in 0..seeds {
            let scenario = Scenario { seed: scenario.seed.wrapping_add(u64::from(k)), ..scenario.clone() };
            let mut digest = Digest::of(to_json(&scenario).as_bytes());
            digest.u64(self.trace.as_ref().map_or(0, |t| t.digest().value()));
            let (number, values, digest) = (self.cases.len() as u32, values.to_vec(), digest.hex());
            self.by_digest.entry(digest.clone()).or_insert(number);
            self.cases.push(Case { number, values, scenario, digest });
        }
    }

    /// The cases as text, for another thread.
    pub fn texts(&self) -> Vec<CaseText> {
        let text = |case: &Case| CaseText {
            number: case.number,
            values: case.values.clone(),
            digest: case.digest.clone(),
            scenario: to_json(&case.scenario),
            evidence: pool_evidence(&case.scenario, None),
        };
        self.cases.iter().map(text).collect()
    }

    /// The cases of a part; all cases without one.
    pub fn part(&self, shard: Option<Shard>) -> Vec<&Case> {
        self.cases.iter().filter(|case| shard.is_none_or(|shard| shard.has(case.number))).collect()
    }

    /// Runs a case.
    pub fn run(&self, case: &Case) -> Result<CaseRow, Diagnostics> {
        let outcomes = Outcomes::of_run(case.scenario.clone(), self.trace.clone())?;
        let mut run = RunRow::with_metrics(&outcomes, self.metrics.iter().copied());
        // No row of a file has it: rows that were read and rows that were run have the same.
        run.error = error_of(case, &run.regime);
        let mut fields = Map::new();
        fields.insert("case".to_owned(), case.number.into());
        fields.insert("case_digest".to_owned(), case.digest.as_str().into());
        for (path, value) in self.paths.iter().zip(&case.values) {
            fields.insert(path.clone(), serde_json::from_str(value).unwrap_or(Value::Null));
        }
        if let Value::Object(figures) = json::tree(&run.of_table()) {
            fields.extend(figures);
        }
        for metric in &self.metrics {
            let name = metric.name().into_owned();
            let value = run.metrics.get(&name).map_or(Value::Null, |x| Value::from(*x));
            fields.insert(name, value);
        }
        fields.insert(ROW_DIGEST.to_owned(), digest_of(&fields).into());
        Ok(CaseRow { number: case.number, fields, row: SweepRow { values: case.values.clone(), run } })
    }

    /// Reads a row that [`CaseRow::line`] wrote. `Ok(None)`: the line is damaged, and its case must run again. An error: it is a row of
    /// another sweep.
    pub fn read(&self, line: &str) -> Result<Option<CaseRow>, Diagnostic> {
        let Ok(Value::Object(mut fields)) = serde_json::from_str::<Value>(line) else { return Ok(None) };
        let digest = fields.shift_remove(ROW_DIGEST);
        if digest != Some(digest_of(&fields).into()) {
            return Ok(None);
        }
        let named = fields.get("case_digest").and_then(Value::as_str).and_then(|d| self.by_digest.get(d));
        let Some(case) = named.map(|&number| &self.cases[number as usize]) else {
            let found = format!("a row of case {}", fields.get("case_digest").unwrap_or(&Value::Null));
            let fix = "choose another folder, or sweep the same scenario, trace, paths and values";
            return Err(Diagnostic::error("", found, "rows of this sweep", fix));
        };
        let mut figures = fields.clone();
        for name in self.paths.iter().map(String::as_str).chain(["case", "case_digest"]) {
            figures.shift_remove(name);
        }
        let mut metrics = BTreeMap::new();
        for metric in &self.metrics {
            let name = metric.name().into_owned();
            let Some(value) = figures.shift_remove(&name) else { return Ok(None) };
            metrics.extend(value.as_f64().map(|x| (name, x)));
        }
        let Ok(run) = json::data::<RunRow>(&Value::Object(figures)) else { return Ok(None) };
        let run = RunRow { metrics, error: error_of(case, &run.regime), ..run };
        // With more values or seeds than last time the case may have another number.
        fields.insert("case".to_owned(), case.number.into());
        let digest = digest_of(&fields);
        fields.insert(ROW_DIGEST.to_owned(), digest.into());
        let row = SweepRow { values: case.values.clone(), run };
        Ok(Some(CaseRow { number: case.number, fields, row }))
    }
}

/// The error of the latencies of a case whose run was in a regime, by its name.
fn error_of(case: &Case, regime: &str) -> Option<RunError> {
    let all = [Regime::Below, Regime::Near, Regime::Over];
    let named = all.into_iter().find(|of| of.name() == regime);
    RunError::of(&pool_evidence(&case.scenario, named.map(|of| (of, RegimeBasis::Load))))
}

const ROW_DIGEST: &str = "row_digest";

fn digest_of(fields: &Map<String, Value>) -> String {
    Digest::of(json::compact(fields).as_bytes()).hex()
}

impl CaseRow {
    /// The row as a line of JSON.
    pub fn line(&self) -> String {
        json::compact(&self.fields)
    }

    /// The cells of the row as text, as a CSV file has them; unknown values are empty.
    pub fn cells(&self) -> Vec<String> {
        self.fields.values().map(cell_text).collect()
    }
}

/// A value as the text of a cell; what is unknown is empty.
pub(crate) fn cell_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => {
            let mut cell = Vec::new();
            csv_text::push(&mut cell, text);
            String::from_utf8(cell).expect("INV-6: text stays text")
        }
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

/// The scenario of a combination of values.
fn with_values(base: &Value, varied: &[Vary], values: &[String]) -> Result<Scenario, Diagnostics> {
    let mut document = base.clone();
    for (vary, value) in varied.iter().zip(values) {
        vary.set(&mut document, value)?;
    }
    from_value(document)
}

/// The values of combination number `i`: the last path changes fastest.
fn values_of(varied: &[Vary], mut i: u64) -> Vec<String> {
    let mut values: Vec<String> = Vec::with_capacity(varied.len());
    for vary in varied.iter().rev() {
        let count = vary.values.len() as u64;
        values.push(vary.values[(i % count) as usize].clone());
        i /= count;
    }
    values.reverse();
    values
}
