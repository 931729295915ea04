//! A profile being made.

/// A profile being made: where its router stands, its name, and what it is used for.
pub(crate) struct Stage<'a> {
    /// Path of the router in the scenario.
    pub(crate) at: &'a str,
    /// Name of the profile.
    pub(crate) profile: &'a str,
    /// Prompt tokens per second of a replica by its latency model.
    pub(crate) peak: Option<f64>,
    /// Tokens of a block of the pool.
    pub(crate) block_tokens: u32,
}
