//! Import of other programs' configuration: a file here for each format, all behind one trait. `configuration` has what they
//! share: it puts another program's settings into a scenario.
//!
//! A format is recognised by the content of a file, never by its name. `tests/it/exchange` has a sample of each.

mod aibrix_gateway;
mod analyser_config_map;
mod blis_fleet;
mod blis_workload;
pub mod configuration;
mod deployment;
#[cfg(feature = "import")]
pub mod documents;
mod dynamo_frontend;
mod dynamo_graph_deployment;
mod endpoint_picker_config;
mod guidellm_workload;
mod horizontal_pod_autoscaler;
mod inference_objective;
mod inference_perf_config;
mod leader_worker_set;
mod model_service;
mod planner_config;
mod pod_autoscaler;
mod policy_bundle;
mod router_container;
mod router_values;
mod routesim;
mod scaled_object;
pub mod servegen;
mod server_log;
mod server_metrics;
mod smg;
mod variant_autoscaling;
mod vllm_config;
mod vllm_router;
mod vllm_serve;

use base::import::Import;
use configuration::Configuration;

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
