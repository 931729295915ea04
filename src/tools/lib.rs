//! Tools of the command line: recorded results to compare with, measured runs, words of the documentation.

#[macro_use]
extern crate macro_rules_attribute;
#[macro_use]
extern crate base;

pub mod glossary;
pub mod golden;
pub mod validate;
