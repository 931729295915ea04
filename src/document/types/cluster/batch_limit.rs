//! A number or "auto", the type of several settings of an engine.

use crate::{At, Problems, Read, Write, read, write};
use serde_json::Value;

/// A limit on a batch: a number, or "auto", which is what vLLM chooses for the GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BatchLimit {
    /// vLLM's choice for the GPU.
    #[default]
    Auto,
    /// The given number.
    Count(u32),
}

impl From<u32> for BatchLimit {
    fn from(n: u32) -> Self {
        Self::Count(n)
    }
}

impl BatchLimit {
    /// The number, if there is one.
    pub fn count(self) -> Option<u32> {
        match self {
            Self::Auto => None,
            Self::Count(n) => Some(n),
        }
    }
}

impl Read for BatchLimit {
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<Self> {
        let read = read::number_or("auto", "a whole number or \"auto\"", value, at, problems)?;
        Some(read.map_or(Self::Auto, Self::Count))
    }
}

impl Write for BatchLimit {
    fn write(&self) -> Value {
        write::number_or("auto", self.count())
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for BatchLimit {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "BatchLimit".into()
    }
    /// Written where it is used: each field has a range of its own.
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "oneOf": [
                { "const": "auto", "description": "vLLM's choice for the GPU." },
                { "type": "integer", "description": "This many." }
            ]
        })
    }
}
