//! The figure of latencies that is held against an objective.

use crate::table::fields::{Ranged, without_fields};
use crate::{At, Problems, Read, Write};
use serde_json::Value;

/// A quantile of latencies, or their mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SloQuantile {
    /// The mean.
    Mean,
    /// The smallest value that is not below this share of all, 0 to 1.
    Share(f64),
}

without_fields! { SloQuantile }

/// "mean" is in every range.
impl Ranged for SloQuantile {
    type Bound = f64;

    fn check_range(&self, range: [f64; 2], fix: &str, at: &At<'_>, r: &mut crate::table::report::Report) {
        if let Self::Share(share) = self {
            share.check_range(range, fix, at, r);
        }
    }
}

impl Read for SloQuantile {
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<Self> {
        if value.as_str() == Some("mean") {
            return Some(Self::Mean);
        }
        let share = value.as_f64();
        if share.is_none() {
            problems.wrong(value, at, "a number or \"mean\"", "change the value");
        }
        share.map(|share| Self::Share(share + 0.0))
    }
}

impl Write for SloQuantile {
    fn write(&self) -> Value {
        match self {
            Self::Mean => Value::from("mean"),
            Self::Share(share) => share.write(),
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for SloQuantile {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SloQuantile".into()
    }
    /// Written where it is used: the field has the range.
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "oneOf": [
                { "const": "mean", "description": "The mean of the latencies." },
                { "type": "number", "description": "The quantile at this share." }
            ]
        })
    }
}
