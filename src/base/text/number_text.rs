//! Numbers as text: three significant digits, milliseconds below a second, as on the page.

use crate::math;
use crate::small::decimal::fixed;

/// `24.1 ms`, `342 ms`, `2.28 s`, `3.5 min`; the unit follows a no-break space.
pub fn duration(us: u64) -> String {
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
pub fn three_digits(x: f64) -> String {
    if x <= 0.0 {
        return "0".to_owned();
    }
    let magnitude = libm::floor(math::log10(x)) as i32;
    let decimals = usize::try_from((2 - magnitude).clamp(0, 6)).unwrap_or(0);
    fixed(x, decimals)
}

/// `640 B`, `12.6 MB`, `1.31 GB`: decimal units, after a no-break space.
pub fn bytes(n: u64) -> String {
    let (unit, name) = match n {
        0..1000 => return format!("{n}\u{a0}B"),
        1000..999_500 => (1e3, "kB"),
        999_500..999_500_000 => (1e6, "MB"),
        999_500_000..999_500_000_000 => (1e9, "GB"),
        _ => (1e12, "TB"),
    };
    format!("{}\u{a0}{name}", in_short(n as f64 / unit))
}

/// A whole number with thousands separated by commas.
pub fn count(n: u64) -> String {
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
    fn bytes_have_three_digits_and_a_fitting_unit() {
        assert_eq!(bytes(0), "0\u{a0}B");
        assert_eq!(bytes(999), "999\u{a0}B");
        assert_eq!(bytes(12_000), "12.0\u{a0}kB");
        assert_eq!(bytes(999_499), "999\u{a0}kB");
        assert_eq!(bytes(999_500), "1.00\u{a0}MB");
        assert_eq!(bytes(131_072_000), "131\u{a0}MB");
        assert_eq!(bytes(2_500_000_000_000), "2.50\u{a0}TB");
    }

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
