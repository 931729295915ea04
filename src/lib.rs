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
#[cfg(any(feature = "cli", feature = "measured"))]
pub mod convert;
pub mod engine;
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
#[cfg(all(
    target_arch = "wasm32",
    not(any(feature = "compare", feature = "links", feature = "measured", feature = "theory"))
))]
pub mod wasm;
#[cfg(all(target_arch = "wasm32", feature = "compare"))]
pub mod wasm_compare;
#[cfg(all(target_arch = "wasm32", feature = "links"))]
pub mod wasm_links;
#[cfg(all(target_arch = "wasm32", feature = "measured"))]
pub mod wasm_measured;
#[cfg(all(target_arch = "wasm32", feature = "theory"))]
pub mod wasm_theory;
#[cfg(target_arch = "wasm32")]
pub mod wasm_value;
#[cfg(all(target_arch = "wasm32", feature = "whatif"))]
pub mod wasm_whatif;
pub mod workload;
