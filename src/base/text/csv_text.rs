//! Escapes text for a cell of a CSV file, so that programs show it and never evaluate it.

use std::io::Write as _;

/// Characters that begin a formula in a spreadsheet.
const FORMULA: [char; 4] = ['=', '+', '-', '@'];

/// Adds text to a cell: an apostrophe before a formula, and control characters as in JSON.
pub fn push(cell: &mut Vec<u8>, text: &str) {
    if text.starts_with(FORMULA) {
        cell.push(b'\'');
    }
    for c in text.chars() {
        if c.is_control() {
            write!(cell, "\\u{:04x}", u32::from(c)).expect("memory takes all");
        } else {
            cell.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    fn cell(text: &str) -> String {
        let mut cell = Vec::new();
        super::push(&mut cell, text);
        String::from_utf8(cell).expect("text stays text")
    }

    #[test]
    fn no_text_is_a_formula_or_controls_a_terminal() {
        assert_eq!(cell("=1+1"), "'=1+1");
        assert_eq!(cell("+1"), "'+1");
        assert_eq!(cell("-x"), "'-x");
        assert_eq!(cell("@SUM(A1)"), "'@SUM(A1)");
        assert_eq!(cell("\t=1"), "\\u0009=1");
        assert_eq!(cell("a\u{1b}[31m\r\n\u{9b}\u{7f}b"), "a\\u001b[31m\\u000d\\u000a\\u009b\\u007fb");
        assert_eq!(cell("plain, \"text\" of 1-2 = é"), "plain, \"text\" of 1-2 = é");
    }
}
