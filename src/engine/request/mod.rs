//! Requests: the permanent record of each, the working state of those in the system, and where each of them is.

mod active;
mod adapter_use;
mod attempt;
mod batch_stay;
mod book;
mod handover;
mod load_times;
mod location;
mod named_row;
mod packed_slab;
mod record;
mod record_piece;
mod records;
mod remote;
mod slab;

pub use adapter_use::AdapterUse;
pub use attempt::Attempt;
pub use batch_stay::Stay;
pub use book::Census;
pub use handover::Handover;
pub use location::Location;
pub use record::{Progress, Record, RequestState};
pub use record_piece::PIECE as RECORD_PIECE;
pub use records::{RecordColumn, Records, Retired};

pub(in crate::engine) use active::{ActiveRequest, Load};
pub(in crate::engine) use adapter_use::AdapterUses;
pub(in crate::engine) use book::Book;
pub(in crate::engine) use handover::Handovers;
pub(in crate::engine) use load_times::{LoadTimes, load_of};
pub(in crate::engine) use location::LocationCounts;
pub(in crate::engine) use remote::Remote;
pub(in crate::engine) use slab::{Slab, Slot};
