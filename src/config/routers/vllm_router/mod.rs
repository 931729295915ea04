//! `vllm-router`, the router of vLLM's production stack.

mod map;
pub(crate) mod read;
