//! The sizes of an engine.

/// What the flags say that their surroundings need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) tp: u64,
    pub(crate) pp: u64,
    /// Engines of a server.
    pub(crate) dp: u64,
}
