//! The reader of trace files: it takes a file piece by piece, as from a browser or a disk, and keeps at most one
//! unfinished line.

use super::csv::Csv;
use super::foreign;
use super::jsonl::Jsonl;
use super::named::Names;
use super::rows::{Bad, Row, Rows};
use super::{Trace, TraceSummary, validate::validate};
use crate::base::pointer::pointer;
use crate::base::{Diagnostic, Diagnostics};
use crate::scenario::limits;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Most bytes of one line: a prompt of a million tokens in blocks of 16 needs less than one.
const LINE_BYTES: usize = 8 * 1024 * 1024;
/// Most bad lines described; further ones are counted.
const BAD_LINES: u64 = 20;
/// Reads one trace file.
#[derive(Debug)]
pub struct TraceReader {
    file_name: String,
    max_bytes: u64,
    bytes: u64,
    /// The first bytes of the file, which identify it if it is not text.
    head: Vec<u8>,
    /// A line without its end so far.
    unfinished: Vec<u8>,
    /// The beginning of a JSON document over several lines, which identifies it, and the problem of its first line.
    document: Option<(String, Diagnostic)>,
    lines: u64,
    format: Option<Format>,
    rows: Rows,
    bad: Diagnostics,
    bad_lines: u64,
    /// Why reading stopped.
    stopped: Option<Diagnostic>,
}

/// The format of a file, once its first line has been seen.
#[derive(Clone, Debug)]
pub(super) enum Format {
    Csv(Csv),
    Jsonl(Jsonl),
    /// JSON lines with recognised names.
    Named(Names),
}

impl Format {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Csv(csv) => csv.name,
            Self::Jsonl(jsonl) => jsonl.name(),
            Self::Named(_) => "JSON lines",
        }
    }

    /// The names that were recognised, if the format is unknown.
    pub(super) fn names(&self) -> Option<&Names> {
        match self {
            Self::Csv(csv) => csv.names.as_ref(),
            Self::Jsonl(_) => None,
            Self::Named(names) => Some(names),
        }
    }

    /// Microseconds in the unit of its instants; `None` for dates.
    pub(super) fn unit_us(&self) -> Option<f64> {
        match self {
            Self::Csv(csv) => csv.unit_us(),
            Self::Jsonl(jsonl) => Some(jsonl.unit_us()),
            Self::Named(names) => Some(names.unit_us.unwrap_or(1e6)),
        }
    }

    fn row<'a>(&self, line: &'a str) -> Result<Row<'a>, Bad> {
        match self {
            Self::Csv(csv) => csv.row(line),
            Self::Jsonl(jsonl) => jsonl.row(line),
            Self::Named(names) => names.row(line),
        }
    }
}

impl TraceReader {
    /// A reader for the file `file_name`, which is only used in messages; more than `max_bytes` are refused.
    pub fn new(file_name: &str, max_bytes: u64) -> Self {
        Self {
            file_name: file_name.to_owned(),
            max_bytes,
            bytes: 0,
            head: Vec::new(),
            unfinished: Vec::new(),
            document: None,
            lines: 0,
            format: None,
            rows: Rows::default(),
            bad: Diagnostics::new(),
            bad_lines: 0,
            stopped: None,
        }
    }

    /// Takes the next bytes of the file; pieces may end anywhere.
    pub fn push(&mut self, piece: &[u8]) {
        if self.stopped.is_some() {
            return;
        }
        self.bytes += piece.len() as u64;
        if self.bytes > self.max_bytes {
            let allowed = format!("at most {} MiB", self.max_bytes >> 20);
            self.stop("more bytes than the limit".to_owned(), &allowed, "cut a time window out of the trace");
            return;
        }
        self.look_at_head(piece);
        if self.stopped.is_some() {
            return;
        }
        let mut rest = piece;
        while let Some(end) = rest.iter().position(|&b| b == b'\n') {
            if self.unfinished.is_empty() {
                self.line(&rest[..end]);
            } else {
                let mut line = std::mem::take(&mut self.unfinished);
                line.extend_from_slice(&rest[..end]);
                self.line(&line);
            }
            rest = &rest[end + 1..];
            if self.stopped.is_some() {
                return;
            }
        }
        if rest.contains(&0) {
            self.lines += 1;
            self.stop_binary();
            return;
        }
        self.unfinished.extend_from_slice(rest);
        if self.unfinished.len() > LINE_BYTES {
            self.stop(
                format!("line {} is longer than 8 MiB", self.lines + 1),
                "one request per line",
                "check that this is a trace",
            );
        }
    }

    /// Whether the file is already refused, so that the rest need not be read.
    pub fn has_failed(&self) -> bool {
        self.stopped.is_some()
    }

    /// The trace and its summary, or neither if any of the diagnostics is an error.
    pub fn finish(mut self) -> (Option<Arc<Trace>>, Diagnostics, Option<TraceSummary>) {
        if !self.unfinished.is_empty() && self.stopped.is_none() {
            let line = std::mem::take(&mut self.unfinished);
            self.line(&line);
        }
        self.end_document();
        let mut all = self.bad;
        if self.bad_lines > BAD_LINES {
            let more = self.bad_lines - BAD_LINES;
            all.push(Diagnostic::error("", format!("and {more} more bad lines"), "", ""));
        }
        if let Some(stopped) = self.stopped {
            // The reason for stopping comes first: bad lines are mostly a consequence.
            all.insert(0, stopped);
        }
        if !all.is_empty() {
            return (None, all, None);
        }
        validate(&self.file_name, self.format.as_ref(), self.rows)
    }

    /// Refuses files that are not text by their first bytes.
    fn look_at_head(&mut self, piece: &[u8]) {
        if self.head.len() < foreign::MAGIC_BYTES {
            self.head.extend(piece.iter().take(foreign::MAGIC_BYTES - self.head.len()));
            if let Some((what, fix)) = foreign::magic(&self.head) {
                self.stop_foreign(&format!("is not a trace: it is {what}"), fix);
            }
        }
    }

    /// Collects lines of a document over several lines, until it can be identified.
    fn more_of_document(&mut self, line: &str) {
        if let Some((text, _)) = &mut self.document {
            text.push('\n');
            text.push_str(line);
            if text.len() >= foreign::LOOKED_AT {
                self.end_document();
            }
        }
    }

    /// Reports the kind of a document over several lines.
    fn end_document(&mut self) {
        let Some((text, first)) = self.document.take() else { return };
        match foreign::document(&text) {
            Some((what, fix)) => self.stop_foreign(&format!("is not read as a trace: it is {what}"), fix),
            None => self.stopped = Some(first),
        }
    }

    /// Takes one line, without its end.
    fn line(&mut self, line: &[u8]) {
        self.lines += 1;
        // A byte that text never contains.
        if line.contains(&0) {
            self.stop_binary();
            return;
        }
        let line = if self.lines == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        let Ok(line) = std::str::from_utf8(line) else {
            self.stop_binary();
            return;
        };
        let line = line.trim();
        if line.is_empty() {
            return;
        }
        if self.document.is_some() {
            self.more_of_document(line);
            return;
        }
        let comment = line.starts_with('#') && !matches!(self.format, Some(Format::Csv(_)));
        if comment {
            return;
        }
        let Some(format) = &self.format else {
            self.first_line(line);
            return;
        };
        self.rows.line = self.lines;
        if let Err(bad) = format.row(line).and_then(|row| self.rows.push(&row)) {
            self.bad_line(bad);
        }
        if self.rows.len() as u64 > limits::REQUESTS {
            self.stop(
                "more than 5,000,000 requests".to_owned(),
                "at most 5,000,000",
                "cut a time window out of the trace",
            );
        }
    }

    /// Determines the format from the first line that is not empty.
    fn first_line(&mut self, line: &str) {
        if let Some(pointer) = pointer(line) {
            self.stopped = Some(Diagnostic { path: self.file_name.clone(), ..pointer });
        } else if line.starts_with('[') {
            let what = "is not a trace: it is a JSON array, and one JSON object per line is read";
            let array = foreign::no_trace(&self.file_name, what, "write each element on a line");
            self.document = Some((String::new(), array));
            self.more_of_document(line);
        } else if line.starts_with('{') {
            self.first_object(line);
        } else {
            match Csv::detect(line) {
                Some(csv) => match csv.repeated(line) {
                    Some(column) => self.stop(
                        format!("two columns called {column:?}"),
                        "each column once",
                        "remove or rename the wrong one",
                    ),
                    None => self.format = Some(Format::Csv(csv)),
                },
                None => self.stop_unknown(line),
            }
        }
    }

    /// Determines the format from the first object.
    fn first_object(&mut self, line: &str) {
        let format = match Jsonl::detect(line) {
            Ok(Some(jsonl)) => Some(Format::Jsonl(jsonl)),
            Ok(None) => None,
            Err(bad) => {
                // The first line of a document over several lines, or of an object with unknown keys.
                self.document = Some((String::new(), bad.at_line(self.lines)));
                self.more_of_document(line);
                return;
            }
        };
        let named = || {
            let object: Map<String, Value> = serde_json::from_str(line).ok()?;
            let names: Vec<&str> = object.keys().map(String::as_str).collect();
            Names::among(&names).map(Format::Named)
        };
        match format.or_else(named) {
            Some(format) => {
                self.rows.line = self.lines;
                let row = format.row(line);
                self.format = Some(format);
                if let Err(bad) = row.and_then(|row| self.rows.push(&row)) {
                    self.bad_line(bad);
                }
            }
            None => self.stop_unknown(line),
        }
    }

    fn bad_line(&mut self, bad: Bad) {
        if bad.of_the_file {
            self.stopped = Some(bad.at_line(self.lines));
            return;
        }
        self.bad_lines += 1;
        if self.bad_lines <= BAD_LINES {
            self.bad.push(bad.at_line(self.lines));
        }
    }

    fn stop_unknown(&mut self, line: &str) {
        if let Some((what, fix)) = foreign::first_line(line) {
            self.stop_foreign(&format!("is not read as a trace: it is {what}"), fix);
            return;
        }
        let start: String = line.chars().take(80).collect();
        let fix = "rename its columns or keys: an arrival (arrived_at, in seconds), the tokens of the prompt (num_prefill_tokens) and \
                   those of the answer (num_decode_tokens) are needed";
        self.stop_foreign(&format!("is not a trace: line {} is {start:?}", self.lines), fix);
    }

    fn stop_binary(&mut self) {
        let what = format!("is not a trace: it is a binary file (near line {})", self.lines);
        self.stop_foreign(&what, "choose the trace itself, as text in UTF-8");
    }

    fn stop_foreign(&mut self, why: &str, fix: &str) {
        self.stopped = Some(foreign::no_trace(&self.file_name, why, fix));
    }

    fn stop(&mut self, found: String, allowed: &str, fix: &str) {
        self.stopped = Some(Diagnostic::error(self.file_name.clone(), found, allowed, fix));
    }
}
