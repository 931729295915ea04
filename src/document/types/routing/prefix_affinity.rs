//! The filter of routers that stay with a replica until it is saturated.

use crate::limits;
use crate::table::fields::{Ranged, fields, without_fields};
use crate::{At, Problems, Read, Write, read, write};
use serde_json::Value;

/// Keeps a prompt where it was sent before.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct PrefixAffinityFilter {
    /// Share of the prompt that the router must have sent to a replica for it to be kept, 0 to 1. 0 keeps all replicas.
    pub threshold: f64,
    /// Probability of keeping all replicas, so that other replicas learn the prompt, 0 to 1.
    pub exploration: f64,
    /// Largest difference of time to first token between the best replica that has the prompt and the best of the others, in milliseconds; above it all are kept. 0 has no limit.
    pub max_ttft_penalty_ms: f64,
    /// Prompt tokens per second by which tokens in flight become time: a number, or `model` for that of the pool's latency model in full steps of prompt tokens.
    pub peak_prefill_tokens_per_s: PeakPrefill,
}

fields! {
    struct PrefixAffinityFilter {
        threshold: "Threshold" in [0.0, 1.0] or "0.8 is llm-d's default" => Routing;
        exploration: "Exploration" in [0.0, 1.0] or "0 is llm-d's default" => Routing;
        max_ttft_penalty_ms: "TTFT penalty" of "ms" in [0.0, limits::LATENCY_MS]
            or "18,000 is llm-d's default" => Routing;
        peak_prefill_tokens_per_s: "Peak prefill" of "tokens/s" in [1, limits::THRESHOLD]
            or "\"model\" computes it" => Routing;
    }
}

impl Default for PrefixAffinityFilter {
    fn default() -> Self {
        Self {
            threshold: 0.8,
            exploration: 0.0,
            max_ttft_penalty_ms: 18_000.0,
            peak_prefill_tokens_per_s: PeakPrefill::Model,
        }
    }
}

/// Prompt tokens per second of a replica that computes nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PeakPrefill {
    /// As the latency model of the replica's pool has it.
    #[default]
    Model,
    /// The given number.
    TokensPerS(u32),
}

without_fields! { PeakPrefill }

/// A number, or "model", which is in every range.
impl Ranged for PeakPrefill {
    type Bound = u32;

    fn check_range(&self, range: [u32; 2], fix: &str, at: &At<'_>, r: &mut crate::table::report::Report) {
        if let Self::TokensPerS(n) = self {
            n.check_range(range, fix, at, r);
        }
    }
}

impl Read for PeakPrefill {
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<Self> {
        let allowed = "a whole number of tokens per second or \"model\"";
        Some(read::number_or("model", allowed, value, at, problems)?.map_or(Self::Model, Self::TokensPerS))
    }
}

impl Write for PeakPrefill {
    fn write(&self) -> Value {
        let number = match self {
            Self::Model => None,
            Self::TokensPerS(n) => Some(*n),
        };
        write::number_or("model", number)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for PeakPrefill {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PeakPrefill".into()
    }
    /// Written where it is used: the field has the range.
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "oneOf": [
                { "const": "model", "description": "Full steps of prompt tokens under the pool's latency model." },
                { "type": "integer", "description": "This many tokens per second." }
            ]
        })
    }
}
