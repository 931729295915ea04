//! The paged KV cache of one replica: blocks, reference counts, prefix sharing and eviction.
//!
//! This module is the only writer of block counts. It knows hashes and token counts, not requests.

mod block_pool;
mod block_table;
mod cpu_tier;
mod free_list;
mod order;
mod past;
mod pins;
mod place;
mod served;
mod stamps;
mod tier;
mod tiers;
mod uses;
mod written;

pub use block_pool::packed::{HashNumbers, Numbering};
#[cfg(any(feature = "cli", feature = "closeup"))]
pub use block_pool::sight::{BlockSight, IdleBlock};
pub use block_pool::{BlockPool, CellState, Hit};
pub use block_table::BlockTable;
pub use cpu_tier::StoreSettings;
pub use order::{Brought, Directive, EvictionRule, Keeper, OrderSettings};
pub use place::{Place, PlaceCounts, PlaceEviction, PlaceSettings};
pub(crate) use served::Busy;
pub use served::{Ages, LoadCounts};
pub use tier::{ReloadSettings, TierCounts};
pub use tiers::{Below, TierSettings};
pub use uses::{Use, UseNews, Uses};
pub use written::Written;
