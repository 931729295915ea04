//! Studies of whole runs: comparison, sweeps, explanations, and comparison with an oracle and the laws of queueing
//! theory.
//!
//! The run itself (`session`) does not depend on them.

#[macro_use]
extern crate macro_rules_attribute;
#[macro_use]
extern crate base;

#[cfg(any(feature = "cli", feature = "compare", feature = "theory"))]
pub mod compare;
#[cfg(feature = "cli")]
pub mod evaluate;
#[cfg(any(feature = "cli", feature = "compare"))]
pub mod file;
#[cfg(any(feature = "cli", feature = "compare"))]
pub mod kv_policies;
#[cfg(feature = "cli")]
pub mod kv_regret;
#[cfg(any(feature = "cli", feature = "lessons"))]
pub mod lesson;
#[cfg(any(feature = "cli", feature = "compare"))]
pub mod oracle;
#[cfg(any(feature = "cli", feature = "compare", feature = "theory"))]
pub mod policies;
pub mod questions;
#[cfg(any(feature = "cli", feature = "compare"))]
pub mod sweep;
#[cfg(any(feature = "cli", feature = "theory"))]
pub mod theory;
#[cfg(any(feature = "cli", feature = "links"))]
pub mod trace;
#[cfg(any(feature = "cli", feature = "whatif"))]
pub mod whatif;

#[cfg(any(feature = "cli", feature = "compare"))]
pub use engine::perf::sizing;
