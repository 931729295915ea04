//! Laws of clusters whose pools differ, and of requests that ask for a model.

mod common;
mod differing;
mod laws;
mod lockstep;
mod models;
mod neutral;
mod placed;
mod rank_frames;
mod with_roles;
