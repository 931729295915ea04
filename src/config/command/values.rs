//! The values of flags: switches, numbers with the units of vLLM, texts, JSON and lists.

use serde_json::Value;

/// What a flag takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing, or `true` or `false`; `--no-flag` turns it off.
    Switch,
    /// A whole number, 0 or more: `8192`, `8K` (1024 each), `25.6k` (1000 each).
    Whole,
    /// A number.
    Number,
    /// A word.
    Text,
    /// JSON.
    Json,
    /// All words up to the next flag.
    List,
    /// The same; where the flag is repeated, the words of all hold.
    Lists,
}

/// The value of the texts of a flag; otherwise what is allowed, and a fix.
pub(crate) fn value_of(kind: Kind, texts: &[&str]) -> Result<Value, [&'static str; 2]> {
    let first = texts.first().map(|text| text.trim());
    match (kind, first) {
        (Kind::Switch, None) => Ok(Value::Bool(true)),
        (Kind::List | Kind::Lists, _) => Ok(Value::from(texts.to_vec())),
        (_, None) => Err(["a value after the flag", "write the value after the flag"]),
        (Kind::Switch, Some(text)) => {
            let yes = ["true", "1", "yes", "on"].iter().any(|word| text.eq_ignore_ascii_case(word));
            let no = ["false", "0", "no", "off"].iter().any(|word| text.eq_ignore_ascii_case(word));
            let of = ["no value, true or false", "leave the value out, or write `--no-` before the flag"];
            if yes || no { Ok(Value::Bool(yes)) } else { Err(of) }
        }
        (Kind::Whole, Some(text)) => {
            let of = ["a whole number, 0 or more, such as 8192, 8K or 25.6k", "write a whole number"];
            whole(text).map(Value::from).ok_or(of)
        }
        (Kind::Number, Some(text)) => {
            let x = text.parse::<f64>().ok().filter(|x| x.is_finite());
            x.map(Value::from).ok_or(["a number", "write a plain number, such as 0.9"])
        }
        (Kind::Text, Some(text)) => Ok(Value::from(text)),
        (Kind::Json, Some(text)) => {
            serde_json::from_str(text).map_err(|_| ["JSON in quotes", "put single quotes around the JSON"])
        }
    }
}

/// A whole number as vLLM writes it: small letters are powers of 1000 and may follow a fraction, capital letters are
/// powers of 1024.
pub(crate) fn whole(text: &str) -> Option<u64> {
    let text = text.trim();
    let text = text.strip_prefix('+').unwrap_or(text);
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let power = |letter: &str| ["k", "m", "g", "t"].iter().position(|own| *own == letter);
    let unit = &text[digits.len()..];
    let number = digits.replace('_', "");
    if !number.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if unit.is_empty() {
        return number.parse().ok();
    }
    if let Some(power) = power(unit) {
        let factor = (0..=power).fold(1_u64, |all, _| all * 1000);
        let value = number.parse::<f64>().ok()? * factor as f64;
        return (value.is_finite() && value < 9e18).then(|| value.round() as u64);
    }
    let power = power(&unit.to_ascii_lowercase()).filter(|_| unit.len() == 1)?;
    let factor = (0..=power).fold(1_u64, |all, _| all * 1024);
    number.parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_units_of_vllm() {
        for (text, number) in [
            ("8192", Some(8192)),
            ("8K", Some(8192)),
            ("25.6k", Some(25_600)),
            ("1M", Some(1_048_576)),
            ("1m", Some(1_000_000)),
            ("2g", Some(2_000_000_000)),
            ("1_024", Some(1024)),
            ("1.5K", None),
            ("-1", None),
            ("", None),
            ("k", None),
            ("8KB", None),
            ("99999999999999999999", None),
            ("99999999999999999999T", None),
            ("é", None),
        ] {
            assert_eq!(whole(text), number, "{text}");
        }
    }
}
