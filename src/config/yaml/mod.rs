//! YAML with the places of its values, and how it is written.

pub(crate) mod node;
pub(crate) mod scalar;
pub(crate) mod want;
