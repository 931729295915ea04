//! What it takes until a new replica serves: its phases, and the presets for them.

use super::fields::{fields, without_fields};
use super::limits;
use serde::{Deserialize, Serialize};

/// What it takes until a new replica serves.
#[apply(schema!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StartUp {
    /// No time at all.
    #[default]
    Instant,
    /// Everything is cached: weights in the page cache (10 GB/s), compiled graphs. Half a minute for 8B parameters.
    Hot,
    /// The node and the image are there: weights from a local disk (2 GB/s), and a minute to compile.
    Warm,
    /// Nothing is there: three minutes for a node, 200 s for the image, weights over the network (0.5 GB/s), and a minute to compile.
    Cold,
    /// Phases of its own.
    Phases(StartPhases),
}

fields! {
    choice StartUp [Instant Hot Warm Cold] { Phases "phases" }
}

/// Mean times of the phases of a start, one after the other.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StartPhases {
    /// Finding a place, in seconds.
    pub scheduling_s: f64,
    /// Waiting for a node, in seconds. 0 if there is one.
    pub node_s: f64,
    /// Pulling the image, in seconds. 0 if it is there.
    pub pull_s: f64,
    /// Loading the weights, in seconds.
    pub load_s: f64,
    /// Compiling, profiling and capturing graphs, in seconds.
    pub initialise_s: f64,
    /// Mean time until a probe finds it ready, in seconds; it lies anywhere between 0 and twice that.
    pub probe_s: f64,
    /// How widely the times vary: standard deviation over mean. 0 for times that are always the same.
    pub cv: f64,
    /// How they vary.
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

/// How the times of a start vary.
#[apply(schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StartSpread {
    /// Never negative, with a tail of long starts.
    #[default]
    Lognormal,
    /// As BLIS draws them; what is below zero is zero.
    Gaussian,
}

without_fields! { StartSpread }
