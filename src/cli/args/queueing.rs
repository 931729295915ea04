//! The arguments of the commands of the queueing model.

use clap::ValueEnum;
use std::path::PathBuf;

/// Arguments of `size`.
#[derive(clap::Args)]
pub(crate) struct Size {
    /// Time of an empty step, in milliseconds
    #[arg(long, value_name = "MS", allow_hyphen_values = true)]
    pub(crate) alpha: Option<f64>,
    /// Further time per token computed, in milliseconds
    #[arg(long, value_name = "MS", allow_hyphen_values = true)]
    pub(crate) beta: Option<f64>,
    /// Further time per token of context read from the KV cache, in milliseconds
    #[arg(long, value_name = "MS", allow_hyphen_values = true)]
    pub(crate) gamma: Option<f64>,
    /// Take the three times from this model, as named by `tokenyard list models`
    #[arg(long, value_name = "NAME", conflicts_with_all = ["alpha", "beta", "gamma"])]
    pub(crate) model: Option<String>,
    /// The GPU it runs on
    #[arg(long, default_value = "H100", requires = "model")]
    pub(crate) gpu: String,
    /// GPUs per replica
    #[arg(long, default_value_t = 1, requires = "model")]
    pub(crate) tp: u32,
    /// Accept a GPU of which nothing is known but its peaks: its step times are a guess
    #[arg(long, requires = "model")]
    pub(crate) allow_guess: bool,
    /// Mean length of the prompts, in tokens
    #[arg(long, value_name = "TOKENS", allow_hyphen_values = true)]
    pub(crate) input: f64,
    /// Mean length of the answers after the first token, in tokens
    #[arg(long, value_name = "TOKENS", allow_hyphen_values = true)]
    pub(crate) output: f64,
    /// Objective for the mean TTFT, in milliseconds
    #[arg(long, value_name = "MS", allow_hyphen_values = true)]
    pub(crate) ttft: Option<f64>,
    /// Objective for the mean ITL, in milliseconds
    #[arg(long, value_name = "MS", allow_hyphen_values = true)]
    pub(crate) itl: Option<f64>,
    /// Objectives from the step time instead: this many times the time of an empty step
    #[arg(long, value_name = "K", conflicts_with_all = ["ttft", "itl"], allow_hyphen_values = true)]
    pub(crate) slo_multiplier: Option<f64>,
    /// Most requests in a batch; default the model's limit, or 256
    #[arg(long, value_name = "N")]
    pub(crate) max_batch: Option<u32>,
    /// Requests per second over all replicas
    #[arg(long, value_name = "PER_S", allow_hyphen_values = true)]
    pub(crate) rate: Option<f64>,
    /// Queueing model to use
    #[arg(long, value_enum, default_value_t = ModeName::Corrected)]
    pub(crate) mode: ModeName,
    /// Print it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `queueing`.
#[derive(clap::Args)]
pub(crate) struct Queueing {
    /// A file in the format of the queueing model's golden files
    pub(crate) file: PathBuf,
    /// Queueing model to use; it changes sizes and trajectories
    #[arg(long, value_enum, default_value_t = ModeName::Corrected)]
    pub(crate) mode: ModeName,
}

/// One of the two queueing models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeName {
    /// As the description says
    Corrected,
    /// As the published program does
    AsCoded,
}

impl From<ModeName> for queueing::Mode {
    fn from(name: ModeName) -> Self {
        match name {
            ModeName::Corrected => Self::Corrected,
            ModeName::AsCoded => Self::AsCoded,
        }
    }
}
