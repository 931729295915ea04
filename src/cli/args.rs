//! The arguments of every command.

use crate::scenario::preset::PRESETS;
use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;

/// Printed below the list of commands.
const EXIT_CODES: &str = "Exit codes:\n  \
    0  all went well (warnings included)\n  \
    1  golden: a file differs\n  \
    2  the scenario, the trace, the model, the golden file or the arguments cannot be used\n  \
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
    /// List what a scenario can name: models, GPUs, policies, and the built-in scenarios
    #[command(after_help = EXIT_CODES)]
    List(List),
    /// Print the JSON Schema of scenarios
    #[command(after_help = EXIT_CODES)]
    Schema,
    /// Print the TypeScript types of what the WebAssembly module takes and answers
    #[command(after_help = EXIT_CODES)]
    Types,
    /// Read a Hugging Face config.json and print a scenario that serves that model with roofline latency
    #[command(after_help = EXIT_CODES)]
    Model(Model),
    /// Run golden files and compare what comes out with what must come out
    #[command(after_help = EXIT_CODES)]
    Golden(Golden),
    /// Replay measured serving runs and print measured, simulated and error
    #[command(after_help = EXIT_CODES)]
    Validate(Validate),
    /// Fit the coefficients of the calibrated latency model to measured serving runs
    #[command(after_help = EXIT_CODES)]
    Calibrate(Calibrate),
    /// Print the completions of a shell
    #[command(after_help = COMPLETIONS)]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the man page of the program, or of one of its commands
    #[command(after_help = MAN)]
    Man {
        /// A command, such as run
        command: Option<String>,
    },
}

/// Arguments of `validate`.
#[derive(clap::Args)]
pub(super) struct Validate {
    /// Folders with experiments.json, or files of experiments
    #[arg(required = true, value_name = "DIR|FILE")]
    pub(super) paths: Vec<PathBuf>,
    /// What is shown: 0 as out of the box (catalogue, else roofline), 1 the calibrated engine, 2 transfer, 3 rankings
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=3))]
    pub(super) level: u8,
    /// Latency model of the replay, instead of the level's
    #[arg(long, value_enum)]
    pub(super) latency: Option<LatencyName>,
    /// Coefficients as `tokenyard calibrate -o` writes them
    #[arg(long, value_name = "FILE")]
    pub(super) coefficients: Option<PathBuf>,
    /// Only experiments whose name begins so; may be repeated
    #[arg(long, value_name = "ID")]
    pub(super) only: Vec<String>,
    /// Seeds where arrivals are drawn
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(super) seeds: u32,
    /// Print everything as JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Fail if a median is worse than in this table by more than 2 points
    #[arg(long, value_name = "FILE")]
    pub(super) gate: Option<PathBuf>,
    /// Write the table for `--gate`
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,
    /// Write validation.md and its pictures into this folder
    #[arg(long, value_name = "DIR")]
    pub(super) report: Option<PathBuf>,
}

/// Arguments of `calibrate`.
#[derive(clap::Args)]
pub(super) struct Calibrate {
    /// Folders with experiments.json, or files of experiments
    #[arg(required = true, value_name = "MEASURED")]
    pub(super) paths: Vec<PathBuf>,
    /// Where the coefficients go, as JSON; stdout has the residuals
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Only GPUs and releases whose name begins so, such as `H100/ahead`; may be repeated
    #[arg(long, value_name = "GPU/RELEASE")]
    pub(super) only: Vec<String>,
    /// Fit without experiments whose name has this in it; may be repeated
    #[arg(long, value_name = "TEXT")]
    pub(super) without: Vec<String>,
    /// Coefficients to begin with, as an earlier `-o` wrote them, instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    pub(super) start: Option<PathBuf>,
}

/// A latency model of `validate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum LatencyName {
    /// The catalogue's coefficients
    Catalogue,
    /// The roofline with its defaults
    Roofline,
    /// The calibrated coefficients
    Calibrated,
}

/// How completions are put to use.
const COMPLETIONS: &str = "Where they go:\n  \
    bash  tokenyard completions bash > ~/.local/share/bash-completion/completions/tokenyard\n  \
    zsh   tokenyard completions zsh > DIR/_tokenyard, where DIR is in $fpath\n  \
    fish  tokenyard completions fish > ~/.config/fish/completions/tokenyard.fish";

/// How the man page is put to use.
const MAN: &str = "To read it: tokenyard man | man -l -\n\
    To install it: tokenyard man > ~/.local/share/man/man1/tokenyard.1, and tokenyard man run > \
    ~/.local/share/man/man1/tokenyard-run.1";

/// What the argument for a scenario is, with the names that are always there.
fn scenario_help() -> String {
    let names: Vec<&str> = PRESETS.iter().map(|p| p.name).collect();
    format!("A JSON or YAML file, `-` for stdin, or the name of a built-in scenario: {}", names.join(", "))
}

/// A scenario and what to change about it.
#[derive(clap::Args)]
pub(super) struct Input {
    #[arg(help = scenario_help())]
    pub(super) scenario: String,
    /// Replay a recorded trace instead of the scenario's clients: a file, or `-` for stdin, as text or compressed with gzip. Without a horizon and a warm-up in the scenario it is measured from the start until all its requests are done
    #[arg(long, value_name = "FILE")]
    pub(super) trace: Option<String>,
    /// Take admission, priority, routing and scheduler from a policy bundle (YAML); stderr says what each key becomes
    #[arg(long, value_name = "FILE")]
    pub(super) policies: Option<String>,
    /// Set a field before the run, such as `cluster.pools[0].replicas=8` or `cluster.routing=random`, or `seed=random` for a fresh seed; may be repeated
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

/// Arguments of `list`.
#[derive(clap::Args)]
pub(super) struct List {
    /// Which lists; all of them if none is named
    pub(super) kinds: Vec<Listed>,
    /// Print them as JSON, with all that is known
    #[arg(long)]
    pub(super) json: bool,
}

/// A list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Listed {
    /// Models by name, with what they were measured on
    Models,
    /// GPUs with their figures
    Gpus,
    /// Built-in scenarios
    Presets,
    /// Policies by the field that names them
    Policies,
}

/// Arguments of `model`.
#[derive(clap::Args)]
pub(super) struct Model {
    /// The model's config.json, `-` for stdin
    pub(super) config: String,
    /// What the scenario calls the model
    #[arg(long, default_value = "my-model")]
    pub(super) name: String,
    /// The GPU it runs on
    #[arg(long, default_value = "H100")]
    pub(super) gpu: String,
    /// How many GPUs serve one replica
    #[arg(long, default_value_t = 1)]
    pub(super) tp: u32,
}

/// Arguments of `convert`.
#[derive(clap::Args)]
pub(super) struct Convert {
    /// A TOML file, `-` for stdin
    pub(super) file: String,
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
