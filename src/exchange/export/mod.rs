//! Rows of a run for other programs: requests, routing decisions, events and time series, as CSV or as JSON lines.
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
use decisions::Decisions;
use sheet::Sheet;
use std::io::{self, Write};

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

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Decisions => "decisions",
            Self::Events => "events",
            Self::Series => "series",
            Self::Scaling => "scaling",
        }
    }

    /// Its columns, in order. Those of the parts of scores, which depend on the scenario's routing, stand for all of their kind.
    pub fn columns(self) -> Vec<Column> {
        fn of<F>(fields: &[sheet::Field<F>]) -> Vec<Column> {
            fields.iter().map(|f| Column { name: f.name, unit: f.unit, help: f.help }).collect()
        }
        match self {
            Self::Requests => of(requests::FIELDS),
            Self::Decisions => {
                let of_parts = [("score_NAME", decisions::SCORE), ("weight_NAME", decisions::WEIGHT)];
                let of_parts = of_parts.map(|(name, help)| Column { name, unit: "", help });
                of(decisions::FIELDS).into_iter().chain(of_parts).collect()
            }
            Self::Events => of(events::FIELDS),
            Self::Series => of(series::FIELDS),
            Self::Scaling => of(scaling::FIELDS),
        }
    }
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
    requests: Option<Sheet>,
    decisions: Option<Decisions>,
    events: Option<Sheet>,
    series: Option<Sheet>,
    scaling: Option<Sheet>,
    /// Names of pools by number, those that edits add included.
    pools: Vec<String>,
    /// The first request that has not been written.
    next: usize,
}

impl Tables {
    /// The tables of a run that has not begun. Of each decision the `candidates` best are written, and the chosen one.
    pub fn new(session: &Session, outputs: Vec<Output>, candidates: u32) -> Self {
        let course = session.course();
        let pools = pool_names(&course);
        let (requests, decisions, events, series, scaling) = (None, None, None, None, None);
        let mut tables = Self { requests, decisions, events, series, scaling, pools, next: 0 };
        for Output { table, format, out } in outputs {
            match table {
                Table::Requests => tables.requests = Some(sheet_of(requests::FIELDS, format, out)),
                Table::Decisions => {
                    tables.decisions = Some(Decisions::new(&course, candidates, format, out));
                }
                Table::Events => tables.events = Some(sheet_of(events::FIELDS, format, out)),
                Table::Series => tables.series = Some(sheet_of(series::FIELDS, format, out)),
                Table::Scaling => tables.scaling = Some(sheet_of(scaling::FIELDS, format, out)),
            }
        }
        tables
    }

    fn sheets(&mut self) -> [(Table, Option<&mut Sheet>); 5] {
        [
            (Table::Requests, self.requests.as_mut()),
            (Table::Decisions, self.decisions.as_mut().map(|d| &mut d.sheet)),
            (Table::Events, self.events.as_mut()),
            (Table::Series, self.series.as_mut()),
            (Table::Scaling, self.scaling.as_mut()),
        ]
    }

    /// The first error of writing, if there was one.
    fn check(&mut self) -> Result<(), TableError> {
        for (table, sheet) in self.sheets() {
            if let Some(error) = sheet.and_then(Sheet::take_error) {
                return Err(TableError { table, error });
            }
        }
        Ok(())
    }
}

fn sheet_of<F>(fields: &[sheet::Field<F>], format: Format, out: Box<dyn Write>) -> Sheet {
    let names: Vec<&str> = fields.iter().map(|f| f.name).collect();
    Sheet::new(format, &names, out)
}

fn pool_names(course: &[Scenario]) -> Vec<String> {
    let last = course.last().map_or(&[][..], |scenario| &scenario.cluster.pools);
    last.iter().map(|pool| pool.name.clone()).collect()
}

impl Sink for Tables {
    fn fact(&mut self, at: Micros, fact: Fact) {
        let Some(sheet) = &mut self.events else { return };
        let row = events::Row::new(at, &fact);
        for field in events::FIELDS {
            sheet.cell((field.value)(&row, &self.pools));
        }
        sheet.end_row();
    }

    fn wants_decision(&self, _: RequestId, _: usize) -> bool {
        self.decisions.is_some()
    }

    fn wants_blocked_heads(&self) -> bool {
        self.events.is_some()
    }

    fn decision(&mut self, at: Micros, decision: &Decision) {
        if let Some(decisions) = &mut self.decisions {
            decisions.write(at, decision);
        }
    }

    fn scaled(&mut self, record: &ScalingRecord) {
        let Some(sheet) = &mut self.scaling else { return };
        for field in scaling::FIELDS {
            sheet.cell((field.value)(record, &self.pools));
        }
        sheet.end_row();
    }
}

impl Tables {
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
        if let Some(sheet) = &mut self.requests {
            for i in self.next..end {
                let row = requests::Row::new(session, i);
                for field in requests::FIELDS {
                    sheet.cell((field.value)(&row));
                }
                sheet.end_row();
            }
        }
        self.next = end;
        let done = end == arrived;
        if done && let Some(sheet) = &mut self.series {
            series::write(session, sheet);
        }
        if done {
            self.sheets().into_iter().filter_map(|(_, sheet)| sheet).for_each(Sheet::flush);
        }
        self.check().map(|()| done)
    }
}
