//! A session: edits, going back and forth in time, running to the next event of a kind.

mod blocks;
mod blocks_over_runs;
mod density;
mod edit_algebra;
mod first_minute;
mod gateway_frame;
mod lanes;
mod live_edits;
mod past_is_kept;
mod rolling;
mod run_to;
mod seeking;
mod sessions;
mod split_frame;
mod statement;
mod tiers;
mod waits;

use tokenyard::session::Session;
use tokenyard::session::view::{Columns, ColumnsQuery, View};

/// The columns of a view over the whole run.
fn columns(session: &Session, view: View, window_s: f64) -> Columns {
    session.columns(&ColumnsQuery { view, from_us: 0, to_us: 0, window_s })
}

/// A text with plain blanks.
fn plain(text: &str) -> String {
    text.replace('\u{a0}', " ")
}
