//! Flow control: how saturated the replicas are, up to what saturation a band of priority sends requests on, and which of
//! its requests goes next. After llm-d's router (llm-d/llm-d-router at ebab6879).

mod ceilings;
mod detector;
mod fairness;

pub use ceilings::CeilingState;
pub use detector::{Load, saturation};
pub use fairness::{Accounts, Flow, next_in_turn};
