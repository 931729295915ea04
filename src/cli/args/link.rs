//! The arguments of `tokenyard link`.

use crate::args::input::Input;
use std::path::PathBuf;

/// Arguments of `link`.
#[derive(clap::Args)]
pub(crate) struct Link {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Instant at which the page opens it, in seconds after the start
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub(crate) at: Option<String>,
    /// Playing speed on the page, in simulated seconds per second; 0 is full speed
    #[arg(long, value_name = "RATE")]
    pub(crate) speed: Option<String>,
    /// Selection: replica:N or request:N
    #[arg(long, value_name = "WHAT")]
    pub(crate) select: Option<String>,
    /// Name of the open panel
    #[arg(long, value_name = "NAME")]
    pub(crate) panel: Option<String>,
    /// A second run in the same link, of the same trace: a file, a built-in scenario or a link
    #[arg(long, value_name = "SCENARIO")]
    pub(crate) beside: Option<String>,
    /// Name of the second run; default "Second run"
    #[arg(long, value_name = "NAME", requires = "beside")]
    pub(crate) beside_name: Option<String>,
    /// Put the trace into the link, and write the scenario with the trace inside to this file: neither needs the trace
    /// beside it. The trace may have 64 KB when compressed
    #[arg(long, value_name = "FILE")]
    pub(crate) carry: Option<PathBuf>,
    /// Address of the page, written before the link
    #[arg(long, value_name = "URL")]
    pub(crate) site: Option<String>,
    /// Print the link, its length and its contents as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
