//! Configuration of other programs: `import` reads it key by key, `export` writes a scenario's policies as theirs. Each
//! program has a folder of its own, with the map of its keys where it has one.
//!
//! The shells supply texts and documents.

#[macro_use]
extern crate macro_rules_attribute;
#[macro_use]
extern crate base;

#[macro_use]
mod command;

mod autoscalers;
mod capability;
mod compose;
mod epp;
pub mod export;
pub mod import;
mod kserve;
mod kubernetes;
mod mooncake;
mod production_stack;
pub mod questions;
mod routers;
mod sglang;
mod simulators;
mod srt_slurm;
mod trtllm;
mod vllm;
mod workloads;
mod yaml;
