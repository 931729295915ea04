//! The rows of a run in memory, from which pictures are made.

use base::{Diagnostics, Micros};
use document::Scenario;
use export::{Format, Output, Table, Tables};
use run::session::{Audience, Session};
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

pub(super) type Row = Map<String, Value>;

/// Bytes with two owners.
#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The rows of a run up to an instant.
pub(super) fn rows(scenario: &Scenario, table: Table, until_s: f64) -> Result<Vec<Row>, Diagnostics> {
    let (mut session, _) = Session::start(scenario.clone(), None, Audience::Batch)?;
    let bytes = Shared::default();
    let output = Output { table, format: Format::Jsonl, out: Box::new(bytes.clone()) };
    let mut tables = Tables::new(&session, vec![output], 1);
    let until = Micros((until_s * 1e6) as u64);
    tables.advance(&mut session, until, u64::MAX).expect("memory takes all");
    while !tables.write_rest(&session, u32::MAX).expect("memory takes all") {}
    let bytes = bytes.0.borrow();
    let lines = bytes.split(|&b| b == b'\n').filter(|line| !line.is_empty());
    Ok(lines.map(|line| serde_json::from_slice(line).expect("INV-6: a row is JSON")).collect())
}

pub(super) fn number(row: &Row, name: &str) -> Option<f64> {
    row.get(name).and_then(Value::as_f64)
}

pub(super) fn text<'a>(row: &'a Row, name: &str) -> &'a str {
    row.get(name).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn of_client(rows: Vec<Row>, client: &str) -> Vec<Row> {
    rows.into_iter().filter(|row| client.is_empty() || text(row, "client") == client).collect()
}

/// Requests that arrived between two instants.
pub(super) fn within(rows: Vec<Row>, seconds: [f64; 2]) -> Vec<Row> {
    let here = |row: &Row| number(row, "arrival_us").is_some_and(|us| inside(us / 1e6, seconds));
    rows.into_iter().filter(here).collect()
}

pub(super) fn inside(at_s: f64, seconds: [f64; 2]) -> bool {
    (seconds[0]..seconds[1]).contains(&at_s)
}

pub(super) fn latencies<'a>(rows: impl Iterator<Item = &'a Row>, of: &str) -> Vec<f64> {
    let mut all: Vec<f64> = rows.filter_map(|row| number(row, of)).filter(|us| *us > 0.0).collect();
    all.sort_by(f64::total_cmp);
    all
}
