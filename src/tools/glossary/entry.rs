//! An entry of the glossary: a word, and the quantity that it names.

use serde::Serialize;

/// A word of the glossary.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GlossaryEntry {
    /// The word.
    pub word: String,
    /// What it means, as plain text.
    pub meaning: String,
    /// Other names, and the labels of the page that mean it, in small letters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    pub also: Vec<String>,
    /// The document that explains it, as a path from the top of the repository.
    pub source: String,
    /// Its number; missing for a word without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(optional))]
    pub quantity: Option<Quantity>,
}

/// A number of a run.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Quantity {
    /// Its unit; `%` for a share.
    pub unit: String,
    /// Its formula in pieces, each a sign of `signs` or text; empty without a formula.
    pub formula: Vec<String>,
    /// The formula over a run, as an expression; missing if a run lacks one of its signs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(optional))]
    pub result: Option<String>,
    /// Values since the warm-up, or settings.
    pub of_run: Vec<NamedValue>,
    /// The latest values.
    pub now: Vec<NamedValue>,
    /// Whether the latest values are of the latest seconds, instead of the instant.
    pub latest: bool,
    /// Which runs have it; empty for all of them.
    pub runs_with: String,
    /// What it rests on.
    pub rests_on: RestsOn,
    /// The signs of its formula, in order, without the one that it defines.
    pub signs: Vec<GlossarySign>,
}

/// A value of a run.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NamedValue {
    /// Its name; empty if there is one value only.
    pub name: String,
    /// An expression over `report`, `frame` and `scenario`.
    pub value: String,
}

/// A sign of a formula.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GlossarySign {
    /// The sign; what follows a `_` is a subscript.
    pub sign: String,
    /// What it stands for.
    pub meaning: String,
    /// Its unit; `%` for a share.
    pub unit: String,
    /// An expression over `report`, `frame` and `scenario`; missing if runs have no number for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(optional))]
    pub value: Option<String>,
}

/// What a quantity rests on.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RestsOn {
    /// Settings, counts and the clock alone.
    Exact,
    /// Step times.
    Steps,
    /// Step times and the number of KV blocks.
    Blocks,
}
