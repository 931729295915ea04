//! Data for the page about documents: the built-in scenarios, and model descriptions, links and trace files as read.

use base::{Diagnostics, json};
use document::link::{Link, Opened, TraceMark, View};
use document::{Scenario, limits, preset, to_json};
use engine::perf::ReadModel;
use engine::workload::TraceSummary;
use serde::Serialize;

/// A built-in scenario in menus. The page reads its text when it is opened.
#[cfg(feature = "types")]
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct PresetInfo {
    /// Its name, as used in links and on the command line.
    pub name: &'static str,
    /// Its title.
    pub title: String,
    /// The instant at which it opens, shortly before the point of interest.
    pub opens_us: u64,
}

#[cfg(feature = "types")]
impl PresetInfo {
    /// All of them; the page opens with the first.
    pub fn all() -> Vec<Self> {
        let info = |p: &preset::Preset| {
            let opens_us = u64::from(p.opens_s) * 1_000_000;
            Self { name: p.name, title: p.scenario().title, opens_us }
        };
        preset::PRESETS.iter().map(info).collect()
    }
}

/// A model described by its `config.json`.
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

/// The contents of a link.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpenedLink {
    /// The scenario as JSON text, as far as it could be read.
    pub scenario: String,
    /// The preset that it differs from; empty if unknown.
    pub preset: String,
    /// The scenario of that preset as JSON text.
    pub original: Option<String>,
    /// The view of the page.
    pub view: View,
    /// The trace that it replays, whose file the page asks for.
    pub trace: Option<TraceMark>,
    /// The charts of an embedded page.
    pub embed: Option<Vec<String>>,
    /// A second run of the same trace.
    pub beside: Option<BesideRun>,
    /// Events after which the run to its instant continues only when the reader confirms.
    pub events_unasked: u64,
    /// Parts that could not be used.
    pub problems: Diagnostics,
}

/// A second run that a link carries.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BesideRun {
    /// Its name.
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

/// The result of reading a trace file.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceOutcome {
    /// Whether it can be replayed.
    pub ok: bool,
    /// Its problems.
    pub diagnostics: Diagnostics,
    /// Its summary, if it can be replayed.
    pub summary: Option<TraceSummary>,
}
