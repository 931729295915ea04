//! Autoscaling: laws of runs, pools that decide together, the record of each decision.

mod estimate;
mod first_replicas;
mod laws;
mod variants;
