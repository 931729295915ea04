//! Faults drawn at random, beside those that edits place.

use crate::limits;
use crate::table::fields::fields;
use serde::{Deserialize, Serialize};

/// Replicas that crash at random.
#[apply(field_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RandomFaults {
    /// Mean time that a replica serves before it crashes; the times are exponential, from a stream of each replica. 0 means that none crashes. A run has at most 10,000 such crashes.
    pub crash_mtbf_s: f64,
    /// Time from such a crash until the replica serves again, with an empty cache. 0 means never.
    pub restart_s: f64,
}

fields! {
    struct RandomFaults {
        crash_mtbf_s: "Mean uptime" of "s" in [0.0, limits::HORIZON_S] or "0 means that none crashes" => Fault;
        restart_s: "Back after" of "s" in [0.0, limits::HORIZON_S] or "0 means never" => Fault;
    }
}
