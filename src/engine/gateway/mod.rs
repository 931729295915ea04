//! The gateway: arrival, admission, routing, and requests that wait there.

mod admission_queue;
mod departure;
mod held_requests;
mod redirect;
mod routing;

pub use redirect::{NotRedirected, WhyNot};

pub(in crate::engine) use admission_queue::AdmissionQueue;
pub(in crate::engine) use held_requests::Held;
pub(in crate::engine) use redirect::Redirects;
pub(in crate::engine) use routing::{pool_views, serves};
