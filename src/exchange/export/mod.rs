//! Rows of a run for other programs, a file here for each kind of rows, behind one trait; as CSV or as JSON lines.
//!
//! Nothing is collected. Events and decisions are written as the engine tells them; requests and series at the end, from the
//! records and buckets that the run keeps anyway. A file holds back no more than its buffer, however many rows there are.
//! Rows tell of a run and are no part of it: its results are the same with and without them. Nothing here knows where the bytes go.
//!
//! Names and order of the columns are a contract with whoever reads the files; docs/reference/output.md lists them.

mod decisions;
mod events;
mod requests;
mod scaling;
mod series;
mod sheet;

use crate::base::{Micros, RequestId};
use crate::engine::{Decision, Fact, ScalingRecord, Sink};
use crate::scenario::{Scenario, limits};
use crate::session::{Session, Stop};
use sheet::{Field, Sheet};
use std::io::{self, Write};
use std::ops::Range;

/// A kind of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// One row for each request, in order of arrival.
    Requests,
    /// One row for each decision of the router and candidate.
    Decisions,
    /// One row for each fact, in order.
    Events,
    /// One row for each bucket of time, of the cluster and of each replica.
    Series,
    /// One row for each decision of an autoscaler.
    Scaling,
}

impl Table {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Requests, Self::Decisions, Self::Events, Self::Series, Self::Scaling];

    /// The format of its rows.
    fn export(self) -> &'static dyn Export {
        match self {
            Self::Requests => &requests::Requests,
            Self::Decisions => &decisions::Decisions,
            Self::Events => &events::Events,
            Self::Series => &series::Series,
            Self::Scaling => &scaling::Scaling,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.export().name()
    }

    /// Its columns, in order. Those of the parts of scores, which depend on the scenario's routing, stand for all of their kind.
    pub fn columns(self) -> Vec<Column> {
        self.export().columns()
    }
}

/// A format of rows that are written for other programs.
trait Export {
    /// Its name, that of the option of the command line.
    fn name(&self) -> &'static str;
    /// Its columns, in order.
    fn columns(&self) -> Vec<Column>;
    /// Begins a file.
    fn begin(&self, run: Begun<'_>) -> Box<dyn Rows>;
}

/// What is known of a run before its first event, and where a file of its rows goes.
struct Begun<'a> {
    /// The document as the run begins, and after each of its edits.
    course: &'a [Scenario],
    /// Names of pools by number, those that edits add included.
    pools: Vec<String>,
    /// Candidates of a decision that are written beside the chosen one.
    candidates: u32,
    format: Format,
    out: Box<dyn Write>,
}

impl Begun<'_> {
    /// The file of a table whose columns are the same for every run.
    fn sheet<F>(self, fields: &[Field<F>]) -> Sheet {
        let names: Vec<&str> = fields.iter().map(|f| f.name).collect();
        Sheet::new(self.format, &names, self.out)
    }
}

/// A file under way: what it takes from the run. Most files take one of these.
trait Rows {
    /// The file.
    fn sheet(&mut self) -> &mut Sheet;

    /// Whether it takes facts.
    fn takes_facts(&self) -> bool {
        false
    }

    /// Whether it takes the decisions of the router.
    fn takes_decisions(&self) -> bool {
        false
    }

    /// Something happened.
    fn fact(&mut self, _at: Micros, _fact: &Fact) {}

    /// The router decided.
    fn decision(&mut self, _at: Micros, _decision: &Decision) {}

    /// An autoscaler decided.
    fn scaled(&mut self, _record: &ScalingRecord) {}

    /// The run is over, and these requests of it are next.
    fn requests(&mut self, _session: &Session, _which: Range<usize>) {}

    /// The run is over, and all of its requests were given.
    fn end(&mut self, _session: &Session) {}
}

/// The columns of fields.
fn columns_of<F>(fields: &[Field<F>]) -> Vec<Column> {
    fields.iter().map(|f| Column { name: f.name, unit: f.unit, help: f.help }).collect()
}

/// A column of a table, for its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// The unit of its values; empty if they have none.
    pub unit: &'static str,
    /// What it says.
    pub help: &'static str,
}

/// The values of the column `event` with their meaning.
pub fn events() -> &'static [(&'static str, &'static str)] {
    &events::EVENTS
}

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values after a line of names, as RFC 4180 has them; what is unknown is empty.
    Csv,
    /// A JSON object on each line; what is unknown is null.
    Jsonl,
}

impl Format {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Csv, Self::Jsonl];

    /// The end of a file's name that asks for it, after the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
        }
    }
}

/// Where a table goes, and how.
pub struct Output {
    /// Which rows.
    pub table: Table,
    /// How they are written.
    pub format: Format,
    /// Where to.
    pub out: Box<dyn Write>,
}

/// A table could not be written.
#[derive(Debug)]
pub struct TableError {
    /// Which one.
    pub table: Table,
    /// Why.
    pub error: io::Error,
}

/// Candidates of a decision that are written if nobody asks for another number.
pub const CANDIDATES: u32 = 64;
/// Most candidates of a decision that can be asked for: as many as a cluster has replicas.
pub const MOST_CANDIDATES: u32 = limits::REPLICAS;

/// The files of a run under way.
pub struct Tables {
    open: Vec<(Table, Box<dyn Rows>)>,
    /// The first request that has not been written.
    next: usize,
}

impl Tables {
    /// The tables of a run that has not begun. Of each decision the `candidates` best are written, and the chosen one.
    pub fn new(session: &Session, outputs: Vec<Output>, candidates: u32) -> Self {
        let course = session.course();
        let begin = |Output { table, format, out }| {
            let pools = pool_names(&course);
            (table, table.export().begin(Begun { course: &course, pools, candidates, format, out }))
        };
        Self { open: outputs.into_iter().map(begin).collect(), next: 0 }
    }

    /// [`Session::advance`] of a run that nobody watches; events and decisions are written on the way.
    pub fn advance(
        &mut self,
        session: &mut Session,
        until: Micros,
        max_events: u64,
    ) -> Result<Stop, TableError> {
        assert!(!session.recorder().live, "INV-6: rows are written of a run that nobody watches");
        let stop = session.advance_telling(until, max_events, self);
        self.check().map(|()| stop)
    }

    /// Writes what is known at the playhead alone: the next `most` requests, and the series after the last of them. Whether
    /// that was all.
    pub fn write_rest(&mut self, session: &Session, most: u32) -> Result<bool, TableError> {
        let arrived = session.engine().records().len();
        let end = arrived.min(self.next + most as usize);
        let done = end == arrived;
        for (_, rows) in &mut self.open {
            rows.requests(session, self.next..end);
            if done {
                rows.end(session);
                rows.sheet().flush();
            }
        }
        self.next = end;
        self.check().map(|()| done)
    }

    /// The first error of writing, if there was one.
    fn check(&mut self) -> Result<(), TableError> {
        for (table, rows) in &mut self.open {
            if let Some(error) = rows.sheet().take_error() {
                return Err(TableError { table: *table, error });
            }
        }
        Ok(())
    }
}

fn pool_names(course: &[Scenario]) -> Vec<String> {
    let last = course.last().map_or(&[][..], |scenario| &scenario.cluster.pools);
    last.iter().map(|pool| pool.name.clone()).collect()
}

impl Sink for Tables {
    fn fact(&mut self, at: Micros, fact: Fact) {
        for (_, rows) in &mut self.open {
            rows.fact(at, &fact);
        }
    }

    fn wants_decision(&self, _: RequestId, _: usize) -> bool {
        self.open.iter().any(|(_, rows)| rows.takes_decisions())
    }

    fn wants_blocked_heads(&self) -> bool {
        self.open.iter().any(|(_, rows)| rows.takes_facts())
    }

    fn decision(&mut self, at: Micros, decision: &Decision) {
        for (_, rows) in &mut self.open {
            rows.decision(at, decision);
        }
    }

    fn scaled(&mut self, record: &ScalingRecord) {
        for (_, rows) in &mut self.open {
            rows.scaled(record);
        }
    }
}
