//! First come, first served: the queue stays as it is, preempted requests at its head.

use serde::{Deserialize, Serialize};

/// First come, first served.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fcfs;
