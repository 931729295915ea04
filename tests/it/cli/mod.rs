//! The command line as a user runs it.

mod cache_sizes;
mod commands;
mod compare;
mod convert;
mod evaluate;
mod export;
mod input;
mod kubernetes;
mod lab;
mod lessons;
mod messages;
mod metrics;
mod our_lessons;
mod outputs_beside_inputs;
mod outputs_change_nothing;
mod page;
mod published;
mod queueing;
mod rank;
mod ratio;
mod rows;
mod scaled_objects;
mod summary;
mod sweep;
mod take_away;
mod trace;
mod what_if;

use crate::support::command::printed;

/// Settings that make a preset short.
const SHORT: [&str; 4] = ["--set", "run.horizon_s=2", "--set", "run.warmup_s=0"];

/// The digest of a short run of a preset.
fn digest(args: &[&str]) -> String {
    printed(&[&["digest", "kv-pressure"], args, &SHORT].concat())
}
