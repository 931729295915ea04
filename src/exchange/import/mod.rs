//! Import of other programs' files: a file here for each format, all behind one trait. A folder holds the shared parts
//! of a family of formats: `configuration` puts another program's settings into a scenario, `benchmark` reads the
//! figures of a benchmark tool or a server.
//!
//! A format is recognised by the content of a file, never by its name. `tests/it/exchange` has a sample of each.

mod aibrix_gateway;
mod aiperf_records;
mod aiperf_summary;
mod analyser_config_map;
pub mod benchmark;
mod benchmark_report;
mod blis_fleet;
mod blis_workload;
pub mod configuration;
mod deployment;
#[cfg(feature = "import")]
pub mod documents;
mod dynamo_frontend;
mod dynamo_graph_deployment;
mod endpoint_picker_config;
mod engine_log;
mod guidellm;
mod guidellm_workload;
mod horizontal_pod_autoscaler;
mod inference_objective;
mod inference_perf_config;
mod inference_perf_requests;
mod inference_perf_summary;
mod leader_worker_set;
mod llmperf_responses;
mod llmperf_summary;
mod metrics;
mod model_service;
mod planner_config;
mod pod_autoscaler;
mod policy_bundle;
mod range_query;
mod router_container;
mod router_values;
mod routesim;
mod scaled_object;
pub mod servegen;
mod server_log;
mod server_metrics;
mod smg;
mod variant_autoscaling;
mod vllm_bench;
mod vllm_config;
mod vllm_router;
mod vllm_serve;

use benchmark::Benchmarks;
pub use benchmark_report::{finite_yaml, is_yaml};
use configuration::Configuration;

/// A family of formats that are read into the same type.
pub trait Family {
    /// The source: a file's text or its document.
    type Source<'a>;
    /// The report on a file, filled while it is read.
    type Report;
    /// The result of reading a file.
    type Read;
}

/// A format of another program that is read.
pub trait Import<F: Family>: Sync {
    /// The name of the format, and of its sample in the tests.
    fn name(&self) -> &'static str;
    /// The name of a file of this format in messages.
    fn title(&self) -> &'static str;
    /// Whether the content of a source has this format.
    fn recognises(&self, source: &F::Source<'_>) -> bool;
    /// Reads a source of this format. Problems and omissions go into the report.
    fn read(&self, source: &F::Source<'_>, report: &mut F::Report) -> F::Read;
}

/// The formats of configuration. Those of Kubernetes have the kind of their objects as their name.
pub const CONFIGURATIONS: [&dyn Import<Configuration>; 28] = [
    &routesim::RouteSim,
    &policy_bundle::PolicyBundle,
    &horizontal_pod_autoscaler::HorizontalPodAutoscaler,
    &scaled_object::ScaledObject,
    &variant_autoscaling::VariantAutoscaling,
    &analyser_config_map::AnalyserConfigMap,
    &endpoint_picker_config::EndpointPickerConfig,
    &deployment::Deployment,
    &deployment::StatefulSet,
    &leader_worker_set::LeaderWorkerSet,
    &dynamo_graph_deployment::DynamoGraphDeployment,
    &model_service::ModelService,
    &vllm_serve::VllmServe,
    &vllm_config::VllmConfig,
    &server_metrics::ServerMetrics,
    &server_log::ServerLog,
    &inference_objective::InferenceObjective,
    &pod_autoscaler::PodAutoscaler,
    &router_values::RouterValues,
    &planner_config::PlannerConfig,
    &blis_workload::BlisWorkload,
    &blis_fleet::BlisFleet,
    &inference_perf_config::InferencePerfConfig,
    &guidellm_workload::GuideLlmWorkload,
    &dynamo_frontend::DynamoFrontend,
    &smg::Smg,
    &vllm_router::VllmRouter,
    &aibrix_gateway::AibrixGateway,
];

/// The formats of benchmarks, in the order in which messages name them.
pub const BENCHMARKS: [&dyn Import<Benchmarks>; 12] = [
    &vllm_bench::VllmBench,
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
];
