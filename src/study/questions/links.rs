//! Questions about links, and about input that a first visit does not need: traces, descriptions of models, expressions while they are
//! typed, and edits that split a fleet. There is no engine here.

use crate::trace::{TraceFigures, TraceInspection};
use base::ask::{AttachedBytes, Beside};
use base::json::compact;
use base::{Diagnostic, Diagnostics};
use document::link::{Asked, Made, TraceMark, make};
use document::{SplitAsked, TraceSettings, limits, parse, split_change};
use run::session::questions::{RunReport, packed_trace};
use run::session::view::{DescribedModel, ExpressionReading, OpenedLink, TraceOutcome, scorer_as_expression};
use run::session::{Audience, Report, Session, Trace, TraceColumns, TraceReader, architecture_from_hf};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

questions! {
    /// A question about links, traces, models or expressions. Scenarios and reports are JSON text.
    LinkQuestion, LinkAnswers of &mut LinkDesk;
    /// The contents of a link, as far as they can be read and run.
    open: Open(String) -> OpenedLink =
        |_, text, _| Ok(OpenedLink::from(Session::open_link(&text, Audience::Live)));
    /// The link of a scenario; null if it would be too long.
    make: Make(MakeQuery) -> Option<Made> = |_, query, _| query.link();
    /// The digest of a report's main figures, which links carry; null for a text that is no report.
    figures: Figures(String) -> Option<String> = |_, report, _| Ok(Report::figures_digest(&report));
    /// A report under other words; null if it is of another scenario.
    renamed: Renamed(RenamedQuery) -> Option<RunReport> = |_, query, _| Ok(query.report());
    /// A report with the link of its run.
    report: Report(LinkedReportQuery) -> String =
        |_, query, _| Ok(Report::with_link(&query.report, &query.link));
    /// The problem if a trace is not the one that a link names; null if it is.
    trace: Trace(TraceCheckQuery) -> Option<Diagnostic> =
        |_, query, _| Ok(query.mark.refuses(query.rows, &query.digest));
    /// The problems of an expression, and the completions of the word at the caret.
    read_expression: ReadExpression(ExpressionQuery) -> ExpressionReading =
        |_, query, _| Ok(ExpressionReading::of(&query.text, query.caret));
    /// A scorer of a weighted router as an expression; null if there is none for it.
    as_expression: AsExpression(ScorerQuery) -> Option<String> =
        |_, query, _| Ok(scorer_as_expression(&query.weighted, query.index as usize));
    /// The edit, JSON text, that a change of roles needs in a scenario.
    split: Split(SplitQuery) -> String = |_, query, _| {
        let change = split_change(&parse(&query.scenario)?.cluster, query.asked).map_err(|d| vec![d])?;
        Ok(compact(&change))
    };
    /// The shape of the model that a Hugging Face config.json describes.
    architecture: Architecture(String) -> DescribedModel =
        |_, text, _| architecture_from_hf(&text).map(DescribedModel::from);
    /// Opens a trace file, which replaces the previous one.
    trace_open: TraceOpen(TraceFileQuery) -> () = |desk, query, _| desk.open(&query);
    /// Takes the next piece of the file.
    trace_push: TracePush(AttachedBytes) -> () = |desk, piece, beside| {
        desk.reader.iter_mut().for_each(|reader| reader.push(beside.asked.get(piece)));
        Ok(())
    };
    /// Ends the file.
    trace_finish: TraceFinish(()) -> TraceRead = |desk, (), beside| Ok(desk.finish(beside));
    /// Takes the packed rows of a trace, for figures.
    trace_rows: TraceRows(AttachedBytes) -> () = |desk, rows, beside| {
        desk.rows = Some(packed_trace(beside.asked.get(rows))?);
        Ok(())
    };
    /// The figures of what a run replays of them; null if no row is left.
    trace_figures: TraceFigures(TraceFiguresQuery) -> Option<TraceFigures> = |desk, query, _| query.figures(desk);
}

/// The trace file being read, and the rows that figures are of.
#[derive(Default)]
pub struct LinkDesk {
    reader: Option<TraceReader>,
    rows: Option<Arc<Trace>>,
}

impl LinkDesk {
    fn open(&mut self, query: &TraceFileQuery) -> Result<(), Diagnostics> {
        let mut reader = TraceReader::new(&query.name, limits::TRACE_BYTES_PAGE);
        if let Some(columns) = query.columns.as_deref().filter(|columns| !columns.is_empty()) {
            reader = reader.with_columns(TraceColumns::parse(columns)?);
        }
        self.reader = Some(reader);
        Ok(())
    }

    fn finish(&mut self, beside: &mut Beside) -> TraceRead {
        let reading = self.reader.take().map(TraceReader::finish_reading);
        let trace = reading.as_ref().and_then(|r| r.trace.as_ref());
        let packed = beside.answered.add(trace.map(|t| t.packed()).unwrap_or_default());
        let (ok, inspection) = (trace.is_some(), reading.as_ref().and_then(TraceInspection::of));
        let (diagnostics, summary) = reading.map(|r| (r.diagnostics, r.summary)).unwrap_or_default();
        TraceRead { outcome: TraceOutcome { ok, diagnostics, summary }, packed, inspection }
    }
}

/// A query for the link of a scenario.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MakeQuery {
    /// The scenario.
    scenario: String,
    /// What the link has besides.
    asked: Asked,
    /// A second scenario, if `asked` names a second run.
    #[cfg_attr(feature = "types", ts(optional))]
    beside: Option<String>,
}

impl MakeQuery {
    fn link(self) -> Result<Option<Made>, Diagnostics> {
        let second = self.beside.as_deref().map(parse).transpose()?;
        Ok(make(&self.asked.of(parse(&self.scenario)?, second)))
    }
}

/// A query for a report of a run under another title and note.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RenamedQuery {
    /// The report of the same run under other words.
    report: String,
    /// The scenario.
    scenario: String,
    /// The title.
    title: String,
    /// The note.
    note: String,
}

impl RenamedQuery {
    fn report(&self) -> Option<RunReport> {
        let scenario = parse(&self.scenario).ok()?;
        Session::renamed_report(&self.report, &scenario, &self.title, &self.note).map(RunReport::new)
    }
}

/// A query for a report with its link.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkedReportQuery {
    /// The report.
    report: String,
    /// The link.
    link: String,
}

/// A query for whether a trace is the one that a link names.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceCheckQuery {
    /// What the link names.
    mark: TraceMark,
    /// The rows of the trace.
    rows: u64,
    /// The digest of the trace.
    digest: String,
}

/// A query about an expression.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpressionQuery {
    /// The expression.
    text: String,
    /// The place of the caret.
    caret: u32,
}

/// A query for a scorer as an expression.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScorerQuery {
    /// The settings of the weighted router, JSON text.
    weighted: String,
    /// The number of the scorer.
    index: u32,
}

/// A query for an edit of roles.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SplitQuery {
    /// The scenario.
    scenario: String,
    /// The change.
    asked: SplitAsked,
}

/// A trace file.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceFileQuery {
    /// Its name.
    name: String,
    /// Names of its columns, as in `arrival:ms=t,prompt=in,output=out`.
    #[cfg_attr(feature = "types", ts(optional))]
    columns: Option<String>,
}

/// What was read of a trace file.
#[apply(typescript!)]
#[derive(Clone, Debug, Serialize)]
pub struct TraceRead {
    /// The result of reading it.
    outcome: TraceOutcome,
    /// Its rows for the simulation; empty if it was refused.
    packed: AttachedBytes,
    /// What the trace is like; null if it was refused.
    inspection: Option<TraceInspection>,
}

/// A query for the figures of the requests that a run replays.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceFiguresQuery {
    /// Settings of `workload.trace`, JSON text.
    settings: String,
    /// The seed of the run.
    seed: f64,
}

impl TraceFiguresQuery {
    fn figures(&self, desk: &LinkDesk) -> Result<Option<TraceFigures>, Diagnostics> {
        let unread = |e: serde_json::Error| {
            vec![Diagnostic::error("workload.trace", e.to_string(), "settings of a trace", "change them")]
        };
        let settings: TraceSettings = serde_json::from_str(&self.settings).map_err(unread)?;
        Ok(desk.rows.as_ref().and_then(|rows| TraceFigures::of(rows, &settings, self.seed as u64)))
    }
}
