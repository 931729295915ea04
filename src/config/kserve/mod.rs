//! Objects of KServe.

pub(crate) mod inference_service;
pub(crate) mod llm_inference_service;
pub(crate) mod serving_runtime;
