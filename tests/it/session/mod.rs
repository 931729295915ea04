//! A session: edits, going back and forth in time, running to the next event of a kind.

mod blocks;
mod blocks_over_runs;
mod density;
mod gateway_frame;
mod lanes;
mod live_edits;
mod past_is_kept;
mod rolling;
mod run_to;
mod seeking;
mod split_frame;
mod waits;
