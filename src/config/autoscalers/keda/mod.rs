//! KEDA's autoscaler (`ScaledObject`).

mod map;
pub(crate) mod read;
pub(crate) mod write;
