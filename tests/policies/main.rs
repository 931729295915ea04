//! Laws of the policies: what each must do in every run, whatever the traffic.

#![cfg(not(target_arch = "wasm32"))]

mod admission;
mod common;
mod conversations;
mod edits;
mod expressions;
mod filters;
mod real_routers;
mod refusals;
mod routing;
mod scorers;
mod signals;
#[path = "../support/mod.rs"]
mod support;
