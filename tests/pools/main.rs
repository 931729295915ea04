//! Laws of clusters whose pools differ, and of requests that ask for a model.

#![cfg(not(target_arch = "wasm32"))]

mod common;
mod differing;
mod laws;
mod models;
#[path = "../support/mod.rs"]
mod support;
