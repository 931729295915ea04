//! Lines of a server's log as a tree: what they set, and how many say nothing of it.

use crate::import::documents::places::{Place, Places};
use crate::import::documents::python;
use crate::import::documents::yaml::Tree;
use serde_json::{Map, Value, json};

/// Most entries of a kind: the engines of a server write one each.
const MOST: usize = 1024;

const LEVELS: [&str; 5] = ["INFO", "WARNING", "ERROR", "DEBUG", "CRITICAL"];

/// Whether a line is one of a server's log: a level and a date, perhaps after the names of pod and process.
pub(crate) fn is_line(line: &str) -> bool {
    let date = |word: &str| {
        let mut parts = word.split('-');
        let digits =
            |part: Option<&str>| part.is_some_and(|p| p.len() >= 2 && p.bytes().all(|c| c.is_ascii_digit()));
        digits(parts.next()) && digits(parts.next())
    };
    let mut words = line.split_whitespace().take(8).peekable();
    while let Some(word) = words.next() {
        if LEVELS.contains(&word) && words.peek().is_some_and(|next| date(next)) {
            return true;
        }
    }
    let uvicorn =
        LEVELS.iter().any(|level| line.strip_prefix(level).is_some_and(|rest| rest.starts_with(":     ")));
    uvicorn || MARKS.iter().any(|(mark, _)| line.contains(mark))
}

/// What is looked for in a line, and the key that it becomes.
const MARKS: [(&str, &str); 3] = [
    ("GPU KV cache size: ", "kv_cache_tokens"),
    ("# GPU blocks: ", "gpu_blocks"),
    ("Maximum concurrency for ", "max_concurrency"),
];

const VERSIONS: [&str; 2] = ["API server version ", "LLM engine (v"];
const ARGUMENTS: [&str; 2] = ["non-default args: ", "non_default_args: "];

/// The tree `{"log": {"version": …, "args": {…}, "kv_cache_tokens": […]}}` of lines; none without a line of a log.
pub(crate) fn tree(text: &str, first_line: u32) -> Option<Tree> {
    let mut log: Map<String, Value> = Map::new();
    let mut places = Places::default();
    let (mut lines, mut others, mut averages, mut any) = (0, 0_u64, 0_u64, false);
    for (number, line) in text.lines().enumerate() {
        lines = number as u32 + 1;
        any |= is_line(line);
        let whole = Place { line: lines, from: 0, to: line.chars().count() as u32 };
        if line.trim().is_empty() {
            continue;
        }
        if !entry(&mut log, &mut places, line, whole) {
            if line.contains("Avg generation throughput: ") {
                averages += 1;
            } else {
                others += 1;
            }
        }
    }
    for (key, count) in [("averages", averages), ("lines", others)] {
        if count > 0 {
            log.insert(key.to_owned(), Value::from(count));
            places.insert(format!("log.{key}"), Place { line: 1, from: 0, to: 0 });
        }
    }
    let last_line = first_line + lines.saturating_sub(1);
    any.then(|| Tree { value: json!({ "log": log }), places, first_line, last_line })
}

/// Adds what a line sets; returns whether it sets anything.
fn entry(log: &mut Map<String, Value>, places: &mut Places, line: &str, whole: Place) -> bool {
    let from = |at: usize| line[..at].chars().count() as u32;
    for mark in ARGUMENTS {
        let Some(at) = line.find(mark) else { continue };
        let Some(Value::Object(args)) = python::value(&line[at + mark.len()..]) else { return false };
        let start = Place { from: from(at), ..whole };
        places.insert("log.args".to_owned(), start);
        for key in args.keys() {
            let own = line.find(&format!("'{key}'")).map_or(start, |at| Place {
                from: from(at),
                to: from(at) + key.chars().count() as u32 + 2,
                ..whole
            });
            places.insert(format!("log.args.{key}"), own);
        }
        log.insert("args".to_owned(), Value::Object(args));
        return true;
    }
    for mark in VERSIONS {
        let Some(at) = line.find(mark) else { continue };
        let rest = &line[at + mark.len()..];
        let end = rest.find(|c: char| c.is_whitespace() || c == ')').unwrap_or(rest.len());
        if log.contains_key("version") {
            return log["version"] == rest[..end];
        }
        log.insert("version".to_owned(), Value::from(&rest[..end]));
        places.insert("log.version".to_owned(), Place { from: from(at), ..whole });
        return true;
    }
    for (mark, key) in MARKS {
        let Some(at) = line.find(mark) else { continue };
        let rest = line[at + mark.len()..].trim_start();
        let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == ',').collect();
        let Ok(n) = digits.replace(',', "").parse::<u64>() else { return false };
        let all = log.entry(key).or_insert_with(|| json!([]));
        let Some(all) = all.as_array_mut().filter(|all| all.len() < MOST) else { return false };
        places.insert(format!("log.{key}.{}", all.len()), Place { from: from(at), ..whole });
        all.push(Value::from(n));
        return true;
    }
    false
}
