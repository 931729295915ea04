//! The arguments of `trace`.

use clap::ValueEnum;
use export::TraceFormat;
use std::path::PathBuf;

/// Arguments of `trace`.
#[derive(clap::Args)]
pub(crate) struct Trace {
    /// A trace, as text or gzip, or `-` for stdin
    pub(crate) file: String,
    /// Name the columns or keys of the file, and the unit of the arrival, as in
    /// `arrival:ms=t,prompt=in,output=out,session=chat`; further ones: tenant, class, priority, model, adapter, id
    #[arg(long, value_name = "WHAT=COLUMN,…")]
    pub(crate) columns: Option<String>,
    /// What caches of these sizes could find again, in place of the figures: the tiers of a replica in order and the tokens
    /// that each holds, such as `gpu=420000,cpu=4000000,store=40000000`; one called `store` is shared by all replicas
    #[arg(long, value_name = "TIER=TOKENS,…", conflicts_with_all = ["format", "output"])]
    pub(crate) tiers: Option<String>,
    /// Replicas with these tiers, which requests are dealt out to
    #[arg(long, value_name = "N", default_value_t = 1, requires = "tiers", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) replicas: u32,
    /// Print all figures as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the trace in this format in place of the figures
    #[arg(long = "as", value_name = "FORMAT", requires = "output")]
    pub(crate) format: Option<TraceAs>,
    /// The file to write, which must not exist; with `blis` its header is written beside it, under the ending .yaml
    #[arg(short, long, value_name = "FILE", requires = "format")]
    pub(crate) output: Option<PathBuf>,
}

/// A format of traces.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum TraceAs {
    /// JSON lines with everything that is kept of a row
    Jsonl,
    /// Mooncake's JSON lines: times in milliseconds, lengths and hash ids
    Mooncake,
    /// Azure's CSV: dates and lengths
    Azure,
    /// BLIS TraceV2: CSV with sessions, tenants and classes, and a header in YAML
    Blis,
}

impl TraceAs {
    pub(crate) fn format(self) -> TraceFormat {
        match self {
            Self::Jsonl => TraceFormat::Jsonl,
            Self::Mooncake => TraceFormat::Mooncake,
            Self::Azure => TraceFormat::Azure,
            Self::Blis => TraceFormat::Blis,
        }
    }
}
