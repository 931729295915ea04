//! The trace of a link: which one it is, not its rows.

use base::Diagnostic;
use serde::{Deserialize, Serialize};

/// Which trace a scenario replays: its rows do not travel, so the reader of the link is asked for the file.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceMark {
    /// Name of the file.
    pub name: String,
    /// Rows that were read from it.
    #[cfg_attr(feature = "types", ts(type = "number"))]
    pub rows: u64,
    /// Digest of the rows.
    pub digest: String,
}

impl TraceMark {
    /// The problem of a trace of `rows` rows and `digest` in its place.
    pub fn refuses(&self, rows: u64, digest: &str) -> Option<Diagnostic> {
        (digest != self.digest).then(|| {
            Diagnostic::error(
                "workload.trace",
                format!("a trace of {rows} rows with digest {digest}"),
                format!("{} of {} rows with digest {}", self.name, self.rows, self.digest),
                "give the file that the link was made with",
            )
        })
    }
}
