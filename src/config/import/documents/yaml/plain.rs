//! Scalars without quotes: which of them are null, truths and numbers. By the core schema of YAML 1.2, with the words
//! for truth, the groups of digits and the bases of YAML 1.1, as tools of Python and Go read them.

use serde_json::{Number, Value};

/// The value of a scalar without quotes; `None` for a number that is not finite.
pub(super) fn plain(text: &str) -> Option<Value> {
    let is = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    if is(&["", "~", "null"]) {
        Some(Value::Null)
    } else if is(&["true", "yes", "on", "y"]) {
        Some(Value::Bool(true))
    } else if is(&["false", "no", "off", "n"]) {
        Some(Value::Bool(false))
    } else if is(&[".nan", "+.nan", "-.nan", ".inf", "+.inf", "-.inf"]) {
        None
    } else if let Some(whole) = whole(text) {
        Some(whole)
    } else {
        decimal(text).map_or_else(|| Some(Value::from(text)), |x| Number::from_f64(x).map(Value::Number))
    }
}

/// A whole number of 64 bits.
fn whole(text: &str) -> Option<Value> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let base = |signs: [&str; 2]| signs.into_iter().find_map(|sign| unsigned.strip_prefix(sign));
    let (digits, radix) = if let Some(digits) = base(["0x", "0X"]) {
        (digits, 16)
    } else if let Some(digits) = base(["0o", "0O"]) {
        (digits, 8)
    } else if let Some(digits) = base(["0b", "0B"]) {
        (digits, 2)
    } else {
        (unsigned, 10)
    };
    if digits.split('_').any(str::is_empty) || !digits.chars().all(|c| c == '_' || c.is_digit(radix)) {
        return None;
    }
    let digits = digits.replace('_', "");
    if text.starts_with('-') {
        i64::from_str_radix(&format!("-{digits}"), radix).ok().map(Value::from)
    } else {
        u64::from_str_radix(&digits, radix).ok().map(Value::from)
    }
}

/// A decimal number, which may be too large to be finite.
fn decimal(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = unsigned.strip_prefix('.').unwrap_or(unsigned);
    digits.starts_with(|c: char| c.is_ascii_digit()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::plain;
    use serde_json::json;

    #[test]
    fn scalars_without_quotes_are_what_they_look_like() {
        for (text, value) in [
            ("", json!(null)),
            ("Null", json!(null)),
            ("yes", json!(true)),
            ("OFF", json!(false)),
            ("12", json!(12)),
            ("+5", json!(5)),
            ("-0x1F", json!(-31)),
            ("0o17", json!(15)),
            ("0b11", json!(3)),
            ("1_000", json!(1000)),
            ("18446744073709551615", json!(u64::MAX)),
            ("1e3", json!(1000.0)),
            ("-.5", json!(-0.5)),
            ("1__0", json!("1__0")),
            ("0x", json!("0x")),
            ("-", json!("-")),
            (".", json!(".")),
            ("nan", json!("nan")),
            ("infinity", json!("infinity")),
            ("1.2.3", json!("1.2.3")),
            ("12:30", json!("12:30")),
            ("500m", json!("500m")),
        ] {
            assert_eq!(plain(text), Some(value), "{text}");
        }
        for text in [".inf", "-.INF", ".NaN", "1e999"] {
            assert_eq!(plain(text), None, "{text}");
        }
    }
}
