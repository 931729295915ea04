//! What is printed: tables, the readable summary of a report, help, messages about files.

pub(crate) mod help;
pub(crate) mod messages;
pub(crate) mod summary;
pub(crate) mod table;
