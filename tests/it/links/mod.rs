//! Links: a scenario as a link and back.

mod generated;
mod round_trip;
mod views;
