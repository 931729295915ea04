//! All tests of the library and of the command line, as one program: a folder for each part.
//!
//! `cargo test --test it -- FOLDER::FILE::` runs the tests of one file. `tests/portability.rs`, which also runs as WebAssembly,
//! and `tests/tidy.rs` are programs of their own.

#![cfg(all(feature = "cli", not(target_arch = "wasm32")))]

mod cache;
mod canary;
mod cli;
mod engine;
mod examples;
mod exchange;
mod faults;
mod fuzz_corpus;
mod glossary;
mod goldens;
mod links;
mod measured;
mod policies;
mod pools;
mod queueing;
mod reference;
mod report;
mod scaling;
mod scenario;
mod session;
mod study;
mod support;
mod theory;
mod traffic;
