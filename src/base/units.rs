//! Quantities with their unit in the type: instants, durations, tokens, blocks.
//!
//! Time is whole microseconds. An instant (`Micros`) and a duration (`Span`) are different types, so that adding two
//! instants does not compile. Arithmetic is checked: an overflow is a bug and stops the run rather than wrapping.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
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

/// An instant or a duration: whole microseconds.
pub trait Time: Copy {
    /// The quantity of a number of microseconds.
    fn from_us(us: u64) -> Self;
    /// Number of microseconds.
    fn us(self) -> u64;
}

/// The time from one instant to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// Where it begins.
    pub from: Micros,
    /// Where it ends.
    pub to: Micros,
}

impl Time for Micros {
    fn from_us(us: u64) -> Self {
        Self(us)
    }

    fn us(self) -> u64 {
        self.0
    }
}

impl Time for Span {
    fn from_us(us: u64) -> Self {
        Self(us)
    }

    fn us(self) -> u64 {
        self.0
    }
}

/// An instant or a duration that may not be known (yet): an `Option` in eight bytes, for tables with a row per request.
/// Serialised as an `Option`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Maybe<T> {
    /// [`u64::MAX`] for none.
    us: u64,
    of: PhantomData<T>,
}

impl<T: Time> Maybe<T> {
    /// Not known.
    pub const NONE: Self = Self { us: u64::MAX, of: PhantomData };

    /// The quantity, if it is known.
    #[inline]
    pub fn get(self) -> Option<T> {
        if self.us == u64::MAX { None } else { Some(T::from_us(self.us)) }
    }

    /// Whether it is known.
    #[inline]
    pub fn is_known(self) -> bool {
        self.us != u64::MAX
    }
}

impl<T: Time> From<T> for Maybe<T> {
    #[inline]
    fn from(known: T) -> Self {
        Self { us: known.us(), of: PhantomData }
    }
}

impl<T: Time + fmt::Debug> fmt::Debug for Maybe<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

impl<T: Time> Serialize for Maybe<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.get().map(T::us).serialize(s)
    }
}

impl<'de, T: Time> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Ok(Option::<u64>::deserialize(d)?.map_or(Self::NONE, |us| T::from_us(us).into()))
    }
}

impl Micros {
    /// The start of every run.
    pub const ZERO: Self = Self(0);
    /// The largest instant that a JavaScript number holds exactly, 2^53 - 1; also "never".
    pub const MAX: Self = Self((1 << 53) - 1);

    /// The end of the clock: 2^52 microseconds, 142 years. Nothing happens at or after it. The longest latency of a
    /// request until then plus the time to show its tokens is still below [`Micros::MAX`].
    pub const END: Self = Self(1 << 52);

    /// The duration since `earlier`, which must not lie after `self`.
    #[must_use]
    pub fn since(self, earlier: Self) -> Span {
        assert!(self >= earlier, "INV-3: {earlier:?} is after {self:?}");
        Span(self.0 - earlier.0)
    }

    /// `self + span`, or [`Micros::END`] if that is earlier.
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
    /// A duration of zero.
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
    /// Number of blocks of `block` tokens that hold this many tokens.
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
    fn a_quantity_that_may_not_be_known_is_an_option_in_eight_bytes() {
        assert_eq!(size_of::<Maybe<Span>>(), 8);
        assert_eq!(Maybe::<Span>::NONE.get(), None);
        for known in [Micros::ZERO, Micros(7), Micros::MAX] {
            let maybe = Maybe::from(known);
            assert_eq!((maybe.get(), maybe.is_known()), (Some(known), true));
            assert_eq!(
                serde_json::from_str::<Maybe<Micros>>(&serde_json::to_string(&maybe).unwrap()).unwrap(),
                maybe
            );
        }
        assert_eq!(serde_json::to_string(&Maybe::<Micros>::NONE).unwrap(), "null");
        assert_eq!(serde_json::from_str::<Maybe<Span>>("null").unwrap(), Maybe::NONE);
    }

    #[test]
    fn blocks_round_up() {
        assert_eq!(Tokens(0).blocks(Tokens(16)), Blocks(0));
        assert_eq!(Tokens(16).blocks(Tokens(16)), Blocks(1));
        assert_eq!(Tokens(17).blocks(Tokens(16)), Blocks(2));
    }
}
