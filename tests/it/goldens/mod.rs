//! Golden files: recorded inputs and results.

mod files;
mod folder;
mod queueing_files;
mod recorded;
mod roles;
mod tiers;

use serde_json::Value;
use tokenyard::base::Diagnostics;
use tokenyard::golden;

/// The problems of a file that cannot be used, a line each, without the word for how grave it is.
fn lines(problems: &Diagnostics) -> Vec<String> {
    problems.iter().map(|p| p.to_string().trim_start_matches("error: ").to_owned()).collect()
}

/// The problems of a golden file that cannot be used.
fn refused(document: &Value) -> Vec<String> {
    lines(&golden::differences(&document.to_string(), &[]).expect_err("it cannot be used"))
}

/// What differs from the expected results, in these sections or in all.
fn differences(document: &Value, only: &[&str]) -> Vec<String> {
    let only: Vec<String> = only.iter().map(|name| (*name).to_owned()).collect();
    golden::differences(&document.to_string(), &only).unwrap_or_else(|problems| panic!("{problems:?}"))
}
