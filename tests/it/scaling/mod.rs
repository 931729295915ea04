//! Autoscaling: laws of runs, pools that decide together, the record of each decision.

mod after_the_traffic;
mod carried_out;
mod estimate;
mod first_replicas;
mod horizontal;
mod laws;
mod slo_signal;
mod variants;

use serde_json::{Value, json};

/// Chats of 8 requests a second: seven times as many from second `busy_s` on, and a fifth of them from second `quiet_s` on.
fn chats(busy_s: u32, quiet_s: u32) -> Value {
    json!({"clients": [{
        "name": "chat", "arrivals": {"poisson": {"rate_per_s": 8}},
        "rate_profile": {"steps": {"points": [
            {"at_s": 0, "factor": 1}, {"at_s": busy_s, "factor": 7}, {"at_s": quiet_s, "factor": 0.2}], "repeat_s": 0}},
        "prompt_tokens": {"constant": {"tokens": 200}}, "output_tokens": {"constant": {"tokens": 40}},
    }]})
}
