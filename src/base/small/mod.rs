//! What stands here for parts of the standard library and of serde_json to keep the page's download small, and for nothing else. Each
//! file says what it saves.

pub(crate) mod decimal;
pub(super) mod json_writer;
pub mod sort;
pub mod sorted_map;

pub use sorted_map::SortedMap;
