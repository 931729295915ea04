//! What a trace holds of a run that has more.

use base::Micros;
use base::number_text::count;

/// What a trace holds of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// Start of what it holds.
    pub from: Micros,
    /// End of what it holds.
    pub to: Micros,
    /// End of what was asked for.
    pub asked_to: Micros,
    /// The limit that ended it.
    pub most: u32,
}

impl Held {
    /// What it holds and why, in one sentence.
    pub fn sentence(&self) -> String {
        let (from, to) = (self.from.as_secs(), self.to.as_secs());
        format!("The trace holds {from} s to {to} s: it has at most {} slices.", count(u64::from(self.most)))
    }
}
