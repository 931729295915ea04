//! What an evaluation is asked for.

use super::suite::Split;

/// What to evaluate, and how much to say.
#[derive(Clone, Debug)]
pub struct Options {
    /// The split.
    pub split: Split,
    /// The stage, from 1; all of the split without one.
    pub stage: Option<u32>,
    /// Only these cases, whatever their split.
    pub cases: Vec<String>,
    /// Most bytes of a feedback; with 0 none is written.
    pub text_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { split: Split::Train, stage: None, cases: Vec::new(), text_bytes: 8000 }
    }
}
