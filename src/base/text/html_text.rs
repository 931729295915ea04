//! Texts for HTML.

use std::fmt::{Arguments, Write as _};

/// A text for HTML, between tags or in the quotes of an attribute.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Adds formatted text to a page; texts of others in it are escaped by the caller.
pub fn put(page: &mut String, text: Arguments<'_>) {
    page.write_fmt(text).expect("INV-6: a String takes any text");
}
