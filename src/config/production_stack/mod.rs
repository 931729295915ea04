//! vLLM's production stack: the values of its chart, and the objects of its operator.

mod parts;
pub(crate) mod router;
pub(crate) mod runtime;
pub(crate) mod values;
