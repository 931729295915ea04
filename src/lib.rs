//! Tokenyard: a deterministic simulator of an LLM-serving cluster.
//!
//! Modules in reading order; a module uses only those above it (`tests/tidy.rs` checks).

#[macro_use]
extern crate macro_rules_attribute;

#[macro_use]
mod derives;

pub mod base;
#[cfg(all(feature = "cli", not(target_arch = "wasm32")))]
pub mod cli;
pub mod engine;
#[cfg(any(feature = "cli", feature = "measured"))]
pub mod exchange;
#[cfg(feature = "cli")]
pub mod gallery;
#[cfg(feature = "cli")]
pub mod golden;
pub mod kv;
#[cfg(any(feature = "cli", feature = "measured"))]
pub mod measured;
pub mod observe;
pub mod perf;
pub mod policy;
pub mod queueing;
pub mod scenario;
pub mod session;
pub mod stats;
#[cfg(any(feature = "cli", feature = "compare", feature = "theory", feature = "whatif"))]
pub mod study;
#[cfg(feature = "cli")]
pub mod validate;
#[cfg(target_arch = "wasm32")]
pub mod wasm;
pub mod workload;
