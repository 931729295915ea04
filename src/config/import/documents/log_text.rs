//! Lines of a server's log as a tree: what they set, and how many say nothing of it.

use crate::import::documents::places::{Place, Places};
use crate::import::documents::python;
use crate::import::documents::yaml::Tree;
use base::log_lines::{begins_entry, uncut};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// Most entries of a kind: the engines of a server write one each.
const MOST: usize = 1024;

/// Whether a line is one of a server's log.
pub(crate) fn is_line(line: &str) -> bool {
    begins_entry(line) || MARKS.iter().any(|(mark, _)| line.contains(mark))
}

/// Whether a line ends in the middle of a server's arguments.
pub(crate) fn is_cut(line: &str) -> bool {
    arguments(line).is_some_and(|args| !matches!(args, Args::Whole(..)))
}

/// Whether a text of a log ends in the middle of a server's arguments.
pub(crate) fn ends_in_arguments(text: &str) -> bool {
    let mark = ARGUMENTS.iter().filter_map(|mark| text.rfind(mark)).max();
    mark.is_some_and(|at| is_cut(&text[at..].replace(['\r', '\n'], "")))
}

/// Most lines over which arguments go.
const MOST_CUT: usize = 64;

/// What stands in a line behind the mark of arguments.
enum Args {
    /// All of them, and the place of the mark.
    Whole(usize, Map<String, Value>),
    /// A part, which ends with the line.
    Cut(usize),
}

/// The arguments in a line, if it has any.
fn arguments(line: &str) -> Option<Args> {
    let (at, mark) = ARGUMENTS.iter().find_map(|mark| Some((line.find(mark)?, mark)))?;
    match python::value(&line[at + mark.len()..]) {
        Some(Value::Object(args)) => Some(Args::Whole(at, args)),
        _ => Some(Args::Cut(at)),
    }
}

/// The lines of a log, those of cut arguments together.
fn entries(text: &str) -> Vec<(usize, Cow<'_, str>)> {
    let mut all: Vec<(usize, Cow<'_, str>)> = Vec::new();
    let mut more = 0;
    for (number, line) in uncut(text) {
        let goes_on = all.last_mut().filter(|_| more > 0 && !begins_entry(&line));
        if let Some((_, before)) = goes_on {
            before.to_mut().push_str(&line);
            more = if is_cut(before) { more - 1 } else { 0 };
        } else {
            more = if is_cut(&line) { MOST_CUT } else { 0 };
            all.push((number, line));
        }
    }
    all
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
    let (mut others, mut averages, mut any) = (0_u64, 0_u64, false);
    let widths: Vec<u32> = text.lines().map(|line| line.chars().count() as u32).collect();
    for (number, line) in entries(text) {
        let line = &*line;
        any |= is_line(line);
        let whole = Place { line: number as u32 + 1, from: 0, to: widths.get(number).copied().unwrap_or(0) };
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
    let last_line = first_line + (widths.len() as u32).saturating_sub(1);
    any.then(|| Tree { value: json!({ "log": log }), places, first_line, last_line })
}

/// Adds what a line sets; returns whether it sets anything.
fn entry(log: &mut Map<String, Value>, places: &mut Places, line: &str, whole: Place) -> bool {
    let from = |at: usize| (line[..at].chars().count() as u32).min(whole.to);
    match arguments(line) {
        Some(Args::Cut(at)) => {
            places.insert("log.cut_args".to_owned(), Place { from: from(at), ..whole });
            log.insert("cut_args".to_owned(), Value::from(&line[at..]));
            return true;
        }
        Some(Args::Whole(at, args)) => {
            put_arguments(log, places, line, args, Place { from: from(at), ..whole });
            return true;
        }
        None => {}
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

/// Puts the arguments of a server into a log. `start` is the place of their mark.
fn put_arguments(
    log: &mut Map<String, Value>,
    places: &mut Places,
    line: &str,
    args: Map<String, Value>,
    start: Place,
) {
    places.insert("log.args".to_owned(), start);
    for key in args.keys() {
        let own = line.find(&format!("'{key}'")).map_or(start, |at| {
            let from = line[..at].chars().count() as u32;
            let to = from + key.chars().count() as u32 + 2;
            if to <= start.to { Place { from, to, ..start } } else { start }
        });
        places.insert(format!("log.args.{key}"), own);
    }
    log.insert("args".to_owned(), Value::Object(args));
}
