//! What a system's folder gives for its export: names, and the writer.

use crate::export::Written;
use document::Scenario;
use serde::Serialize;

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
