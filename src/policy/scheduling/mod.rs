//! Scheduling: in which order does a replica admit those who wait?

mod by_priority;
mod fcfs;
mod sjf;

use super::priority::{PriorityState, WaitingView};
use crate::scenario::{PriorityPolicy, Scheduler};
use serde::{Deserialize, Serialize};

/// A place in the wait queue: the smallest goes first. Total, for ranks differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    key: i64,
    arrival: u64,
    rank: u32,
}

/// A scheduler that orders its queue.
trait Order {
    /// What to sort by, before arrival and rank; smaller goes first.
    fn key(&self, request: &WaitingView) -> i64;
}

/// The scheduler of a replica.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SchedulerState {
    /// See [`Scheduler::Fcfs`].
    Fcfs(fcfs::Fcfs),
    /// See [`Scheduler::PriorityFcfs`] and [`Scheduler::ReversePriority`].
    ByPriority(by_priority::ByPriority),
    /// See [`Scheduler::Sjf`].
    Sjf(sjf::Sjf),
}

impl SchedulerState {
    /// The scheduler with its priority policy, for these names of tenants and SLO classes, by number.
    pub fn new(
        scheduler: Scheduler,
        priority: &PriorityPolicy,
        tenants: &[String],
        classes: &[String],
    ) -> Self {
        let priority = || PriorityState::new(priority, tenants, classes);
        match scheduler {
            Scheduler::Fcfs => Self::Fcfs(fcfs::Fcfs),
            Scheduler::PriorityFcfs => Self::ByPriority(by_priority::ByPriority::highest_first(priority())),
            Scheduler::ReversePriority => Self::ByPriority(by_priority::ByPriority::lowest_first(priority())),
            Scheduler::Sjf => Self::Sjf(sjf::Sjf),
        }
    }

    /// The request's place in the queue; `None` leaves the queue in the order it has.
    pub fn place(&self, request: &WaitingView) -> Option<Place> {
        let key = match self {
            Self::Fcfs(_) => return None,
            Self::ByPriority(s) => s.key(request),
            Self::Sjf(s) => s.key(request),
        };
        Some(Place { key, arrival: request.arrival.0, rank: request.rank })
    }
}
