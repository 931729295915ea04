//! Campaigns: scenarios in which features meet, drawn by number, and laws that hold for all of them.
//!
//! A program of its own, so that `scripts/campaign random` builds little: the library and the files beside this one. A case is a
//! function of its number. `TOKENYARD_CASES` sets how many run, `TOKENYARD_FIRST_CASE` the first one.

#![cfg(all(feature = "cli", not(target_arch = "wasm32")))]

#[path = "campaign/cluster.rs"]
mod cluster;
#[path = "campaign/document.rs"]
mod document;
#[path = "campaign/draw.rs"]
mod draw;
#[path = "campaign/edits.rs"]
mod edits;
#[path = "campaign/laws.rs"]
mod laws;
#[path = "it/support/memory.rs"]
mod memory;
#[path = "it/support/numbers.rs"]
#[expect(dead_code, reason = "parts of lists are for other tests")]
mod numbers;
#[path = "campaign/random.rs"]
mod random;
#[path = "campaign/reduce.rs"]
mod reduce;
#[path = "it/support/repair.rs"]
mod repair;
#[path = "campaign/statement.rs"]
mod statement;
#[path = "campaign/tiers.rs"]
mod tiers;
#[path = "campaign/traffic.rs"]
mod traffic;
#[path = "campaign/ways.rs"]
mod ways;
