//! Foreign formats: a sample of each in `samples`, read or written as the registry of formats says. A format without a sample fails.

mod autoscalers;
mod engines;
mod exported;
mod exports;
mod exports_of_configuration;
mod exports_read_back;
mod field_cases;
mod imports;
mod new_fleet;
mod openmetrics;
mod page_and_command;
mod perfetto;
mod platforms;
mod roles_of_routers;
mod routers;
mod tiers_of_engines;
mod tiers_of_others;
mod tiers_of_routers;
mod workloads;
mod yaml_corpus;

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use tokenyard::config::import::configuration::{Imported, TrafficAsked, imported};
use tokenyard::config::import::documents::Text;

/// The folder of the samples.
fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/exchange/samples")
}

/// The samples whose names begin with the name of a format: name of the file and text. `all` has the names of all formats, as one may
/// begin as another does.
fn samples(name: &str, all: &[&str]) -> Vec<(String, String)> {
    let stem_of = |file: &str| file.split('.').next().unwrap_or_default().to_owned();
    let format_of = |file: &str| {
        let stem = stem_of(file);
        let begins = |name: &&&str| stem == **name || stem.starts_with(&format!("{name}-"));
        all.iter().filter(begins).max_by_key(|name| name.len()).copied()
    };
    let files = fs::read_dir(folder()).expect("the samples");
    let names = files.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned());
    let mut found: Vec<String> = names.filter(|file| format_of(file) == Some(name)).collect();
    found.sort();
    let text = |file: &String| fs::read_to_string(folder().join(file)).expect("a text");
    found.iter().map(|file| (file.clone(), text(file))).collect()
}

/// The import of texts into a scenario.
fn import_into(into: &str, texts: &[&str]) -> Imported {
    let named = |text: &&str| Text { name: String::new(), text: (*text).to_owned() };
    let texts: Vec<Text> = texts.iter().map(named).collect();
    imported(&texts, into, &[], &TrafficAsked::default())
}

/// The import of a text into the default scenario, which must succeed, and the scenario.
fn import(text: &str) -> (Value, Imported) {
    let found = import_into("", &[text]);
    assert_eq!(found.problems, [], "{text}");
    let scenario = serde_json::from_str(&found.scenario).unwrap_or_else(|e| panic!("{e}: {found:?}"));
    (scenario, found)
}

/// How a key stands, and what it becomes.
fn row<'a>(found: &'a Imported, key: &str) -> (&'static str, &'a str) {
    let rows: Vec<_> = found.keys.iter().filter(|row| row.key == key).collect();
    assert_eq!(rows.len(), 1, "{key}: {rows:?}");
    (rows[0].standing.name(), rows[0].becomes.as_str())
}
