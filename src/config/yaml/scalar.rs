//! Scalars of YAML: how they are written so that every reader takes them for what they are, and when two of them say
//! the same.

use base::yaml_text::{in_quotes, quoted_where_needed};
use serde_json::{Value, json};

/// A scalar that a file should have.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scalar {
    Text(String),
    Number(f64),
    Whole(i64),
    Flag(bool),
    /// A number as Kubernetes writes quantities: in quotes.
    Quantity(f64),
    /// A time in seconds, with a unit.
    Seconds(f64),
}

impl Scalar {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A plain value of a document; `None` if it is a list, an object or null.
    pub(crate) fn of_json(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(on) => Some(Self::Flag(*on)),
            Value::String(text) => Some(Self::text(text.as_str())),
            Value::Number(n) => n.as_i64().map(Self::Whole).or_else(|| n.as_f64().map(Self::Number)),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// As it is written in YAML.
    pub(crate) fn yaml(&self) -> String {
        match self {
            Self::Text(text) => quoted_where_needed(text),
            Self::Quantity(x) => format!("\"{}\"", number(*x)),
            _ => self.plain(),
        }
    }

    /// As it is written on a command line, before quotes of the shell.
    pub(crate) fn plain(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(x) | Self::Quantity(x) => number(*x),
            Self::Whole(n) => n.to_string(),
            Self::Flag(flag) => flag.to_string(),
            Self::Seconds(s) => duration(*s),
        }
    }

    /// Whether a scalar of a file, without its quotes, says the same.
    pub(crate) fn is_said_by(&self, text: &str) -> bool {
        let is = |x: f64, found: Option<f64>| found.is_some_and(|y| x.total_cmp(&y).is_eq());
        match self {
            Self::Text(own) => own == text,
            Self::Number(x) | Self::Quantity(x) => is(*x, quantity(text)),
            Self::Whole(n) => is(*n as f64, quantity(text)),
            Self::Flag(flag) => text.parse() == Ok(*flag),
            Self::Seconds(s) => is(*s, seconds(text)),
        }
    }
}

impl From<f64> for Scalar {
    fn from(x: f64) -> Self {
        Self::Number(x)
    }
}

impl From<u32> for Scalar {
    fn from(n: u32) -> Self {
        Self::Whole(i64::from(n))
    }
}

impl From<i32> for Scalar {
    fn from(n: i32) -> Self {
        Self::Whole(i64::from(n))
    }
}

impl From<bool> for Scalar {
    fn from(on: bool) -> Self {
        Self::Flag(on)
    }
}

impl From<&str> for Scalar {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// A number in its shortest form, without a fraction where it has none.
pub(crate) fn number(x: f64) -> String {
    let value: Value = json!(x);
    let text = value.to_string();
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
}

/// A time in seconds as Go writes durations: whole seconds, or milliseconds.
fn duration(s: f64) -> String {
    let ms = s * 1000.0;
    if s.fract() == 0.0 { format!("{}s", number(s)) } else { format!("{}ms", number(ms)) }
}

/// A duration of Go in seconds, such as `60s`, `1m30s` or `50ms`.
fn seconds(text: &str) -> Option<f64> {
    let units =
        [("ms", 1e-3), ("us", 1e-6), ("µs", 1e-6), ("ns", 1e-9), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    if text == "0" {
        return Some(0.0);
    }
    let (mut rest, mut total) = (text, 0.0);
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let amount: f64 = rest[..end].parse().ok()?;
        rest = &rest[end..];
        let (unit, factor) = units.iter().find(|(unit, _)| rest.starts_with(unit))?;
        total += amount * factor;
        rest = &rest[unit.len()..];
    }
    (!text.is_empty()).then_some(total)
}

/// A number, or a quantity of Kubernetes such as `500m` or `2k`.
pub(crate) fn quantity(text: &str) -> Option<f64> {
    let text = text.trim();
    let units = [
        ("Ki", 1024.0),
        ("Mi", 1_048_576.0),
        ("Gi", 1_073_741_824.0),
        ("m", 1e-3),
        ("k", 1e3),
        ("M", 1e6),
        ("G", 1e9),
    ];
    let unit = units.into_iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)));
    let (digits, factor) = unit.unwrap_or((text, 1.0));
    let digits = digits.replace('_', "");
    digits.parse::<f64>().ok().filter(|x| x.is_finite()).map(|x| x * factor)
}

impl Scalar {
    /// The text in double quotes, also where it would need none.
    pub(crate) fn in_quotes(&self) -> String {
        in_quotes(&self.plain())
    }
}

/// A word of a shell's command line: as it is where that is safe, otherwise in single quotes.
pub(crate) fn shell_word(text: &str) -> String {
    let safe = |c: char| {
        c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | '=' | ',' | '@' | '+')
    };
    if !text.is_empty() && text.chars().all(safe) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::documents::yaml;

    #[test]
    fn every_text_is_read_back_as_it_was() {
        let hostile = [
            "",
            " ",
            "a b",
            "yes",
            "No",
            "null",
            "~",
            "1",
            "1e3",
            "0x1f",
            "1_000",
            "12:30:45",
            "-",
            "- a",
            "? a",
            "a: b",
            "a:",
            ":a",
            "a #b",
            "#a",
            "&a",
            "*a",
            "!a",
            "%a",
            "@a",
            "`a`",
            "{a}",
            "[a]",
            "a, b",
            "'",
            "\"",
            "\\",
            "a\nb",
            "a\r\nb",
            "\t",
            "a\u{85}b",
            "a\u{2028}b",
            "\u{feff}a",
            "\u{7f}",
            "\0",
            "---",
            "...",
            "|",
            ">",
            "--",
            "--a",
            "--1",
            "-a",
            "é",
            "日本",
            "<<",
            "=",
            ".inf",
            ".NaN",
            "true",
            "2024-01-01",
            "meta-llama/Llama-3.1-8B",
            "http://x:80/y",
            "sum(a{b=\"c\"})",
        ];
        for text in hostile {
            let yaml = format!("key: {}\nlist: [{}]\n", quoted_where_needed(text), quoted_where_needed(text));
            assert_eq!(yaml::value(&yaml), Ok(json!({ "key": text, "list": [text] })), "{yaml}");
        }
        assert_eq!(quoted_where_needed("meta-llama/Llama-3.1-8B"), "meta-llama/Llama-3.1-8B");
    }

    #[test]
    fn scalars_are_compared_by_their_meaning() {
        assert!(Scalar::Number(2.0).is_said_by("2"));
        assert!(Scalar::Quantity(0.5).is_said_by("500m"));
        assert!(Scalar::Seconds(60.0).is_said_by("1m0s"));
        assert!(Scalar::Seconds(0.05).is_said_by("50ms"));
        assert!(!Scalar::Seconds(60.0).is_said_by("60"));
        assert!(!Scalar::Number(2.0).is_said_by("two"));
        assert_eq!(Scalar::Seconds(1.5).yaml(), "1500ms");
        assert_eq!(Scalar::Number(0.8).yaml(), "0.8");
    }

    #[test]
    fn words_of_a_shell_are_safe() {
        assert_eq!(shell_word("a/b-1.0"), "a/b-1.0");
        assert_eq!(shell_word("it's; rm -rf $HOME"), "'it'\\''s; rm -rf $HOME'");
        assert_eq!(shell_word(""), "''");
    }
}
