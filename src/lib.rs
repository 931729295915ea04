//! Tokenyard: a deterministic simulator of an LLM-serving cluster.
//!
//! Modules in reading order; a module uses only those above it (`tests/tidy.rs` checks).

pub mod base;
#[cfg(all(feature = "cli", not(target_arch = "wasm32")))]
pub mod cli;
pub mod engine;
pub mod kv;
pub mod perf;
pub mod policy;
pub mod scenario;
pub mod session;
pub mod stats;
#[cfg(target_arch = "wasm32")]
pub mod wasm;
pub mod workload;
