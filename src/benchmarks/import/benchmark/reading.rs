//! Recognises the format of a benchmark file and reads its runs.

use super::{Benchmark, Benchmarks, EngineFacts, Problems, Text, engine_words, refused};
use crate::import::BENCHMARKS;
use crate::import::benchmark_report::is_yaml;
use base::import::Import;
use base::pointer::pointer;
use base::{Diagnostic, Diagnostics};
use document::limits;
use serde_json::Value;

/// Most bytes of a file.
const MOST_BYTES: usize = limits::TRACE_BYTES_PAGE as usize;

/// How the titles of results begin.
const RESULT: &str = "a result of ";

/// The names of the formats.
pub fn formats() -> String {
    let mut titles: Vec<&str> = Vec::new();
    for format in BENCHMARKS {
        if !titles.contains(&format.title()) {
            titles.push(format.title());
        }
    }
    let (results, of_servers): (Vec<&str>, Vec<&str>) =
        titles.into_iter().partition(|title| title.starts_with(RESULT));
    let tools: Vec<&str> = results.iter().map(|title| &title[RESULT.len()..]).collect();
    let (last, tools) = tools.split_last().expect("tools write benchmarks");
    format!("{RESULT}{} or {last}, {}", tools.join(", "), of_servers.join(", or "))
}

/// The format of a text, if it is known. If two match, the later one in the list counts: the first matches the most
/// common keys.
pub fn format(text: &str) -> Option<&'static dyn Import<Benchmarks>> {
    recognised(&Text::new(text))
}

fn recognised(text: &Text<'_>) -> Option<&'static dyn Import<Benchmarks>> {
    BENCHMARKS.into_iter().rev().find(|format| format.recognises(text))
}

/// Reads what a benchmark tool or a server wrote: its runs, with warnings, or all problems.
pub fn read(text: &str) -> Result<(Vec<Benchmark>, Diagnostics), Diagnostics> {
    if text.len() > MOST_BYTES {
        let fix = "save it without the texts of requests and answers";
        return Err(vec![Diagnostic::error(
            "",
            format!("{} bytes", text.len()),
            format!("at most {MOST_BYTES} bytes"),
            fix,
        )]);
    }
    let text = Text::new(text);
    let Some(format) = recognised(&text) else {
        let other = pointer(&text.text).or_else(|| refused::web_load(&text.text));
        return Err(vec![other.unwrap_or_else(|| unknown(&text.text))]);
    };
    let mut problems = Problems::default();
    let mut found = format.read(&text, &mut problems);
    engine_words::name(&mut found, text.document());
    let warned = problems.finish()?;
    if found.iter().all(|b| b.figures.is_empty() && b.series.is_none() && b.engine == EngineFacts::default())
    {
        let fix = "give the file of a run in which requests succeeded";
        return Err(vec![Diagnostic::error("", "no figures", "latencies of one request or more", fix)]);
    }
    Ok((found, warned))
}

/// Explains why a text has none of the formats.
fn unknown(text: &str) -> Diagnostic {
    let fix = "give the file as the tool wrote it";
    if text.is_empty() {
        return Diagnostic::error("", "an empty file", formats(), fix);
    }
    let start: String = text.chars().take(40).collect();
    let found = match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(map)) => an_object(&map),
        Ok(Value::Array(list)) => match list.first() {
            Some(Value::Object(map)) => {
                format!("a list of {} entries, the first {}", list.len(), an_object(map))
            }
            Some(_) | None => format!("a list of {} entries", list.len()),
        },
        Err(_) if is_yaml(text) => return yaml(),
        Err(e) if text.starts_with(['{', '[']) => {
            let path = format!("line {}", e.line());
            return Diagnostic::error(path, format!("JSON that ends or breaks off: {e}"), formats(), fix);
        }
        _ => format!("text that begins with {start:?}"),
    };
    Diagnostic::error("", found, formats(), fix)
}

/// An object by its keys, which are cut where they are long.
fn an_object(map: &serde_json::Map<String, Value>) -> String {
    let short = |key: &String| format!("\"{}\"", key.chars().take(30).collect::<String>());
    let keys: Vec<String> = map.keys().take(5).map(short).collect();
    match map.len() {
        0 => "an object without keys".to_owned(),
        1 => format!("an object with the key {}", keys[0]),
        2..=5 => format!("an object with the keys {}", keys.join(", ")),
        all => format!("an object with {all} keys: {} and others", keys.join(", ")),
    }
}

/// A report that has not been turned into JSON.
fn yaml() -> Diagnostic {
    let fix = "give the same document as JSON";
    Diagnostic::error("", "a report of llm-d-benchmark or GuideLLM as YAML", formats(), fix)
}
