//! The arguments of every command.

use clap::{Parser, Subcommand};
use std::path::PathBuf;

/// Printed below the list of commands.
const EXIT_CODES: &str = "Exit codes:\n  \
    0  all went well (warnings included)\n  \
    1  golden: a file differs\n  \
    2  the scenario, the trace, the golden file or the arguments cannot be used\n  \
    3  a file cannot be read or written";

/// A deterministic simulator of an LLM-serving cluster.
///
/// The same scenario and seed give the same bytes on stdout on every machine; everything else goes to stderr.
#[derive(Parser)]
#[command(version, after_help = EXIT_CODES, arg_required_else_help = true)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Subcommand)]
pub(super) enum Command {
    /// Run a scenario to its end and print the results
    #[command(after_help = EXIT_CODES)]
    Run(Run),
    /// Print every problem of a scenario without running it
    #[command(after_help = EXIT_CODES)]
    Check(Input),
    /// Run a scenario and print the digest of its report: equal digests mean equal results
    #[command(after_help = EXIT_CODES)]
    Digest(Input),
    /// Turn a RouteSim configuration (TOML) into a scenario; stderr says what each key becomes
    #[command(after_help = EXIT_CODES)]
    Convert(Convert),
    /// Print the JSON Schema of scenarios
    Schema,
    /// Print the TypeScript types of what the WebAssembly module takes and answers
    Types,
    /// Read a Hugging Face config.json and print a scenario that serves that model with roofline latency
    #[command(after_help = EXIT_CODES)]
    Model(Model),
    /// Run golden files and compare what comes out with what must come out
    #[command(after_help = EXIT_CODES)]
    Golden(Golden),
}

/// A scenario and what to change about it.
#[derive(clap::Args)]
pub(super) struct Input {
    /// A JSON or YAML file, `-` for stdin, or the name of a built-in scenario: chat-4xh100, kv-pressure, router-showdown, long-chats, regret-and-tail
    pub(super) scenario: String,
    /// Replay a recorded trace instead of the scenario's clients; without a trace in the scenario, until all its requests are done
    #[arg(long, value_name = "FILE")]
    pub(super) trace: Option<PathBuf>,
    /// Take admission, priority, routing and scheduler from a policy bundle (YAML); stderr says what each key becomes
    #[arg(long, value_name = "FILE")]
    pub(super) policies: Option<PathBuf>,
    /// Set a field before the run, such as `cluster.pools[0].replicas=8` or `cluster.routing=random`; may be repeated
    #[arg(long, value_name = "PATH=VALUE")]
    pub(super) set: Vec<String>,
}

/// Arguments of `run`.
#[derive(clap::Args)]
pub(super) struct Run {
    #[command(flatten)]
    pub(super) input: Input,
    /// Print the report as JSON instead of a summary
    #[arg(long)]
    pub(super) json: bool,
}

/// Arguments of `model`.
#[derive(clap::Args)]
pub(super) struct Model {
    /// The model's config.json
    pub(super) config: PathBuf,
    /// What the scenario calls the model
    #[arg(long, default_value = "my-model")]
    pub(super) name: String,
}

/// Arguments of `convert`.
#[derive(clap::Args)]
pub(super) struct Convert {
    /// A TOML file
    pub(super) file: PathBuf,
}

/// Arguments of `golden`.
#[derive(clap::Args)]
pub(super) struct Golden {
    /// Compare only these sections of `expected`
    #[arg(long, value_name = "SECTION,…", value_delimiter = ',')]
    pub(super) only: Vec<String>,
    /// Most differences printed of each file
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(super) most: usize,
    /// Golden files
    #[arg(required = true)]
    pub(super) files: Vec<PathBuf>,
}
