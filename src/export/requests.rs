//! Export of requests: one row each, in order of arrival, read from the records that the engine keeps anyway.

use super::cell::Cell;
use super::export::{Begun, Column, Export};
use super::rows::{Destination, Rows};
use super::sheet::Sheet;
use base::RequestId;
use run::observe::{homes_read, roles_differ};
use run::session::{ColumnUse, RequestColumn, RequestValues, Session};
use std::ops::Range;

/// The rows of requests.
pub(super) struct Requests;

impl Export for Requests {
    fn name(&self) -> &'static str {
        "requests"
    }

    fn columns(&self) -> Vec<Column> {
        let column = |c: &RequestColumn| Column { name: c.name, unit: c.unit, help: c.help };
        RequestColumn::ALL.iter().map(column).collect()
    }

    fn begin(&self, run: Begun<'_>) -> Box<dyn Rows> {
        let has = |column: &&RequestColumn| match column.of {
            ColumnUse::Always => true,
            ColumnUse::Roles => run.course.iter().any(roles_differ),
            ColumnUse::HomeReads => run.course.iter().any(homes_read),
            ColumnUse::Trace => run.course.iter().any(|scenario| scenario.workload.trace.is_some()),
            ColumnUse::Gaps => run.gaps,
        };
        let columns: Vec<&RequestColumn> = RequestColumn::ALL.iter().filter(has).collect();
        let names: Vec<&str> = columns.iter().map(|c| c.name).collect();
        let values = columns.iter().map(|c| c.values).collect();
        Box::new(File { sheet: Sheet::new(run.to, &names), values })
    }
}

struct File {
    sheet: Sheet,
    values: Vec<RequestValues>,
}

impl Rows for File {
    fn out(&mut self) -> &mut dyn Destination {
        &mut self.sheet
    }

    fn requests(&mut self, session: &Session, which: Range<usize>) {
        for row in which.filter_map(|i| session.row(RequestId(i as u32))) {
            for values in &self.values {
                self.sheet.cell(match values {
                    RequestValues::Whole(value) => Cell::from(value(&row)),
                    RequestValues::Flag(value) => Cell::from(value(&row)),
                    RequestValues::Text(value) => Cell::from(value(&row)),
                    RequestValues::Spans(value) => Cell::Spans(value(&row)),
                });
            }
            self.sheet.end_row();
        }
    }
}
