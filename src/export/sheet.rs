//! Rows of a table: cells in order of its columns, as CSV or as JSON lines through a buffer of fixed size, or as columns.

use super::cell::Cell;
use super::format::Format;
use super::rows::Destination;
use super::table_columns::ColumnsOutput;
use base::csv_text;
use std::io::{self, BufWriter, Write};

/// Bytes that a file holds back before it writes them.
pub(super) const BUFFER_BYTES: usize = 64 * 1024;

/// A column: its name, unit and meaning for the reader, and how to get its value.
pub(super) struct Field<F> {
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    pub(super) help: &'static str,
    pub(super) value: F,
}

/// Where the rows of a table go.
pub(super) enum Target {
    /// To a file.
    Text(Format, Box<dyn Write>),
    /// To columns in memory.
    Columns(ColumnsOutput),
}

enum Encoder {
    Columns(ColumnsOutput),
    Csv(Box<csv::Writer<Box<dyn Write>>>),
    /// The text before each value: `{"first":`, `,"second":`, …
    Lines(BufWriter<Box<dyn Write>>, Vec<String>),
}

/// A file of rows being written. It keeps the first write error and drops all rows after it.
pub(super) struct Sheet {
    encoder: Encoder,
    columns: usize,
    /// Cells of the open row.
    filled: usize,
    /// Buffer for the text of a cell.
    text: Vec<u8>,
    failed: bool,
    error: Option<io::Error>,
}

impl Sheet {
    /// A file with these columns; CSV begins with their names.
    pub(super) fn new<N: AsRef<str>>(to: Target, names: &[N]) -> Self {
        let encoder = match to {
            Target::Columns(out) => {
                out.begin(names);
                Encoder::Columns(out)
            }
            Target::Text(Format::Csv, out) => {
                let writer = csv::WriterBuilder::new().buffer_capacity(BUFFER_BYTES).from_writer(out);
                Encoder::Csv(Box::new(writer))
            }
            Target::Text(Format::Jsonl, out) => {
                let key = |(i, name): (usize, &N)| {
                    format!("{}\"{}\":", if i == 0 { '{' } else { ',' }, name.as_ref())
                };
                let keys = names.iter().enumerate().map(key).collect();
                Encoder::Lines(BufWriter::with_capacity(BUFFER_BYTES, out), keys)
            }
        };
        let mut sheet =
            Self { encoder, columns: names.len(), filled: 0, text: Vec::new(), failed: false, error: None };
        if let Encoder::Csv(csv) = &mut sheet.encoder {
            let head = |name: &N| {
                let mut cell = Vec::new();
                csv_text::push(&mut cell, name.as_ref());
                cell
            };
            let written = csv.write_record(names.iter().map(head));
            sheet.keep(written.map_err(io_error));
        }
        sheet
    }

    /// The next cell of the open row.
    pub(super) fn cell<'a>(&mut self, cell: impl Into<Cell<'a>>) {
        if self.failed {
            return;
        }
        assert!(self.filled < self.columns, "INV-6: a row has at most as many cells as columns");
        self.text.clear();
        let cell = cell.into();
        let written = match &mut self.encoder {
            Encoder::Columns(out) => out.push(self.filled, cell).map_err(|name| {
                io::Error::other(format!("a value of {name} is of another kind than those before"))
            }),
            Encoder::Csv(csv) => {
                match cell {
                    Cell::Unknown => {}
                    Cell::Text(text) => csv_text::push(&mut self.text, &text),
                    Cell::Spans(spans) => {
                        let numbers: Vec<String> = spans.iter().map(|span| span.0.to_string()).collect();
                        self.text.extend_from_slice(numbers.join(";").as_bytes());
                    }
                    number => write_json(&mut self.text, number),
                }
                csv.write_field(&self.text).map_err(io_error)
            }
            Encoder::Lines(out, keys) => {
                self.text.extend_from_slice(keys[self.filled].as_bytes());
                write_json(&mut self.text, cell);
                out.write_all(&self.text)
            }
        };
        self.filled += 1;
        self.keep(written);
    }

    /// Ends the open row.
    pub(super) fn end_row(&mut self) {
        if self.failed {
            return;
        }
        assert!(self.filled == self.columns, "INV-6: a row of {} cells, not {}", self.filled, self.columns);
        self.filled = 0;
        let written = match &mut self.encoder {
            Encoder::Columns(_) => Ok(()),
            Encoder::Csv(csv) => csv.write_record(None::<&[u8]>).map_err(io_error),
            Encoder::Lines(out, _) => out.write_all(b"}\n"),
        };
        self.keep(written);
    }

    fn keep(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.failed = true;
            self.error = Some(error);
        }
    }
}

impl Destination for Sheet {
    fn flush(&mut self) {
        if self.failed {
            return;
        }
        let written = match &mut self.encoder {
            Encoder::Columns(_) => Ok(()),
            Encoder::Csv(csv) => csv.flush(),
            Encoder::Lines(out, _) => out.flush(),
        };
        self.keep(written);
    }

    fn take_error(&mut self) -> Option<io::Error> {
        self.error.take()
    }
}

/// The value as JSON. Numbers that are not finite become null.
fn write_json(text: &mut Vec<u8>, cell: Cell<'_>) {
    let written = match cell {
        Cell::Unknown => serde_json::to_writer(text, &()),
        Cell::Whole(x) => serde_json::to_writer(text, &x),
        Cell::Signed(x) => serde_json::to_writer(text, &x),
        Cell::Real(x) => serde_json::to_writer(text, &x),
        Cell::Text(x) => serde_json::to_writer(text, &*x),
        Cell::Flag(x) => serde_json::to_writer(text, &x),
        Cell::Spans(spans) => {
            serde_json::to_writer(text, &spans.iter().map(|span| span.0).collect::<Vec<_>>())
        }
    };
    written.expect("INV-6: a plain value can be written to memory as JSON");
}

/// The write error of the file; every row can be serialised.
fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}
