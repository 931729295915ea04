//! What is done with whole runs: they are compared, swept, explained, and held against an oracle and the laws of queueing theory.
//!
//! The run itself (`session`) knows nothing of this.

#[cfg(any(feature = "cli", feature = "compare", feature = "theory"))]
pub mod compare;
#[cfg(any(feature = "cli", feature = "compare"))]
pub mod oracle;
#[cfg(any(feature = "cli", feature = "compare"))]
pub mod sizing;
#[cfg(any(feature = "cli", feature = "compare"))]
pub mod sweep;
#[cfg(any(feature = "cli", feature = "theory"))]
pub mod theory;
#[cfg(any(feature = "cli", feature = "whatif"))]
pub mod whatif;
