//! A limit on the requests of each tenant, counted from admission until they finish or are dropped.

use super::{Admission, Circumstances, Verdict, over_count};
use crate::policy::Reason;
use crate::policy::RequestView;
use document::{OverLimit, TenantLimit, TenantQuota as Settings};
use serde::{Deserialize, Serialize};

/// A limit on the requests of one tenant in flight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TenantQuota {
    max_in_flight: u32,
    /// Limits of single tenants by name.
    single: Vec<TenantLimit>,
    /// By number of a tenant: its limit.
    limits: Vec<u32>,
    then: OverLimit,
}

impl TenantQuota {
    pub(super) fn new(s: &Settings) -> Self {
        Self { max_in_flight: s.max_in_flight, single: s.tenants.clone(), limits: Vec::new(), then: s.then }
    }

    /// Knows the limits of these tenants, in order of number.
    pub(super) fn know(&mut self, tenants: &[String]) {
        for name in &tenants[self.limits.len().min(tenants.len())..] {
            let own = self.single.iter().find(|t| t.tenant == *name);
            self.limits.push(own.map_or(self.max_in_flight, |t| t.max_in_flight));
        }
    }
}

impl Admission for TenantQuota {
    fn decide(&mut self, request: &RequestView<'_>, seen: Circumstances) -> Verdict {
        let limit = self.limits.get(request.tenant as usize).copied().unwrap_or(self.max_in_flight);
        if limit == 0 {
            // Waiting would be in vain.
            return Verdict::Reject(Reason::TenantQuota);
        }
        over_count(seen.tenant, limit, Reason::TenantQuota, self.then)
    }

    fn queue(&self, tenant: u32) -> u32 {
        tenant
    }
}
