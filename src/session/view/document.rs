//! What the reader is told about documents: the built-in scenarios, a model's description and a trace file that were read.

use crate::base::{Diagnostics, json};
use crate::perf::ReadModel;
use crate::scenario::link::{Link, Opened, TraceMark, View};
use crate::scenario::{Scenario, limits, preset, to_json};
use crate::workload::TraceSummary;
use serde::Serialize;

/// A built-in scenario, as menus have it. The page reads its text when it is opened.
#[cfg(feature = "schema")]
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct PresetInfo {
    /// Its name, as used in links and on the command line.
    pub name: &'static str,
    /// Its title.
    pub title: String,
    /// Where it opens: shortly before what there is to see.
    pub opens_us: u64,
}

#[cfg(feature = "schema")]
impl PresetInfo {
    /// All of them; the first is what the page opens with.
    pub fn all() -> Vec<Self> {
        let info = |p: &preset::Preset| {
            let opens_us = u64::from(p.opens_s) * 1_000_000;
            Self { name: p.name, title: p.scenario().title, opens_us }
        };
        preset::PRESETS.iter().map(info).collect()
    }
}

/// What the `config.json` of a model says.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DescribedModel {
    /// The model's shape as JSON text.
    pub architecture: String,
    /// A summary of the shape in words.
    pub summary: String,
    /// Defaults taken for missing values, and properties that the shape cannot express.
    pub warnings: Diagnostics,
}

impl From<ReadModel> for DescribedModel {
    fn from(read: ReadModel) -> Self {
        let architecture = json::compact(&read.architecture);
        Self { architecture, summary: read.summary, warnings: read.warnings }
    }
}

/// What a link turned out to carry.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpenedLink {
    /// The scenario as JSON text, as far as it could be read.
    pub scenario: String,
    /// The preset that it differs from; empty where that is not known.
    pub preset: String,
    /// The scenario of that preset as JSON text.
    pub original: Option<String>,
    /// How the page looks at it.
    pub view: View,
    /// The trace that it replays, whose file the page asks for.
    pub trace: Option<TraceMark>,
    /// The charts that a page shows which is part of another one.
    pub embed: Option<Vec<String>>,
    /// A second run of the same trace.
    pub beside: Option<BesideRun>,
    /// Events after which the way to its instant goes on only when the reader says so.
    pub events_unasked: u64,
    /// What could not be used.
    pub problems: Diagnostics,
}

/// A second run that a link carries.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BesideRun {
    /// What it is called.
    pub name: String,
    /// Its scenario as JSON text, as far as it could be read.
    pub scenario: String,
}

impl From<Opened> for OpenedLink {
    fn from(Opened { link, preset, problems }: Opened) -> Self {
        let Link { scenario, view, trace, embed, beside } = link;
        let beside = beside.map(|run| BesideRun { name: run.name, scenario: to_json(&run.scenario) });
        let original = match preset::Preset::named(&preset) {
            Some(named) => Some(named.scenario()),
            None => (preset == preset::DEFAULT_PRESET).then(Scenario::default),
        }
        .map(|scenario| to_json(&scenario));
        Self {
            scenario: to_json(&scenario),
            preset,
            original,
            view,
            trace,
            embed,
            beside,
            events_unasked: limits::EVENTS_UNASKED,
            problems,
        }
    }
}

/// What a trace file turned out to hold.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceOutcome {
    /// Whether it can be replayed.
    pub ok: bool,
    /// What is wrong with it.
    pub diagnostics: Diagnostics,
    /// What it holds, if it can be replayed.
    pub summary: Option<TraceSummary>,
}
