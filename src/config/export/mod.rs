//! Export of the policies of a scenario as another system's configuration; each system has a writer in its own folder.
//! What has an exact counterpart is written, what has none stands in comments that say why. Values that are
//! the system's defaults are left out. Beside a file of that system, the file keeps all that is not simulated, and only
//! what differs is changed.

mod diff;
pub(crate) mod model;

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

/// The language of a file.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// YAML.
    Yaml,
    /// Commands of a shell.
    Shell,
}

/// How a line stands to the file beside which it is written.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LineMark {
    /// It is in both; also every line without a file beside it.
    Same,
    /// It is new.
    Added,
    /// It is no longer there. It is not part of the text.
    Removed,
    /// A comment of this export.
    Comment,
}

/// A line of a file or of its difference.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExportedLine {
    /// Its text, without the end of the line.
    pub text: String,
    /// How it stands to the file beside it.
    pub mark: LineMark,
}

/// How well a setting has a counterpart.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", ts(rename = "ExportedStanding"))]
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
#[cfg_attr(feature = "schema", ts(rename = "ExportedRow"))]
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

/// A system whose configuration is written.
pub(crate) struct SystemExport {
    /// Its name, that of the option of the command line.
    pub(crate) name: &'static str,
    /// Its name for a heading.
    pub(crate) title: &'static str,
    /// Name of a new file.
    pub(crate) file_name: &'static str,
    /// The language of its files.
    pub(crate) language: Language,
    /// The file of a scenario, beside a file of the user if there is one.
    pub(crate) write: fn(&Scenario, Option<&str>) -> Written,
}

/// A file and what became of each setting.
#[derive(Default)]
pub(crate) struct Written {
    /// The file without the comments of this export; empty if there is nothing to write.
    pub(crate) text: String,
    /// What became of each setting.
    pub(crate) rows: Vec<Row>,
    /// Lines of comment at the beginning of a new file.
    pub(crate) head: Vec<String>,
    /// Further lines of comment at the end.
    pub(crate) notes: Vec<String>,
    /// Why there is nothing to write, if that is known.
    pub(crate) nothing: Option<&'static str>,
    /// Why the file beside it was not changed in place.
    pub(crate) not_beside: Option<String>,
    /// Whether the file has no comments, as JSON has none.
    pub(crate) without_comments: bool,
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

/// The comments at the end: rows that differ or have no counterpart. Those that a file beside it has are not repeated.
fn comments(written: &Written, title: &str, beside: Option<&str>) -> Vec<String> {
    if written.without_comments {
        return Vec::new();
    }
    let mut all = Vec::new();
    for row in &written.rows {
        let kind = match row.standing {
            Standing::Exact => continue,
            Standing::Near => "near",
            Standing::Ignored => "left out",
        };
        let value = if row.value.is_empty() { String::new() } else { format!(" {}", row.value) };
        all.extend(wrapped(&format!("{kind}: {}{value}: {}", row.ours, row.why)));
    }
    all.extend(written.notes.iter().flat_map(|note| wrapped(note)));
    if written.text.is_empty() {
        let why = written.nothing.map_or_else(
            || format!("no setting of this scenario has a counterpart in {title}"),
            str::to_owned,
        );
        all.insert(0, format!("# Nothing to write: {why}"));
    }
    let there: Vec<&str> = beside.into_iter().flat_map(str::lines).map(str::trim).collect();
    all.retain(|line| !there.contains(&line.as_str()));
    all
}

/// Columns of a line of comment.
const WIDTH: usize = 100;

/// A sentence as lines of comment; those after the first are indented.
fn wrapped(sentence: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::from("#");
    for word in one_line(sentence).split(' ') {
        if line.chars().count() + 1 + word.chars().count() > WIDTH && line.len() > 4 {
            lines.push(std::mem::replace(&mut line, String::from("#  ")));
        }
        line.push(' ');
        line.push_str(word);
    }
    lines.push(line);
    lines
}

/// A text without control characters, its white space as single spaces, so that it cannot end a comment.
pub(crate) fn one_line(text: &str) -> String {
    let plain =
        |c: char| if c.is_control() || matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}') { ' ' } else { c };
    text.chars().map(plain).collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
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

#[cfg(test)]
mod tests;
