//! The page's questions about the run on screen, at the playhead: what every module with a simulation answers.

use super::edit_questions::{
    DifferencesQuery, EditValues, FieldQuery, FieldSetting, RevisionQuery, RunDocuments, begun_with,
    edits_to, further,
};
use super::view::{EventRows, EventsQuery, Evidence, RequestDetail, RunFigures};
use super::{History, Session, Trace};
use base::ask::AttachedBytes;
use base::{Diagnostic, Diagnostics, Micros, Period, Span};
use document::ChangedField;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

questions! {
    /// A question about the run on screen.
    RunQuestion, RunAnswers of &History;
    /// Lines of the event log.
    events: Events(EventsQuery) -> EventRows = |run, query, _| Ok(run.present().event_rows(&query));
    /// One request in full, by its number; null if it has not arrived.
    inspect: Inspect(u32) -> Option<RequestDetail> = |run, request, _| Ok(run.present().inspect(request));
    /// The request at a point of a chart or a distribution.
    slowest: Slowest(SlowestQuery) -> Option<u32> = |run, query, _| Ok(query.of(run.present()));
    /// The evidence behind the numbers.
    evidence: Evidence(()) -> Evidence = |run, (), _| Ok(run.present().evidence());
    /// The figures of this run for a list of runs, as far as it was computed.
    run_figures: RunFigures(()) -> RunFigures = |run, (), _| Ok(run.figures());
    /// The checkpoints of this run.
    checkpoints: Checkpoints(()) -> CheckpointFigures = |run, (), _| {
        Ok(CheckpointFigures { count: run.checkpoints() as u32, bytes: run.checkpoint_bytes() })
    };
    /// The report: the bytes that the command line prints.
    report: Report(()) -> RunReport = |run, (), _| Ok(RunReport::of(run.present()));
    /// The outcome of each request, in the form that comparisons read.
    outcomes: Outcomes(()) -> AttachedBytes = |run, (), beside| Ok(beside.answered.add(run.present().outcomes().bytes()));
    /// The documents in force of this run, and the undo of its latest edit.
    documents: Documents(()) -> RunDocuments = |run, (), _| Ok(RunDocuments::of(run.present()));
    /// What sets a field at the playhead.
    set_field: SetField(FieldQuery) -> FieldSetting = |run, query, _| query.of(run.present());
    /// The edits that turn the document, JSON text, into another one, edits aside; null if no edits can.
    edits_to: EditsTo(String) -> Option<Vec<EditValues>> = |run, text, _| edits_to(run.present(), &text);
    /// The document, JSON text, with an edit, JSON text, from its beginning on.
    begun_with: BegunWith(String) -> String = |run, edit, _| begun_with(run.present(), &edit);
    /// The edit that adds a further entry to a list of pools or clients, a copy of the last one with something in it; null if there is none.
    further_entry: FurtherEntry(String) -> Option<EditValues> = |run, list, _| Ok(further(run.present(), list));
    /// The document, JSON text, with one of its edits revised.
    revised: Revised(RevisionQuery) -> String = |run, query, _| Ok(query.of(run.present()));
    /// The fields that differ between two documents.
    differences: Differences(DifferencesQuery) -> Vec<ChangedField> = |_, query, _| query.fields();
}

/// A query for the slowest request that took at most a while, of those with their first token (or else their end) between two instants.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlowestQuery {
    /// Whether by TTFT, and not by E2E.
    pub ttft: bool,
    /// The first instant, in microseconds.
    pub from_us: f64,
    /// The last instant; null for the end of time.
    pub to_us: Option<f64>,
    /// The most it took; null for any time.
    pub at_most_us: Option<f64>,
}

impl SlowestQuery {
    fn of(self, run: &Session) -> Option<u32> {
        let most = |us: Option<f64>| us.map_or(Micros::MAX, instant);
        let period = Period { from: instant(self.from_us), to: most(self.to_us) };
        run.slowest(self.ttft, period, Span(most(self.at_most_us).0))
    }
}

/// An instant as the page has it, cut to whole microseconds.
pub fn instant(us: f64) -> Micros {
    if us >= Micros::MAX.0 as f64 { Micros::MAX } else { Micros(us as u64) }
}

/// The trace of packed rows, as the page keeps those of a file that was read.
pub fn packed_trace(rows: &[u8]) -> Result<Arc<Trace>, Diagnostics> {
    let (path, fix) = ("workload.trace", "read the file again");
    let damaged = || vec![Diagnostic::error(path, "damaged rows", "the rows of a trace", fix)];
    Trace::unpacked(rows).map(Arc::new).ok_or_else(damaged)
}

/// The checkpoints of a run.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CheckpointFigures {
    /// How many there are.
    pub count: u32,
    /// About how many bytes they take besides the run itself.
    pub bytes: u64,
}

/// A report as JSON text, and its digest.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunReport {
    /// The text.
    pub json: String,
    /// The digest.
    pub digest: String,
}

impl RunReport {
    /// The report of a text.
    pub fn new(json: String) -> Self {
        Self { digest: Session::digest_of(&json), json }
    }

    fn of(run: &Session) -> Self {
        Self::new(run.assessed())
    }
}
