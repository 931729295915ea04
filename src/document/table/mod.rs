//! What a table of fields makes: reading, writing, the check of ranges, notes for the schema.

pub mod by_serde;
#[cfg(feature = "schema")]
pub(crate) mod describe;
pub(crate) mod fields;
mod foreign;
#[cfg(feature = "schema")]
pub(crate) mod notes;
pub(crate) mod number_or_auto;
pub(crate) mod place;
pub mod read;
pub(crate) mod report;
pub(crate) mod shape;
pub mod write;
