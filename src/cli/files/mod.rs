//! Files that commands read and write.

pub(crate) mod input;
pub(crate) mod outputs;
pub(crate) mod trace_file;
