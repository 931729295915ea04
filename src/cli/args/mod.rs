//! The arguments of every command.

pub(crate) mod evaluate;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod input;
pub(crate) mod lesson;
pub(crate) mod link;
pub(crate) mod measured;
pub(crate) mod messages;
pub(crate) mod queueing;
pub(crate) mod rows;
pub(crate) mod studies;
pub(crate) mod trace;

use crate::args::evaluate::{Evaluate, Lab, Rank};
use crate::args::export::Export;
use crate::args::import::Import;
use crate::args::input::Input;
use crate::args::lesson::Lesson;
use crate::args::link::Link;
use crate::args::measured::LoadArgs;
use crate::args::queueing::{Queueing, Size};
use crate::args::rows::Rows;
use crate::args::studies::{Capacity, Compare, Explain, Regret, Sweep, Theory, WhatIf};
use crate::args::trace::Trace;
use crate::failed::EXIT_CODES;
use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;

/// A deterministic simulator of an LLM-serving cluster.
///
/// The same scenario and seed give the same bytes on stdout on every machine; everything else goes to stderr.
#[derive(Parser)]
#[command(name = "tokenyard", version, after_help = EXIT_CODES, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Print the link of a scenario; the page and every command that takes a scenario can open it
    #[command(after_help = EXIT_CODES)]
    Link(Link),
    /// Run a scenario to its end and print the results
    #[command(after_help = EXIT_CODES)]
    Run(Run),
    /// Evaluate policies that a program or a person proposes on the cases of a suite, and print scores and feedback as
    /// JSON; a candidate that cannot run is a result, too
    #[command(after_help = EXIT_CODES)]
    Evaluate(Evaluate),
    /// Compare the order of policies in benchmarks of your own with their order in the simulation
    #[command(after_help = EXIT_CODES)]
    Rank(Rank),
    /// Write the report of an evolution as one page of HTML: every candidate, the best so far, and the best one case by case
    #[command(after_help = EXIT_CODES)]
    Lab(Lab),
    /// Print every problem of a scenario without running it
    #[command(after_help = EXIT_CODES)]
    Check(Input),
    /// Run a scenario and print the digest of its report: equal digests mean equal results
    #[command(after_help = EXIT_CODES)]
    Digest(Input),
    /// Run two scenarios on the same traffic and print how they differ, with 95 % intervals
    #[command(after_help = EXIT_CODES)]
    Compare(Compare),
    /// Run every combination of values with several seeds, and write a row for each run
    #[command(after_help = EXIT_CODES)]
    Sweep(Sweep),
    /// Find the highest arrival rate at which enough requests meet their objectives
    #[command(after_help = EXIT_CODES)]
    Capacity(Capacity),
    /// Send one request to each replica that could have served it, and print the effect on it and on all others
    #[command(after_help = EXIT_CODES)]
    WhatIf(WhatIf),
    /// Explain why the slow requests of a run are slow: where their time went, compared with the fast ones
    #[command(after_help = EXIT_CODES)]
    Explain(Explain),
    /// Run a scenario again with caches that know when each block is used next, and print what the run computed and waited
    /// more
    #[command(after_help = EXIT_CODES)]
    Regret(Regret),
    /// Compare a run with laws of queueing theory: the assumptions of each, whether the run meets them, and the
    /// prediction
    #[command(after_help = EXIT_CODES)]
    Theory(Theory),
    /// Print what a trace is like before anything runs: format, rate, lengths, reuse of prompts, sessions, and what was
    /// left out; or write it in another format
    #[command(after_help = EXIT_CODES)]
    Trace(Trace),
    /// Convert a RouteSim configuration (TOML), a client of ServeGen (CSV), or a policy bundle, llm-d's
    /// `EndpointPickerConfig` or Kubernetes autoscalers (YAML, JSON), to a scenario; stderr lists what each key becomes
    #[command(after_help = EXIT_CODES)]
    Convert(Convert),
    /// Import configurations of other programs into a scenario: stdout has the scenario, stderr what each key becomes
    #[command(after_help = EXIT_CODES)]
    Import(Import),
    /// Write the policies of a scenario as the configuration of another system; what has no counterpart there stands in
    /// comments that say why
    #[command(after_help = EXIT_CODES)]
    Export(Export),
    /// List the names that a scenario can use: models, GPUs, policies, and the built-in scenarios
    #[command(after_help = EXIT_CODES)]
    List(List),
    /// Print the JSON Schema of scenarios
    #[command(after_help = EXIT_CODES)]
    Schema,
    /// Print the words of the glossary as JSON, with formulas over a run
    #[command(after_help = EXIT_CODES)]
    Glossary,
    /// Check lessons, or write the skeleton of one
    #[command(after_help = EXIT_CODES)]
    Lesson(Lesson),
    /// Read a Hugging Face config.json and print a scenario that serves that model with calibrated latency
    #[command(after_help = EXIT_CODES)]
    Model(Model),
    /// Run golden files and compare the results with the expected ones
    #[command(after_help = EXIT_CODES)]
    Golden(Golden),
    /// Size a pool with the queueing model: the load that one replica can serve within objectives, and the replicas
    /// that a rate needs
    #[command(after_help = EXIT_CODES)]
    Size(Size),
    /// Run a file of inputs of the queueing model, in the format of its golden files, and print the results as JSON
    #[command(after_help = EXIT_CODES)]
    Queueing(Queueing),
    /// Replay measured serving runs and print measured, simulated and error
    #[command(after_help = EXIT_CODES)]
    Validate(Validate),
    /// Fit the coefficients of the calibrated latency model to measured serving runs
    #[command(after_help = EXIT_CODES)]
    Calibrate(Calibrate),
    /// Print the completion script of a shell
    #[command(after_help = COMPLETIONS)]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the man page of the program or of a command
    #[command(after_help = MAN)]
    Man {
        /// A command, such as run
        command: Option<String>,
    },
}

/// Inputs of `validate`.
const MEASURED: &str = "Folders with experiments.json, files of experiments, or what a benchmark tool or a server wrote: results of \
                        vllm bench serve, sglang.bench_serving, GuideLLM, inference-perf, AIPerf, LLMPerf and llm-d-benchmark, \
                        the log of a vLLM server, its /metrics, or a range query of these in Prometheus";

/// Arguments of `validate`.
#[derive(clap::Args)]
pub(crate) struct Validate {
    #[arg(required = true, value_name = "DIR|FILE", help = MEASURED)]
    pub(crate) paths: Vec<PathBuf>,
    /// Scenario that the benchmark ran on: its cluster, and its traffic if the file does not contain it. A file or a
    /// built-in scenario
    #[arg(long, value_name = "SCENARIO")]
    pub(crate) scenario: Option<String>,
    /// Set a field of that scenario; may be repeated
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,
    #[command(flatten)]
    pub(crate) load: LoadArgs,
    /// Level of validation: 0 defaults (catalogue, else roofline), 1 the calibrated engine, 2 transfer, 3 rankings
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=3))]
    pub(crate) level: u8,
    /// Latency model of the replay, in place of the level's
    #[arg(long, value_enum)]
    pub(crate) latency: Option<LatencyName>,
    /// Coefficients as written by `tokenyard calibrate -o`
    #[arg(long, value_name = "FILE")]
    pub(crate) coefficients: Option<PathBuf>,
    /// Predict each model, group, GPU or precision by a fit to the others, in place of the replay, and print the errors
    /// by regime
    #[arg(long, value_enum, conflicts_with_all = ["latency", "coefficients", "gate", "record", "evidence", "report"])]
    pub(crate) leave_out: Option<LeaveOut>,
    /// Only experiments whose name begins with this; may be repeated
    #[arg(long, value_name = "ID")]
    pub(crate) only: Vec<String>,
    /// Number of seeds for experiments with drawn arrivals
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) seeds: u32,
    /// Print the full result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Fail if a median is more than 2 points worse than in this table
    #[arg(long, value_name = "FILE")]
    pub(crate) gate: Option<PathBuf>,
    /// Write the table for `--gate`
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Write the measured errors that the core ships with: src/engine/perf/evidence.json
    #[arg(long, value_name = "FILE")]
    pub(crate) evidence: Option<PathBuf>,
    /// Print which share of the rows lies within the error that a run of their kind names
    #[arg(long, conflicts_with = "leave_out")]
    pub(crate) coverage: bool,
    /// Write accuracy.html and accuracy.json into this folder: every measured row beside the simulated one, and the medians by version,
    /// with this one appended
    #[arg(long, value_name = "DIR", requires = "day")]
    pub(crate) page: Option<PathBuf>,
    /// Day that `--page` gives this version, such as 2026-11-30
    #[arg(long, value_name = "DAY")]
    pub(crate) day: Option<String>,
    /// Address before the links of `--page`
    #[arg(long, value_name = "URL", default_value = "./")]
    pub(crate) site: String,
    /// Write validation.md, its pictures and the page's data of the experiments into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) report: Option<PathBuf>,
}

/// Arguments of `calibrate`.
#[derive(clap::Args)]
pub(crate) struct Calibrate {
    /// Folders with experiments.json, files of experiments, or one result of a benchmark
    #[arg(required = true, value_name = "MEASURED")]
    pub(crate) paths: Vec<PathBuf>,
    /// Scenario that the benchmark ran on: its cluster, and its traffic if the file does not contain it. A file or a
    /// built-in scenario
    #[arg(long, value_name = "SCENARIO")]
    pub(crate) scenario: Option<String>,
    /// Set a field of that scenario; may be repeated
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,
    #[command(flatten)]
    pub(crate) load: LoadArgs,
    /// Write the scenario with the coefficients of a benchmark, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) scenario_output: Option<PathBuf>,
    /// Write the coefficients, as JSON; residuals go to stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Only GPUs and releases whose name begins with this, such as `H100/ahead`; may be repeated
    #[arg(long, value_name = "GPU/RELEASE")]
    pub(crate) only: Vec<String>,
    /// Fit without experiments whose name contains this; may be repeated
    #[arg(long, value_name = "TEXT")]
    pub(crate) without: Vec<String>,
    /// Predict each model, group, GPU or precision by a fit to the others, and print the error; `-o` writes it as JSON
    #[arg(long, value_enum, conflicts_with = "start")]
    pub(crate) leave_out: Option<LeaveOut>,
    /// First coefficients of the fit, as written by an earlier `-o`, in place of the built-in ones
    #[arg(long, value_name = "FILE")]
    pub(crate) start: Option<PathBuf>,
}

/// What a fit leaves out in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LeaveOut {
    /// Each model
    Model,
    /// Each group of experiments
    Group,
    /// Each GPU but the H100
    Gpu,
    /// Each precision
    Precision,
}

/// A latency model of `validate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LatencyName {
    /// The catalogue's coefficients
    Catalogue,
    /// The roofline with its defaults
    Roofline,
    /// The calibrated coefficients
    Calibrated,
}

/// How to install completions.
const COMPLETIONS: &str = "Where they go:\n  \
    bash  tokenyard completions bash > ~/.local/share/bash-completion/completions/tokenyard\n  \
    zsh   tokenyard completions zsh > DIR/_tokenyard, where DIR is in $fpath\n  \
    fish  tokenyard completions fish > ~/.config/fish/completions/tokenyard.fish";

/// How to install the man page.
const MAN: &str = "To read it: tokenyard man | man -l -\n\
    To install it: tokenyard man > ~/.local/share/man/man1/tokenyard.1, and tokenyard man run > \
    ~/.local/share/man/man1/tokenyard-run.1";

/// Arguments of `run`.
#[derive(clap::Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Print the report as JSON in place of a summary
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) rows: Rows,
}

/// Arguments of `list`.
#[derive(clap::Args)]
pub(crate) struct List {
    /// Lists to print; all if none is named
    pub(crate) kinds: Vec<Listed>,
    /// Print them as JSON with all details
    #[arg(long)]
    pub(crate) json: bool,
}

/// A list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Listed {
    /// Models by name, with the hardware they were measured on
    Models,
    /// GPUs with their figures
    Gpus,
    /// Built-in scenarios
    Presets,
    /// Policies by the field that names them
    Policies,
    /// Columns of the files that `run` writes with --requests, --decisions, --events, --series and --scaling
    Columns,
    /// Figures of whole runs that `sweep --metric` and `compare --metric` add
    Metrics,
}

/// Arguments of `model`.
#[derive(clap::Args)]
pub(crate) struct Model {
    /// The model's config.json, `-` for stdin; a `hf_quant_config.json` beside it is read with it
    pub(crate) config: String,
    /// Name of the model in the scenario
    #[arg(long, default_value = "my-model")]
    pub(crate) name: String,
    /// The GPU it runs on
    #[arg(long, default_value = "H100")]
    pub(crate) gpu: String,
    /// GPUs per replica
    #[arg(long, default_value_t = 1)]
    pub(crate) tp: u32,
}

/// Arguments of `convert`.
#[derive(clap::Args)]
pub(crate) struct Convert {
    /// A TOML, YAML or JSON file, `-` for stdin
    pub(crate) file: String,
}

/// Arguments of `golden`.
#[derive(clap::Args)]
pub(crate) struct Golden {
    /// Compare only these sections of `expected`
    #[arg(long, value_name = "SECTION,…", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Most differences printed per file
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) most: usize,
    /// Golden files
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
}
