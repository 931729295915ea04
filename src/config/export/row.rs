//! A setting of a scenario and its counterpart in another system.

use serde::Serialize;

/// How well a setting has a counterpart.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "types", ts(rename = "ExportedStanding"))]
pub enum Standing {
    /// It means the same there.
    Exact,
    /// It has a counterpart that differs.
    Near,
    /// It has none: it stands in a comment.
    Ignored,
}

/// A setting of the scenario and its counterpart.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", ts(rename = "ExportedRow"))]
pub struct Row {
    /// Its path in the scenario, such as `cluster.routing.weighted.scorers[0]`.
    pub path: String,
    /// Its name here.
    pub ours: String,
    /// Its value here.
    pub value: String,
    /// Its name there; empty if it has none.
    pub theirs: String,
    /// The value in the file beside it, if that differs.
    pub before: Option<String>,
    /// How well it has a counterpart.
    pub standing: Standing,
    /// How it differs, or why it has none; empty if exact.
    pub why: String,
    /// Whether it is written; otherwise it is the system's default, or it has no counterpart.
    pub written: bool,
}

impl Row {
    /// A setting that means the same there.
    #[expect(clippy::needless_pass_by_value, reason = "numbers and words are written in place")]
    pub(crate) fn exact(path: impl Into<String>, ours: &str, value: impl ToString, theirs: &str) -> Self {
        Self {
            path: path.into(),
            ours: ours.to_owned(),
            value: value.to_string(),
            theirs: theirs.to_owned(),
            before: None,
            standing: Standing::Exact,
            why: String::new(),
            written: true,
        }
    }

    /// A setting whose counterpart differs.
    pub(crate) fn near(
        path: impl Into<String>,
        ours: &str,
        value: impl ToString,
        theirs: &str,
        why: &str,
    ) -> Self {
        Self::exact(path, ours, value, theirs).but(why)
    }

    /// The same with a counterpart that differs.
    pub(crate) fn but(self, why: &str) -> Self {
        Self { standing: Standing::Near, why: why.to_owned(), ..self }
    }

    /// A setting without a counterpart.
    pub(crate) fn ignored(path: impl Into<String>, ours: &str, value: impl ToString, why: &str) -> Self {
        let row = Self::exact(path, ours, value, "");
        Self { standing: Standing::Ignored, why: why.to_owned(), written: false, ..row }
    }

    /// The same, not written as it is the system's default.
    pub(crate) fn default_there(self, is_default: bool) -> Self {
        Self { written: self.written && !is_default, ..self }
    }

    /// The same, with the value in the file beside it.
    pub(crate) fn was(self, before: Option<String>) -> Self {
        Self { before, ..self }
    }
}
