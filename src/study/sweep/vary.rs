//! The variation of a sweep: a path of the document and its values.

use super::ratio::{RATIO, Ratio, Ratios};
use super::traffic::{TRAFFIC, scale_traffic};
use crate::policies::leave_out;
use base::{Diagnostic, Diagnostics};
use document::{Scenario, from_value, limits, set_field};
use serde_json::Value;

/// A path and its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vary {
    /// The path, as of `--set`; or `traffic` or `ratio`.
    pub path: String,
    /// The values as JSON text, in the order given.
    pub values: Vec<String>,
}

impl Vary {
    /// Reads `path=a,b,c` or `path=lo..hi/count`. Commas within braces, brackets or quotes do not separate values.
    pub fn parse(text: &str) -> Result<Self, Diagnostic> {
        let shown: String = text.chars().take(80).collect();
        let wrong = |allowed: &str, fix: &str| Diagnostic::error("", shown.clone(), allowed, fix);
        let Some((path, values)) = text.split_once('=') else {
            return Err(wrong(
                "PATH=a,b,c or PATH=lo..hi/count",
                "such as --vary cluster.routing=random,round-robin",
            ));
        };
        let path = path.trim();
        if path == "seed" {
            return Err(wrong("any path but the seed's", "use --seeds N for runs with further seeds"));
        }
        let values = if path == RATIO {
            Ratio::list(values)?.iter().map(|ratio| Value::from(ratio.to_string()).to_string()).collect()
        } else if is_range(values) {
            let fix = "such as --vary traffic=0.5..2/7: seven values from 0.5 to 2";
            let allowed = format!("two finite numbers and a count from 2 to {}", limits::VARIED_VALUES);
            range(values.trim()).ok_or_else(|| wrong(&allowed, fix))?
        } else {
            apart(values).into_iter().map(as_json).collect()
        };
        if path.is_empty() || values.is_empty() || values.len() > limits::VARIED_VALUES {
            let allowed = format!("a path and 1 to {} values", limits::VARIED_VALUES);
            return Err(wrong(&allowed, "such as --vary cluster.routing=random,round-robin"));
        }
        if let Some(twice) = values.iter().enumerate().find(|(i, v)| values[..*i].contains(v)) {
            return Err(wrong("each value once", &format!("remove one of the two {}", twice.1)));
        }
        Ok(Self { path: path.to_owned(), values })
    }

    /// Sets a value in a document.
    pub(super) fn set(&self, document: &mut Value, value: &str) -> Result<(), Diagnostics> {
        if self.path == RATIO {
            let scenario: Scenario = from_value(document.clone())?;
            let split =
                Ratios::of(&scenario)?.with(Ratio::parse(value.trim_matches('"')).map_err(|d| vec![d])?)?;
            *document = base::json::tree(&split);
            return Ok(());
        }
        if self.path != TRAFFIC {
            return set_field(document, &self.path, value);
        }
        let factor = value.parse::<f64>().ok().filter(|f| *f > 0.0 && *f <= limits::RATE_FACTOR);
        let factor = factor.ok_or_else(|| {
            let allowed = format!("factors above 0 up to {}", limits::RATE_FACTOR);
            vec![Diagnostic::error(TRAFFIC, value, allowed, "1 is the traffic of the scenario")]
        })?;
        let mut scenario: Scenario = from_value(document.clone())?;
        scale_traffic(&mut scenario, factor).map_err(|d| vec![d])?;
        *document = base::json::tree(&scenario);
        Ok(())
    }

    /// Takes the path out of the edits of a scenario, so that a value holds to the end. Returns what is left out, in words.
    pub(super) fn hold(&self, scenario: &mut Scenario, value: &str) -> Vec<String> {
        if self.path == RATIO || self.path == TRAFFIC {
            return Vec::new();
        }
        let value = serde_json::from_str(value).unwrap_or(Value::Null);
        let left_out = leave_out(&mut scenario.edits, &self.path, &value, 0);
        let said = |at_us: u64| {
            let (path, at_s) = (&self.path, at_us as f64 / 1e6);
            format!("the edit of {path} at {at_s}\u{a0}s is left out: {path} is varied")
        };
        left_out.into_iter().map(said).collect()
    }
}

/// Whether a text is a range of numbers.
fn is_range(text: &str) -> bool {
    text.contains("..") && !text.contains(['{', '[', '"'])
}

/// The values of `lo..hi/count`, written as whole numbers where they are.
fn range(text: &str) -> Option<Vec<String>> {
    let (low, rest) = text.split_once("..")?;
    let (high, count) = rest.split_once('/')?;
    let (low, high): (f64, f64) = (low.trim().parse().ok()?, high.trim().parse().ok()?);
    let count: u32 = count.trim().parse().ok()?;
    if !low.is_finite() || !high.is_finite() || !(2..=limits::VARIED_VALUES as u32).contains(&count) {
        return None;
    }
    let value = |k: u32| {
        let share = f64::from(k) / f64::from(count - 1);
        let x = low + (high - low) * f64::from(k) / f64::from(count - 1);
        // If the product overflows, each end is weighted by its share.
        let x = if x.is_finite() { x } else { low * (1.0 - share) + high * share };
        // Without the last digits, which are rounding errors: 0.30000000000000004.
        format!("{x:.11e}").parse::<f64>().unwrap_or(x)
    };
    let whole = |x: f64| x.abs() < 1e15 && libm::floor(x) >= x;
    let text = |x: f64| if whole(x) { format!("{}", x as i64) } else { Value::from(x).to_string() };
    Some((0..count).map(value).map(text).collect())
}

/// The parts between commas that stand outside braces, brackets and quotes.
fn apart(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut quoted, mut escaped) = (Vec::new(), 0, 0_i32, false, false);
    for (i, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '{' | '[' if !quoted => depth += 1,
            '}' | ']' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                parts.push(text[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// A value as JSON text: unchanged if it is JSON, else as a string.
fn as_json(text: &str) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(value) => value.to_string(),
        Err(_) => Value::from(text).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<String> {
        Vary::parse(text).unwrap().values
    }

    #[test]
    fn lists_and_ranges_are_read() {
        assert_eq!(values("a.b=random, round-robin"), ["\"random\"", "\"round-robin\""]);
        assert_eq!(
            values(r#"r={"power-of-d":{"d":2}},{"x":[1,2]},"a,b""#),
            [r#"{"power-of-d":{"d":2}}"#, r#"{"x":[1,2]}"#, r#""a,b""#]
        );
        assert_eq!(values("n=1..4/4"), ["1", "2", "3", "4"]);
        assert_eq!(values("n=0.1..0.5/5"), ["0.1", "0.2", "0.3", "0.4", "0.5"]);
        assert_eq!(values("n=4..1/3"), ["4", "2.5", "1"]);
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for text in [
            "n",
            "n=",
            "=1",
            "seed=1,2",
            "n=1..2",
            "n=1..2/1",
            "n=1..x/3",
            "n=1..2/9999",
            "n=1,1",
            "n=inf..1/3",
        ] {
            assert!(Vary::parse(text).is_err(), "{text}");
        }
    }
}
