//! Export of rows of a run for other programs, as CSV or as JSON lines. Each kind of rows has a file here, and all
//! share one trait.
//!
//! Nothing is collected. Events and decisions are written when the engine reports them; requests and series at the
//! end, from the records and buckets that the run keeps anyway. A file holds back no more than its buffer, for any
//! number of rows. Rows describe a run and do not change it: its results are the same with and without them. The
//! caller decides where the bytes go.
//!
//! Names and order of the columns are a contract with the readers of the files; docs/reference/output.md lists them.

mod cell;
mod decisions;
mod events;
mod export;
mod format;
mod openmetrics;
mod openmetrics_counting;
mod openmetrics_families;
mod page;
mod perfetto;
mod recorded;
mod requests;
mod rows;
mod scaling;
mod series;
mod sheet;
mod table_columns;

use base::{Micros, RequestId};
use document::{Scenario, limits};
use engine::{Decision, Fact, ScalingRecord, Sink};
pub use export::Column;
use export::{Begun, Export};
pub use format::Format;
pub use openmetrics::{LATEST_START_S, MOST_VALUES, MetricsOutput};
pub use openmetrics_counting::{Counting, has_page};
pub use page::page;
pub use perfetto::{Held, MOST_SLICES, TraceOutput};
pub use recorded::TraceFormat;
use rows::Rows;
use run::session::{Session, Stop};
use sheet::Target;
use std::io::{self, Write};
pub use table_columns::{ColumnTexts, ColumnValues, ColumnsOutput, TableColumn};

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

    /// Its columns, in order. The columns for parts of scores depend on the scenario's routing; each stands for all of
    /// its kind.
    pub fn columns(self) -> Vec<Column> {
        self.export().columns()
    }
}

/// Values of the column `event`, with their meanings.
pub fn events() -> &'static [(&'static str, &'static str)] {
    &events::EVENTS
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

/// A file of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// The rows of a table.
    Table(Table),
    /// A trace for Perfetto.
    Trace,
    /// The metrics of its replicas.
    Metrics,
}

impl Written {
    /// Its name, that of the option of the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Table(table) => table.name(),
            Self::Trace => "perfetto",
            Self::Metrics => "openmetrics",
        }
    }
}

/// A file could not be written.
#[derive(Debug)]
pub struct TableError {
    /// Which one.
    pub file: Written,
    /// Why.
    pub error: io::Error,
}

/// Default number of candidates that are written for a decision.
pub const CANDIDATES: u32 = 64;
/// Largest number of candidates of a decision that can be requested: the largest number of replicas of a cluster.
pub const MOST_CANDIDATES: u32 = limits::REPLICAS;

/// The files of a run under way.
pub struct Tables {
    open: Vec<(Written, Box<dyn Rows>)>,
    /// The first request that has not been written.
    next: usize,
    /// Whether all requests were given, and the tables after them ended.
    ended: bool,
}

impl Tables {
    /// The tables of a run that has not begun. For each decision, the `candidates` best candidates and the chosen one
    /// are written.
    pub fn new(session: &Session, outputs: Vec<Output>, candidates: u32) -> Self {
        let to = |Output { table, format, out }| (table, Target::Text(format, out));
        Self::to(session, outputs.into_iter().map(to), candidates)
    }

    /// A table of a run that has not begun, as columns.
    pub fn of_columns(session: &Session, table: Table, out: &ColumnsOutput, candidates: u32) -> Self {
        Self::to(session, [(table, Target::Columns(out.clone()))], candidates)
    }

    fn to(session: &Session, targets: impl IntoIterator<Item = (Table, Target)>, candidates: u32) -> Self {
        let (course, gaps) = (session.course(), session.engine().detail().is_some());
        let begin = |(table, to): (Table, Target)| {
            let begun = Begun { course: &course, pools: pool_names(&course), candidates, gaps, to };
            (Written::Table(table), table.export().begin(begun))
        };
        Self { open: targets.into_iter().map(begin).collect(), next: 0, ended: false }
    }

    /// The same with a trace of the run, which has not begun.
    #[must_use]
    pub fn with_trace(mut self, session: &Session, trace: TraceOutput) -> Self {
        let course = session.course();
        let trace = perfetto::Trace::new(&course, pool_names(&course), trace);
        self.open.push((Written::Trace, Box::new(trace)));
        self
    }

    /// The same with the metrics of the replicas of the run, which has not begun.
    #[must_use]
    pub fn with_metrics(mut self, session: &Session, asked: MetricsOutput) -> Self {
        let course = session.course();
        let last = course.last().map_or(&[][..], |scenario| &scenario.cluster.pools);
        let models = last.iter().map(|pool| pool.model.clone()).collect();
        self.open.push((Written::Metrics, Box::new(openmetrics::OpenMetrics::new(models, asked))));
        self
    }

    /// Seconds between the samples of metrics, if there is no room for one every 15 s.
    pub fn metrics_step_s(&self) -> Option<u64> {
        self.open.iter().find_map(|(_, rows)| rows.step_s())
    }

    /// What a trace holds, if it has no room for all that was asked for.
    pub fn held(&self, session: &Session) -> Option<Held> {
        self.open.iter().find_map(|(_, rows)| rows.held(session))
    }

    /// [`Session::advance`] of a run without watchers; writes events and decisions on the way.
    pub fn advance(
        &mut self,
        session: &mut Session,
        until: Micros,
        max_events: u64,
    ) -> Result<Stop, TableError> {
        assert!(!session.recorder().live, "INV-6: rows are written only of a run without watchers");
        let due = self.open.iter().filter_map(|(_, rows)| rows.due()).min().unwrap_or(Micros::MAX);
        let stop = session.advance_telling(until.min(due), max_events, self);
        let over = stop == Stop::Finished && session.engine().end() <= due && !session.awaits_edit();
        if over && until > due {
            // Nothing is sampled on the way to edits that are switched off.
            let stop = session.advance_telling(until, max_events, self);
            return self.check().map(|()| stop);
        }
        if stop == Stop::Events || over || due > until {
            return self.check().map(|()| stop);
        }
        for (_, rows) in &mut self.open {
            if rows.due() == Some(due) {
                rows.sample(session, due);
            }
        }
        // The run goes on after the samples.
        self.check().map(|()| if due == until { Stop::Until } else { Stop::Events })
    }

    /// Writes what is known only at the playhead: the next `most` requests, then the series, then the trace, as many
    /// rows at a time. Returns whether that was all.
    pub fn write_rest(&mut self, session: &Session, most: u32) -> Result<bool, TableError> {
        let arrived = session.engine().records().len();
        let end = arrived.min(self.next + most as usize);
        let all = end == arrived;
        let mut done = all;
        for (_, rows) in &mut self.open {
            rows.requests(session, self.next..end);
            if all && !self.ended {
                rows.end(session);
            }
            done &= !all || rows.more(session, most as usize);
        }
        self.next = end;
        self.ended |= all;
        if done {
            self.open.iter_mut().for_each(|(_, rows)| rows.out().flush());
        }
        self.check().map(|()| done)
    }

    /// The first error of writing, if there was one.
    fn check(&mut self) -> Result<(), TableError> {
        for (file, rows) in &mut self.open {
            if let Some(error) = rows.out().take_error() {
                return Err(TableError { file: *file, error });
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
