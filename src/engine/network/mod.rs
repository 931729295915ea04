//! Transfers of KV between replicas, and flows of blocks between their tiers, over the ports that they share.

mod flows;
mod lower;
mod lower_tier;
mod ports;
mod sources;
mod transfers;

pub use flows::{Flow, PortUse};
pub use lower::{LowerFigures, LowerTiers, StoreFigures, StoreSight};
pub use lower_tier::LowerCounts;
pub use ports::Port;
pub use transfers::{Direction, Network, Transfer};

pub(crate) use lower::{LowerPlan, TierKind};
pub(crate) use transfers::{NetworkEvent, Rules, Shipment};
