//! The packed form of a link: `v1.` and, as base64url, the deflated JSON of its contents.
//!
//! `{"p": preset, "d": difference, "v": view, "f": trace, "b": second run, "c": check}`, each part only if it is not
//! empty; the preset and the check are always there. The check is the beginning of the digest of the text before it: a
//! link that was damaged can still be valid JSON with other values.

use super::beside::BesideParts;
use super::canonical::plain;
use super::repair::closed_early;
use super::trace_mark::TraceMark;
use super::view::{VIEW_KEYS, View};
use crate::limits;
use base::digest::Digest;
use base::{Diagnostic, Diagnostics, json};
use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};
use serde_json::{Map, Value};

/// The version of the packed form that this program writes.
pub(super) const VERSION: u32 = 1;
/// The best that deflate can do.
const LEVEL: u8 = 10;
/// Letters of the check.
const CHECK: usize = 6;

/// Letters without padding; the last one may have lost some bits.
const LETTERS: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// The contents of a link, part by part as stored.
pub(super) struct Parts {
    pub(super) preset: String,
    pub(super) difference: Value,
    pub(super) view: View,
    pub(super) trace: Option<TraceMark>,
    pub(super) beside: Option<BesideParts>,
}

/// The parts as the text after `#`.
pub(super) fn pack(parts: &Parts) -> String {
    let mut text = format!("{{\"p\":{}", json::compact(&parts.preset));
    if parts.difference.as_object().is_some_and(|d| !d.is_empty()) {
        text.push_str(",\"d\":");
        text.push_str(&json::compact(&parts.difference));
    }
    let view: Map<String, Value> =
        parts.view.said().into_iter().map(|(key, value)| (key.to_owned(), plain(value))).collect();
    if !view.is_empty() {
        text.push_str(",\"v\":");
        text.push_str(&json::compact(&view));
    }
    if let Some(trace) = &parts.trace {
        text.push_str(",\"f\":");
        text.push_str(&json::compact(trace));
    }
    if let Some(beside) = &parts.beside {
        text.push_str(",\"b\":");
        text.push_str(&json::compact(beside));
    }
    let check = json::compact(&check_of(&text));
    text.extend([",\"c\":", &check, "}"]);
    format!("v{VERSION}.{}", LETTERS.encode(compress_to_vec(text.as_bytes(), LEVEL)))
}

/// The JSON text of a packed link, with its check: deflated and in base64 for addresses it is the link again. `None` if the link is no
/// whole packed one.
#[cfg(feature = "cli")]
pub fn packed_text(link: &str) -> Option<String> {
    let mut problems = Diagnostics::new();
    let letters = link.strip_prefix('#')?.strip_prefix(&format!("v{VERSION}."))?;
    let text = inflate(&decode(letters, &mut problems), &mut problems);
    text.filter(|_| problems.is_empty())
}

fn check_of(text: &str) -> String {
    Digest::of(text.as_bytes()).hex()[..CHECK].to_owned()
}

/// Reads as much as possible of the letters after `v1.`; `None` if there are none.
pub(super) fn unpack(letters: &str, problems: &mut Diagnostics) -> Option<Parts> {
    let bytes = decode(letters, problems);
    let text = inflate(&bytes, problems)?;
    let whole = problems.is_empty();
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    let tree = read(&text).or_else(|| read(&closed_early(&text)?))?;
    let Value::Object(mut all) = tree else { return None };
    let said = all.get("c").and_then(Value::as_str);
    let checked = said.zip(text.rfind(",\"c\":")).is_some_and(|(said, at)| check_of(&text[..at]) == said);
    if whole && !checked {
        problems.push(damaged("", "letters that are not those it was made with"));
    }
    let mut parts = Parts {
        preset: all.get("p").and_then(Value::as_str).unwrap_or_default().to_owned(),
        difference: all.shift_remove("d").unwrap_or_else(|| Value::Object(Map::new())),
        view: View::default(),
        trace: None,
        beside: None,
    };
    if let Some(view) = all.get("v").and_then(Value::as_object) {
        for (key, value) in view {
            let taken = if VIEW_KEYS.contains(&key.as_str()) {
                parts.view.take(key, value)
            } else {
                Err(unknown_view(key))
            };
            problems.extend(taken.err());
        }
    }
    if let Some(mark) = all.get("f") {
        match json::data(mark) {
            Ok(mark) => parts.trace = Some(mark),
            Err(_) => problems.push(damaged("trace", "no name, rows and digest")),
        }
    }
    if let Some(beside) = all.get("b") {
        match json::data(beside) {
            Ok(beside) => parts.beside = Some(beside),
            Err(_) => problems.push(damaged("beside", "a second run without its name and difference")),
        }
    }
    Some(parts)
}

fn unknown_view(key: &str) -> Diagnostic {
    let found = format!("\"{}\"", key.chars().take(40).collect::<String>());
    Diagnostic::error("", found, VIEW_KEYS.join(", "), "a newer Tokenyard may know it: it is left out")
}

/// Reports a damaged part of the link.
fn damaged(path: &str, found: &str) -> Diagnostic {
    Diagnostic::error(path, found, "a link as it was made", "copy the whole link again from where it came")
}

/// The bytes of the letters, up to the first invalid one.
fn decode(letters: &str, problems: &mut Diagnostics) -> Vec<u8> {
    let is_letter = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    let end = letters.bytes().position(|b| !is_letter(b)).unwrap_or(letters.len());
    if let Some(sign) = letters[end..].chars().next() {
        let found = format!("{sign:?} at position {end} of its letters");
        problems.push(damaged("", &found));
    }
    // A single letter after groups of four does not contain a whole byte.
    let usable = if end % 4 == 1 { end - 1 } else { end };
    LETTERS.decode(&letters[..usable]).unwrap_or_default()
}

/// The unpacked text of the bytes, or its beginning; never more than a scenario may have.
fn inflate(bytes: &[u8], problems: &mut Diagnostics) -> Option<String> {
    let mut out = vec![0; limits::SCENARIO_BYTES];
    let flags = inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let (status, _, length) = decompress(&mut DecompressorOxide::new(), bytes, &mut out, 0, flags);
    match status {
        TINFLStatus::Done => {}
        TINFLStatus::HasMoreOutput => {
            problems.push(Diagnostic::error(
                "",
                format!("more than {} bytes once unpacked", limits::SCENARIO_BYTES),
                format!("at most {} bytes", limits::SCENARIO_BYTES),
                "no scenario is that long: do not open this link",
            ));
            return None;
        }
        TINFLStatus::NeedsMoreInput | TINFLStatus::FailedCannotMakeProgress => {
            problems.push(damaged("", "a link whose end is missing"));
        }
        _ => problems.push(damaged("", "letters that cannot be unpacked to their end")),
    }
    out.truncate(length);
    let valid = out.utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
    out.truncate(valid);
    String::from_utf8(out).ok().filter(|text| !text.is_empty())
}
