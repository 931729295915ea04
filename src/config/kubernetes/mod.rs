//! Objects of Kubernetes that run engines, and what all objects have in common.

pub(crate) mod deployment;
pub(crate) mod dynamo_graph_deployment;
pub(crate) mod inference_objective;
pub(crate) mod job;
pub(crate) mod leader_worker_set;
pub(crate) mod model_server;
pub(crate) mod model_service;
pub(crate) mod object;
pub(crate) mod pods;
pub(crate) mod services_of_roles;
