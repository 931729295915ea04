//! ***API boundary.** The session: a run with the operations of its user, to load, advance, edit, view and save it.
//! The page and `tokenyard run` use it.
//!
//! A run is a value: scenario + seed + edit log. Whatever the order of viewing and advancing, the same value gives
//! the same bytes.

mod advance;
pub mod again;
#[cfg(any(feature = "cli", feature = "closeup"))]
pub mod closeup;
mod edit_questions;
mod edits;
mod evidence;
#[cfg(any(feature = "cli", feature = "closeup", feature = "lessons"))]
pub mod figures;
mod history;
mod memory;
mod model;
mod occasion;
pub mod outcomes;
pub mod questions;
mod recording;
mod renamed;
mod request_row;
mod snapshot;
pub mod view;

pub use crate::observe::{LoadState, Notice, NoticeKind, Report, RunVerdict, report};
pub use advance::{Pace, SingleStep, StepKind, Stop};
pub use engine::perf::{EvidenceClass, PoolEvidence, Regime, RegimeBasis};
#[cfg(feature = "cli")]
pub use engine::workload::trace::{carried, carry};
pub use engine::workload::{Trace, TraceColumns, TraceReader, TraceReading, TraceSummary};
pub use evidence::{guesses, pool_evidence, weakest};
pub use history::{Budget, History};
pub use model::{architecture_from_hf, scenario_from_hf};
pub use occasion::{Awaited, Occasion, OccasionChoice, Takes};
pub use recording::other_trace;
pub use request_row::{ColumnUse, RequestColumn, RequestRow, RequestValues};
pub use snapshot::SnapshotError;

use crate::observe::recorder::Recorder;
use crate::observe::{RunSoFar, requests_asked, verdict};
use base::diag::has_errors;
use base::digest::Digest;
use base::small::sort::sort_by_key;
use base::{Diagnostic, Diagnostics, Micros, json, number_text};
use document::link::{self, Opened, TraceMark};
use document::{Keep, Scenario, TimedEdit, check_edits, in_order, limits, parse, to_json};
use edits::{Course, EditLog};
use engine::perf::Plan;
use engine::workload::Source;
use engine::{Cluster, Detail};
pub use memory::Audience;
use memory::Needs;
use recording::Recording;
use std::borrow::Cow;
use std::sync::Arc;

/// A run in progress.
#[derive(Clone, Debug)]
pub struct Session {
    /// The initial scenario.
    scenario: Scenario,
    /// The scenario as edited up to the playhead.
    plan: Plan,
    /// The memory needs of the run with the edits so far.
    needs: Needs,
    recording: Option<Recording>,
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
        let affordable = |(prepared, mut warnings): (Prepared, Diagnostics)| {
            let scenario = prepared.plan.scenario();
            // The size of a trace is known when it is loaded; one that the scenario carries is there.
            let recording = match Recording::carried(scenario) {
                Ok((recording, found)) => {
                    warnings.extend(found);
                    recording
                }
                Err(problems) => return warnings.into_iter().chain(problems).collect(),
            };
            let alone = scenario.workload.trace.is_none() || recording.is_some();
            let rows = recording.as_ref().map(|r| &*r.rows);
            let found = alone.then(|| prepared.needs.check(rows, Audience::Batch)).flatten();
            warnings.into_iter().chain(found).collect()
        };
        prepared.map_or_else(|problems| problems, affordable)
    }

    /// Opens a link: parts that cannot run are listed, and are taken from the link's preset.
    pub fn open_link(text: &str, audience: Audience) -> Opened {
        link::open(text, &|scenario| {
            let found = |(prepared, _): (Prepared, Diagnostics)| {
                let alone = prepared.plan.scenario().workload.trace.is_none();
                alone.then(|| prepared.needs.check(None, audience)).flatten().into_iter().collect()
            };
            prepare(scenario.clone()).map_or_else(|problems| problems, found)
        })
    }

    /// Loads a scenario text for a page, with warnings.
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
        let (recording, of_trace) = Recording::of(prepared.plan.scenario(), trace)?;
        warnings.extend(of_trace);
        warnings.extend(prepared.needs.check(recording.as_ref().map(|r| &*r.rows), audience));
        if has_errors(&warnings) {
            return Err(warnings);
        }
        Ok((Self::begin(prepared, recording, audience), warnings))
    }

    fn begin(
        Prepared { plan, edits, .. }: Prepared,
        recording: Option<Recording>,
        audience: Audience,
    ) -> Self {
        let scenario = plan.scenario().clone();
        let source = Source::of_rows(&scenario, recording.as_ref().map(|r| &r.rows));
        let engine = Cluster::new(&plan, source);
        let recorder = Recorder::new(&scenario, engine.replicas().len(), audience == Audience::Live);
        let edits = EditLog::new(&edits);
        let needs = Needs::new(&plan);
        let mut session =
            Self { scenario, plan, needs, recording, engine, recorder, edits, playhead: Micros::ZERO };
        session.forget_requests();
        session
    }

    /// Whether each request of the run can be looked at: not in a batch run that keeps summaries only.
    pub fn keeps_rows(&self) -> bool {
        self.recorder.keeps_rows()
    }

    /// Lets the engine forget requests that have left, if the run keeps no rows.
    fn forget_requests(&mut self) {
        if !self.keeps_rows() {
            self.engine.forget_requests();
        }
    }

    /// As [`Self::start`] for a batch run, of which single requests will be asked.
    pub fn start_for_rows(
        scenario: Scenario,
        trace: Option<Arc<Trace>>,
    ) -> Result<(Self, Diagnostics), Diagnostics> {
        let (session, warnings) = Self::start(scenario, trace, Audience::Batch)?;
        if session.keeps_rows() { Ok((session, warnings)) } else { Err(vec![no_rows()]) }
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

    /// The report as JSON text.
    pub fn report(&self) -> String {
        text_of(&self.report_data())
    }

    /// The report as JSON text, with the verdict on its load and the evidence for its latencies.
    pub fn assessed(&self) -> String {
        text_of(&self.assessed_data())
    }

    /// The same as data.
    pub fn assessed_data(&self) -> Report {
        self.assess(self.report_data())
    }

    /// A report of this run with the assessments.
    fn assess(&self, results: Report) -> Report {
        let verdict = self.verdict();
        let evidence = self.pool_evidence(&verdict);
        Report { verdict: Some(verdict), evidence, ..results }
    }

    /// Whether requests piled up, so far.
    pub fn verdict(&self) -> RunVerdict {
        verdict(&self.engine, &self.recorder)
    }

    /// A digest of the report: equal digests mean equal results.
    pub fn digest(&self) -> String {
        Self::digest_of_data(&self.report_data())
    }

    /// The digest of a report without a link and assessments.
    fn digest_of_data(results: &Report) -> String {
        Digest::of(text_of(results).as_bytes()).hex()
    }

    /// The digest of an existing report: of its results, without its link, the verdict on its load and the evidence.
    pub fn digest_of(report: &str) -> String {
        Digest::of(Report::results_of(report).as_bytes()).hex()
    }

    /// The report as data.
    pub fn report_data(&self) -> Report {
        let applied = &self.edits.all()[..self.edits.applied()];
        let begun = to_json(&in_order(edits::with_edits(&self.scenario, applied)));
        let trace = self.trace().map(|t| t.digest().hex()).unwrap_or_default();
        let names = [Digest::of(begun.as_bytes()).hex(), trace];
        let now = edits::with_edits(self.plan.scenario(), applied);
        Report::new(&now, names, &self.engine, &self.recorder, self.notices())
    }

    /// The KV caches and the tiers below CPU memory as the report has them, without the shares of requests.
    pub fn kv_parts(&self) -> (report::KvPart, Vec<report::KvTierPart>) {
        report::kv_parts(&self.plan.scenario().cluster, &self.engine)
    }

    /// The 99th percentile of TTFT and of E2E in milliseconds, as in the report; `None` without measured requests.
    pub fn p99s_ms(&self) -> [Option<f64>; 2] {
        report::p99s_ms(&self.engine, &self.recorder)
    }

    /// The id that the replayed trace gives a request; nothing without one.
    pub fn recorded_id(&self, request: u32) -> Option<Cow<'_, str>> {
        self.of_rows().map(|trace| trace.request_id(request as usize)).filter(|id| !id.is_empty())
    }

    /// When a request arrived by the calendar of the replayed trace, in UTC.
    pub fn recorded_at(&self, request: u32) -> Option<String> {
        self.of_rows().filter(|trace| (request as usize) < trace.len())?.wall_clock(request as usize)
    }

    /// The trace of the run: all rows of its file.
    pub fn trace(&self) -> Option<&Trace> {
        self.recording.as_ref().map(|r| &*r.file)
    }

    /// The rows of its trace that the run replays: request number n is row n.
    pub fn replayed(&self) -> Option<&Trace> {
        self.recording.as_ref().map(|r| &*r.rows)
    }

    /// The rows that are replayed, if the scenario replays a trace.
    fn of_rows(&self) -> Option<&Trace> {
        self.replayed().filter(|_| self.plan.scenario().workload.trace.is_some())
    }

    /// The engine, for callers that need more than the views.
    pub fn engine(&self) -> &Cluster {
        &self.engine
    }

    /// Whether a request that arrived at an instant belongs to the measurement window.
    pub fn counts(&self, request: base::RequestId, arrival: Micros) -> bool {
        self.recorder.warmup().counts(request, arrival)
    }

    /// The scenario as edited up to the playhead, as the engine reads it.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What was recorded of the run.
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Keeps the gaps between the tokens of each request from now on, as many as fit. Changes no result.
    pub fn keep_gaps(&mut self) {
        self.engine.record_detail(Detail::of_gaps(limits::GAPS));
    }

    /// Whether there were more gaps than fit.
    pub fn lost_gaps(&self) -> bool {
        self.engine.detail().is_some_and(Detail::is_full)
    }

    /// Whether nothing is left to run.
    pub fn has_ended(&self) -> bool {
        self.engine.next_event_at().is_none() && self.next_edit().is_none()
    }

    /// The notices of the run so far; most appear only once it has ended.
    pub fn notices(&self) -> Vec<Notice> {
        let run = RunSoFar {
            scenario: self.plan.scenario(),
            trace: self.replayed(),
            engine: &self.engine,
            recorder: &self.recorder,
            ended: self.has_ended(),
        };
        run.notices()
    }

    /// Largest possible number of requests: the cap, or all of a trace or list. `None` if only the horizon limits it.
    pub fn requests_asked(&self) -> Option<u64> {
        requests_asked(self.plan.scenario(), self.replayed())
    }
}

/// A report as JSON text.
fn text_of(report: &Report) -> String {
    let mut text = json::indented(report);
    text.push('\n');
    text
}

/// The problem of a question about single requests in a run that keeps none.
pub fn no_rows() -> Diagnostic {
    Diagnostic::error(
        "observe.keep",
        "summary: this run keeps no rows of requests",
        "rows, for what looks at single requests",
        format!(
            "leave observe.keep out, or set it to rows: for up to {} requests",
            number_text::count(Keep::Rows.most_requests())
        ),
    )
}

/// The mark of a scenario's trace in a link.
pub fn trace_mark(scenario: &Scenario, trace: &Trace) -> TraceMark {
    let name = scenario.workload.trace.as_ref().map(|t| t.file.clone()).unwrap_or_default();
    TraceMark { name, rows: trace.len() as u64, digest: trace.digest().hex() }
}

/// A scenario with possible edits, and the memory needs of its run.
struct Prepared {
    /// The initial plan.
    plan: Plan,
    edits: Vec<TimedEdit>,
    needs: Needs,
}

/// Checks a scenario and all its edits, reporting all problems at once.
fn prepare(scenario: Scenario) -> Result<(Prepared, Diagnostics), Diagnostics> {
    let mut of_edits = check_edits(&scenario);
    let edits = scenario.edits.clone();
    let (plan, mut problems) = match Plan::new(Scenario { edits: Vec::new(), ..scenario }) {
        Ok(sound) => sound,
        Err(mut problems) => {
            problems.extend(of_edits);
            return Err(problems);
        }
    };
    let course = Course::new(plan.clone(), &edits);
    of_edits.extend(course.problems);
    // In the order of the list.
    sort_by_key(&mut of_edits, |d| {
        let place = d.path.trim_start_matches("edits[").split(']').next();
        place.and_then(|i| i.parse::<u32>().ok()).map_or(0, |i| 1 + u64::from(i))
    });
    problems.extend(of_edits);
    if !edits.is_empty() {
        problems.extend(course.needs.count().problems(plan.scenario()));
    }
    let prepared = Prepared { plan, edits, needs: course.needs };
    if has_errors(&problems) { Err(problems) } else { Ok((prepared, problems)) }
}

#[cfg(test)]
mod tests;
