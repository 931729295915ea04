//! The engine: against the plain reference engine, laws of all scenarios, random and extreme scenarios, step times by hand.

pub(crate) mod equivalence;
mod extremes;
mod gateway_queue;
mod latency_by_hand;
mod laws;
mod makes_room;
mod random_scenarios;
mod schema_scenarios;
mod whole_prompts;
