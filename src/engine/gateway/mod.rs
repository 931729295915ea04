//! The gateway: arrival, admission, routing, and requests that wait there.

mod admission_queue;
mod departure;
mod held_requests;
mod picture;
mod redirect;
mod routing;
mod state;

pub use redirect::{NotRedirected, WhyNot};

pub(in crate::engine) use state::{Around, Gateway};
