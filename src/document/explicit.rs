//! Requests given one by one.

use super::fields::fields;
use super::limits;
use super::workload::{is_calm, is_zero};
use serde::{Deserialize, Serialize};

/// One request, given in full.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExplicitRequest {
    /// Name of the request; simultaneous arrivals are ordered by it.
    #[serde(default)]
    pub id: String,
    /// When it arrives after the start.
    pub arrival_us: u64,
    /// The prompt: pieces of text. Equal pieces are equal tokens.
    pub prompt: Vec<ExplicitPiece>,
    /// The answer: its length, and which text it is.
    pub output: ExplicitOutput,
    /// Tenant of the request. Requests without one belong to the tenant "default".
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tenant: String,
    /// SLO class of the request. Empty, or a name that is none of the classes, means the objectives of `slo` itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub slo_class: String,
    /// Model of the request, as named in a pool. Empty means any replica.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// LoRA adapter of the request, by any name. Empty means the base model. The pools that serve it need `lora`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub adapter: String,
    /// Session (conversation) of the request, by any name. Requests without one have no session. Only routers with session affinity read it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// How urgent it is: larger is more urgent. Only the priority `request` of a pool's engine reads it.
    #[serde(default, skip_serializing_if = "is_calm")]
    pub priority: i32,
}

fields! {
    struct ExplicitRequest {
        id: "Id" => Arrivals;
        arrival_us: "Arrival" of "µs" in [0, limits::HORIZON_US]
            or "it is in microseconds after the start" and { "x-form": ["s", 1_000_000] } => Arrivals;
        prompt: "Prompt" up_to [limits::PROMPT_PIECES, "pieces", "piece"] => Arrivals;
        output: "Output" => Arrivals;
        tenant: "Tenant" => Arrivals;
        slo_class: "SLO class" => Arrivals;
        model: "Model" => Arrivals;
        adapter: "Adapter" => Arrivals;
        session: "Session" => Arrivals;
        priority: "Priority" => Arrivals;
    }
}

/// A piece of text: `tokens` tokens of text number `text`, from position `offset`.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExplicitPiece {
    /// Which text.
    pub text: u32,
    /// How many tokens of it.
    pub tokens: u32,
    /// Position of the first one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub offset: u32,
}

fields! {
    struct ExplicitPiece {
        text: "Text" => Arrivals;
        tokens: "Tokens" of "tokens" in [1, limits::REQUEST_TOKENS]
            or "leave out pieces without tokens" => Arrivals;
        offset: "Offset" of "tokens" => Arrivals;
    }
}

/// The answer to an explicit request: `tokens` tokens of text number `text`, from position `offset`.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExplicitOutput {
    /// Which text.
    #[serde(default)]
    pub text: u32,
    /// How many tokens of it.
    pub tokens: u32,
    /// Position of the first one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub offset: u32,
}

fields! {
    struct ExplicitOutput {
        text: "Text" => Arrivals;
        tokens: "Tokens" of "tokens" in [0, limits::REQUEST_TOKENS] or "shorten the answer" => Arrivals;
        offset: "Offset" of "tokens" => Arrivals;
    }
}
