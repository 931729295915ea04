//! Collections that are cheap to share, to pack and to search.

pub mod chunks;
pub mod columns;
pub mod content;
pub mod lookup;
pub mod queue;
pub mod reuse;
pub mod shared;
pub mod shared_queue;
