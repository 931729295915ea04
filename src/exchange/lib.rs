//! Files of other programs: `import` reads their configuration and their benchmarks, `export` writes rows of a run for
//! them.
//!
//! The shells supply texts and documents, and the destination of rows.

#[macro_use]
extern crate macro_rules_attribute;
#[macro_use]
extern crate base;

pub mod export;
pub mod import;
