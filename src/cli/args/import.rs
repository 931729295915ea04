//! The arguments of `tokenyard import`.

use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Import {
    /// Files of other programs, `-` for stdin: commands and scripts that start servers or routers, docker-compose,
    /// systemd units, objects of Kubernetes (Deployments, KServe, production stack, Dynamo, AIBrix, kthena, autoscalers,
    /// Jobs), values of charts, recipes of srt-slurm, configuration files, logs and /metrics of engines,
    /// `EndpointPickerConfig`, policy bundles, workloads, RouteSim configurations; recognised by their content
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// The scenario that they change: a file, a link or the name of a built-in one; without it, they make a new one
    #[arg(long, value_name = "SCENARIO")]
    pub(crate) into: Option<String>,
    /// Requests per second of a new scenario, if no file says its traffic; by default 60 % of what its fleet carries
    #[arg(long, value_name = "REQ/S", conflicts_with = "into")]
    pub(crate) rate: Option<f64>,
    /// Tokens of a typical prompt of that traffic, the median; 400 by default
    #[arg(long, value_name = "TOKENS", conflicts_with = "into")]
    pub(crate) prompt_tokens: Option<f64>,
    /// Tokens of a typical answer of that traffic, the median; 200 by default
    #[arg(long, value_name = "TOKENS", conflicts_with = "into")]
    pub(crate) output_tokens: Option<f64>,
    /// Settle a conflict: the field and the number of the value to keep, from 0
    #[arg(long, value_name = "FIELD=N")]
    pub(crate) settle: Vec<String>,
    /// Print documents, keys, conflicts, changes and the scenario as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the scenario to a file, which must not exist
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}
