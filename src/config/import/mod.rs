//! Import of other programs' configuration: the formats, all behind one trait. `configuration` has what they share: it puts
//! another program's settings into a scenario. A format stands in the folder of its program.
//!
//! A format is recognised by the content of a file, never by its name. `tests/it/exchange` has a sample of each.

pub mod configuration;
pub mod documents;

use crate::autoscalers::{hpa, keda, planner_config, pod_autoscaler, wva};
use crate::kubernetes::object::{ObjectKind, object};
use crate::kubernetes::{
    deployment, dynamo_graph_deployment, inference_objective, job, leader_worker_set, model_server,
    model_service, services_of_roles,
};
use crate::routers::{aibrix_gateway, dynamo, smg, values, vllm_router};
use crate::simulators::{blis, routesim};
pub use crate::workloads::servegen;
use crate::workloads::{bench_command, guidellm, guidellm_command, inference_perf};
use crate::{compose, epp, kserve, mooncake, production_stack, sglang, srt_slurm, trtllm, vllm};
use base::import::Import;
use configuration::Configuration;

/// The formats of configuration. Those of Kubernetes have the kind of their objects as their name.
pub const CONFIGURATIONS: [&dyn Import<Configuration>; 49] = [
    &routesim::RouteSim,
    &blis::read::PolicyBundle,
    &blis::candidate::PolicyCandidate,
    &hpa::read::HORIZONTAL_POD_AUTOSCALER,
    &keda::read::SCALED_OBJECT,
    &wva::variant::VARIANT_AUTOSCALING,
    &CONFIG_MAP,
    &epp::read::ENDPOINT_PICKER_CONFIG,
    &deployment::Deployment,
    &deployment::STATEFUL_SET,
    &leader_worker_set::LEADER_WORKER_SET,
    &dynamo_graph_deployment::DYNAMO_GRAPH_DEPLOYMENT,
    &services_of_roles::STORM_SERVICE,
    &services_of_roles::MODEL_SERVING,
    &model_server::MODEL_SERVER,
    &model_service::ModelService,
    &kserve::llm_inference_service::LlmInferenceService,
    &kserve::inference_service::INFERENCE_SERVICE,
    &kserve::serving_runtime::ServingRuntime,
    &production_stack::values::ProductionStack,
    &production_stack::runtime::VLLM_RUNTIME,
    &production_stack::router::VLLM_ROUTER,
    &srt_slurm::recipe::SrtSlurmRecipe,
    &trtllm::disaggregated::TrtllmDisaggregated,
    &compose::read::DockerCompose,
    &vllm::serve::VLLM_SERVE,
    &sglang::serve::SGLANG_SERVE,
    &trtllm::serve::TRTLLM_SERVE,
    &trtllm::config_file::TrtllmConfig,
    &vllm::lmcache_file::LmcacheConfig,
    &mooncake::config_file::MooncakeConfig,
    &vllm::config_file::VllmConfig,
    &vllm::server_metrics::ServerMetrics,
    &vllm::server_log::ServerLog,
    &inference_objective::InferenceObjective,
    &pod_autoscaler::POD_AUTOSCALER,
    &values::RouterValues,
    &planner_config::PlannerConfig,
    &blis::workload::BlisWorkload,
    &blis::fleet::BlisFleet,
    &inference_perf::InferencePerfConfig,
    &guidellm::GuideLlmWorkload,
    &bench_command::BenchCommand,
    &guidellm_command::GuideLlmCommand,
    &job::JOB,
    &dynamo::read::PROGRAM,
    &smg::read::PROGRAM,
    &vllm_router::read::PROGRAM,
    &aibrix_gateway::AibrixGateway,
];

/// A `ConfigMap`: its entries may have any of the formats.
const CONFIG_MAP: ObjectKind = ObjectKind {
    kind: "ConfigMap",
    read: |source, report| object(source, report, |r| wva::config_map::config_map(r, &CONFIGURATIONS)),
};
