//! Transfers of KV between replicas, over the ports that they share.

mod ports;
mod transfers;

pub use ports::Port;
pub use transfers::{Direction, Network, Transfer};

pub(crate) use transfers::{NetworkEvent, Rules, Shipment};
