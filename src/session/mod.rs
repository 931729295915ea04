//! **API boundary.** A run as its user handles it: load, advance, edit, look, save. What the page and `tokenyard run` use.
//!
//! A run is a value: scenario + seed + edit log. Whatever the order of looking and advancing, the same value gives the
//! same bytes.

mod advance;
mod edits;
mod memory;
mod model;
mod snapshot;
pub mod view;

pub use crate::observe::{Notice, NoticeKind, Report, report};
pub use crate::workload::{Trace, TraceReader, TraceSummary};
pub use advance::{Pace, SingleStep, StepKind, Stop};
pub use model::{architecture_from_hf, scenario_from_hf};
pub use snapshot::SnapshotError;

use crate::base::diag::has_errors;
use crate::base::{Diagnostic, Diagnostics, Micros, json};
use crate::engine::Cluster;
use crate::observe::recorder::Recorder;
use crate::observe::{RunSoFar, requests_asked, words};
use crate::scenario::{Scenario, Served, TimedEdit, check, parse};
use crate::workload::Source;
use edits::EditLog;
use memory::check_memory;
use std::sync::Arc;

/// Who watches a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// A page: keep the event log, decisions and the latest window.
    Live,
    /// Nobody before the end: keep what the report needs.
    Batch,
}

/// A run in progress.
#[derive(Clone, Debug)]
pub struct Session {
    scenario: Scenario,
    trace: Option<Arc<Trace>>,
    engine: Cluster,
    recorder: Recorder,
    edits: EditLog,
    /// The instant shown: at or after the latest event, before the next one.
    playhead: Micros,
}

impl Session {
    /// All problems of a scenario text, without running it.
    pub fn check(text: &str) -> Diagnostics {
        let prepared = parse(text).and_then(prepare);
        let affordable = |(prepared, warnings): (Prepared, Diagnostics)| {
            // How much a trace holds is known when it is loaded.
            let alone = prepared.scenario.workload.trace.is_none();
            let found = alone.then(|| prepared.memory(None, Audience::Batch)).flatten();
            warnings.into_iter().chain(found).collect()
        };
        prepared.map_or_else(|problems| problems, affordable)
    }

    /// Loads a scenario text for a page; warnings come along.
    pub fn load(text: &str, trace: Option<Arc<Trace>>) -> Result<(Self, Diagnostics), Diagnostics> {
        Self::start(parse(text)?, trace, Audience::Live)
    }

    /// Loads a scenario.
    pub fn start(
        scenario: Scenario,
        trace: Option<Arc<Trace>>,
        audience: Audience,
    ) -> Result<(Self, Diagnostics), Diagnostics> {
        let (prepared, mut warnings) = prepare(scenario)?;
        if prepared.scenario.workload.trace.is_some() && trace.is_none() {
            return Err(vec![missing_trace(&prepared.scenario)]);
        }
        warnings.extend(trace.as_ref().and_then(|trace| unserved(&prepared.scenario, trace)));
        warnings.extend(prepared.memory(trace.as_deref(), audience));
        if has_errors(&warnings) {
            return Err(warnings);
        }
        let Prepared { scenario, resolved } = prepared;
        let source = Source::new(&scenario, trace.as_ref());
        let engine = Cluster::new(&scenario, &resolved, source);
        let recorder = Recorder::new(&scenario, engine.replicas().len(), audience == Audience::Live);
        let edits = EditLog::new(&scenario.edits);
        let session = Self { scenario, trace, engine, recorder, edits, playhead: Micros::ZERO };
        Ok((session, warnings))
    }

    /// The instant shown.
    pub fn now(&self) -> Micros {
        self.playhead
    }

    /// Events run so far.
    pub fn events(&self) -> u64 {
        self.engine.events_done()
    }

    /// Requests by where they are.
    pub fn requests(&self) -> report::RequestPart {
        report::request_part(&self.engine)
    }

    /// The scenario with all edits made so far: running it again from the start gives this run.
    pub fn scenario(&self) -> Scenario {
        edits::with_edits(&self.scenario, self.edits.all())
    }

    /// The edits, applied and to come.
    pub fn edits(&self) -> &[TimedEdit] {
        self.edits.all()
    }

    /// The report as JSON text: the bytes that the command line prints.
    pub fn report(&self) -> String {
        let mut text = json::indented(&self.report_data());
        text.push('\n');
        text
    }

    /// A digest of the report: equal digests mean equal results.
    pub fn digest(&self) -> String {
        crate::base::digest::Digest::of(self.report().as_bytes()).hex()
    }

    /// The report as data.
    pub fn report_data(&self) -> Report {
        let applied = &self.edits.all()[..self.edits.applied()];
        let scenario = edits::with_edits(&self.scenario, applied);
        let trace = self.trace.as_ref().map(|t| t.digest().hex());
        Report::new(&scenario, trace, &self.engine, &self.recorder, self.notices())
    }

    /// The engine, for whoever wants more than a view shows.
    pub fn engine(&self) -> &Cluster {
        &self.engine
    }

    /// Whether nothing is left to run.
    fn has_ended(&self) -> bool {
        self.engine.next_event_at().is_none() && self.next_edit().is_none()
    }

    /// What there is to know of the run so far; most of it only once the run has ended.
    pub fn notices(&self) -> Vec<Notice> {
        let run = RunSoFar {
            scenario: &self.scenario,
            trace: self.trace.as_deref(),
            engine: &self.engine,
            recorder: &self.recorder,
            ended: self.has_ended(),
        };
        run.notices()
    }

    /// How many requests there will be at most: the cap, or all of a trace or of a list. `None` if only time tells.
    pub fn requests_asked(&self) -> Option<u64> {
        requests_asked(&self.scenario, self.trace.as_deref())
    }
}

/// A scenario with everything it names found.
struct Prepared {
    scenario: Scenario,
    resolved: Vec<crate::perf::Resolved>,
}

impl Prepared {
    /// A problem, if it can come to need too much memory.
    fn memory(&self, trace: Option<&Trace>, audience: Audience) -> Option<Diagnostic> {
        let blocks: Vec<u32> = self.resolved.iter().map(|r| r.blocks.0).collect();
        check_memory(&self.scenario, &blocks, trace, audience)
    }
}

/// Checks a scenario and resolves its pools against the catalogue, reporting all problems at once.
fn prepare(scenario: Scenario) -> Result<(Prepared, Diagnostics), Diagnostics> {
    let (pools, compat) = (scenario.cluster.pools.clone(), scenario.cluster.compat);
    let (checked, warnings, mut problems) = match check(scenario) {
        Ok((checked, warnings)) => (Some(checked), warnings, Vec::new()),
        Err(problems) => (None, Vec::new(), problems),
    };
    let mut resolved = Vec::new();
    for (i, pool) in pools.iter().enumerate() {
        match crate::perf::resolve(pool, compat, &format!("cluster.pools[{i}]")) {
            Ok(r) => resolved.push(r),
            Err(found) => problems.extend(found),
        }
    }
    match checked {
        Some(checked) if problems.is_empty() => {
            Ok((Prepared { scenario: checked.get().clone(), resolved }, warnings))
        }
        _ => Err(problems),
    }
}

/// A warning about models that requests of a trace ask for and no pool serves.
fn unserved(scenario: &Scenario, trace: &Trace) -> Option<Diagnostic> {
    scenario.workload.trace.as_ref()?;
    let pools = &scenario.cluster.pools;
    let served = Served::new(pools);
    let (mut requests, mut names) = (0, Vec::new());
    for (name, count) in trace.models().iter().zip(trace.requests_by_model()) {
        if served.pools_of(name) == 0 {
            requests += count;
            names.push(name.as_str());
        }
    }
    let more = if names.len() > 3 { format!(" and {} more", names.len() - 3) } else { String::new() };
    let found = format!(
        "{requests} of {} requests ask for a model that no pool serves: {}{more}",
        trace.len(),
        names[..names.len().min(3)].join(", ")
    );
    let allowed: Vec<&str> = pools.iter().map(|p| p.model.as_str()).collect();
    let fix = "they go to any replica; to change that, rename the models in the trace or in the pools";
    (requests > 0).then(|| Diagnostic::warning("workload.trace", found, allowed.join(", "), fix))
}

fn missing_trace(scenario: &Scenario) -> Diagnostic {
    let file = scenario.workload.trace.as_ref().map_or("", |t| t.file.as_str());
    Diagnostic::error(
        "workload.trace",
        format!("the scenario replays the trace {file:?}, which is not loaded"),
        "a scenario together with its trace file",
        "give the file with --trace, or drop it on the page; or remove `trace` to use the clients",
    )
}

#[cfg(test)]
mod tests;
