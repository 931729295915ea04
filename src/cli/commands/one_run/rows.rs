//! Files of rows that a run writes in addition to its report.

use crate::args::rows::Rows;
use crate::failed::Failed;
use crate::files::outputs::Outputs;
use crate::print::{refused, tell, unreadable};
use base::{Diagnostic, Micros};
use export::{
    Format, MOST_SLICES, MOST_VALUES, MetricsOutput, Output, Table, TableError, Tables, TraceOutput, Written,
    page,
};
use flate2::Compression;
use flate2::write::GzEncoder;
use run::session::{Session, Stop, no_rows};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Requests between two checks whether the file still accepts rows.
const AT_ONCE: u32 = 4096;

/// The requested files, not yet opened.
pub(crate) struct RowFiles {
    files: Vec<(Table, Format, PathBuf)>,
    candidates: u32,
    trace: Option<TraceFile>,
    /// The requested metrics, and the instant at which the run starts there.
    metrics: Option<(PathBuf, u64)>,
    page: Option<PathBuf>,
    gaps: bool,
}

/// The requested trace for Perfetto.
struct TraceFile {
    path: PathBuf,
    span: Option<[Micros; 2]>,
}

impl RowFiles {
    /// No files of rows.
    pub(crate) fn none() -> Self {
        Self { files: Vec::new(), candidates: 1, trace: None, metrics: None, page: None, gaps: false }
    }

    /// The files that the arguments request. Reports all names that cannot be used.
    pub(crate) fn of(args: &Rows) -> Result<Self, Failed> {
        let asked = [
            (Table::Requests, &args.requests),
            (Table::Decisions, &args.decisions),
            (Table::Events, &args.events),
            (Table::Series, &args.series),
            (Table::Scaling, &args.scaling),
        ];
        let (mut found, mut failed) =
            (Self { candidates: args.decisions_k, gaps: args.itl, ..Self::none() }, None);
        let mut outputs = Outputs::beside([]);
        for (table, path) in asked {
            let Some(path) = path else { continue };
            match outputs.add(path).and_then(|()| format_of(path)) {
                Ok(format) => found.files.push((table, format, path.clone())),
                Err(problem) => failed = Some(refused(&format!("--{}", table.name()), &[problem])),
            }
        }
        if let Some(path) = &args.perfetto {
            let span = args.perfetto_span.as_deref().map(span).transpose();
            match outputs
                .add(path)
                .map_err(|e| ("--perfetto", e))
                .and(span.map_err(|e| ("--perfetto-span", e)))
            {
                Ok(span) => found.trace = Some(TraceFile { path: path.clone(), span }),
                Err((option, problem)) => failed = Some(refused(option, &[problem])),
            }
        }
        let start_s = args.openmetrics_start;
        let plain = [("--html", &args.html), ("--openmetrics", &args.openmetrics)];
        for (option, path) in plain.into_iter().filter_map(|(option, path)| Some((option, path.as_ref()?))) {
            match outputs.add(path) {
                Ok(()) if option == "--html" => found.page = Some(path.clone()),
                Ok(()) => found.metrics = Some((path.clone(), start_s)),
                Err(problem) => failed = Some(refused(option, &[problem])),
            }
        }
        failed.map_or(Ok(found), Err)
    }

    /// The name of each file of rows, and where it is.
    fn named(&self) -> Vec<(Written, &PathBuf)> {
        let tables = self.files.iter().map(|(table, _, path)| (Written::Table(*table), path));
        let trace = self.trace.as_ref().map(|trace| (Written::Trace, &trace.path));
        let metrics = self.metrics.as_ref().map(|(path, _)| (Written::Metrics, path));
        tables.chain(trace).chain(metrics).collect()
    }

    /// Writes the page of a run that is over.
    pub(crate) fn write_page(&self, session: &Session, link: Option<&str>) -> Result<(), Failed> {
        let Some(path) = &self.page else { return Ok(()) };
        std::fs::write(path, page(session, link)).map_err(|e| unreadable(&path.display(), &e))
    }

    /// Refuses files that the run reads.
    pub(crate) fn keep_apart(&self, read: Vec<PathBuf>) -> Result<(), Failed> {
        let rows = self.named().into_iter().map(|(file, path)| (format!("--{}", file.name()), path.clone()));
        let page = self.page.iter().map(|path| ("--html".to_owned(), path.clone()));
        let named: Vec<(String, PathBuf)> = rows.chain(page).collect();
        Outputs::beside(read).add_all(named.iter().map(|(option, path)| (option.as_str(), path.clone())))
    }

    /// The first option for what looks at single requests.
    fn asks_for_requests(&self) -> Option<&'static str> {
        let of_table = |(table, ..): &(Table, Format, PathBuf)| match table {
            Table::Requests => Some("--requests"),
            Table::Decisions => Some("--decisions"),
            Table::Events => Some("--events"),
            Table::Series | Table::Scaling => None,
        };
        let others = [
            ("--perfetto", self.trace.is_some()),
            ("--openmetrics", self.metrics.is_some()),
            ("--html", self.page.is_some()),
        ];
        let others = others.into_iter().filter(|(_, asked)| *asked).map(|(option, _)| option);
        self.files.iter().find_map(of_table).or_else(|| others.into_iter().next())
    }

    /// Opens the files for a run that is about to begin.
    pub(crate) fn open(&self, session: &mut Session) -> Result<RowsUnderWay<'_>, Failed> {
        if let Some(option) = self.asks_for_requests().filter(|_| !session.keeps_rows()) {
            return Err(refused(option, &[no_rows()]));
        }
        if self.gaps {
            session.keep_gaps();
        }
        if let Some(path) = &self.page {
            File::create(path).map_err(|e| unreadable(&path.display(), &e))?;
        }
        let mut outputs = Vec::new();
        for (table, format, path) in &self.files {
            let file = File::create(path).map_err(|e| unreadable(&path.display(), &e))?;
            outputs.push(Output { table: *table, format: *format, out: Box::new(file) });
        }
        let trace = self.trace.as_ref().map(TraceFile::open).transpose()?;
        let metrics = self.metrics.as_ref().map(metrics_file).transpose()?;
        let any = !outputs.is_empty() || trace.is_some() || metrics.is_some();
        let tables = any.then(|| {
            let tables = Tables::new(session, outputs, self.candidates);
            let tables = trace.into_iter().fold(tables, |tables, trace| tables.with_trace(session, trace));
            metrics.into_iter().fold(tables, |tables, metrics| tables.with_metrics(session, metrics))
        });
        Ok(RowsUnderWay { files: self, tables })
    }
}

fn metrics_file((path, start_s): &(PathBuf, u64)) -> Result<MetricsOutput, Failed> {
    let file = File::create(path).map_err(|e| unreadable(&path.display(), &e))?;
    Ok(MetricsOutput { start_s: *start_s, most: MOST_VALUES, out: Box::new(file) })
}

impl TraceFile {
    fn open(&self) -> Result<TraceOutput, Failed> {
        let file = File::create(&self.path).map_err(|e| unreadable(&self.path.display(), &e))?;
        let compressed = self.path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gz"));
        let out: Box<dyn Write> = if compressed {
            Box::new(Gzip(GzEncoder::new(file, Compression::default())))
        } else {
            Box::new(file)
        };
        Ok(TraceOutput { span: self.span, most: MOST_SLICES, out })
    }
}

/// A compressed file, which ends when it is flushed.
struct Gzip(GzEncoder<File>);

impl Write for Gzip {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.try_finish()
    }
}

/// Two instants in seconds, such as `60-90`; either can be left out.
fn span(text: &str) -> Result<[Micros; 2], Diagnostic> {
    let wrong = || {
        let allowed = "two instants in seconds, the earlier first, such as 60-90";
        Diagnostic::error("", text, allowed, "either can be left out: 60- goes to the end")
    };
    let (from, to) = text.split_once('-').ok_or_else(wrong)?;
    let instant = |text: &str, left_out: Micros| match text.trim() {
        "" => Ok(left_out),
        text => {
            let seconds = text.parse::<f64>().ok().filter(|s| (0.0..1e12).contains(s));
            seconds.map(|s| Micros((s * 1e6).round() as u64)).ok_or_else(wrong)
        }
    };
    let span = [instant(from, Micros::ZERO)?, instant(to, Micros::MAX)?];
    if span[0] < span[1] { Ok(span) } else { Err(wrong()) }
}

/// The format by the extension of a name.
fn format_of(path: &Path) -> Result<Format, Diagnostic> {
    let shown = path.display().to_string();
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    let known = Format::ALL.into_iter().find(|f| extension.as_deref() == Some(f.extension()));
    known.ok_or_else(|| {
        let fix = "its extension selects the format: CSV, or a JSON object on each line";
        Diagnostic::error("", shown, "a file name that ends in .csv or .jsonl", fix)
    })
}

/// The files of a run that has begun.
pub(crate) struct RowsUnderWay<'a> {
    files: &'a RowFiles,
    tables: Option<Tables>,
}

impl RowsUnderWay<'_> {
    /// Whether there are any.
    pub(crate) fn any(&self) -> bool {
        self.tables.is_some()
    }

    /// Runs at most `max_events` events, and writes the rows that follow from them.
    pub(crate) fn advance(&mut self, session: &mut Session, max_events: u64) -> Result<Stop, Failed> {
        match &mut self.tables {
            None => Ok(session.advance(Micros::MAX, max_events)),
            Some(tables) => {
                tables.advance(session, Micros::MAX, max_events).map_err(|e| failed(self.files, &e))
            }
        }
    }

    /// Writes what is known only at the end.
    pub(crate) fn finish(&mut self, session: &Session) -> Result<(), Failed> {
        let Some(tables) = &mut self.tables else { return Ok(()) };
        while !tables.write_rest(session, AT_ONCE).map_err(|e| failed(self.files, &e))? {}
        if session.lost_gaps() {
            tell(&"note: --itl: later requests have no gaps, because a run keeps 10,000,000 of them");
        }
        if let Some(step_s) = tables.metrics_step_s() {
            tell(&format!(
                "note: --openmetrics: a sample every {step_s} s, not every 15 s, because a file has at most \
                10,000,000 values"
            ));
        }
        if let Some(held) = tables.held(session) {
            let (from, to) = (held.to.as_secs(), held.asked_to.as_secs());
            tell(&format!("note: --perfetto: {} The rest: --perfetto-span {from}-{to}", held.sentence()));
        }
        Ok(())
    }
}

fn failed(files: &RowFiles, e: &TableError) -> Failed {
    match files.named().into_iter().find(|(file, _)| *file == e.file) {
        Some((_, path)) => unreadable(&path.display(), &e.error),
        None => unreadable(&e.file.name(), &e.error),
    }
}
