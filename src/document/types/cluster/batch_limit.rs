//! A number or "auto", the type of several settings of an engine.

use crate::table::number_or_auto::number_or_auto;

/// A limit on a batch: a number, or "auto", which is what vLLM chooses for the GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BatchLimit {
    /// vLLM's choice for the GPU.
    #[default]
    Auto,
    /// The given number.
    Count(u32),
}

impl From<u32> for BatchLimit {
    fn from(n: u32) -> Self {
        Self::Count(n)
    }
}

number_or_auto! { BatchLimit: "a whole number or \"auto\"", "vLLM's choice for the GPU.", "This many." }
