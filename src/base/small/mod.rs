//! Replacements for parts of the standard library and of `serde_json` that keep the page's download small. Each file says how much
//! it saves.

pub mod decimal;
pub(super) mod json_writer;
pub mod sort;
pub mod sorted_map;

pub use sorted_map::SortedMap;
