//! Formulas of the glossary: text with signs, which is read as an expression over a run once the signs have values.

use super::entry::GlossarySign;
use std::fmt::Write;

/// A formula that was read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Formula {
    pub(super) pieces: Vec<String>,
    pub(super) signs: Vec<GlossarySign>,
    pub(super) result: Option<String>,
}

/// Reads a formula such as `L = λ × W`. What stands before `=` or `≈` is what it defines.
pub(super) fn read(text: &str, all: &[GlossarySign]) -> Formula {
    let pieces = pieces_of(text);
    let begins = pieces.iter().position(|p| p == "=" || p == "≈").map_or(0, |at| at + 1);
    let sign_of = |piece: &str| all.iter().find(|sign| sign.sign == piece);
    let mut signs: Vec<GlossarySign> = Vec::new();
    let mut expression = Some(String::new());
    let right = &pieces[begins..];
    for (k, piece) in right.iter().enumerate() {
        let squared = right.get(k + 1).is_some_and(|next| next == "²");
        if let Some(sign) = sign_of(piece) {
            if !signs.contains(sign) {
                signs.push(sign.clone());
            }
            expression = expression.zip(sign.value.as_deref()).map(|(mut text, value)| {
                // A text can be written to without end.
                let _ = if squared { write!(text, "pow({value}, 2)") } else { write!(text, "({value})") };
                text
            });
        } else {
            let operation = match piece.as_str() {
                "×" => Some("*"),
                "−" => Some("-"),
                // It was written with the sign before it.
                "²" if k > 0 && sign_of(&right[k - 1]).is_some() => Some(""),
                same @ (" " | "(" | ")" | "+" | "/") => Some(same),
                number if number.starts_with(|c: char| c.is_ascii_digit()) => Some(number),
                _ => None,
            };
            expression = expression.zip(operation).map(|(text, operation)| text + operation);
        }
    }
    let result = expression.filter(|text| !text.trim().is_empty());
    Formula { pieces, signs, result }
}

/// Words, numbers and single characters; spaces are pieces too.
fn pieces_of(text: &str) -> Vec<String> {
    let joins = |before: &str, next: char| {
        let first = before.chars().next().unwrap_or(' ');
        if first.is_ascii_digit() {
            next.is_ascii_digit() || next == '.'
        } else {
            first.is_alphabetic() && (next.is_alphanumeric() && next != '²' || next == '_')
        }
    };
    let mut pieces: Vec<String> = Vec::new();
    for c in text.chars() {
        match pieces.last_mut() {
            Some(last) if joins(last, c) => last.push(c),
            _ => pieces.push(c.to_string()),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::{pieces_of, read};
    use crate::glossary::GlossarySign;

    fn sign(sign: &str, value: Option<&str>) -> GlossarySign {
        GlossarySign {
            sign: sign.to_owned(),
            meaning: String::new(),
            unit: String::new(),
            value: value.map(str::to_owned),
        }
    }

    #[test]
    fn signs_are_put_into_a_formula() {
        let all = [sign("λ", Some("report.a")), sign("W_q", Some("report.b / 2")), sign("Z", None)];
        assert_eq!(pieces_of("L_q = 1.5 × W_q²"), ["L_q", " ", "=", " ", "1.5", " ", "×", " ", "W_q", "²"]);
        let law = read("L = λ × W_q", &all);
        assert_eq!(law.result.as_deref(), Some(" (report.a) * (report.b / 2)"));
        assert_eq!(law.signs, all[..2]);
        assert_eq!(read("x = W_q² − 1", &all).result.as_deref(), Some(" pow(report.b / 2, 2) - 1"));
        // A sign without a value, an operation that is not known, nothing to compute.
        for text in ["N = λ × Z", "m = √λ", "", "λ = unknown"] {
            assert_eq!(read(text, &all).result, None, "{text}");
        }
    }
}
