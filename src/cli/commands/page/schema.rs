//! The JSON Schema of scenarios, from their doc comments, defaults and limits.

use document::Scenario;

/// The schema as JSON text.
pub(crate) fn text() -> String {
    let schema = schemars::generate::SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<Scenario>();
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema is plain data with text keys");
    text.push('\n');
    text
}
