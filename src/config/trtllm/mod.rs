//! TensorRT-LLM: the flags of its server, its file of options, and what it says of a request's blocks.

pub(crate) mod config_file;
pub(crate) mod disaggregated;
pub(crate) mod map;
pub(crate) mod read;
mod retention;
pub(crate) mod serve;
