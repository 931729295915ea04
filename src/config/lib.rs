//! Configuration of other programs: `import` reads it key by key, `export` writes a scenario's policies as theirs.
//!
//! The shells supply texts and documents.

#[macro_use]
extern crate macro_rules_attribute;
#[macro_use]
extern crate base;

pub mod export;
pub mod import;
pub mod questions;
