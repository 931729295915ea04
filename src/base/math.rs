//! The only door to transcendental functions, and the only place where a float becomes a duration.
//!
//! `std`'s `ln`, `exp` and `pow` call the platform's library and differ between native and wasm in 7 to 10 % of
//! inputs; libm's are plain arithmetic and do not.

use super::decimal::plain;
use super::units::Span;

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

/// What is left of `x` divided by `y`, with the sign of `x`.
pub fn remainder(x: f64, y: f64) -> f64 {
    libm::fmod(x, y)
}

/// Cosine.
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

/// Microseconds computed in floating point, cut to whole ones toward zero; negative and non-finite values are bugs.
pub fn truncate_to_span(us: f64) -> Span {
    assert!(us.is_finite() && us >= 0.0, "INV-3: a duration of {} us", plain(us));
    Span(us as u64)
}

/// Microseconds computed in floating point, rounded half away from zero.
pub fn round_to_span(us: f64) -> Span {
    assert!(us.is_finite() && us >= 0.0, "INV-3: a duration of {} us", plain(us));
    let floor = libm::floor(us);
    Span(floor as u64 + u64::from(us - floor >= 0.5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_round_as_documented() {
        assert_eq!(truncate_to_span(2.999), Span(2));
        assert_eq!(round_to_span(2.5), Span(3));
        assert_eq!(round_to_span(2.499_999), Span(2));
    }
}
