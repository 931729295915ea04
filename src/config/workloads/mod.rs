//! Workloads of other programs: benchmark tools, and measured traffic of services.

pub(crate) mod bench_command;
pub(crate) mod guidellm;
pub(crate) mod guidellm_command;
pub(crate) mod inference_perf;
pub mod servegen;
pub(crate) mod traffic;
