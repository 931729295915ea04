//! The reader of trace files: it takes a file piece by piece, as from a browser or a disk, and keeps at most one
//! unfinished line.

use super::columns::TraceColumns;
use super::csv::Csv;
use super::elements::Elements;
use super::fields::{fields, separator};
use super::foreign;
use super::format::{Format, no_trace};
use super::found::{TraceFound, TraceReading};
use super::jsonl::{Jsonl, bad_json};
use super::named::Names;
use super::row::Bad;
use super::rows::Rows;
use super::{Trace, TraceSummary, validate::validate};
use base::diag::cut;
use base::pointer::pointer;
use base::{Diagnostic, Diagnostics};
use document::limits;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Most bytes of one line: a prompt of a million tokens in blocks of 16 needs less than one.
const LINE_BYTES: usize = 8 * 1024 * 1024;
/// Most bytes of a list in one line, or of an object over several lines.
const DOCUMENT_BYTES: usize = 64 * 1024 * 1024;
/// Most bad lines described; further ones are counted.
const BAD_LINES: u64 = 20;
/// Most names of columns in a message.
const NAMES_TOLD: usize = 20;

/// Reads one trace file.
#[derive(Debug)]
pub struct TraceReader {
    file_name: String,
    max_bytes: u64,
    bytes: u64,
    /// Columns that the user named.
    columns: Option<TraceColumns>,
    /// The first bytes of the file, which identify it if it is not text.
    head: Vec<u8>,
    /// A line without its end so far.
    unfinished: Vec<u8>,
    /// The beginning of a JSON document over several lines, which identifies it.
    document: Option<Document>,
    /// A document of this kind that may be a trace, and the problem of its first line.
    elements: Option<(Elements, Diagnostic)>,
    lines: u64,
    /// Whether the line is the last one and has no end.
    is_last: bool,
    format: Option<Format>,
    rows: Rows,
    bad: Diagnostics,
    bad_lines: u64,
    /// Why reading stopped.
    stopped: Option<Diagnostic>,
}

/// The beginning of a JSON document over several lines.
#[derive(Debug)]
struct Document {
    lines: Vec<(u64, String)>,
    bytes: usize,
    /// The problem of its first line.
    first: Diagnostic,
}

impl TraceReader {
    /// A reader for the file `file_name`, which is only used in messages; more than `max_bytes` are refused.
    pub fn new(file_name: &str, max_bytes: u64) -> Self {
        Self {
            file_name: file_name.to_owned(),
            max_bytes,
            bytes: 0,
            columns: None,
            head: Vec::new(),
            unfinished: Vec::new(),
            document: None,
            elements: None,
            lines: 0,
            is_last: false,
            format: None,
            rows: Rows::default(),
            bad: Diagnostics::new(),
            bad_lines: 0,
            stopped: None,
        }
    }

    /// The reader, for a file whose columns or keys the user named.
    #[must_use]
    pub fn with_columns(mut self, columns: TraceColumns) -> Self {
        self.columns = Some(columns);
        self
    }

    /// Takes the next bytes of the file; pieces may end anywhere.
    pub fn push(&mut self, piece: &[u8]) {
        if self.stopped.is_some() {
            return;
        }
        self.bytes += piece.len() as u64;
        if self.bytes > self.max_bytes {
            let allowed = format!("at most {} MiB", self.max_bytes >> 20);
            let advice = self.how_to_cut();
            self.stop("more bytes than the limit".to_owned(), &allowed, &advice);
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
        if self.unfinished.len() > LINE_BYTES && !self.may_be_long() {
            self.stop(
                format!("line {} is longer than 8 MiB", self.lines + 1),
                "one request per line",
                "check that this is a trace",
            );
        }
    }

    /// Whether the unfinished line is a list, an export of spans or a whole session, which are longer than requests.
    fn may_be_long(&self) -> bool {
        let start = &self.unfinished[..self.unfinished.len().min(foreign::LOOKED_AT)];
        let is_export = start
            .iter()
            .take(100)
            .copied()
            .collect::<Vec<u8>>()
            .windows(13)
            .any(|part| part == b"resourceSpans");
        let is_session = match &self.format {
            Some(format) => matches!(format, Format::Weka | Format::Copilot),
            None => Format::of_sessions(&String::from_utf8_lossy(start)).is_some(),
        };
        let is_list = start.trim_ascii_start().starts_with(b"[");
        self.unfinished.len() <= DOCUMENT_BYTES && (is_list || is_export || is_session)
    }

    /// Whether the file is already refused, so that the rest need not be read.
    pub fn has_failed(&self) -> bool {
        self.stopped.is_some()
    }

    /// The trace and its summary, or neither if any of the diagnostics is an error.
    pub fn finish(self) -> (Option<Arc<Trace>>, Diagnostics, Option<TraceSummary>) {
        let TraceReading { trace, diagnostics, summary, .. } = self.finish_reading();
        (trace, diagnostics, summary)
    }

    /// The same, with what was found in the file.
    pub fn finish_reading(mut self) -> TraceReading {
        if !self.unfinished.is_empty() && self.stopped.is_none() {
            let line = std::mem::take(&mut self.unfinished);
            self.is_last = true;
            self.line(&line);
        }
        self.end_document();
        self.end_elements();
        let found = self.format.as_ref().map(|format| TraceFound::of(format, &self.rows, self.lines));
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
            return TraceReading { trace: None, diagnostics: all, summary: None, found };
        }
        let (trace, diagnostics, summary) = validate(&self.file_name, self.format.as_ref(), self.rows);
        TraceReading { trace, diagnostics, summary, found }
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

    /// Begins a document over several lines, whose first line is a problem if it is none.
    fn begin_document(&mut self, line: &str, first: Diagnostic) {
        self.document = Some(Document { lines: Vec::new(), bytes: 0, first });
        self.more_of_document(line);
    }

    /// Collects lines of a document over several lines, until it can be identified.
    fn more_of_document(&mut self, line: &str) {
        if let Some(document) = &mut self.document {
            document.bytes += line.len() + 1;
            document.lines.push((self.lines, line.to_owned()));
            if document.bytes >= foreign::LOOKED_AT {
                self.end_document();
            }
        }
    }

    /// Reports the kind of a document over several lines, or reads its objects from now on.
    fn end_document(&mut self) {
        let Some(Document { lines, first, .. }) = self.document.take() else { return };
        let text: Vec<&str> = lines.iter().map(|(_, line)| line.as_str()).collect();
        if let Some((what, fix)) = foreign::document(&text.join("\n")) {
            self.stop_foreign(&format!("is not read as a trace: it is {what}"), fix);
            return;
        }
        self.elements = Some((Elements::default(), first));
        for (number, line) in &lines {
            self.more_of_elements(line, *number);
        }
    }

    /// Reads the objects that end in a line.
    fn more_of_elements(&mut self, line: &str, number: u64) {
        let Some((mut elements, first)) = self.elements.take() else { return };
        let split = elements.line(line, number, |object, began| {
            if self.stopped.is_none() {
                self.object(object, began);
            }
        });
        if self.stopped.is_some() {
            return;
        }
        if split.is_err() {
            self.stopped = Some(first);
        } else if elements.held() > DOCUMENT_BYTES {
            let found = format!("an object of more than 64 MiB that ends after line {number}");
            self.stop(found, "one request in an object", "check that this is a trace");
        } else {
            self.elements = Some((elements, first));
        }
    }

    /// Reports a document that ends too early.
    fn end_elements(&mut self) {
        let Some((elements, first)) = self.elements.take() else { return };
        if elements.is_open() || self.format.is_none() {
            self.stopped = Some(first);
        }
    }

    /// Takes one object of a document.
    fn object(&mut self, object: &str, line: u64) {
        self.rows.line = line;
        if self.format.is_none() {
            match self.format_of(object) {
                Ok(Some(format)) => self.format = Some(format),
                Ok(None) => return self.stop_unknown(object),
                Err(bad) => return self.stopped = Some(bad.at_line(line)),
            }
        }
        self.row(object);
    }

    /// How to make a trace of the lines that were read, which are few enough.
    fn how_to_cut(&self) -> String {
        let least = 10_u64.pow(self.lines.checked_ilog10().unwrap_or(0));
        let lines = self.lines / least * least;
        if lines < 2 {
            return "split the document, and read one part".to_owned();
        }
        format!(
            "keep its first part: head -n {lines} FILE > PART, of a packed file zcat FILE | head -n {lines} > PART"
        )
    }

    /// Reads the rows of a line.
    fn row(&mut self, line: &str) {
        if let Some(Err(bad)) = self.format.as_ref().map(|format| format.read(line, &mut self.rows)) {
            self.bad_line(bad);
        }
        if self.rows.len() as u64 > limits::REQUESTS {
            let advice = self.how_to_cut();
            self.stop("more than 5,000,000 requests".to_owned(), "at most 5,000,000", &advice);
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
        let trimmed = line.trim();
        if trimmed.is_empty() {
            return;
        }
        let is_json = trimmed.starts_with(['{', '[']) || self.document.is_some() || self.elements.is_some();
        // Tabs at the ends of a table's line are empty fields.
        let line =
            if is_json { trimmed } else { line.trim_matches(|c: char| c.is_whitespace() && c != '\t') };
        if self.document.is_some() {
            self.more_of_document(line);
            return;
        }
        let comment = line.starts_with('#') && !matches!(self.format, Some(Format::Csv(_)));
        if comment {
            return;
        }
        self.rows.line = self.lines;
        if self.elements.is_some() {
            self.more_of_elements(line, self.lines);
        } else if self.format.is_some() {
            self.row(line);
        } else {
            self.first_line(line);
        }
    }

    /// Determines the format from the first line that is not empty.
    fn first_line(&mut self, line: &str) {
        if let Some(pointer) = pointer(line) {
            self.stopped = Some(Diagnostic { path: self.file_name.clone(), ..pointer });
        } else if line.starts_with('[') {
            let what = "is not a trace: it is a JSON array of something other than requests";
            let array = no_trace(&self.file_name, what, "write each request as an object");
            self.begin_document(line, array);
        } else if line.starts_with('{') {
            match self.format_of(line) {
                Ok(Some(format)) => {
                    self.format = Some(format);
                    self.row(line);
                }
                Ok(None) => self.stop_unknown(line),
                // The first line of a document over several lines.
                Err(bad) => self.begin_document(line, bad.at_line(self.lines)),
            }
        } else {
            self.header(line);
        }
    }

    /// Determines the format from the header of a table.
    fn header(&mut self, line: &str) {
        let columns = fields(line, separator(line));
        let names: Vec<&str> = columns.iter().map(|name| &**name).collect();
        if self.misses(&names) {
            return;
        }
        let Some(csv) = Csv::detect(line, self.columns.as_ref()) else { return self.stop_unknown(line) };
        match csv.repeated(line) {
            Some(column) => self.stop(
                format!("two columns called {column:?}"),
                "each column once",
                "remove or rename the wrong one",
            ),
            None => self.format = Some(Format::Csv(csv)),
        }
    }

    /// The format of a file whose first object this is; none if it is unknown, and a problem if it is no object.
    fn format_of(&mut self, line: &str) -> Result<Option<Format>, Bad> {
        if self.columns.is_none() {
            if let Some(sessions) = Format::of_sessions(line).filter(|_| line.ends_with('}')) {
                return Ok(Some(sessions));
            }
            let known = Jsonl::detect(line)?.map(Format::Jsonl);
            if let Some(known) = known.or_else(|| Format::special(line)) {
                return Ok(Some(known));
            }
        }
        let object: Map<String, Value> = serde_json::from_str(line).map_err(|e| bad_json(&e))?;
        let names: Vec<&str> = object.keys().map(String::as_str).collect();
        if self.columns.is_none() && foreign::document(line).is_some() || self.misses(&names) {
            return Ok(None);
        }
        Ok(Names::among(&names, self.columns.as_ref()).map(Format::Named))
    }

    /// Whether the file lacks columns that the user named; then it is refused.
    fn misses(&mut self, names: &[&str]) -> bool {
        let missing = self.columns.iter().flat_map(|c| c.missing(names)).map(|name| format!("{name:?}"));
        let missing: Vec<String> = missing.collect();
        if missing.is_empty() {
            return false;
        }
        let found = format!("no column {}", missing.join(", "));
        let fix = "name columns of the file, such as arrival:ms=t,prompt=in,output=out";
        self.stop(found, &told(names), fix);
        true
    }

    fn bad_line(&mut self, bad: Bad) {
        if bad.of_the_file {
            self.stopped = Some(bad.at_line(self.rows.line));
            return;
        }
        if self.is_last && bad.is_cut && self.rows.len() > 0 && self.bad_lines == 0 {
            self.rows.left_out.cut_off.add(self.lines);
            return;
        }
        self.bad_lines += 1;
        if self.bad_lines <= BAD_LINES {
            self.bad.push(bad.at_line(self.rows.line));
        }
    }

    fn stop_unknown(&mut self, line: &str) {
        if let Some((what, fix)) = foreign::first_line(line) {
            self.stop_foreign(&format!("is not read as a trace: it is {what}"), fix);
            return;
        }
        if self.stopped.is_some() {
            return;
        }
        let start: String = line.chars().take(80).collect();
        let fix = "name its columns with --columns arrival=…,prompt=…,output=…, or rename them: an arrival (arrived_at, in \
                   seconds), the tokens of the prompt (num_prefill_tokens) and those of the answer (num_decode_tokens) are needed";
        let object: Option<Map<String, Value>> = serde_json::from_str(line).ok();
        let fields = fields(line, separator(line));
        let names: Vec<&str> = match &object {
            Some(object) => object.keys().map(String::as_str).collect(),
            None => fields.iter().map(|name| &**name).collect(),
        };
        let columns =
            if names.len() > 1 { format!(", with the columns {}", told(&names)) } else { String::new() };
        self.stop_foreign(&format!("is not a trace: line {} is {start:?}{columns}", self.rows.line), fix);
    }

    fn stop_binary(&mut self) {
        let what = format!("is not a trace: it is a binary file (near line {})", self.lines);
        self.stop_foreign(&what, "choose the trace itself, as text in UTF-8");
    }

    fn stop_foreign(&mut self, why: &str, fix: &str) {
        self.stopped = Some(no_trace(&self.file_name, why, fix));
    }

    fn stop(&mut self, found: String, allowed: &str, fix: &str) {
        self.stopped = Some(Diagnostic::error(self.file_name.clone(), found, allowed, fix));
    }
}

/// Names in a message.
fn told(names: &[&str]) -> String {
    let mut few: Vec<String> = names.iter().take(NAMES_TOLD).map(|name| cut(name, 40).into_owned()).collect();
    if names.len() > NAMES_TOLD {
        few.push(format!("and {} more", names.len() - NAMES_TOLD));
    }
    few.join(", ")
}
