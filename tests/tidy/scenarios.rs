//! The scenarios in the repository are sound.

use super::{files, report};

/// The scenarios that ship with the program load without a warning.
#[test]
fn every_scenario_shipped_is_sound() {
    let mut problems = Vec::new();
    let shipped = files("scenarios", &[]);
    for (path, text) in &shipped {
        if let Err(why) = check_scenario(path, text) {
            problems.push(format!("{path}: {why}"));
        }
    }
    report("every scenario shipped is sound", &problems);
}

fn check_scenario(path: &str, text: &str) -> Result<(), String> {
    let told = |all: Vec<tokenyard::base::Diagnostic>| {
        all.iter()
            .map(|d| format!("{}: found {}, allowed {}", d.path, d.found, d.allowed))
            .collect::<Vec<_>>()
            .join("; ")
    };
    let scenario = match path.rsplit('.').next() {
        Some("json") => tokenyard::scenario::parse(text).map_err(told)?,
        #[cfg(feature = "cli")]
        Some("yaml" | "yml") => {
            let value = tokenyard::config::import::documents::yaml::value(text).map_err(told)?;
            tokenyard::scenario::from_value(value).map_err(told)?
        }
        _ => return Err("neither JSON nor YAML".to_owned()),
    };
    let (_, warnings) = tokenyard::scenario::check(scenario).map_err(told)?;
    if warnings.is_empty() { Ok(()) } else { Err(told(warnings)) }
}
