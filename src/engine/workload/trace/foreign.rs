//! Foreign files: files that are not traces, and unsupported trace formats, recognised by their beginning, with a
//! remedy.

use super::fields::{fields, separator};

/// Most bytes read of a document over several lines.
pub(super) const LOOKED_AT: usize = 4096;

const GZIP: &str = "a gzip-compressed file";
const UNPACK: &str = "unpack it first";
const UTF16: &str = "text in UTF-16";
const SAVE_AS_UTF8: &str = "save it as text in UTF-8";

/// First bytes of files that are not text: the kind of file, and what to do.
const MAGIC: [(&[u8], &str, &str); 14] = [
    (b"\x1f\x8b", GZIP, "unpack it first, for example with gunzip"),
    (b"PK\x03\x04", "a zip archive", UNPACK),
    (b"\x28\xb5\x2f\xfd", "a file compressed with zstd", UNPACK),
    (b"\xfd7zX", "a file compressed with xz", UNPACK),
    (b"BZh", "a file compressed with bzip2", UNPACK),
    (b"7z\xbc\xaf", "a 7z archive", UNPACK),
    (b"PAR1", "a Parquet file", "write its rows as CSV or JSON lines"),
    (b"\xff\xfe", UTF16, SAVE_AS_UTF8),
    (b"\xfe\xff", UTF16, SAVE_AS_UTF8),
    (b"\x89PNG", "a picture", ""),
    (b"\xff\xd8\xff", "a picture", ""),
    (b"GIF8", "a picture", ""),
    (b"%PDF", "a PDF document", ""),
    (b"SQLi", "a database", "write its rows as CSV or JSON lines"),
];
/// Number of first bytes that identify files that are not text.
pub(super) const MAGIC_BYTES: usize = 4;

const WRITE_A_CLIENT: &str = "write a client with arrivals and lengths in workload.clients";

/// Keys of JSON documents; a document matches an entry if it has all of its keys.
const DOCUMENTS: [(&[&str], &str, &str); 8] = [
    (
        &["\"conversations\""],
        "conversations as ShareGPT has them, without times and numbers of tokens",
        WRITE_A_CLIENT,
    ),
    (
        &["\"custom_id\"", "\"body\""],
        "a batch of requests, without times and numbers of tokens",
        WRITE_A_CLIENT,
    ),
    (&["\"messages\""], "texts of chats, without numbers of tokens", WRITE_A_CLIENT),
    (
        &["\"text_input\""],
        "texts of prompts, without numbers of tokens",
        "give input_length, the tokens of each prompt",
    ),
    (&["\"metadata\"", "\"metrics\""], "a benchmark of AIPerf", "give it to `tokenyard validate`"),
    (&["\"benchmarks\""], "a benchmark", "give it to `tokenyard validate`"),
    (
        &["\"input_tokens\"", "\"output_tokens\"", "\"{"],
        "distributions of lengths as ServeGen has them",
        WRITE_A_CLIENT,
    ),
    (&["\"cluster\"", "\"workload\""], "a scenario", "give it in place of the scenario"),
];

/// The kind of a file with these first bytes, if it is not text, and what to do.
pub(super) fn magic(head: &[u8]) -> Option<(&'static str, &'static str)> {
    MAGIC.iter().find(|(start, ..)| head.starts_with(start)).map(|(_, what, fix)| (*what, *fix))
}

/// The kind of a file by its first line, if it is known but unsupported, and what to do.
pub(super) fn first_line(line: &str) -> Option<(&'static str, &'static str)> {
    let lower: String = line.chars().take(100).collect::<String>().to_ascii_lowercase();
    if lower.starts_with("<!doctype") || lower.starts_with("<html") {
        return Some(("a web page", "download the file itself, such as by the button Raw"));
    }
    if lower.starts_with("404") {
        return Some(("the answer of a server that has no such file", "correct the address"));
    }
    if line.starts_with(['{', '[']) {
        return document(line);
    }
    let fields = fields(line, separator(line));
    let has = |name: &str| fields.iter().any(|f| f == name);
    if lower.starts_with("trace_version:") {
        return Some((
            "the header of a trace of BLIS",
            "give the .csv file beside it, which has the requests",
        ));
    }
    if has("num_prefill_tokens") {
        return Some((
            "lengths without arrival times",
            "add a column arrived_at, or write a client in workload.clients",
        ));
    }
    is_serve_gen(&fields).then_some((
        "a client of ServeGen: rates and distributions of windows of time",
        "write it as a client whose arrivals have a rate profile, with the lengths of its -dataset.json: `tokenyard \
         convert` does so",
    ))
}

/// The kind of a JSON document, if it is known but unsupported.
pub(super) fn document(text: &str) -> Option<(&'static str, &'static str)> {
    let has = |part: &&str| text.contains(*part);
    if text.contains("\"resourceSpans\"") {
        return None;
    }
    DOCUMENTS.iter().find(|(parts, ..)| parts.iter().all(has)).map(|(_, what, fix)| (*what, *fix))
}

/// Start, rate and variation of a window, the distribution of its gaps and two parameters of it; empty without
/// arrivals.
fn is_serve_gen(fields: &[std::borrow::Cow<'_, str>]) -> bool {
    let number = |i: usize| fields[i].parse::<f64>().is_ok();
    fields.len() == 6
        && [0, 1, 2, 4, 5].into_iter().all(number)
        && (fields[3].is_empty() || fields[3].bytes().all(|b| b.is_ascii_alphabetic()))
}
