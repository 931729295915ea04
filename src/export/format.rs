//! The formats of rows.

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values after a line of names (RFC 4180); unknown values are empty.
    Csv,
    /// A JSON object on each line; unknown values are null.
    Jsonl,
}

impl Format {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Csv, Self::Jsonl];

    /// The file extension that selects it, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
        }
    }
}
