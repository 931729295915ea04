//! The format of a file: which reader takes its lines, and what it says about all of them.

use super::csv::{self, Csv};
use super::jsonl::Jsonl;
use super::named::Names;
use super::row::Bad;
use super::rows::Rows;
use super::vcr::Vcr;
use super::{aibrix, copilot, spans, weka};
use base::Diagnostic;

/// The format of a file, once its first line has been seen.
#[derive(Clone, Debug)]
#[cfg_attr(not(target_arch = "wasm32"), expect(clippy::large_enum_variant, reason = "a file has one"))]
pub(super) enum Format {
    Csv(Csv),
    Jsonl(Jsonl),
    /// JSON with recognised or given names.
    Named(Names),
    AiBrix,
    Vcr(Vcr),
    /// Spans of OpenTelemetry.
    Spans,
    /// Whole sessions of WEKA.
    Weka,
    /// Whole sessions of GitHub Copilot.
    Copilot,
}

impl Format {
    /// A format of objects that are not simply requests.
    pub(super) fn special(line: &str) -> Option<Self> {
        if aibrix::recognises(line) {
            Some(Self::AiBrix)
        } else if spans::recognises(line) {
            Some(Self::Spans)
        } else {
            Vcr::detect(line).map(Self::Vcr)
        }
    }

    /// A format of whole sessions.
    pub(super) fn of_sessions(text: &str) -> Option<Self> {
        if weka::begins(text) {
            return Some(Self::Weka);
        }
        copilot::begins(text).then_some(Self::Copilot)
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Csv(csv) => csv.name,
            Self::Jsonl(jsonl) => jsonl.name(),
            Self::Named(_) => "JSON lines",
            Self::AiBrix => "AIBrix",
            Self::Vcr(_) => "vllm-vcr",
            Self::Spans => "OpenTelemetry",
            Self::Weka => "WEKA sessions",
            Self::Copilot => "GitHub Copilot sessions",
        }
    }

    /// The names that were recognised, if the format is unknown.
    pub(super) fn names(&self) -> Option<&Names> {
        match self {
            Self::Csv(csv) => csv.names.as_ref(),
            Self::Named(names) => Some(names),
            Self::Jsonl(_) | Self::AiBrix | Self::Vcr(_) | Self::Spans | Self::Weka | Self::Copilot => None,
        }
    }

    /// Microseconds in the unit of its instants; `None` for dates.
    pub(super) fn unit_us(&self) -> Option<f64> {
        match self {
            Self::Csv(csv) => csv.unit_us(),
            Self::Jsonl(jsonl) => Some(jsonl.unit_us()),
            Self::Named(names) => Some(names.unit_us.unwrap_or(1e6)),
            Self::AiBrix | Self::Vcr(_) => Some(1e3),
            Self::Spans | Self::Weka | Self::Copilot => None,
        }
    }

    /// Tokens in a block of its hashes, if the rows fit several sizes.
    pub(super) fn usual_block(&self) -> u32 {
        match self {
            Self::Jsonl(jsonl) => jsonl.usual_block(),
            Self::Csv(_) | Self::Named(_) | Self::AiBrix | Self::Spans | Self::Copilot => 512,
            Self::Weka => 64,
            Self::Vcr(_) => 16,
        }
    }

    /// Tokens in a block of its hashes, if the file says it; otherwise 0.
    pub(super) fn block_size(&self) -> u32 {
        if let Self::Vcr(vcr) = self { vcr.block_size } else { 0 }
    }

    /// The columns or keys that show the format.
    pub(super) fn evidence(&self) -> String {
        match self {
            Self::Csv(csv) => format!("columns {}", csv.signs()),
            Self::Jsonl(jsonl) => format!("keys {}", jsonl.keys()),
            Self::Named(Names { time, prompt, output, .. }) => format!("keys {time}, {prompt}, {output}"),
            Self::AiBrix => "keys timestamp, requests".to_owned(),
            Self::Vcr(_) => "a first line with meta".to_owned(),
            Self::Spans => "spans with attributes".to_owned(),
            Self::Weka => "sessions with requests and block_size".to_owned(),
            Self::Copilot => "sessions with turns".to_owned(),
        }
    }

    /// Columns that are not read; keys of JSON are not listed.
    pub(super) fn not_read(&self) -> Vec<String> {
        if let Self::Csv(csv) = self { csv.ignored.clone() } else { Vec::new() }
    }

    /// Reads the rows of a line.
    pub(super) fn read(&self, line: &str, rows: &mut Rows) -> Result<(), Bad> {
        match self {
            Self::Csv(csv) => rows.push(&csv.row(line)?),
            Self::Jsonl(jsonl) => rows.push(&jsonl.row(line)?),
            Self::Named(names) => rows.push(&names.row(line)?),
            Self::AiBrix => aibrix::read(line, rows),
            Self::Vcr(_) => Vcr::read(line, rows),
            Self::Spans => spans::read(line, rows),
            Self::Weka => weka::session(line, rows),
            Self::Copilot => copilot::session(line, rows),
        }
    }
}

/// The supported formats, in words.
pub(super) fn formats() -> String {
    let lines = Jsonl::ALL.map(Jsonl::name).join(", ");
    let others = "AIBrix, vllm-vcr, OpenTelemetry spans, WEKA and GitHub Copilot sessions";
    format!("{} (CSV); {lines}, {others} (JSON)", csv::names().join(", "))
}

/// The error that a file is not a supported trace, with the reason and the supported formats.
pub(super) fn no_trace(file_name: &str, why: &str, fix: &str) -> Diagnostic {
    let end = if fix.is_empty() { "." } else { "" };
    Diagnostic::error("", format!("{file_name} {why}. Formats: {}{end}", formats()), "", fix)
}
