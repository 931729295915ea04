//! Words and numbers of feedback: plain text with a bound.

use super::run::Figure;
use crate::whatif::in_ms;
use base::number_text::count;

/// The text up to the last line end within `bytes`.
pub(super) fn cut(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let end = text.as_bytes()[..bytes].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    text[..end].to_owned()
}

/// A time in milliseconds.
pub(super) fn ms(x: f64) -> String {
    in_ms(x).replace('\u{a0}', " ")
}

/// A share in percent.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// A figure of an objective.
pub(super) fn figure(path: &str, x: Option<f64>) -> String {
    match x {
        None => "nothing".to_owned(),
        Some(x) if Figure::read(path).is_time() => ms(x),
        Some(x) if x.abs() >= 1000.0 => count(x.abs() as u64),
        Some(x) => format!("{x:.3}"),
    }
}

/// The verdict on a pair of values where lower ones are better; 1 % is the least difference.
pub(super) fn verdict(baseline: f64, candidate: f64) -> &'static str {
    if candidate < baseline * 0.99 {
        "better"
    } else if candidate > baseline * 1.01 {
        "worse"
    } else {
        "same"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_on_a_line_end() {
        assert_eq!(cut("one\ntwo\nthree\n", 9), "one\ntwo\n");
        assert_eq!(cut("one\ntwo\n", 8), "one\ntwo\n");
        assert_eq!(cut("→→→→", 5), "");
        assert_eq!(cut("→\n→→", 5), "→\n");
    }
}
