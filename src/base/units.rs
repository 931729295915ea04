//! Quantities with their unit in the type: instants, durations, tokens, blocks.
//!
//! Time is whole microseconds. An instant (`Micros`) and a duration (`Span`) are different types, so that adding two
//! instants does not compile. Arithmetic is checked: an overflow is a bug and stops the run rather than wrapping.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, AddAssign, Sub};

/// Microseconds in one second.
pub const US_PER_S: u64 = 1_000_000;

/// An instant on the simulated clock, in whole microseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Micros(pub u64);

/// A duration in whole microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Span(pub u64);

/// A number of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tokens(pub u32);

/// A number of KV-cache blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Blocks(pub u32);

impl Micros {
    /// The start of every run.
    pub const ZERO: Self = Self(0);
    /// The largest instant that a JavaScript number holds exactly, 2^53 - 1; also "never".
    pub const MAX: Self = Self((1 << 53) - 1);

    /// Where the clock ends: 2^52 microseconds, 142 years. Nothing happens there or later. The longest a request can have taken
    /// until then and the time its tokens take to be shown still lie below [`Micros::MAX`].
    pub const END: Self = Self(1 << 52);

    /// The duration since `earlier`, which must not lie after `self`.
    #[must_use]
    pub fn since(self, earlier: Self) -> Span {
        assert!(self >= earlier, "INV-3: {earlier:?} is after {self:?}");
        Span(self.0 - earlier.0)
    }

    /// `self + span`, or [`Micros::END`] where that is earlier.
    #[must_use]
    pub fn saturating_add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0).min(Self::END.0))
    }

    /// Seconds as a float, for reports.
    pub fn as_secs(self) -> f64 {
        self.0 as f64 / US_PER_S as f64
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// Whole milliseconds.
    pub const fn from_ms(ms: u64) -> Self {
        Self(ms * 1000)
    }

    /// Seconds as a float, for reports.
    pub fn as_secs(self) -> f64 {
        self.0 as f64 / US_PER_S as f64
    }
}

impl Add<Span> for Micros {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        Self(self.0.checked_add(span.0).expect("INV-3: the clock overflowed"))
    }
}

impl Sub<Span> for Micros {
    type Output = Self;
    fn sub(self, span: Span) -> Self {
        Self(self.0.checked_sub(span.0).expect("INV-3: an instant before the start of the run"))
    }
}

impl Add for Span {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.checked_add(other.0).expect("INV-3: a duration overflowed"))
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Tokens {
    /// How many blocks of `block` tokens hold this many tokens.
    #[must_use]
    pub fn blocks(self, block: Tokens) -> Blocks {
        Blocks(self.0.div_ceil(block.0))
    }
}

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06} s", self.0 / US_PER_S, self.0 % US_PER_S)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_and_durations_add_up() {
        let t = Micros(5) + Span(7);
        assert_eq!(t, Micros(12));
        assert_eq!(t.since(Micros(5)), Span(7));
        assert_eq!(Micros(u64::MAX - 1).saturating_add(Span(9)), Micros::END);
    }

    #[test]
    #[should_panic(expected = "INV-3")]
    fn time_does_not_run_backwards() {
        let _ = Micros(1).since(Micros(2));
    }

    #[test]
    fn blocks_round_up() {
        assert_eq!(Tokens(0).blocks(Tokens(16)), Blocks(0));
        assert_eq!(Tokens(16).blocks(Tokens(16)), Blocks(1));
        assert_eq!(Tokens(17).blocks(Tokens(16)), Blocks(2));
    }
}
