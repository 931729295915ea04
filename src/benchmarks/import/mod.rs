//! Import of results of benchmark tools and servers: a file here for each format, all behind one trait. `benchmark` has what they
//! share: the figures, and the load that a file tells of.
//!
//! A format is recognised by the content of a file, never by its name. `tests/it/exchange` has a sample of each.

mod aiperf_records;
mod aiperf_summary;
pub mod benchmark;
mod benchmark_report;
mod engine_log;
mod guidellm;
mod inference_perf_requests;
mod inference_perf_summary;
mod inferencex;
mod llmperf_responses;
mod llmperf_summary;
mod metrics;
mod range_query;
mod serving_console;
mod vllm_bench;

use base::import::Import;
use benchmark::Benchmarks;
pub use benchmark_report::{finite_yaml, is_yaml};

/// The formats of benchmarks, in the order in which messages name them.
pub const BENCHMARKS: [&dyn Import<Benchmarks>; 14] = [
    &vllm_bench::VllmBench,
    &inferencex::InferenceX,
    &guidellm::GuideLlm,
    &inference_perf_summary::InferencePerfSummary,
    &inference_perf_requests::InferencePerfRequests,
    &aiperf_summary::AiPerfSummary,
    &aiperf_records::AiPerfRecords,
    &llmperf_summary::LlmPerfSummary,
    &llmperf_responses::LlmPerfResponses,
    &benchmark_report::BenchmarkReport,
    &engine_log::EngineLog,
    &metrics::Metrics,
    &range_query::RangeQuery,
    &serving_console::ServingConsole,
];
