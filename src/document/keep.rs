//! What a run keeps of its requests.

use super::fields::without_fields;
use super::limits;
use serde::{Deserialize, Serialize};

/// What a run keeps of its requests.
#[apply(schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// A row for each request: exact percentiles, tables of requests, waterfalls, comparisons of requests. At most 5,000,000 requests.
    #[default]
    Rows,
    /// Sums and bins only, for up to 100,000,000 requests on the command line. Percentiles are estimates, off by 0.4 % at most; there are no rows.
    Summary,
}

without_fields! { Keep }

impl Keep {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
    pub(super) fn is_rows(&self) -> bool {
        *self == Self::Rows
    }

    /// Most requests of one run.
    pub fn most_requests(self) -> u64 {
        match self {
            Self::Rows => limits::REQUESTS,
            Self::Summary => limits::REQUESTS_SUMMARISED,
        }
    }
}
