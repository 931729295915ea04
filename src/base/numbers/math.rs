//! Transcendental functions, and conversion of floats to durations; no other file does either.
//!
//! `std`'s `ln`, `exp` and `pow` call the platform's library and differ between native and wasm in 7 to 10 % of
//! inputs; libm's are plain arithmetic and do not.

use crate::small::decimal::plain;
use crate::units::Span;

/// Natural logarithm.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// e to the power of `x`.
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// `base` to the power of `exponent`.
pub fn pow(base: f64, exponent: f64) -> f64 {
    libm::pow(base, exponent)
}

/// Base-10 logarithm.
pub fn log10(x: f64) -> f64 {
    libm::log10(x)
}

/// The gamma function.
pub fn gamma(x: f64) -> f64 {
    libm::tgamma(x)
}

/// Square root.
pub fn sqrt(x: f64) -> f64 {
    libm::sqrt(x)
}

/// The largest whole number that is not above `x`.
pub fn floor(x: f64) -> f64 {
    libm::floor(x)
}

/// The remainder of `x` divided by `y`, with the sign of `x`.
pub fn remainder(x: f64, y: f64) -> f64 {
    libm::fmod(x, y)
}

/// Cosine.
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

/// Sine.
pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}

/// Microseconds computed in floating point, cut to whole ones toward zero; negative and non-finite values are bugs.
pub fn truncate_to_span(us: f64) -> Span {
    assert!(us.is_finite() && us >= 0.0, "INV-3: a duration of {} us", plain(us));
    Span(us as u64)
}

/// Microseconds computed in floating point, rounded half away from zero.
pub fn round_to_span(us: f64) -> Span {
    // From one half on, adding a half is the only rounding: below 2^52 the sum is exact wherever it could pass a whole
    // number.
    if (0.5..WHOLE).contains(&us) {
        return Span((us + 0.5) as i64 as u64);
    }
    truncate_to_span(us)
}

/// From here on every number is whole.
const WHOLE: f64 = 4_503_599_627_370_496.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_round_as_documented() {
        assert_eq!(truncate_to_span(2.999), Span(2));
        assert_eq!(round_to_span(2.5), Span(3));
        assert_eq!(round_to_span(2.499_999), Span(2));
    }

    #[test]
    fn the_nearest_whole_microsecond_is_that_of_the_floor() {
        let by_floor = |us: f64| Span(floor(us) as u64 + u64::from(us - floor(us) >= 0.5));
        let mut whole = 1.0_f64;
        while whole < 1e19 {
            for near in [whole - 1.0, whole - 0.5, whole, whole + 0.5, whole + 1.0] {
                for us in [near.next_down().max(0.0), near, near.next_up()] {
                    assert_eq!(round_to_span(us), by_floor(us), "{us}");
                }
            }
            whole *= 2.0;
        }
    }
}
