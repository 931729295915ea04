//! Lines that a server writes as trees: metrics and logs.

use super::places::{Place, Places};
use super::yaml::Tree;
use serde_json::{Map, Value, json};

/// Whether a line is one of a server's metrics.
pub fn is_line(line: &str) -> bool {
    let metric =
        |name: &str| name.starts_with("vllm:") || name.starts_with("llm_d_") || name.starts_with("sglang:");
    line.strip_prefix("# ").is_some_and(|rest| rest.starts_with("TYPE ") || rest.starts_with("HELP "))
        || (metric(line) && line.contains([' ', '{']))
}

/// The tree `{"metrics": {"name": [{"labels": {…}, "value": "…"}]}}` of lines of metrics; none without a sample.
pub fn tree(text: &str, first_line: u32) -> Option<Tree> {
    let mut metrics: Map<String, Value> = Map::new();
    let mut places = Places::default();
    let mut lines = 0;
    for (number, line) in text.lines().enumerate() {
        lines = number as u32 + 1;
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        let Some((name, labels, value)) = sample(line) else { continue };
        let samples = metrics.entry(name.to_owned()).or_insert_with(|| json!([]));
        let Some(samples) = samples.as_array_mut() else { continue };
        let at = format!("metrics.{name}.{}", samples.len());
        places.insert(at.clone(), Place { line: lines, from: 0, to: line.chars().count() as u32 });
        let mut map = Map::new();
        for Label { name, value, from, to } in labels {
            places.insert(format!("{at}.labels.{name}"), Place { line: lines, from, to });
            map.insert(name, Value::from(value));
        }
        samples.push(json!({ "labels": map, "value": value }));
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
