//! What the reader is told about documents: the built-in scenarios, and a trace file that was read.

use crate::base::Diagnostics;
use crate::scenario::{parse, preset};
use crate::workload::TraceSummary;
use serde::Serialize;

/// A built-in scenario.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(ts_rs::TS))]
pub struct PresetInfo {
    /// Its name, as used in links and on the command line.
    pub name: &'static str,
    /// Its title.
    pub title: String,
    /// What to look at in it.
    pub note: String,
    /// The scenario as JSON text.
    pub text: &'static str,
}

impl PresetInfo {
    /// All of them; the first is what the page opens with.
    pub fn all() -> Vec<Self> {
        let info = |p: &preset::Preset| {
            let scenario = parse(p.text).unwrap_or_default();
            Self { name: p.name, title: scenario.title, note: scenario.note, text: p.text }
        };
        preset::PRESETS.iter().map(info).collect()
    }
}

/// What a trace file turned out to hold.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(ts_rs::TS))]
pub struct TraceOutcome {
    /// Whether it can be replayed.
    pub ok: bool,
    /// What is wrong with it.
    pub diagnostics: Diagnostics,
    /// What it holds, if it can be replayed.
    pub summary: Option<TraceSummary>,
}
