//! Laws of the policies: what each must do in every run, whatever the traffic.

mod admission;
mod common;
mod conversations;
mod dynamo_router;
mod edits;
mod expressions;
mod filters;
mod lora_affinity;
mod names_of_signals;
mod predicted_latency;
mod priorities_of_routers;
mod real_routers;
mod refusals;
mod routing;
mod scorers;
mod session_cap;
mod signals;
mod sticky;
