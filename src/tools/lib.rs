//! Tools of the command line: recorded results to compare with, measured runs, words of the documentation, pictures.

#[macro_use]
extern crate macro_rules_attribute;
#[macro_use]
extern crate base;

pub mod gallery;
pub mod glossary;
pub mod golden;
pub mod validate;
