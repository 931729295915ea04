//! Requests given one by one.

use crate::Retention;
use crate::limits;
use crate::table::fields::fields;

/// One request, given in full.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct ExplicitRequest {
    /// Name of the request; simultaneous arrivals are ordered by it.
    pub id: String,
    /// When it arrives after the start.
    pub arrival_us: u64,
    /// The prompt: pieces of text. Equal pieces are equal tokens.
    pub prompt: Vec<ExplicitPiece>,
    /// The answer: its length, and which text it is.
    pub output: ExplicitOutput,
    /// Tenant of the request. Requests without one belong to the tenant "default".
    pub tenant: String,
    /// SLO class of the request. Empty, or a name that is none of the classes, means the objectives of `slo` itself.
    pub slo_class: String,
    /// Model of the request, as named in a pool. Empty means any replica.
    pub model: String,
    /// LoRA adapter of the request, by any name. Empty means the base model. The pools that serve it need `lora`.
    pub adapter: String,
    /// Session (conversation) of the request, by any name. Requests without one have no session. Only routers with session affinity read it.
    pub session: String,
    /// How urgent it is: larger is more urgent. Only the priority `request` of a pool's engine reads it.
    pub priority: i32,
    /// How many of its first tokens may be written to tiers below the GPU, in whole blocks (vLLM: `max_offload_tokens`). Left out: all of them.
    pub max_offload_tokens: Option<u32>,
    /// What it wants kept of its KV.
    pub retention: Vec<Retention>,
}

fields! {
    entry ExplicitRequest {
        id [default]: "Id" and { "default": "" } => Arrivals;
        arrival_us: "Arrival" of "µs" in [0, limits::HORIZON_US]
            or "it is in microseconds after the start" and { "x-form": ["s", 1_000_000] } => Arrivals;
        prompt: "Prompt" up_to [limits::PROMPT_PIECES, "pieces", "piece"] => Arrivals;
        output: "Output" => Arrivals;
        tenant [omit]: "Tenant" => Arrivals;
        slo_class [omit]: "SLO class" => Arrivals;
        model [omit]: "Model" => Arrivals;
        adapter [omit]: "Adapter" => Arrivals;
        session [omit]: "Session" => Arrivals;
        priority [omit]: "Priority" => Arrivals;
        max_offload_tokens [omit]: "Offloaded" of "tokens" in [0, limits::REQUEST_TOKENS] or "leave it out for all of them" => Arrivals;
        retention [omit]: "Keeps" up_to [limits::RETENTION, "directives", "directive"] and { "default": [] } => Arrivals;
    }
}

/// A piece of text: `tokens` tokens of text number `text`, from position `offset`.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplicitPiece {
    /// Which text.
    pub text: u32,
    /// How many tokens of it.
    pub tokens: u32,
    /// Position of the first one.
    pub offset: u32,
}

fields! {
    entry ExplicitPiece {
        text: "Text" => Arrivals;
        tokens: "Tokens" of "tokens" in [1, limits::REQUEST_TOKENS]
            or "leave out pieces without tokens" => Arrivals;
        offset [omit]: "Offset" of "tokens" => Arrivals;
    }
}

/// The answer to an explicit request: `tokens` tokens of text number `text`, from position `offset`.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplicitOutput {
    /// Which text.
    pub text: u32,
    /// How many tokens of it.
    pub tokens: u32,
    /// Position of the first one.
    pub offset: u32,
}

fields! {
    entry ExplicitOutput {
        text [default]: "Text" and { "default": 0 } => Arrivals;
        tokens: "Tokens" of "tokens" in [0, limits::REQUEST_TOKENS] or "shorten the answer" => Arrivals;
        offset [omit]: "Offset" of "tokens" => Arrivals;
    }
}
