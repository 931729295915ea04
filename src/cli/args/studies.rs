//! The arguments of the commands that make many runs.

use crate::args::input::{Input, scenario_help};
use clap::value_parser;
use std::path::PathBuf;

/// Most seeds of one command.
const SEEDS: i64 = 1000;
/// Most threads.
const JOBS: i64 = 1024;

/// Help of `--metric`.
const METRIC: &str = "Add a figure of the whole run, such as preemption_rate or refused_rate_limit; `tokenyard list metrics` \
                      names them all; may be repeated";

/// Arguments of `compare`.
#[derive(clap::Args)]
pub(crate) struct Compare {
    #[arg(value_name = "A", help = scenario_help())]
    pub(crate) a: String,
    /// Scenario B, named in the same way
    #[arg(value_name = "B")]
    pub(crate) b: String,
    /// Replay a recorded trace in both, in place of their clients
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<String>,
    /// Name the columns or keys of the trace, such as `arrival:ms=t,prompt=in,output=out`
    #[arg(long, value_name = "WHAT=COLUMN,…", requires = "trace")]
    pub(crate) columns: Option<String>,
    /// Set a field of both scenarios, such as `run.horizon_s=600`; may be repeated
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,
    /// Set a field of A alone; may be repeated
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set_a: Vec<String>,
    /// Set a field of B alone, such as `cluster.routing=random`; may be repeated
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set_b: Vec<String>,
    /// Accept a GPU of which nothing is known but its peaks: its step times are a guess
    #[arg(long)]
    pub(crate) allow_guess: bool,
    #[arg(long, value_name = "NAME", help = METRIC)]
    pub(crate) metric: Vec<String>,
    /// Number of pairs of runs, from the scenario's seed upwards. With two or more, the interval is over the seeds
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=SEEDS))]
    pub(crate) seeds: u32,
    /// Print the full result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Number of threads; default one per core
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=JOBS))]
    pub(crate) jobs: Option<u32>,
}

/// How values are given.
const VARY: &str = "A path and the values it takes: `PATH=a,b,c` or `PATH=lo..hi/count`; `traffic` stands for the rates of all clients, or the \
                    speed of the trace, and takes factors; `ratio` stands for the prefill and decode replicas at equal GPUs, and takes \
                    `1:7,2:6,mixed` or `1:7..7:1`. May be repeated: every combination is run";

/// Arguments of `sweep`.
#[derive(clap::Args)]
pub(crate) struct Sweep {
    #[command(flatten)]
    pub(crate) input: Input,
    #[arg(long, required = true, value_name = "PATH=VALUES", help = VARY)]
    pub(crate) vary: Vec<String>,
    #[arg(long, value_name = "NAME", help = METRIC)]
    pub(crate) metric: Vec<String>,
    /// Number of runs per combination, from the scenario's seed upwards
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=SEEDS))]
    pub(crate) seeds: u32,
    /// Number of threads; default one per core
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=JOBS))]
    pub(crate) jobs: Option<u32>,
    /// Run only this part of the cases, such as 3/16, and write it to separate files
    #[arg(long, value_name = "PART/PARTS")]
    pub(crate) shard: Option<String>,
    /// Folder of the rows; cases whose rows exist are not run again
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
}

/// Arguments of `capacity`.
#[derive(clap::Args)]
pub(crate) struct Capacity {
    #[command(flatten)]
    pub(crate) input: Input,
    /// An objective in place of the scenario's: `ttft_ms=500`, `tpot_ms=50` or `e2e_ms=9000`; may be repeated
    #[arg(long, value_name = "NAME=MS")]
    pub(crate) objective: Vec<String>,
    /// Share of requests that must meet the objectives, above 0 up to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.99)]
    pub(crate) share: f64,
    /// Number of seeds, from the scenario's seed upwards; each has its own search
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = value_parser!(u32).range(1..=SEEDS))]
    pub(crate) seeds: u32,
    /// Find the capacity for each ratio of prefill to decode replicas at equal GPUs, and for mixed replicas. The scenario has one prefill and
    /// one decode pool, or one mixed pool, which is divided. All ratios, or those given: `1:7,2:6,mixed` or `1:7..7:1`
    #[arg(long, value_name = "RATIOS", num_args = 0..=1, require_equals = true, default_missing_value = "", group = "varied")]
    pub(crate) vary_ratio: Option<String>,
    /// Find the capacity for each of several sizes of a cache: blocks on the GPUs or in the CPU memory of each replica (`gpu=1000,2000`,
    /// `cpu=0,2000,8000`), GB of each disk or of each server of stores (`disk=100,400`, `store=0.5,2`), or factors on the scenario's
    /// sizes (`gpu=x0.5,x1,x2`)
    #[arg(long, value_name = "CACHE=SIZES", group = "varied")]
    pub(crate) vary_cache: Option<String>,
    /// Print the full result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the table of `--vary-ratio` or `--vary-cache` as CSV
    #[arg(long, requires = "varied", conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Number of threads; default one per core
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=JOBS))]
    pub(crate) jobs: Option<u32>,
}

/// Arguments of `what-if`.
#[derive(clap::Args)]
pub(crate) struct WhatIf {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Number of the request; the first to arrive is 0
    #[arg(long, value_name = "N")]
    pub(crate) request: u32,
    /// Which decision, where pools have roles: which replica answers the request, or which one prefills it
    #[arg(long, value_enum, default_value_t = StageName::Home)]
    pub(crate) stage: StageName,
    /// Number of the replica to try; default all replicas that could have served the request
    #[arg(long, value_name = "R")]
    pub(crate) to: Option<u32>,
    /// Last instant of the runs, in seconds after the start; default the end of the run
    #[arg(long, value_name = "S")]
    pub(crate) until: Option<f64>,
    /// Most replicas to try, the best score first; 0 means all
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) most: u32,
    /// Print the full result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `explain`.
#[derive(clap::Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The time to explain
    #[arg(long, value_enum, default_value_t = TimeName::E2e)]
    pub(crate) time: TimeName,
    /// Requests above this percentile, such as p99; with --from or --to the default is all requests of that span
    #[arg(long, value_name = "PERCENTILE")]
    pub(crate) above: Option<String>,
    /// Requests from this instant on, in seconds after the start
    #[arg(long, value_name = "S")]
    pub(crate) from: Option<f64>,
    /// Requests before this instant, in seconds after the start
    #[arg(long, value_name = "S")]
    pub(crate) to: Option<f64>,
    /// Which event of a request must lie in the span
    #[arg(long, value_enum, default_value_t = SpanName::Arrival)]
    pub(crate) by: SpanName,
    /// Print the full result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the explanation as Markdown
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
}

/// Arguments of `regret`.
#[derive(clap::Args)]
pub(crate) struct Regret {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Number of pairs of runs, from the scenario's seed upwards. With two or more, each regret is a mean with its interval
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=SEEDS))]
    pub(crate) seeds: u32,
    /// Number of threads; default one per core
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=JOBS))]
    pub(crate) jobs: Option<u32>,
    /// Print the full result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The names of the laws, for the help.
const LAW: &str = "A law by its name, instead of the one that fits best: priority, closed-loop, mm1k, shortest-queue, power-of-d, \
                   round-robin, mdc, mmc, md1, mm1, mg1, batch-server, processor-sharing or closed-form";

/// Arguments of `theory`.
#[derive(clap::Args)]
pub(crate) struct Theory {
    #[command(flatten)]
    pub(crate) input: Input,
    #[arg(long, value_name = "NAME", help = LAW)]
    pub(crate) law: Option<String>,
    /// Print the full result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A decision on a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum StageName {
    /// Which replica answers it
    Home,
    /// Which replica prefills it
    Prefill,
}

/// A time that `explain` can explain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum TimeName {
    /// Arrival to first token
    Ttft,
    /// Arrival to last token
    E2e,
}

/// The event of a request that lies in a span of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum SpanName {
    /// The arrival
    Arrival,
    /// The end of the time: the first token for ttft, the last token for e2e
    End,
}
