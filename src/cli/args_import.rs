//! The arguments of `tokenyard import`.

use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct Import {
    /// Files of other programs, `-` for stdin: `EndpointPickerConfig`, Deployments, autoscalers, command lines, metrics,
    /// policy bundles, workloads, RouteSim configurations; recognised by their content
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<String>,
    /// The scenario that they change: a file, a link or the name of a built-in one; without it, the default scenario
    #[arg(long, value_name = "SCENARIO")]
    pub(super) into: Option<String>,
    /// Settle a conflict: the field and the number of the value to keep, from 0
    #[arg(long, value_name = "FIELD=N")]
    pub(super) settle: Vec<String>,
    /// Print documents, keys, conflicts, changes and the scenario as one JSON document
    #[arg(long)]
    pub(super) json: bool,
    /// Write the scenario to a file, which must not exist
    #[arg(short, long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
}
