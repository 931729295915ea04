//! Tokenyard: a deterministic simulator of an LLM-serving cluster.
//!
//! Modules in reading order; a module uses only those above it (`tests/tidy.rs` checks).

pub mod base;
#[cfg(all(feature = "cli", not(target_arch = "wasm32")))]
pub mod cli;
pub mod engine;
#[cfg(feature = "cli")]
pub mod golden;
pub mod kv;
pub mod observe;
pub mod perf;
pub mod policy;
pub mod scenario;
pub mod session;
pub mod stats;
#[cfg(feature = "cli")]
pub mod validate;
#[cfg(target_arch = "wasm32")]
pub mod wasm;
pub mod workload;
