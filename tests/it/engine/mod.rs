//! The engine: against the plain reference engine, laws of all scenarios, drawn and extreme scenarios, step times by hand,
//! front ends.

mod adapters;
pub(crate) mod equivalence;
mod extremes;
mod front_end;
mod front_ends_apart;
mod gateway_queue;
mod latency_by_hand;
mod laws;
mod makes_room;
mod pipeline;
mod schema_scenarios;
mod speculative;
mod together;
mod whole_prompts;
