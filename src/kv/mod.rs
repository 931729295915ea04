//! The paged KV cache of one replica: blocks, reference counts, prefix sharing and eviction.
//!
//! This module is the only writer of block counts. It knows hashes and numbers of tokens, not requests.

mod free_list;
mod holding;
mod pool;
mod store;
mod tier;

pub use holding::Holding;
pub use pool::{CellState, Hit, Pool};
pub use store::{Below, StoreSettings, Written};
pub use tier::{ReloadSettings, TierCounts};
