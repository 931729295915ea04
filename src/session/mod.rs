//! **API boundary.** A run as its user handles it: load, advance, edit, look, save. The only module that shells use.
//!
//! A run is a value: scenario + seed + edit log. Whatever the order of looking and advancing, the same value gives the
//! same bytes.

pub mod anomaly;
mod columns;
mod decisions;
mod edits;
pub mod frame;
#[cfg(feature = "cli")]
pub mod golden;
mod inspect;
#[cfg(feature = "cli")]
pub mod listing;
mod log;
mod memory;
mod meters;
mod model;
mod notices;
mod objectives;
mod recorder;
pub mod report;
mod screen;
mod snapshot;
mod warmup;
mod window;
mod words;

pub use model::{architecture_from_hf, scenario_from_hf};
pub use notices::{Notice, NoticeKind};
pub use report::Report;
pub use snapshot::SnapshotError;

use crate::base::diag::has_errors;
use crate::base::{Diagnostic, Diagnostics, Micros, json};
use crate::engine::{Cluster, Detail, Halt};
use crate::scenario::{Scenario, Served, TimedEdit, check, parse};
pub use crate::workload::{Trace, TraceReader, TraceSummary};

use crate::workload::Source;
use edits::EditLog;
use frame::{StepKind, Stop};
use memory::check_memory;
use recorder::{Recorder, Seen};
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

/// Events that a single step may run before it gives up looking.
const STEP_EVENTS: u64 = 2_000_000;

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

    /// Runs up to and including the instant `until`, but no more than `max_events` events. Cutting a run into pieces
    /// changes nothing about it.
    pub fn advance(&mut self, until: Micros, max_events: u64) -> Stop {
        let mut left = max_events;
        loop {
            if self.edit_is_due(until) {
                self.apply_next_edit();
                continue;
            }
            let edit = self.next_edit();
            let before = self.engine.events_done();
            let (last, budget) = edit.map_or((until, left), |e| {
                let (last, events) = e.room(before, self.next_event());
                (until.min(last), left.min(events))
            });
            let halt = self.run_engine(last, budget);
            left -= self.engine.events_done() - before;
            if self.edit_is_due(until) {
                continue;
            }
            match halt {
                Halt::Events if left == 0 => {
                    self.playhead = self.playhead.max(self.engine.last_event_at());
                    return Stop::Events;
                }
                Halt::Until if last == until => {
                    self.move_playhead(until);
                    return Stop::Until;
                }
                Halt::Events | Halt::Until => {}
                Halt::Finished if edit.is_some_and(|e| e.at() <= until) => {}
                Halt::Finished => {
                    self.move_playhead(until.min(self.engine.end()));
                    return Stop::Finished;
                }
            }
        }
    }

    /// One step of the given kind. Returns `Until` when it happened.
    pub fn step(&mut self, kind: StepKind) -> Stop {
        let before = self.recorder.seen;
        for _ in 0..STEP_EVENTS {
            let stop = self.advance(Micros::MAX, 1);
            let happened = |f: fn(&Seen) -> u64| f(&self.recorder.seen) > f(&before);
            let there = match kind {
                StepKind::Event => stop == Stop::Events,
                StepKind::EngineStep => happened(|s| s.steps),
                StepKind::Arrival => happened(|s| s.arrivals),
                StepKind::Completion => happened(|s| s.completions),
                StepKind::Preemption => happened(|s| s.preemptions),
            };
            if there {
                return Stop::Until;
            }
            if stop == Stop::Finished {
                return Stop::Finished;
            }
        }
        Stop::Events
    }

    /// The engine up to `until`, closing the buckets of the timeline on the way.
    fn run_engine(&mut self, until: Micros, max_events: u64) -> Halt {
        let mut left = max_events;
        loop {
            let boundary = Micros(self.recorder.timeline.boundary_us() - 1);
            let last = until.min(boundary);
            let before = self.engine.events_done();
            let halt = self.engine.advance(last, left, &mut self.recorder);
            left -= self.engine.events_done() - before;
            if halt == Halt::Until && boundary < until {
                self.recorder.close_bucket(&self.engine);
                continue;
            }
            return halt;
        }
    }

    fn move_playhead(&mut self, to: Micros) {
        self.playhead = self.playhead.max(to);
        while self.recorder.timeline.boundary_us() <= self.playhead.0 {
            self.recorder.close_bucket(&self.engine);
        }
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

    /// The engine, for tests and golden files.
    pub fn engine(&self) -> &Cluster {
        &self.engine
    }

    /// Records every step, gap and preemption from now on: slow, for golden files.
    pub fn record_detail(&mut self, steps_kept: u32) {
        self.engine.record_detail(Detail::new(steps_kept));
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
