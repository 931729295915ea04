//! Parts of wholes, and units of distributions.

use base::stats::Summary;

/// Part of a whole; `None` if the whole is 0.
pub(crate) fn known_share(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

/// Part of a whole; 0 if the whole is 0.
pub(crate) fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// A distribution of microseconds in milliseconds.
pub(super) fn in_ms(s: Summary) -> Summary {
    Summary {
        count: s.count,
        mean: s.mean / 1000.0,
        min: s.min / 1000.0,
        p50: s.p50 / 1000.0,
        p75: s.p75 / 1000.0,
        p90: s.p90 / 1000.0,
        p95: s.p95 / 1000.0,
        p99: s.p99 / 1000.0,
        max: s.max / 1000.0,
    }
}
