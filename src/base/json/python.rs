//! Reads JSON as Python writes it: `json.dump` writes `Infinity`, `-Infinity` and `NaN`, which JSON does not have.
//!
//! They become text of the same length, so that lines and columns in messages match the file. The meaning of an
//! infinite figure depends on its key, which the caller reads.

use std::borrow::Cow;

/// The words, and the JSON that replaces them.
const WORDS: [(&str, &str); 3] = [("-Infinity", "\"-inf\"   "), ("Infinity", "\"inf\"   "), ("NaN", "\"\" ")];

/// Plain JSON from Python's: the text `inf` or `-inf` for an infinite number, an empty text for `NaN`. Every other
/// byte keeps its position; words within strings and names of fields are unchanged.
pub fn from_python(text: &str) -> Cow<'_, str> {
    if !text.contains("Infinity") && !text.contains("NaN") {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let (mut copied, mut at, mut before) = (0, 0, b':');
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = end_of_string(bytes, at);
                before = b'"';
            }
            c if c.is_ascii_whitespace() => at += 1,
            c => {
                let word = WORDS.iter().find(|(word, _)| is_value(bytes, at, before, word));
                if let Some((word, instead)) = word {
                    out.push_str(&text[copied..at]);
                    out.push_str(instead);
                    at += word.len();
                    copied = at;
                } else {
                    at += 1;
                }
                before = c;
            }
        }
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// Whether a word is at the position of a value, judged by the characters before and after it.
fn is_value(bytes: &[u8], at: usize, before: u8, word: &str) -> bool {
    if !matches!(before, b':' | b'[' | b',') || !bytes[at..].starts_with(word.as_bytes()) {
        return false;
    }
    let after = bytes[at + word.len()..].iter().find(|c| !c.is_ascii_whitespace());
    after.is_none_or(|c| matches!(c, b',' | b']' | b'}'))
}

/// The position after a string. An unclosed string ends with its line, as strings in JSON do not span lines.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            b'\n' => return at,
            _ => at += 1,
        }
    }
    bytes.len()
}
