//! Export of the policies of a scenario as another system's configuration; each system has a writer in its own folder.
//! What has an exact counterpart is written, what has none stands in comments that say why. Values that are
//! the system's defaults are left out. Beside a file of that system, the file keeps all that is not simulated, and only
//! what differs is changed.

pub(crate) mod comments;
mod diff;
pub(crate) mod kept;
pub(crate) mod model;
mod row;
mod system_export;
mod written;

use comments::{comments, one_line};
pub use diff::{ExportedLine, LineMark};
pub use row::{Row, Standing};
pub use system_export::Language;
pub(crate) use system_export::SystemExport;
pub(crate) use written::Written;

use crate::autoscalers::{hpa, keda, wva};
use crate::routers::{dynamo, smg};
use crate::simulators::blis;
use crate::{epp, vllm};
use document::Scenario;
use serde::{Deserialize, Serialize};

/// A system whose configuration is written.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum System {
    /// The router of llm-d and the Gateway API: `EndpointPickerConfig`.
    Epp,
    /// Engines: one `vllm serve` command for each pool.
    Vllm,
    /// The frontend of NVIDIA Dynamo.
    Dynamo,
    /// SGLang's router.
    Smg,
    /// `HorizontalPodAutoscaler`.
    Hpa,
    /// `ScaledObject` of KEDA.
    Keda,
    /// `VariantAutoscaling` and `ConfigMap` of llm-d's autoscaler.
    Wva,
    /// A policy bundle of BLIS.
    Blis,
}

impl System {
    /// All of them, in the order of the page's tabs.
    pub const ALL: [Self; 8] =
        [Self::Epp, Self::Vllm, Self::Dynamo, Self::Smg, Self::Hpa, Self::Keda, Self::Wva, Self::Blis];

    fn export(self) -> &'static SystemExport {
        match self {
            Self::Epp => &epp::write::EXPORT,
            Self::Vllm => &vllm::write::EXPORT,
            Self::Dynamo => &dynamo::write::EXPORT,
            Self::Smg => &smg::write::EXPORT,
            Self::Hpa => &hpa::write::EXPORT,
            Self::Keda => &keda::write::EXPORT,
            Self::Wva => &wva::write::EXPORT,
            Self::Blis => &blis::write::EXPORT,
        }
    }

    /// Its name, that of the option of the command line.
    pub fn name(self) -> &'static str {
        self.export().name
    }

    /// The system by its name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|system| system.name() == name)
    }
}

/// The configuration of a system from a scenario.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Exported {
    /// The system.
    pub system: System,
    /// Its name for a heading, such as `llm-d`.
    pub title: String,
    /// Name of the file, such as `epp.yaml`.
    pub file_name: String,
    /// The language of the file.
    pub language: Language,
    /// All lines; with a file beside it also those that are no longer there.
    pub lines: Vec<ExportedLine>,
    /// The settings of the scenario that the system could have, one by one.
    pub rows: Vec<Row>,
    /// Number of rows that mean the same there.
    pub exact: u32,
    /// Number of rows whose counterpart differs.
    pub near: u32,
    /// Number of rows without a counterpart.
    pub left_out: u32,
    /// Why the file beside it was not changed in place, if it was not: the lines are a new file then.
    pub not_beside: Option<String>,
    /// The file.
    pub text: String,
}

/// The configuration of a system from a scenario. `beside` is a file of that system: what it says and what is not
/// simulated stays as it is, and the lines are the difference to it.
pub fn exported(scenario: &Scenario, system: System, beside: Option<&str>) -> Exported {
    let export = system.export();
    let written = (export.write)(scenario, beside);
    let base = beside.filter(|_| written.not_beside.is_none());
    let comments = comments(&written, export.title, base);
    let lines = diff::lines(base, &written, &head(scenario, export.title, &written), &comments);
    let kept = lines.iter().filter(|line| line.mark != LineMark::Removed);
    let text: String = kept.flat_map(|line| [line.text.as_str(), "\n"]).collect();
    let count = |standing| written.rows.iter().filter(|row| row.standing == standing).count() as u32;
    let (exact, near, left_out) = (count(Standing::Exact), count(Standing::Near), count(Standing::Ignored));
    Exported {
        system,
        title: export.title.to_owned(),
        file_name: export.file_name.to_owned(),
        language: export.language,
        lines,
        rows: written.rows,
        exact,
        near,
        left_out,
        not_beside: written.not_beside,
        text,
    }
}

/// The comments at the beginning of a new file.
fn head(scenario: &Scenario, title: &str, written: &Written) -> Vec<String> {
    if written.text.is_empty() {
        return Vec::new();
    }
    let name = if scenario.title.is_empty() { "a scenario" } else { scenario.title.as_str() };
    let first = format!("# Tokenyard {}: {}", env!("CARGO_PKG_VERSION"), one_line(name));
    let second = format!("# {title}: what is left out is its default");
    [first, second].into_iter().chain(written.head.iter().map(|line| format!("# {line}"))).collect()
}

#[cfg(test)]
mod tests;
