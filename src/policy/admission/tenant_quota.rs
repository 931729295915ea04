//! So many requests of one tenant at a time, counted from admission until they are done or dropped.

use super::{Admission, Reason, Standing, Verdict, over_count};
use crate::policy::RequestView;
use crate::scenario::{OverLimit, TenantQuota as Settings};
use serde::{Deserialize, Serialize};

/// So many requests of one tenant at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TenantQuota {
    most_in_flight: u32,
    then: OverLimit,
}

impl TenantQuota {
    pub(super) fn new(s: &Settings) -> Self {
        Self { most_in_flight: s.most_in_flight, then: s.then }
    }
}

impl Admission for TenantQuota {
    fn decide(&mut self, _: &RequestView<'_>, standing: Standing) -> Verdict {
        over_count(standing.tenant, self.most_in_flight, Reason::TenantQuota, self.then)
    }

    fn lane(&self, tenant: u32) -> u32 {
        tenant
    }
}
