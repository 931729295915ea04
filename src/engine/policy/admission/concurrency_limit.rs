//! A limit on the requests in the whole cluster, counted from admission until they finish or are dropped.

use super::{Admission, Circumstances, Verdict, over_count};
use crate::policy::Reason;
use crate::policy::RequestView;
use document::{ConcurrencyLimit as Settings, OverLimit};
use serde::{Deserialize, Serialize};

/// A limit on the requests in flight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConcurrencyLimit {
    max_in_flight: u32,
    then: OverLimit,
}

impl ConcurrencyLimit {
    pub(super) fn new(s: &Settings) -> Self {
        Self { max_in_flight: s.max_in_flight, then: s.then }
    }
}

impl Admission for ConcurrencyLimit {
    fn decide(&mut self, _: &RequestView<'_>, seen: Circumstances) -> Verdict {
        over_count(seen.cluster, self.max_in_flight, Reason::ConcurrencyLimit, self.then)
    }
}
