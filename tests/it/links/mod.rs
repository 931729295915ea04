//! Links: a scenario as a link and back, and links made by earlier versions.

mod kept;
mod round_trip;
mod views;
