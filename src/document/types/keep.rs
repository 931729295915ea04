//! What a run keeps of its requests.

use crate::limits;
use crate::table::fields::fields;

/// What a run keeps of its requests.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// A row for each request: exact percentiles, tables of requests, waterfalls, comparisons of requests. At most 5,000,000 requests.
    #[default]
    Rows,
    /// Sums and bins only, for up to 100,000,000 requests on the command line. Percentiles are estimates, off by 0.4 % at most; there are no rows.
    Summary,
}

fields! {
    names Keep { Rows "rows" Summary "summary" }
}

impl Keep {
    /// Most requests of one run.
    pub fn most_requests(self) -> u64 {
        match self {
            Self::Rows => limits::REQUESTS,
            Self::Summary => limits::REQUESTS_SUMMARISED,
        }
    }
}
