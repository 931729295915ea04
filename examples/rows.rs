//! Writes a row for each request of a run as CSV to standard output, while the run goes on.
//!
//! `cargo run --example rows > requests.csv`

use std::io::{BufWriter, Write};
use tokenyard::base::Micros;
use tokenyard::export::{Format, Output, Table, TableError, Tables};
use tokenyard::scenario::preset::Preset;
use tokenyard::session::{Audience, Session, Stop};

/// Runs the session to its end; `docs/reference/output.md` explains the columns.
fn write_requests(session: &mut Session, out: Box<dyn Write>) -> Result<(), TableError> {
    let output = Output { table: Table::Requests, format: Format::Csv, out };
    let mut tables = Tables::new(session, vec![output], 0);
    while tables.advance(session, Micros::MAX, 4096)? != Stop::Finished {}
    // Requests that are still under way at the end get their rows too.
    while !tables.write_rest(session, 1000)? {}
    Ok(())
}

pub(crate) fn main() {
    let mut scenario = Preset::named("kv-pressure").expect("a built-in scenario").scenario();
    scenario.run.horizon_s = 10.0;
    scenario.run.warmup_s = 1.0;
    let (mut session, _) =
        Session::start(scenario, None, Audience::Batch).expect("built-in scenarios are sound");
    let out = BufWriter::new(std::io::stdout());
    write_requests(&mut session, Box::new(out)).expect("standard output takes the rows");
}
