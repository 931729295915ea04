//! Tables of rows of a run.

use crate::keeper::Wanted;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tokenyard::base::Micros;
use tokenyard::export::{ColumnsOutput, Table, TableColumn, TableError, Tables};
use tokenyard::session::{Session, Stop, no_rows};

/// Events, and rows, between two looks whether the rows are still wanted.
const AT_ONCE: u32 = 50_000;

/// The table of this name.
pub(crate) fn named(name: &str) -> PyResult<Table> {
    let found = Table::ALL.into_iter().find(|table| table.name() == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = Table::ALL.iter().map(|table| table.name()).collect();
        PyValueError::new_err(format!("{name}: no such table; allowed: {}", names.join(", ")))
    })
}

/// Whether a table is made while the run goes on, and not of what the run keeps.
pub(crate) fn on_the_way(table: Table) -> bool {
    match table {
        Table::Requests | Table::Series => false,
        Table::Decisions | Table::Events | Table::Scaling => true,
    }
}

/// Why there are no rows, as Python has it.
pub(crate) fn failed(e: String) -> PyErr {
    pyo3::exceptions::PyRuntimeError::new_err(e)
}

fn rest(tables: &mut Tables, session: &Session, wanted: &Wanted) -> Result<(), TableError> {
    while !wanted.is_over() && !tables.write_rest(session, AT_ONCE)? {}
    Ok(())
}

/// Rows of what a run keeps, up to its playhead.
pub(crate) fn of_kept(session: &Session, table: Table, wanted: &Wanted) -> Result<Vec<TableColumn>, String> {
    if table == Table::Requests && !session.keeps_rows() {
        return Err(no_rows().to_string());
    }
    let columns = ColumnsOutput::default();
    let mut tables = Tables::of_columns(session, table, &columns, 1);
    rest(&mut tables, session, wanted).map_err(|e| e.error.to_string())?;
    Ok(columns.take())
}

/// Rows of a run that has not begun, made while it runs.
pub(crate) fn of_run(
    mut session: Session,
    table: Table,
    candidates: u32,
    wanted: &Wanted,
) -> Result<Vec<TableColumn>, String> {
    let columns = ColumnsOutput::default();
    let mut tables = Tables::of_columns(&session, table, &columns, candidates);
    let mut run = || {
        while !wanted.is_over()
            && tables.advance(&mut session, Micros::MAX, AT_ONCE.into())? != Stop::Finished
        {}
        rest(&mut tables, &session, wanted)
    };
    run().map_err(|e| e.error.to_string())?;
    Ok(columns.take())
}
