//! Takes a trace file piece by piece, as a browser or a disk hands it out, and keeps one unfinished line at most.

use super::csv::Csv;
use super::jsonl::Jsonl;
use super::rows::{Bad, Row, Rows};
use super::{Trace, TraceSummary, validate::validate};
use crate::base::{Diagnostic, Diagnostics};
use crate::scenario::limits;
use std::sync::Arc;

/// Most bytes of one line: a prompt of a million tokens in blocks of 16 needs less than one.
const LINE_BYTES: usize = 8 * 1024 * 1024;
/// Most bad lines that are described; the rest is counted.
const BAD_LINES: u64 = 20;
/// Ends the message about a format that is not known.
pub(super) const FORMATS: &str = "Azure (CSV: TIMESTAMP,ContextTokens,GeneratedTokens), BurstGPT (CSV: Timestamp,…,\
    Request tokens,Response tokens), Vidur (CSV: arrived_at,num_prefill_tokens,num_decode_tokens), Mooncake and \
    Qwen-Bailian (JSON lines: timestamp,input_length,output_length,hash_ids), RouteSim (JSON lines: \
    ts,prompt_tokens,gen_tokens)";

/// Reads one trace file.
#[derive(Debug)]
pub struct TraceReader {
    file_name: String,
    max_bytes: u64,
    bytes: u64,
    /// The first bytes of the file, which tell what it is if it is not text.
    head: Vec<u8>,
    /// A line whose end has not come yet.
    unfinished: Vec<u8>,
    lines: u64,
    format: Option<Format>,
    rows: Rows,
    bad: Diagnostics,
    bad_lines: u64,
    /// Why reading was given up.
    stopped: Option<Diagnostic>,
}

/// The format of a file, once its first line has been seen.
#[derive(Clone, Debug)]
pub(super) enum Format {
    Csv(Csv),
    Jsonl(Jsonl),
}

impl Format {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Csv(csv) => csv.name,
            Self::Jsonl(jsonl) => jsonl.name(),
        }
    }

    fn row(&self, line: &str) -> Result<Row, Bad> {
        match self {
            Self::Csv(csv) => csv.row(line),
            Self::Jsonl(jsonl) => jsonl.row(line),
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
            self.stop("more bytes than are taken".to_owned(), &allowed, "cut a time window out of the trace");
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

    /// Whether the file is refused already, so that the rest of it need not be read.
    pub fn has_failed(&self) -> bool {
        self.stopped.is_some()
    }

    /// The trace and its summary, or neither if any of the diagnostics is an error.
    pub fn finish(mut self) -> (Option<Arc<Trace>>, Diagnostics, Option<TraceSummary>) {
        if !self.unfinished.is_empty() && self.stopped.is_none() {
            let line = std::mem::take(&mut self.unfinished);
            self.line(&line);
        }
        let mut all = self.bad;
        if self.bad_lines > BAD_LINES {
            let more = self.bad_lines - BAD_LINES;
            all.push(Diagnostic::error("", format!("and {more} more bad lines"), "", ""));
        }
        if let Some(stopped) = self.stopped {
            // Why the file was given up comes first: the bad lines are mostly a consequence.
            all.insert(0, stopped);
        }
        if !all.is_empty() {
            return (None, all, None);
        }
        validate(&self.file_name, self.format.as_ref(), self.rows)
    }

    /// Refuses compressed files by their first two bytes.
    fn look_at_head(&mut self, piece: &[u8]) {
        if self.head.len() < 2 {
            self.head.extend(piece.iter().take(2 - self.head.len()));
            if self.head == [0x1f, 0x8b] {
                self.stop(
                    "a gzip-compressed file".to_owned(),
                    "text",
                    "unpack it first, for example with gunzip",
                );
            }
        }
    }

    /// Takes one line, without its end.
    fn line(&mut self, line: &[u8]) {
        self.lines += 1;
        // A byte that no text has.
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
        let comment = line.starts_with('#') && !matches!(self.format, Some(Format::Csv(_)));
        if comment {
            return;
        }
        let Some(format) = &self.format else {
            self.first_line(line);
            return;
        };
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

    /// Finds out the format from the first line that is not empty.
    fn first_line(&mut self, line: &str) {
        if line.starts_with('[') {
            self.stop("a JSON array".to_owned(), "one JSON object per line", "write each element on a line");
            return;
        }
        if !line.starts_with('{') {
            match Csv::detect(line) {
                Some(csv) => match csv.repeated(line) {
                    Some(column) => self.stop(
                        format!("two columns called {column:?}"),
                        "each column once",
                        "remove or rename the one that is not meant",
                    ),
                    None => self.format = Some(Format::Csv(csv)),
                },
                None if line.contains("num_prefill_tokens") => self.stop(
                    "lengths without arrival times".to_owned(),
                    "a trace with a column arrived_at",
                    "add arrival times, or describe a client in the scenario instead",
                ),
                None => self.stop_unknown(line),
            }
            return;
        }
        match Jsonl::detect(line) {
            Ok(Some(jsonl)) => {
                self.format = Some(Format::Jsonl(jsonl));
                if let Err(bad) = jsonl.row(line).and_then(|row| self.rows.push(&row)) {
                    self.bad_line(bad);
                }
            }
            Ok(None) => self.stop_unknown(line),
            Err(bad) => self.stopped = Some(bad.at_line(self.lines)),
        }
    }

    fn bad_line(&mut self, bad: Bad) {
        self.bad_lines += 1;
        if self.bad_lines <= BAD_LINES {
            self.bad.push(bad.at_line(self.lines));
        }
    }

    fn stop_unknown(&mut self, line: &str) {
        let start: String = line.chars().take(80).collect();
        let found = format!("no known trace format: line {} is {start:?}", self.lines);
        self.stop(found, FORMATS, "rename the columns or keys to those of one of these formats");
    }

    fn stop_binary(&mut self) {
        let found = format!("a binary file (near line {})", self.lines);
        self.stop(found, "text in UTF-8", "choose the trace itself, as CSV or JSON lines");
    }

    fn stop(&mut self, found: String, allowed: &str, fix: &str) {
        self.stopped = Some(Diagnostic::error(self.file_name.clone(), found, allowed, fix));
    }
}
