//! The arguments that say how a benchmark was sent, where its file does not.

use benchmarks::ToldLoad;

/// The load of a benchmark, as far as its file does not contain it.
#[derive(clap::Args)]
pub(crate) struct LoadArgs {
    /// Requests per second of a benchmark whose file does not say, at random gaps
    #[arg(long, value_name = "R", conflicts_with = "own_traffic")]
    pub(crate) rate: Option<f64>,
    /// Requests in flight of a benchmark whose file does not say; with a rate beside it, their limit
    #[arg(long, value_name = "N", conflicts_with = "own_traffic")]
    pub(crate) in_flight: Option<u32>,
    /// Requests that a benchmark sent, if its file does not say
    #[arg(long, value_name = "N", conflicts_with = "own_traffic")]
    pub(crate) requests: Option<u32>,
    /// Mean prompt of a benchmark whose file does not say, in tokens
    #[arg(long, value_name = "N", conflicts_with = "own_traffic")]
    pub(crate) prompt_tokens: Option<f64>,
    /// Mean answer of a benchmark whose file does not say, in tokens
    #[arg(long, value_name = "N", conflicts_with = "own_traffic")]
    pub(crate) output_tokens: Option<f64>,
    /// The traffic of the scenario is what the benchmark sent, or what the server had: compare under it, with errors
    #[arg(long)]
    pub(crate) own_traffic: bool,
}

impl LoadArgs {
    /// What the user says.
    pub(crate) fn told(&self) -> ToldLoad {
        ToldLoad {
            requests: self.requests,
            rate_per_s: self.rate,
            in_flight: self.in_flight,
            prompt_tokens: self.prompt_tokens,
            output_tokens: self.output_tokens,
            own_traffic: self.own_traffic,
        }
    }
}
