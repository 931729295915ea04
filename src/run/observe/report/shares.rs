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
    divided(s, 1000.0)
}

/// A distribution of microseconds in seconds.
pub(super) fn in_s(s: Summary) -> Summary {
    divided(s, 1e6)
}

fn divided(s: Summary, by: f64) -> Summary {
    Summary {
        count: s.count,
        mean: s.mean / by,
        min: s.min / by,
        p50: s.p50 / by,
        p75: s.p75 / by,
        p90: s.p90 / by,
        p95: s.p95 / by,
        p99: s.p99 / by,
        max: s.max / by,
    }
}
