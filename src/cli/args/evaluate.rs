//! The arguments of `evaluate`, `rank` and `lab`.

use crate::args::measured::LoadArgs;
use clap::{ValueEnum, value_parser};
use document::limits;
use std::path::PathBuf;
use study::evaluate::Split;

/// Most threads.
const JOBS: i64 = 1024;

/// Arguments of `evaluate`.
#[derive(clap::Args)]
pub(crate) struct Evaluate {
    /// File with the candidate's policies as YAML or JSON: `admission`, `routing`, `scheduler`, `priority`, `autoscaler`; `-` reads stdin. Lines
    /// that start with `#` or `//` are skipped
    #[arg(value_name = "CANDIDATE")]
    pub(crate) candidate: String,
    /// The cases: those that a search sees, those that choose among its results, those held back
    #[arg(value_enum, default_value_t = SplitName::Train)]
    pub(crate) split: SplitName,
    /// File of the suite in YAML or JSON, or a built-in one: herding, prefix-reuse, mixed-classes
    #[arg(long, value_name = "SUITE")]
    pub(crate) suite: String,
    /// Only this stage of the suite, from 1
    #[arg(long, value_name = "N")]
    pub(crate) stage: Option<u32>,
    /// Only this case, whatever its split; may be repeated
    #[arg(long, value_name = "ID")]
    pub(crate) case: Vec<String>,
    /// Most bytes of the feedback, which is cut at a line end; 0 writes none
    #[arg(long, value_name = "N", default_value_t = 8000, value_parser = value_parser!(u32).range(0..=i64::from(limits::FEEDBACK_BYTES)))]
    pub(crate) text_bytes: u32,
    /// Number of threads; default one per core
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=JOBS))]
    pub(crate) jobs: Option<u32>,
}

/// A split by name.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SplitName {
    /// Cases that a search sees
    Train,
    /// Cases that choose among the results of a search
    Val,
    /// Cases held back
    Test,
}

impl From<SplitName> for Split {
    fn from(name: SplitName) -> Self {
        match name {
            SplitName::Train => Self::Train,
            SplitName::Val => Self::Val,
            SplitName::Test => Self::Test,
        }
    }
}

/// Arguments of `rank`.
#[derive(clap::Args)]
pub(crate) struct Rank {
    /// Results of benchmarks, each with the policy that it was measured under: `baseline`, one of the suite's `policies`, or a router. Without any,
    /// those that the suite lists under `measured`
    #[arg(value_name = "NAME=FILE")]
    pub(crate) measured: Vec<String>,
    /// File of the suite in YAML or JSON, or a built-in one: herding, prefix-reuse, mixed-classes
    #[arg(long, value_name = "SUITE")]
    pub(crate) suite: String,
    /// The case with the cluster that was measured; default the first
    #[arg(long, value_name = "ID")]
    pub(crate) case: Option<String>,
    #[command(flatten)]
    pub(crate) load: LoadArgs,
    /// Print the full result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `lab`.
#[derive(clap::Args)]
pub(crate) struct Lab {
    /// JSON lines, one for each evaluation: `generation`, `candidate`, `evaluation` as `tokenyard evaluate` prints it, and, if known, `id` and
    /// `parent`
    #[arg(value_name = "RESULTS")]
    pub(crate) results: PathBuf,
    /// The page to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}
