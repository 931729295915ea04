//! The page's questions about results of benchmark tools, and about files that are made of a whole run: a text and a scenario in, figures
//! or the bytes of a file out.

use crate::import::benchmark::{Benchmark, read};
use crate::{Band, Comparison, OneRun, ToldLoad, bands, calibrate, compare, replay};
use base::ask::{AttachedBytes, Beside};
use base::{Diagnostic, Diagnostics, Micros, json};
use document::{Scenario, parse};
use export::{CANDIDATES, Format, MOST_SLICES, Output, Table, Tables, TraceOutput, page};
use run::session::questions::packed_trace;
use run::session::{Session, Stop};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

questions! {
    /// A question about a benchmark, or for a file of a run. Scenarios are JSON text.
    MeasuredQuestion, MeasuredAnswers of &mut MeasuredDesk;
    /// The runs in what a benchmark tool or a server wrote.
    read: Read(String) -> Vec<Benchmark> = |_, text, _| read(&text).map(|(runs, _)| runs);
    /// A run of a file beside the same traffic on a scenario's cluster.
    compare: Compare(MeasuredQuery) -> Comparison = |_, query, _| {
        let (run, scenario) = query.read()?;
        compare(&run, &replay(&run, &scenario))
    };
    /// The scenario with the coefficients that a run of a file fixes.
    calibrate: Calibrate(CalibrateQuery) -> OneRun = |_, query, _| {
        let (run, scenario) = query.measured.read()?;
        calibrate(&run, &scenario, &query.file)
    };
    /// The bands of TTFT and TPOT from the intervals of built-in coefficients.
    bands: Bands(String) -> Vec<Band> = |_, scenario, _| bands(&parse(&scenario)?);
    /// Begins a run for a file, which replaces the previous one.
    rows_open: RowsOpen(RowsQuery) -> () = |desk, query, beside| desk.open(&query, beside);
    /// The next piece of the file; null after the last.
    rows_next: RowsNext(()) -> Option<RowPiece> =
        |desk, (), beside| Ok(desk.rows.as_mut().and_then(|rows| rows.next(beside)));
    /// What the file holds, if it has no room for all; empty otherwise.
    rows_note: RowsNote(()) -> String =
        |desk, (), _| Ok(desk.rows.as_ref().and_then(RowsUnderWay::note).unwrap_or_default());
}

/// The file that is being made.
#[derive(Default)]
pub struct MeasuredDesk {
    rows: Option<RowsUnderWay>,
}

/// A run of a file, with a scenario for it.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredQuery {
    /// The text of the file.
    text: String,
    /// The number of the run, from 0.
    run: usize,
    /// The scenario.
    scenario: String,
    /// The load that the user gives.
    #[cfg_attr(feature = "types", ts(as = "ToldLoad"))]
    load: Value,
}

/// A run of a file to calibrate with.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalibrateQuery {
    /// The run.
    measured: MeasuredQuery,
    /// The name of the file.
    file: String,
}

impl MeasuredQuery {
    fn read(&self) -> Result<(Benchmark, Scenario), Diagnostics> {
        let (mut runs, _) = read(&self.text)?;
        let scenario = parse(&self.scenario)?;
        if self.run >= runs.len() {
            let (found, allowed) = (format!("run {}", self.run), format!("below {}", runs.len()));
            return Err(vec![Diagnostic::error("", found, allowed, "choose one of the file's runs")]);
        }
        let mut run = runs.swap_remove(self.run);
        let unread = |e: json::Misfit| {
            let found = format!("a load that is not read: {e}");
            vec![Diagnostic::error("", found, "numbers", "give the load again")]
        };
        json::data::<ToldLoad>(&self.load).map_err(unread)?.add_to(&mut run)?;
        Ok((run, scenario))
    }
}

/// A file that is made of a whole run.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowsQuery {
    /// The scenario.
    scenario: String,
    /// The table by its name on the command line, or `perfetto`, or `page`.
    table: String,
    /// `csv` or `jsonl`; `json` of the trace for Perfetto, `html` of the page.
    format: String,
    /// The packed rows of the trace that the scenario replays.
    #[cfg_attr(feature = "types", ts(optional))]
    trace: Option<AttachedBytes>,
    /// The part of the run that a trace for Perfetto holds; all of it if it is missing.
    #[cfg_attr(feature = "types", ts(optional))]
    span: Option<RowsSpan>,
    /// The address that a page gives for the run.
    #[cfg_attr(feature = "types", ts(optional))]
    link: Option<String>,
}

/// A part of a run.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowsSpan {
    /// Its beginning, in microseconds.
    from_us: f64,
    /// Its end, in microseconds.
    to_us: f64,
}

/// A piece of a file, and how far the run is.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RowPiece {
    /// The bytes.
    bytes: AttachedBytes,
    /// The playhead of the run, in microseconds.
    now_us: u64,
}

/// What is made of a run.
#[derive(Clone, Copy)]
enum RunFile {
    /// The rows of a table.
    Rows(Table, Format),
    /// A trace for Perfetto.
    Perfetto,
    /// One page of HTML.
    Page,
}

impl RunFile {
    /// By the names of the command line's options and of file extensions.
    fn named(table: &str, format: &str) -> Option<Self> {
        match (table, format) {
            ("perfetto", "json") => Some(Self::Perfetto),
            ("page", "html") => Some(Self::Page),
            _ => {
                let table = Table::ALL.into_iter().find(|t| t.name() == table)?;
                let format = Format::ALL.into_iter().find(|f| f.extension() == format)?;
                Some(Self::Rows(table, format))
            }
        }
    }
}

/// Events of a run between two pieces.
const EVENTS_AT_ONCE: u64 = 20_000;

/// Requests of a run that are written between two pieces.
const REQUESTS_AT_ONCE: u32 = 4096;

/// Bytes that a table writes and the page takes away.
#[derive(Clone, Default)]
struct Pieces(Rc<RefCell<Vec<u8>>>);

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The rows of one table, a trace or a page, from a run of their own: the bytes that the command line writes.
struct RowsUnderWay {
    file: RunFile,
    /// The address that a page gives for the run.
    link: Option<String>,
    session: Session,
    tables: Tables,
    ran: bool,
    done: bool,
    pieces: Pieces,
}

impl MeasuredDesk {
    fn open(&mut self, query: &RowsQuery, beside: &Beside) -> Result<(), Diagnostics> {
        self.rows = None;
        let scenario = parse(&query.scenario)?;
        let file = RunFile::named(&query.table, &query.format).ok_or_else(|| {
            let found = format!("{} as {}", query.table, query.format);
            vec![Diagnostic::error("", found, "a table and a format", "see docs/reference/output.md")]
        })?;
        let rows = |named| packed_trace(beside.asked.get(named));
        let (session, _) = Session::start_for_rows(scenario, query.trace.map(rows).transpose()?)?;
        let pieces = Pieces::default();
        let out = Box::new(pieces.clone());
        let tables = match file {
            RunFile::Rows(table, format) => {
                Tables::new(&session, vec![Output { table, format, out }], CANDIDATES)
            }
            RunFile::Perfetto => {
                let span = query.span.map(|span| [Micros(span.from_us as u64), Micros(span.to_us as u64)]);
                let trace = TraceOutput { span, most: MOST_SLICES, out };
                Tables::new(&session, Vec::new(), CANDIDATES).with_trace(&session, trace)
            }
            RunFile::Page => Tables::new(&session, Vec::new(), CANDIDATES),
        };
        let link = query.link.clone();
        self.rows = Some(RowsUnderWay { file, link, session, tables, ran: false, done: false, pieces });
        Ok(())
    }
}

impl RowsUnderWay {
    /// Runs on for a while and returns what was written; nothing once all was returned.
    fn next(&mut self, beside: &mut Beside) -> Option<RowPiece> {
        let Self { session, tables, .. } = self;
        if self.done {
            return None;
        }
        let bytes = if self.ran && matches!(self.file, RunFile::Page) {
            self.done = true;
            page(session, self.link.as_deref()).into_bytes()
        } else {
            if self.ran {
                self.done = tables.write_rest(session, REQUESTS_AT_ONCE).expect("memory takes all");
            } else {
                let stop = tables.advance(session, Micros::MAX, EVENTS_AT_ONCE).expect("memory takes all");
                self.ran = stop == Stop::Finished;
            }
            std::mem::take(&mut *self.pieces.0.borrow_mut())
        };
        Some(RowPiece { bytes: beside.answered.add(bytes), now_us: self.session.now().0 })
    }

    /// What a trace holds, if it has no room for all of the run; at its end.
    fn note(&self) -> Option<String> {
        self.tables.held(&self.session).map(|held| held.sentence())
    }
}
