//! A limit on the requests of each tenant, counted from admission until they finish or are dropped.

use super::{Admission, InFlightCounts, Reason, Verdict, over_count};
use crate::policy::RequestView;
use crate::scenario::{OverLimit, TenantQuota as Settings};
use serde::{Deserialize, Serialize};

/// A limit on the requests of one tenant in flight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TenantQuota {
    max_in_flight: u32,
    then: OverLimit,
}

impl TenantQuota {
    pub(super) fn new(s: &Settings) -> Self {
        Self { max_in_flight: s.max_in_flight, then: s.then }
    }
}

impl Admission for TenantQuota {
    fn decide(&mut self, _: &RequestView<'_>, in_flight: InFlightCounts) -> Verdict {
        over_count(in_flight.tenant, self.max_in_flight, Reason::TenantQuota, self.then)
    }

    fn queue(&self, tenant: u32) -> u32 {
        tenant
    }
}
