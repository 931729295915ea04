//! The frontend of NVIDIA Dynamo (`python -m dynamo.frontend`).

pub(crate) mod map;
pub(crate) mod read;
pub(crate) mod write;
