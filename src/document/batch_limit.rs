//! A number or "auto", the type of several settings of an engine.

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

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

impl Serialize for BatchLimit {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        write_or_auto(self.count(), s)
    }
}

impl<'de> Deserialize<'de> for BatchLimit {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Ok(read_or_auto(d, "a whole number or \"auto\"")?.map_or(Self::Auto, Self::Count))
    }
}

/// Writes a number, or "auto" for none.
pub(super) fn write_or_auto<S: Serializer>(number: Option<u32>, s: S) -> Result<S::Ok, S::Error> {
    match number {
        None => s.serialize_str("auto"),
        Some(n) => s.serialize_u32(n),
    }
}

/// Reads a number, or none for "auto"; `expected` is what the message calls that.
pub(super) fn read_or_auto<'de, D: Deserializer<'de>>(
    d: D,
    expected: &'static str,
) -> Result<Option<u32>, D::Error> {
    // Postcard is not self-describing, but scenarios travel in snapshots as JSON text only.
    d.deserialize_any(NumberOrAuto(expected))
}

struct NumberOrAuto(&'static str);

impl Visitor<'_> for NumberOrAuto {
    type Value = Option<u32>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }

    fn visit_u64<E: Error>(self, n: u64) -> Result<Option<u32>, E> {
        u32::try_from(n).map(Some).map_err(|_| E::invalid_value(Unexpected::Unsigned(n), &self))
    }

    fn visit_str<E: Error>(self, s: &str) -> Result<Option<u32>, E> {
        if s == "auto" { Ok(None) } else { Err(E::invalid_value(Unexpected::Str(s), &self)) }
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
