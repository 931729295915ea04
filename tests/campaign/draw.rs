//! Draws for a case: the same for the same number, whatever else is drawn elsewhere.

use tokenyard::base::rng::{Purpose, Stream};

/// The draws of one case.
pub(crate) struct Draw(Stream);

impl Draw {
    pub(crate) fn new(case: u64) -> Self {
        Self(Stream::new(case, Purpose::Arrivals, 0))
    }

    /// Further draws of a case, which do not depend on the others.
    pub(crate) fn further(case: u64) -> Self {
        Self(Stream::new(case, Purpose::Arrivals, 1))
    }

    /// A whole number below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        u64::from(self.0.below(n as u32))
    }

    /// From 0 to just below 1.
    pub(crate) fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    /// Holds once in `n` draws.
    pub(crate) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// One of them, all equally likely.
    pub(crate) fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize].clone()
    }
}
