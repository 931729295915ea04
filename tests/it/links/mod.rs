//! Links: a scenario as a link and back.

mod generated;
mod round_trip;
mod views;

use tokenyard::scenario::link::Opened;
use tokenyard::session::{Audience, Session};

fn open(text: &str) -> Opened {
    Session::open_link(text, Audience::Live)
}
