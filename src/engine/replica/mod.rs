//! One replica: its wait queue, its batch, its steps and its KV cache.

mod adapters;
mod adopt;
mod answers;
mod batch;
mod batch_rules;
mod crash;
mod decode;
mod departure;
mod drain;
mod front_end;
mod hand_over;
mod head_of_line;
mod lockstep;
mod moving;
mod pipe;
mod room;
mod signals;
mod speculation;
mod start_up;
mod state;
mod step;
mod stuck;
mod terms;
mod tier_load;
mod timeout;
mod totals;
mod waiting;
mod world;

pub use adapters::AdapterCounts;
pub use speculation::DraftTotals;
pub use start_up::{StartPhase, mean_start_s};
pub use state::Replica;
pub use totals::Totals;

pub(in crate::engine) use adapters::Adapters;
pub(in crate::engine) use batch_rules::Limits;
pub(in crate::engine) use departure::{Departure, DepartureReason};
pub(in crate::engine) use lockstep::{BatchTokens, RankTime};
pub(in crate::engine) use moving::Unsettled;
pub(in crate::engine) use pipe::Pipe;
pub(in crate::engine) use signals::{look_at, signals_of};
pub(in crate::engine) use speculation::Speculation;
pub(in crate::engine) use start_up::{draw_ends, phases_of};
pub(in crate::engine) use state::{HOPELESS_PREEMPTIONS, LIVELOCK_PREEMPTIONS, Parts};
pub(in crate::engine) use timeout::timeout_of;
pub(in crate::engine) use world::World;
