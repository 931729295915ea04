//! Mooncake's store, which connectors of several engines name, and the file that says its size.

pub(crate) mod config_file;
pub(crate) mod store;
