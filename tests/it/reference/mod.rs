//! A second, plain engine for comparison with the real one.
//!
//! It shares no code with the simulator. At every step it looks at every running request, keeps its texts token by
//! token and its agenda in one ordered map, so that a reader can check each rule against the documentation by eye. It reads
//! the golden files' input and writes the golden files' `expected` sections.

pub(crate) mod case;
pub(crate) mod compare;
pub(crate) mod generate;
pub(crate) mod real;
pub(crate) mod shrink;
pub(crate) mod sticky;

mod cache;
mod fleet;
mod outcome;
mod replica;
mod request;

pub(crate) use case::Case;

/// Simulates `case` and returns the sections of `expected` that this engine knows.
pub(crate) fn simulate(case: &Case) -> serde_json::Value {
    let mut fleet = fleet::Fleet::new(case);
    fleet.run();
    outcome::sections(&fleet, case)
}
