//! The simulator that engines behave like.

use crate::table::fields::fields;

/// Engine semantics.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compat {
    /// Results of a step appear at its end, preemption keeps generated tokens, the last prompt token is always computed.
    #[default]
    None,
    /// As the BLIS simulator: results of a step appear at its start, preemption restarts the output, and "auto" KV blocks are counted for each GPU.
    Blis,
}

fields! {
    names Compat { None "none" Blis "blis" }
}
