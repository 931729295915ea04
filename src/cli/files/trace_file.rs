//! Reads a trace from a file or stdin, as text or compressed with gzip, which its first bytes show.

use crate::failed::{BAD_INPUT, Failed};
use crate::print::{refused, tell, tell_all, unreadable};
use base::{Diagnostic, Severity};
use document::limits;
use flate2::bufread::MultiGzDecoder;
use run::session::{Trace, TraceColumns, TraceReader, TraceReading};
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::sync::Arc;

/// Bytes read per call.
const PIECE: usize = 1 << 20;
/// How every gzip file begins.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The columns that a text names.
pub(crate) fn columns(text: Option<&str>) -> Result<Option<TraceColumns>, Failed> {
    text.map(TraceColumns::parse).transpose().map_err(|problems| refused("--columns", &problems))
}

/// What came of reading the file of this name, or stdin if the name is `-`.
pub(crate) fn reading(name: &str, columns: Option<TraceColumns>) -> Result<TraceReading, Failed> {
    let trouble = |e: &std::io::Error| unreadable(&name, e);
    let (mut source, packed) = open(name)?;
    let mut reader = TraceReader::new(name, limits::TRACE_BYTES_CLI);
    if let Some(columns) = columns {
        reader = reader.with_columns(columns);
    }
    let mut piece = vec![0; PIECE];
    // The reader counts the decompressed bytes, and fails if there are too many.
    while !reader.has_failed() {
        match source.read(&mut piece) {
            Ok(0) => break,
            Ok(n) => reader.push(&piece[..n]),
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(_) if packed => return Err(refused(name, &[damaged()])),
            Err(e) => return Err(trouble(&e)),
        }
    }
    let mut reading = reader.finish_reading();
    // Each problem is prefixed with the name.
    for problem in reading.diagnostics.iter_mut().filter(|problem| problem.path == name) {
        problem.path.clear();
    }
    Ok(reading)
}

/// The trace in the file of this name; a summary of it goes to stderr.
pub(crate) fn read(name: &str, columns: Option<TraceColumns>) -> Result<Arc<Trace>, Failed> {
    let TraceReading { trace, diagnostics, summary, .. } = reading(name, columns)?;
    tell_all(name, &diagnostics);
    if let Some(s) = summary {
        let blocks = match s.hash_block_tokens {
            0 => String::new(),
            tokens => format!(", a hash id for each block of {tokens} tokens"),
        };
        tell(&format!(
            "{name}: {} trace, {} requests in {} s, {} prompt and {} output tokens{blocks}",
            s.format,
            s.requests,
            if s.duration_s < 100.0 { (s.duration_s * 1e3).round() / 1e3 } else { s.duration_s.round() },
            s.prompt_tokens,
            s.output_tokens
        ));
    }
    match trace {
        Some(trace) if !diagnostics.iter().any(|d| d.severity == Severity::Error) => Ok(trace),
        _ => Err(Failed(BAD_INPUT)),
    }
}

/// The text of a trace for a scenario that carries it: no more than one byte above the limit.
pub(crate) fn text(name: &str) -> Result<Vec<u8>, Failed> {
    let (source, packed) = open(name)?;
    let mut text = Vec::new();
    match source.take(limits::CARRIED_TRACE_TEXT_BYTES as u64 + 1).read_to_end(&mut text) {
        Ok(_) => Ok(text),
        Err(_) if packed => Err(refused(name, &[damaged()])),
        Err(e) => Err(unreadable(&name, &e)),
    }
}

/// The unpacked bytes of a file, and whether they were compressed.
fn open(name: &str) -> Result<(Box<dyn Read>, bool), Failed> {
    let source: Box<dyn Read> = if name == "-" {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(File::open(name).map_err(|e| unreadable(&name, &e))?)
    };
    let mut source = BufReader::with_capacity(PIECE, source);
    let packed = source.fill_buf().map_err(|e| unreadable(&name, &e))?.starts_with(&GZIP);
    let source: Box<dyn Read> = if packed { Box::new(MultiGzDecoder::new(source)) } else { Box::new(source) };
    Ok((source, packed))
}

fn damaged() -> Diagnostic {
    Diagnostic::error(
        "",
        "gzip data that cannot be unpacked",
        "a whole gzip file, or text",
        "the file may have been cut off: fetch it again",
    )
}
