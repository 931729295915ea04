//! The start of a replica: its phases, and the presets for them.

use crate::limits;
use crate::table::fields::fields;
use serde::{Deserialize, Serialize};

/// Time until a new replica serves.
#[apply(choice_schema!)]
#[derive(Clone, Debug, Default, PartialEq)]
pub enum StartUp {
    /// No time at all.
    #[default]
    Instant,
    /// Everything is cached: weights in the page cache (10 GB/s), compiled graphs. Half a minute for 8B parameters.
    Hot,
    /// Node and image are present: weights from a local disk (2 GB/s), and a minute to compile.
    Warm,
    /// Nothing is present: three minutes for a node, 200 s for the image, weights over the network (0.5 GB/s), and a minute to compile.
    Cold,
    /// Your own times of each phase.
    Phases(StartPhases),
}

fields! {
    choice StartUp [Instant "instant" Hot "hot" Warm "warm" Cold "cold"] { Phases "phases" }
}

/// Mean times of the phases of a start, one after the other.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartPhases {
    /// Finding a place, in seconds.
    pub scheduling_s: f64,
    /// Waiting for a node, in seconds. 0 if there is a node.
    pub node_s: f64,
    /// Pulling the image, in seconds. 0 if the image is present.
    pub pull_s: f64,
    /// Loading the weights, in seconds.
    pub load_s: f64,
    /// Compiling, profiling and capturing graphs, in seconds.
    pub initialise_s: f64,
    /// Mean time until a probe finds the replica ready, in seconds; uniform between 0 and twice the mean.
    pub probe_s: f64,
    /// Coefficient of variation of the times (standard deviation over mean). 0 means constant times.
    pub cv: f64,
    /// Distribution of the times.
    pub distribution: StartSpread,
}

fields! {
    struct StartPhases {
        scheduling_s: "Scheduling" of "s" in [0.0, limits::SCALING_S] or "it is in seconds" => Starts;
        node_s: "Node" of "s" in [0.0, limits::SCALING_S] or "use 0 if there is a node" => Starts;
        pull_s: "Image" of "s" in [0.0, limits::SCALING_S] or "use 0 if it is there" => Starts;
        load_s: "Weights" of "s" in [0.0, limits::SCALING_S] or "it is in seconds" => Starts;
        initialise_s: "Initialising" of "s" in [0.0, limits::SCALING_S] or "it is in seconds" => Starts;
        probe_s: "Probe" of "s" in [0.0, limits::SCALING_S] or "use 0 for none" => Starts;
        cv: "Variation" in [0.0, limits::START_CV] or "0.15 is usual, 0 is none" => Starts;
        distribution: "Distribution" => Starts;
    }
}

impl Default for StartPhases {
    fn default() -> Self {
        Self {
            scheduling_s: 1.0,
            node_s: 0.0,
            pull_s: 0.0,
            load_s: 8.0,
            initialise_s: 60.0,
            probe_s: 5.0,
            cv: 0.15,
            distribution: StartSpread::Lognormal,
        }
    }
}

/// Distribution of the times of a start.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartSpread {
    /// Lognormal: never negative, with a tail of long starts.
    #[default]
    Lognormal,
    /// Normal as in BLIS; times below zero are zero.
    Gaussian,
}

fields! {
    names StartSpread { Lognormal "lognormal" Gaussian "gaussian" }
}
