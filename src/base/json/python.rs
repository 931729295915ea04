//! JSON as Python writes it: `json.dump` puts `Infinity`, `-Infinity` and `NaN` where JSON has no number.
//!
//! They become text of the same length, so that a reader of plain JSON tells line and column as they stand in the file. What an infinite
//! figure means depends on its key, which the caller reads.

use std::borrow::Cow;

/// The words, and the JSON that takes their place.
const WORDS: [(&str, &str); 3] = [("-Infinity", "\"-inf\"   "), ("Infinity", "\"inf\"   "), ("NaN", "\"\" ")];

/// Plain JSON of what Python wrote: the text `inf` or `-inf` for an infinite number, an empty text for none. Every other byte stays
/// where it is; words within strings and names of fields are left alone.
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

/// Whether a word stands at a place where a value may be: after what comes before one, and before what ends one.
fn is_value(bytes: &[u8], at: usize, before: u8, word: &str) -> bool {
    if !matches!(before, b':' | b'[' | b',') || !bytes[at..].starts_with(word.as_bytes()) {
        return false;
    }
    let after = bytes[at + word.len()..].iter().find(|c| !c.is_ascii_whitespace());
    after.is_none_or(|c| matches!(c, b',' | b']' | b'}'))
}

/// The place after a string. One that is not closed ends with its line, as no string of JSON goes on in the next.
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
