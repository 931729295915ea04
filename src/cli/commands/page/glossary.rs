//! `tokenyard glossary`: the words of the glossary as JSON, a word on each line.

use crate::failed::{BAD_INPUT, Failed};
use crate::print::{say, tell};
use base::json;
use tools::glossary;

/// `tokenyard glossary`
pub(crate) fn run() -> Result<(), Failed> {
    let entries = glossary::entries().map_err(|problems| {
        for problem in problems {
            tell(&format!("error: docs/reference/glossary.md: {problem}"));
        }
        Failed(BAD_INPUT)
    })?;
    let lines: Vec<String> = entries.iter().map(json::compact).collect();
    say(&format!("[\n{}\n]\n", lines.join(",\n")))
}
