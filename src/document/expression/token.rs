//! Splits the text of an expression into tokens.

/// One token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// A number as written.
    Number(&'a str),
    /// A word.
    Word(&'a str),
    /// An operator or a bracket.
    Sign(&'static str),
    /// A character that expressions do not have.
    Other(&'a str),
    /// The end of the text.
    End,
}

/// A token and the bytes it takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placed<'a> {
    pub(super) token: Token<'a>,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Signs, the longer ones first.
const SIGNS: [&str; 20] = [
    "<=", ">=", "==", "!=", "&&", "||", "??", "+", "-", "*", "/", "%", "<", ">", "!", "?", ":", "(", ")", ",",
];

/// The token that begins at or after byte `at`.
pub(super) fn token_at(text: &str, at: usize) -> Placed<'_> {
    let rest = &text[at..];
    let start = at + (rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len());
    let rest = &text[start..];
    let placed = |token, len| Placed { token, start, end: start + len };
    let Some(first) = rest.chars().next() else { return placed(Token::End, 0) };
    if first.is_ascii_digit() || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())) {
        let len = number_len(rest.as_bytes());
        return placed(Token::Number(&rest[..len]), len);
    }
    if first.is_ascii_alphabetic() || first == '_' {
        let len = word_len(rest);
        return placed(Token::Word(&rest[..len]), len);
    }
    if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        return placed(Token::Sign(sign), sign.len());
    }
    let len = first.len_utf8();
    placed(Token::Other(&rest[..len]), len)
}

/// A word may contain points, as in `min.waiting`.
fn word_len(rest: &str) -> usize {
    rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len())
}

/// Digits, a point with digits, a power of ten.
fn number_len(rest: &[u8]) -> usize {
    let digits = |from: usize| rest[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut len = digits(0);
    if rest.get(len) == Some(&b'.') {
        len += 1 + digits(len + 1);
    }
    if matches!(rest.get(len), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(rest.get(len + 1), Some(b'+' | b'-')));
        let power = digits((len + 1 + sign).min(rest.len()));
        if power > 0 {
            len += 1 + sign + power;
        }
    }
    len
}
