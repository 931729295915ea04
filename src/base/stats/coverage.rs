//! Coverage: the total length of intervals that may overlap.
//!
//! Intervals are given in order of their beginning, each with its length, which may reach into the future.

use crate::{Micros, Span};
use serde::{Deserialize, Serialize};

/// The union of some intervals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Its length in microseconds, the future included.
    covered: u64,
    /// Where the latest interval ends.
    until: Micros,
}

impl Coverage {
    /// Its two numbers.
    pub fn parts(&self) -> (u64, u64) {
        (self.covered, self.until.0)
    }

    /// Coverage from these two numbers.
    pub fn of_parts((covered, until): (u64, u64)) -> Self {
        Self { covered, until: Micros(until) }
    }

    /// Adds the interval that begins at `from`, not before any other, and lasts for `span`.
    pub fn add(&mut self, from: Micros, span: Span) {
        let end = from.saturating_add(span);
        if end > self.until {
            self.covered += end.since(self.until.max(from)).0;
            self.until = end;
        }
    }

    /// Nothing is covered from `at` on; no interval may begin after it.
    pub fn cut(&mut self, at: Micros) {
        self.covered = self.before(at);
        self.until = self.until.min(at);
    }

    /// Where the latest interval ends.
    pub fn until(&self) -> Micros {
        self.until
    }

    /// How much of the time before `at` is covered, in microseconds; no interval may begin after `at`.
    pub fn before(&self, at: Micros) -> u64 {
        // Every interval that ends after `at` began before it, so all time between is covered.
        self.covered - self.until.0.saturating_sub(at.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overlaps_counts_once() {
        let mut c = Coverage::default();
        c.add(Micros(10), Span(20));
        c.add(Micros(25), Span(10));
        assert_eq!((c.before(Micros(27)), c.before(Micros(35)), c.before(Micros(90))), (17, 25, 25));
        // One that ends before another that began earlier adds nothing.
        c.add(Micros(30), Span(2));
        c.add(Micros(50), Span(5));
        assert_eq!((c.before(Micros(52)), c.before(Micros(60)), c.until()), (27, 30, Micros(55)));
    }
}
