//! The page's questions about configuration of other programs: texts and a scenario in, tables of keys and a scenario out.

use crate::export::{Exported, System, exported};
use crate::import::configuration::{Imported, Settled, TrafficAsked, imported};
use crate::import::documents::Text;
use document::parse;
use serde::Deserialize;

questions! {
    /// A question about configuration of other programs.
    ExchangeQuestion, ExchangeAnswers of &mut ExchangeDesk;
    /// What the keys of texts mean for a scenario, and the new scenario that they make.
    import: Import(ImportQuery) -> Imported =
        |_, query, _| Ok(imported(&query.texts, &query.into, &query.settled, &query.asked));
    /// A scenario as the configuration of a system.
    export: Export(ExportQuery) -> Exported = |_, query, _| {
        let beside = query.beside.as_deref().filter(|text| !text.trim().is_empty());
        Ok(exported(&parse(&query.scenario)?, query.system, beside))
    };
}

/// Nothing is kept between these questions.
#[derive(Default)]
pub struct ExchangeDesk;

/// Texts to import.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportQuery {
    /// The texts.
    texts: Vec<Text>,
    /// The scenario that they change, JSON text.
    into: String,
    /// Choices between the values of a field.
    settled: Vec<Settled>,
    /// The traffic of the new scenario; what is missing is chosen.
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    asked: TrafficAsked,
}

/// A scenario to export.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExportQuery {
    /// The scenario, JSON text.
    scenario: String,
    /// The system that has the configuration.
    system: System,
    /// A file of the user, which what is written stands beside.
    #[cfg_attr(feature = "types", ts(optional))]
    beside: Option<String>,
}
