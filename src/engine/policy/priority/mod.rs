//! Priority: how urgent a waiting request is.
//!
//! Every policy here orders requests the same way at any instant, so a priority is one number fixed when the request
//! joins the queue: the larger, the more urgent.

mod age;
mod constant;
mod deadline_aware;
mod request;
mod slo_class;
mod tenant_priority;
mod waiting_view;

pub use waiting_view::WaitingView;

use document::PriorityPolicy;
use serde::{Deserialize, Serialize};
use waiting_view::Priority;

/// The priority policy of a replica.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PriorityState {
    /// See [`PriorityPolicy::Constant`].
    Constant(constant::Constant),
    /// See [`PriorityPolicy::SloBased`] and [`PriorityPolicy::InvertedSlo`].
    Age(age::Age),
    /// See [`PriorityPolicy::SloClass`].
    SloClass(slo_class::SloClass),
    /// See [`PriorityPolicy::TenantPriority`].
    TenantPriority(tenant_priority::TenantPriority),
    /// See [`PriorityPolicy::DeadlineAware`].
    DeadlineAware(deadline_aware::DeadlineAware),
    /// See [`PriorityPolicy::Request`].
    Request(request::OwnPriority),
}

impl PriorityState {
    /// The policy for these names of tenants and SLO classes, by number.
    pub fn new(policy: &PriorityPolicy, tenants: &[String], classes: &[String]) -> Self {
        match policy {
            PriorityPolicy::Constant => Self::Constant(constant::Constant),
            PriorityPolicy::SloBased => Self::Age(age::Age::OldestFirst),
            PriorityPolicy::InvertedSlo => Self::Age(age::Age::LatestFirst),
            PriorityPolicy::SloClass(scores) => Self::SloClass(slo_class::SloClass::new(scores, classes)),
            PriorityPolicy::TenantPriority(scores) => {
                Self::TenantPriority(tenant_priority::TenantPriority::new(scores, tenants))
            }
            PriorityPolicy::DeadlineAware(deadlines) => {
                Self::DeadlineAware(deadline_aware::DeadlineAware::new(deadlines, classes))
            }
            PriorityPolicy::Request => Self::Request(request::OwnPriority),
        }
    }

    /// How urgent a request is; larger is more urgent.
    pub fn of(&self, request: &WaitingView) -> i64 {
        match self {
            Self::Constant(p) => p.of(request),
            Self::Age(p) => p.of(request),
            Self::SloClass(p) => p.of(request),
            Self::TenantPriority(p) => p.of(request),
            Self::DeadlineAware(p) => p.of(request),
            Self::Request(p) => p.of(request),
        }
    }
}
