//! Rows of a run as a reader of the files has them: written to memory, and read again.

use crate::support::memory::Memory;
use serde_json::{Map, Value};
use tokenyard::base::Micros;
use tokenyard::export::{Format, Output, Table, Tables};
use tokenyard::scenario::parse;
use tokenyard::session::{Audience, Session, Stop};

/// A run without watchers, at its beginning.
pub(crate) fn start(scenario: &Value) -> Session {
    let scenario = parse(&scenario.to_string()).unwrap_or_else(|problems| panic!("{problems:?}"));
    match Session::start(scenario, None, Audience::Batch) {
        Ok((session, _)) => session,
        Err(problems) => panic!("{problems:?}"),
    }
}

/// Runs to the end with some tables, and gives them as text, in order.
pub(crate) fn texts(session: &mut Session, asked: &[(Table, Format)], candidates: u32) -> Vec<String> {
    let files: Vec<Memory> = asked.iter().map(|_| Memory::default()).collect();
    let output = |(&(table, format), file): (&(Table, Format), &Memory)| Output {
        table,
        format,
        out: Box::new(file.clone()),
    };
    let outputs = asked.iter().zip(&files).map(output).collect();
    let mut tables = Tables::new(session, outputs, candidates);
    while tables.advance(session, Micros::MAX, 97).expect("memory takes all") != Stop::Finished {}
    while !tables.write_rest(session, 13).expect("memory takes all") {}
    files.iter().map(Memory::text).collect()
}

/// JSON lines as objects.
pub(crate) fn lines(text: &str) -> Vec<Map<String, Value>> {
    let row = |line: &str| serde_json::from_str(line).expect("a line is an object");
    text.lines().map(row).collect()
}

/// The rows of one table.
pub(crate) fn rows(session: &mut Session, table: Table) -> Vec<Map<String, Value>> {
    lines(&texts(session, &[(table, Format::Jsonl)], 64)[0])
}

/// The cell of a row.
pub(crate) fn cell<'a>(row: &'a Map<String, Value>, name: &str) -> &'a Value {
    row.get(name).unwrap_or_else(|| panic!("a row without {name}: {row:?}"))
}

/// A whole number, if it is known.
pub(crate) fn whole(row: &Map<String, Value>, name: &str) -> Option<u64> {
    match cell(row, name) {
        Value::Null => None,
        value => Some(value.as_u64().unwrap_or_else(|| panic!("{name} is {value}"))),
    }
}

/// A text, empty if it is not known.
pub(crate) fn text<'a>(row: &'a Map<String, Value>, name: &str) -> &'a str {
    cell(row, name).as_str().unwrap_or_default()
}
