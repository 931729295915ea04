//! Lines that a server writes as trees: metrics and logs.

use crate::import::documents::places::{Place, Places};
use crate::import::documents::yaml::Tree;
use serde_json::{Map, Value, json};

/// Whether a line is one of a server's metrics.
pub fn is_line(line: &str) -> bool {
    let metric =
        |name: &str| name.starts_with("vllm:") || name.starts_with("llm_d_") || name.starts_with("sglang:");
    line.strip_prefix("# ").is_some_and(|rest| rest.starts_with("TYPE ") || rest.starts_with("HELP "))
        || (metric(line) && line.contains([' ', '{']))
        || is_sample(line)
}

/// Commands of a shell that take a number.
const COMMANDS: [&str; 6] = ["sleep", "exit", "wait", "return", "shift", "kill"];

/// Whether a line is a sample of any metric: a name, perhaps labels, a number, perhaps a time.
fn is_sample(line: &str) -> bool {
    let name = line.find(|c: char| c != '_' && c != ':' && !c.is_ascii_alphanumeric()).unwrap_or(line.len());
    let rest = match line[name..].strip_prefix('{') {
        Some(labels) if labels.contains("=\"") => labels.rsplit_once('}').map_or("", |(_, rest)| rest),
        Some(_) => "",
        None => &line[name..],
    };
    let mut words = rest.split_whitespace();
    let number = |word: &str| word.parse::<f64>().is_ok() || matches!(word, "+Inf" | "-Inf" | "NaN");
    // A key of YAML ends in a colon.
    name > 0
        && !COMMANDS.contains(&&line[..name])
        && !line[..name].ends_with(':')
        && line.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic())
        && rest.starts_with(' ')
        && words.next().is_some_and(number)
        && words.next().is_none_or(|time| time.parse::<f64>().is_ok())
        && words.next().is_none()
}

/// The tree `{"metrics": {"name": [{"labels": {…}, "value": "…"}]}}` of lines of metrics; none without a sample.
pub fn tree(text: &str, first_line: u32) -> Option<Tree> {
    let mut metrics: Map<String, Value> = Map::new();
    let mut places = Places::default();
    let (mut lines, mut unreadable) = (0, 0_u64);
    for (number, line) in text.lines().enumerate() {
        lines = number as u32 + 1;
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        let Some((name, labels, value)) = sample(line) else {
            unreadable += 1;
            continue;
        };
        let samples = metrics.entry(name.to_owned()).or_insert_with(|| json!([]));
        let Some(samples) = samples.as_array_mut() else { continue };
        let at = format!("metrics.{name}.{}", samples.len());
        let whole = Place { line: lines, from: 0, to: line.chars().count() as u32 };
        if samples.is_empty() {
            places.insert(format!("metrics.{name}"), whole);
        }
        places.insert(at.clone(), whole);
        let mut map = Map::new();
        for Label { name, value, from, to } in labels {
            places.insert(format!("{at}.labels.{name}"), Place { line: lines, from, to });
            map.insert(name, Value::from(value));
        }
        samples.push(json!({ "labels": map, "value": value }));
    }
    if unreadable > 0 {
        metrics.insert("unreadable lines".to_owned(), Value::from(unreadable));
    }
    let last_line = first_line + lines.saturating_sub(1);
    (!metrics.is_empty()).then(|| Tree {
        value: json!({ "metrics": metrics }),
        places,
        first_line,
        last_line,
    })
}

/// A label of a sample, and its columns.
struct Label {
    name: String,
    value: String,
    from: u32,
    to: u32,
}

/// The name, the labels and the value of a line.
fn sample(line: &str) -> Option<(&str, Vec<Label>, String)> {
    let Some((name, rest)) = line.split_once('{') else {
        let mut words = line.split_whitespace();
        return Some((words.next()?, Vec::new(), words.next()?.to_owned()));
    };
    let mut labels = Vec::new();
    let mut column = name.chars().count() as u32 + 1;
    let mut chars = rest.chars();
    loop {
        let (mut label, mut text) = (String::new(), String::new());
        let mut from = column;
        loop {
            let c = chars.next()?;
            column += 1;
            match c {
                '}' => {
                    let value = chars.as_str().split_whitespace().next()?.to_owned();
                    return Some((name, labels, value));
                }
                ',' | ' ' if label.is_empty() => from = column,
                '=' => break,
                c => label.push(c),
            }
        }
        chars.next().filter(|c| *c == '"')?;
        column += 1;
        loop {
            let c = chars.next()?;
            column += 1;
            match c {
                '"' => break,
                '\\' => {
                    text.push(chars.next()?);
                    column += 1;
                }
                c => text.push(c),
            }
        }
        labels.push(Label { name: label, value: text, from, to: column });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_yaml_with_a_number_is_no_sample() {
        for line in ["seed: 42", "aggregate_rate: 5.0", "version 2 of 3 files", "port:"] {
            assert!(!is_line(line), "{line}");
        }
        for line in
            ["vllm:num_requests_running 3.0", "process_open_fds 12", "a:b 1 1700000000", "x{a=\"b\"} +Inf"]
        {
            assert!(is_line(line), "{line}");
        }
    }
}
