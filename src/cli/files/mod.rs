//! Files that commands read and write.

pub(crate) mod input;
pub(crate) mod model_files;
pub(crate) mod outputs;
pub(crate) mod trace_file;
