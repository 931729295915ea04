//! Scheduling: the order in which a replica admits waiting requests to its batch.

mod by_priority;
mod fcfs;
mod order;
mod sjf;

use super::priority::WaitingView;
use document::Scheduler;
use order::Order;
use serde::{Deserialize, Serialize};

/// A position in the wait queue: the smallest goes first. The order is total, because ranks differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct QueuePosition {
    key: i64,
    arrival: u64,
    rank: u32,
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
    /// The scheduler of that name.
    pub fn new(scheduler: Scheduler) -> Self {
        match scheduler {
            Scheduler::Fcfs => Self::Fcfs(fcfs::Fcfs),
            Scheduler::PriorityFcfs => Self::ByPriority(by_priority::ByPriority::highest_first()),
            Scheduler::ReversePriority => Self::ByPriority(by_priority::ByPriority::lowest_first()),
            Scheduler::Sjf => Self::Sjf(sjf::Sjf),
        }
    }

    /// The position in the queue of a request of this urgency; `None` keeps the order of the queue.
    pub fn position(&self, request: &WaitingView, urgency: i64) -> Option<QueuePosition> {
        let key = match self {
            Self::Fcfs(_) => return None,
            Self::ByPriority(s) => s.key(request, urgency),
            Self::Sjf(s) => s.key(request, urgency),
        };
        Some(QueuePosition { key, arrival: request.arrival.0, rank: request.rank })
    }
}
