//! Earliest deadline first: arrival plus the allowance of the SLO class.

use super::{Priority, WaitingView};
use document::ClassDeadlines;
use serde::{Deserialize, Serialize};

/// An allowance for each SLO class, by number, in microseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeadlineAware {
    allowance_us: Vec<u64>,
}

impl DeadlineAware {
    pub(super) fn new(deadlines: &ClassDeadlines, classes: &[String]) -> Self {
        Self { allowance_us: classes.iter().map(|name| u64::from(deadlines.of(name)) * 1000).collect() }
    }
}

impl Priority for DeadlineAware {
    fn of(&self, request: &WaitingView) -> i64 {
        let deadline = request.arrival.0 + self.allowance_us[request.class as usize];
        -i64::try_from(deadline).expect("INV-3: instants are below 2^53")
    }
}
