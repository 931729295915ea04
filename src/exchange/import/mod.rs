//! Foreign files that are read, a file here for each format. What the formats of one family share stands in a folder: `configuration`
//! puts another program's settings into a scenario, `benchmark` makes figures of what a benchmark tool or a server wrote.

mod aiperf;
mod analyser_config_map;
pub mod benchmark;
pub mod configuration;
mod engine_log;
mod guidellm;
mod inference_perf;
mod llmperf;
mod metrics;
mod policy_bundle;
mod routesim;
mod vllm_bench;
