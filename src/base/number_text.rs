//! Numbers as text: three significant digits, milliseconds below a second, as on the page.

use crate::base::math;
use crate::base::small::decimal::fixed;

/// `24.1 ms`, `342 ms`, `2.28 s`, `3.5 min`; the unit follows a no-break space.
pub(crate) fn duration(us: u64) -> String {
    let ms = us as f64 / 1000.0;
    if ms < 1000.0 {
        format!("{}\u{a0}ms", in_short(ms))
    } else if ms < 120_000.0 {
        format!("{}\u{a0}s", in_short(ms / 1000.0))
    } else {
        format!("{}\u{a0}min", in_short(ms / 60_000.0))
    }
}

/// Three significant digits, at most two of them decimals; numbers below a hundredth have three.
fn in_short(x: f64) -> String {
    let decimals = if x < 0.01 {
        3
    } else if x < 9.995 {
        2
    } else {
        usize::from(x < 99.95)
    };
    fixed(x, decimals)
}

/// Three significant digits, without an exponent.
pub(crate) fn three_digits(x: f64) -> String {
    if x <= 0.0 {
        return "0".to_owned();
    }
    let magnitude = libm::floor(math::log10(x)) as i32;
    let decimals = usize::try_from((2 - magnitude).clamp(0, 6)).unwrap_or(0);
    fixed(x, decimals)
}

/// A whole number with thousands separated by commas.
pub(crate) fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_digits_and_a_fitting_unit() {
        assert_eq!(duration(830), "0.83\u{a0}ms");
        assert_eq!(duration(24_130), "24.1\u{a0}ms");
        assert_eq!(duration(342_400), "342\u{a0}ms");
        assert_eq!(duration(2_281_000), "2.28\u{a0}s");
        assert_eq!(duration(180_000_000), "3.00\u{a0}min");
    }

    #[test]
    fn thousands_have_commas() {
        assert_eq!(count(12_711), "12,711");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_234_567), "1,234,567");
    }
}
