//! The router of llm-d and the Gateway API (`EndpointPickerConfig`).

mod map;
pub(crate) mod read;
pub(crate) mod write;
