//! Routers that flags configure: those of SGLang and Dynamo in both directions, others as imports.

pub(crate) mod aibrix_gateway;
pub(crate) mod container;
pub(crate) mod dynamo;
pub(crate) mod failures;
pub(crate) mod program;
pub(crate) mod smg;
pub(crate) mod values;
pub(crate) mod vllm_router;
