//! The queueing model of an inference server: latencies of a load, the load that objectives allow, and a filter that
//! learns the server's three coefficients from measurements. Pure functions of numbers; docs/explanation/queueing.md
//! has the formulas.
//!
//! Two modes. [`Mode::Corrected`] is the model as described. [`Mode::AsCoded`] follows the published program, which
//! locks out and never scales up, so that both can be watched; recorded results of that program fix it. No input
//! causes a division by zero: a case without an answer is a named [`Trouble`].
//!
//! Matrices are written out by hand (`matrix`): the filter needs products of 2 by 3 and 3 by 3, one inverse of 2 by 2
//! and nothing else, which takes fewer lines than the conversions for a linear algebra library, and makes a smaller
//! module.

mod analyzer;
mod chain;
mod closed_form;
mod matrix;
mod objectives;
pub mod theory;
mod trouble;
mod tuner;

pub use analyzer::{
    Analyzer, Capacity, Cycle, CycleFailure, Demand, ObjectivePath, Settings, Variant, VariantTuning, carries,
};
pub use chain::{Analysis, Chain, ChainSizing, QueueLength, TargetBelow};
pub use closed_form::{Binding, ClosedForm, ReplicaCapacity, Sizing, State};
pub use matrix::Matrix;
pub use objectives::{Pod, Workload, aggregate, fallback, inferred, replicas};
pub use trouble::Trouble;
pub use tuner::{
    Event, GuessFailure, Guessed, Learned, Observation, ParameterStore, Status, Tuning, Update,
    consistent_guess, published_guess, tune,
};

use serde::{Deserialize, Serialize};

/// Which of the two modes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// As described: the closed form with the batch limit, and a filter that recovers.
    #[default]
    Corrected,
    /// As the published program does, mistakes included.
    AsCoded,
}

/// Coefficients of the time of a step, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Params {
    /// A step without any request.
    pub alpha: f64,
    /// Further time for each token computed.
    pub beta: f64,
    /// Further time for each token of context read from the KV cache.
    pub gamma: f64,
}

/// Initial coefficients without better knowledge.
pub const DEFAULT_PARAMS: Params = Params { alpha: 5.0, beta: 0.05, gamma: 0.000_05 };

/// Batch limit of a server without a known one.
pub const DEFAULT_MAX_BATCH: u32 = 256;

/// Squared innovations from this value on are rejected: the 97.5th percentile of the chi-squared law with two degrees
/// of freedom, -2 ln 0.025.
pub const NIS_GATE: f64 = 7.378;

impl Params {
    /// The coefficients as a vector of the filter.
    pub fn to_array(self) -> [f64; 3] {
        [self.alpha, self.beta, self.gamma]
    }

    /// The coefficients from a vector of the filter.
    pub fn from_array([alpha, beta, gamma]: [f64; 3]) -> Self {
        Self { alpha, beta, gamma }
    }

    /// Whether all three are finite and above zero.
    pub fn are_positive(self) -> bool {
        self.to_array().iter().all(|x| x.is_finite() && *x > 0.0)
    }
}

/// Mean lengths of the requests.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequestSize {
    /// Tokens of the prompt.
    pub input_tokens: f64,
    /// Tokens of the answer after the first: the steps in which a request decodes.
    pub output_tokens: f64,
}

/// Objectives in milliseconds; 0 means none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Objectives {
    /// Time to the first token.
    pub ttft_ms: f64,
    /// Mean time between tokens.
    pub itl_ms: f64,
}
