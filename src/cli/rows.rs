//! Files of rows that a run writes in addition to its report.

use super::args::Rows;
use super::input::refused;
use super::outputs::Outputs;
use super::{Failed, unreadable};
use crate::base::{Diagnostic, Micros};
use crate::exchange::export::{Format, Output, Table, TableError, Tables};
use crate::session::{Session, Stop};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Requests between two checks whether the file still accepts rows.
const AT_ONCE: u32 = 4096;

/// The requested files, not yet opened.
pub(super) struct RowFiles {
    files: Vec<(Table, Format, PathBuf)>,
    candidates: u32,
}

impl RowFiles {
    /// No files of rows.
    pub(super) fn none() -> Self {
        Self { files: Vec::new(), candidates: 1 }
    }

    /// The files that the arguments request. Reports all names that cannot be used.
    pub(super) fn of(args: &Rows) -> Result<Self, Failed> {
        let asked = [
            (Table::Requests, &args.requests),
            (Table::Decisions, &args.decisions),
            (Table::Events, &args.events),
            (Table::Series, &args.series),
            (Table::Scaling, &args.scaling),
        ];
        let (mut found, mut failed) = (Self { files: Vec::new(), candidates: args.decisions_k }, None);
        let mut outputs = Outputs::beside([]);
        for (table, path) in asked {
            let Some(path) = path else { continue };
            match outputs.add(path).and_then(|()| format_of(path)) {
                Ok(format) => found.files.push((table, format, path.clone())),
                Err(problem) => failed = Some(refused(&format!("--{}", table.name()), &[problem])),
            }
        }
        failed.map_or(Ok(found), Err)
    }

    /// Refuses files that the run reads.
    pub(super) fn keep_apart(&self, read: Vec<PathBuf>) -> Result<(), Failed> {
        let options: Vec<String> =
            self.files.iter().map(|(table, ..)| format!("--{}", table.name())).collect();
        let asked =
            options.iter().zip(&self.files).map(|(option, (.., path))| (option.as_str(), path.clone()));
        Outputs::beside(read).add_all(asked)
    }

    /// Opens the files for a run that is about to begin.
    pub(super) fn open(&self, session: &Session) -> Result<RowsUnderWay<'_>, Failed> {
        let mut outputs = Vec::new();
        for (table, format, path) in &self.files {
            let file = File::create(path).map_err(|e| unreadable(&path.display(), &e))?;
            outputs.push(Output { table: *table, format: *format, out: Box::new(file) });
        }
        let tables = (!outputs.is_empty()).then(|| Tables::new(session, outputs, self.candidates));
        Ok(RowsUnderWay { files: self, tables })
    }
}

/// The format by the extension of a name.
fn format_of(path: &Path) -> Result<Format, Diagnostic> {
    let shown = path.display().to_string();
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    let known = Format::ALL.into_iter().find(|f| extension.as_deref() == Some(f.extension()));
    known.ok_or_else(|| {
        let fix = "its extension selects the format: CSV, or a JSON object on each line";
        Diagnostic::error("", shown, "a file name that ends in .csv or .jsonl", fix)
    })
}

/// The files of a run that has begun.
pub(super) struct RowsUnderWay<'a> {
    files: &'a RowFiles,
    tables: Option<Tables>,
}

impl RowsUnderWay<'_> {
    /// Whether there are any.
    pub(super) fn any(&self) -> bool {
        self.tables.is_some()
    }

    /// Runs at most `max_events` events, and writes the rows that follow from them.
    pub(super) fn advance(&mut self, session: &mut Session, max_events: u64) -> Result<Stop, Failed> {
        match &mut self.tables {
            None => Ok(session.advance(Micros::MAX, max_events)),
            Some(tables) => {
                tables.advance(session, Micros::MAX, max_events).map_err(|e| failed(self.files, &e))
            }
        }
    }

    /// Writes what is known only at the end.
    pub(super) fn finish(&mut self, session: &Session) -> Result<(), Failed> {
        let Some(tables) = &mut self.tables else { return Ok(()) };
        while !tables.write_rest(session, AT_ONCE).map_err(|e| failed(self.files, &e))? {}
        Ok(())
    }
}

fn failed(files: &RowFiles, e: &TableError) -> Failed {
    let path = files.files.iter().find(|(table, ..)| *table == e.table).map(|(.., path)| path.display());
    match path {
        Some(path) => unreadable(&path, &e.error),
        None => unreadable(&e.table.name(), &e.error),
    }
}
