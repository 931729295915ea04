//! Traces that travel inside a scenario: the text of a trace, compressed with gzip, in base64. Any format that a file may
//! have is read, so that a trace is carried as its program wrote it. The page takes the data apart itself and reads it as
//! it reads a file.

use super::{Trace, TraceReader};
use base::{Diagnostic, Diagnostics, Severity};
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use document::{TraceSettings, grouped, limits};
use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use std::io::{Read, Write};
use std::sync::Arc;

/// Where it stands in a scenario.
const ROWS: &str = "workload.trace.rows";
/// What it should be.
const ALLOWED: &str = "the text of a trace, compressed with gzip to at most 64 KB, in base64";
/// How it is made.
const FIX: &str = "write it with `tokenyard link SCENARIO --trace FILE --carry NEW`";

/// Letters with or without padding.
const LETTERS: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The text of a trace as a scenario carries it.
pub fn carry(text: &[u8]) -> Result<String, Diagnostic> {
    let too_long = |found: String, most: usize| {
        let allowed = format!("at most {} bytes inside a scenario", grouped(most as u64));
        let fix = "leave workload.trace.digest in its place: the file is then asked for and checked";
        Diagnostic::error(ROWS, found, allowed, fix)
    };
    if text.len() > limits::CARRIED_TRACE_TEXT_BYTES {
        let found = format!("a trace of {} bytes", grouped(text.len() as u64));
        return Err(too_long(found, limits::CARRIED_TRACE_TEXT_BYTES));
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let packed = encoder.write_all(text).and_then(|()| encoder.finish()).unwrap_or_default();
    if packed.len() > limits::CARRIED_TRACE_BYTES {
        let found = format!("a trace of {} bytes, compressed", grouped(packed.len() as u64));
        return Err(too_long(found, limits::CARRIED_TRACE_BYTES));
    }
    Ok(LETTERS.encode(packed))
}

/// The trace that a scenario carries, with warnings about its rows; `None` if it carries none. Whatever is wrong with the
/// data is one problem.
pub fn carried(settings: &TraceSettings) -> Result<Option<(Arc<Trace>, Diagnostics)>, Diagnostic> {
    if settings.rows.is_empty() {
        return Ok(None);
    }
    let text = unpacked(&settings.rows).map_err(|found| Diagnostic::error(ROWS, found, ALLOWED, FIX))?;
    let name = if settings.file.is_empty() { ROWS } else { &settings.file };
    let mut reader = TraceReader::new(name, limits::CARRIED_TRACE_TEXT_BYTES as u64);
    reader.push(&text);
    let (trace, mut problems, _) = reader.finish();
    let errors = problems.iter().filter(|d| d.severity == Severity::Error).count();
    match (trace, problems.iter().find(|d| d.severity == Severity::Error)) {
        (Some(trace), None) => {
            for warning in &mut problems {
                ROWS.clone_into(&mut warning.path);
            }
            Ok(Some((trace, problems)))
        }
        (_, first) => {
            let why = first.map_or_else(String::new, |d| format!(": {}: {}", d.path, d.found));
            let more = if errors > 1 { format!(", and {} more problems", errors - 1) } else { String::new() };
            Err(Diagnostic::error(ROWS, format!("rows that are not a trace{why}{more}"), ALLOWED, FIX))
        }
    }
}

/// The text of carried data, or what is wrong with it.
fn unpacked(rows: &str) -> Result<Vec<u8>, String> {
    // A text over several lines has ends of lines in it.
    let letters: String = rows.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    // Three bytes are four letters.
    if letters.len() > limits::CARRIED_TRACE_BYTES.div_ceil(3) * 4 {
        let bytes = letters.len() / 4 * 3;
        return Err(format!("about {} bytes, compressed", grouped(bytes as u64)));
    }
    let packed = LETTERS.decode(letters).map_err(|e| format!("damaged data, no base64: {e}"))?;
    let mut text = Vec::new();
    let most = limits::CARRIED_TRACE_TEXT_BYTES as u64 + 1;
    let read = MultiGzDecoder::new(&packed[..]).take(most).read_to_end(&mut text);
    read.map_err(|e| format!("damaged data, no whole gzip file: {e}"))?;
    if text.len() > limits::CARRIED_TRACE_TEXT_BYTES {
        let most = grouped(limits::CARRIED_TRACE_TEXT_BYTES as u64);
        return Err(format!("a text of more than {most} bytes, unpacked"));
    }
    Ok(text)
}
