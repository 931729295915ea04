//! Requests: the permanent record of each, the working state of those in the system, and where each of them is.

mod active;
mod adapter_use;
mod attempt;
mod batch_stay;
mod book;
mod handover;
mod life;
mod load_times;
mod location;
mod named_row;
mod packed_slab;
mod record;
mod record_piece;
mod records;
mod remote;
mod slab;
mod slot;
mod wishes;

pub use adapter_use::AdapterUse;
pub use attempt::Attempt;
pub use batch_stay::Stay;
pub use book::Census;
pub use handover::Handover;
pub use life::{PrefetchOutcome, PrefetchRow};
pub use location::Location;
pub use record::{Progress, Record, RequestState};
pub use record_piece::PIECE as RECORD_PIECE;
pub use records::{RecordColumn, Records, Retired};

pub(crate) use active::{ActiveRequest, Load};
pub(crate) use adapter_use::AdapterUses;
pub(crate) use book::Book;
pub(crate) use handover::Handovers;
pub(crate) use life::{Life, Turn, UnderWay, What, goes_to_gpu, scope_of};
pub(crate) use load_times::{LoadTimes, load_of};
pub(crate) use location::LocationCounts;
pub(crate) use remote::Remote;
pub(crate) use slab::Slab;
pub(crate) use slot::Slot;
pub(crate) use wishes::Wishes;
