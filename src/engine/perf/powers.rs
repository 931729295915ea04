//! Whole powers, the same on every target.

/// A whole power of a share, by squaring: the same on every target, and cheaper than a logarithm.
pub(super) fn power(mut base: f64, mut exponent: u64) -> f64 {
    let mut result = 1.0;
    while exponent > 0 && base > 1e-12 {
        if exponent & 1 == 1 {
            result *= base;
        }
        base *= base;
        exponent >>= 1;
    }
    if exponent > 0 { 0.0 } else { result }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_power_is_that_of_repeated_products() {
        for (base, exponent) in [(0.75, 1), (0.75, 10), (0.968_75, 129), (0.5, 0), (0.0, 3), (0.75, 5000)] {
            let product = (0..exponent).fold(1.0, |p, _| p * base);
            assert!((power(base, exponent) - product).abs() < 1e-12, "{base} {exponent}");
        }
    }
}
