//! What other programs write and read: `import` reads their configuration and their benchmarks, `export` writes rows of a run for them.
//!
//! Texts and documents come from the shells, and rows go to where the shells say.

pub mod export;
pub mod import;
