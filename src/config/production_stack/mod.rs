//! The chart of vLLM's production stack.

pub(crate) mod values;
