//! vLLM: its flags, which are also the keys of its `--config` file, of its log and of its metrics.

pub(crate) mod command;
pub(crate) mod config_file;
pub(crate) mod lmcache_file;
pub(crate) mod map;
pub(crate) mod read;
pub(crate) mod serve;
pub(crate) mod server_log;
pub(crate) mod server_metrics;
pub(crate) mod write;
