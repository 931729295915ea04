//! What comes from outside: questions, imports, places in documents.

pub mod ask;
pub mod import;
pub mod pointer;
pub mod repeated_keys;
