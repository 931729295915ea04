//! Knees of curves: where a time rises far above its value at low load.

use base::number_text::{duration, three_digits};
use document::edit_label::set_label;
use serde::Serialize;
use serde_json::Value;

/// The knee is where a time exceeds this multiple of its value at the lowest point, as in `tokenyard validate`.
pub const KNEE: f64 = 3.0;

/// The knee of a curve, or why it has none.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CurveKnee {
    /// Its position, interpolated linearly between two points; null if there is none.
    pub x: Option<f64>,
    /// The value of the curve there.
    pub threshold: Option<f64>,
    /// The same in a sentence.
    pub explained: String,
}

/// The knee of a curve of milliseconds whose points are in order of x. `name` is the name of the curve in the
/// sentence, and `along` the path of x.
pub fn knee(name: &str, along: &str, points: &[(f64, f64)]) -> CurveKnee {
    let none = |explained: String| CurveKnee { x: None, threshold: None, explained };
    let (Some(&(lowest, base)), Some(&(highest, _))) = (points.first(), points.last()) else {
        return none(format!("{name} has no points"));
    };
    if points.len() < 2 {
        return none(format!("{name} has one point: a knee lies between two"));
    }
    let traffic = along == "traffic";
    let at = |x: f64| if traffic { format!("{x}× traffic") } else { set_label(along, &whole(x)) };
    let short = |x: f64| if traffic { format!("{x}×") } else { at(x) };
    let time = |ms: f64| duration((ms * 1000.0).round() as u64);
    let threshold = KNEE * base;
    let crossed = points.windows(2).find(|pair| pair[0].1 <= threshold && pair[1].1 > threshold);
    let Some(&[(x0, y0), (x1, y1)]) = crossed.and_then(|pair| pair.first_chunk::<2>()) else {
        return CurveKnee {
            threshold: Some(threshold),
            ..none(format!(
                "No knee up to {}: {name} stays below three times what it is at {} ({})",
                at(highest),
                short(lowest),
                time(base)
            ))
        };
    };
    let x = x0 + (x1 - x0) * (threshold - y0) / (y1 - y0);
    let explained = format!(
        "Knee at {}: {name} is three times what it is at {} ({})",
        at(rounded(x)),
        short(lowest),
        time(threshold)
    );
    CurveKnee { x: Some(x), threshold: Some(threshold), explained }
}

/// A number of a scenario; whole numbers have no fraction.
fn whole(x: f64) -> Value {
    if (0.0..9e15).contains(&x) && libm::floor(x) >= x { Value::from(x as u64) } else { Value::from(x) }
}

/// Three significant digits.
fn rounded(x: f64) -> f64 {
    if x > 0.0 { three_digits(x).parse().unwrap_or(x) } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_knee_is_where_a_time_passes_three_times_the_first_one() {
        let found =
            knee("TTFT p99", "traffic", &[(1.0, 10.0), (2.0, 20.0), (4.0, 40.0), (5.0, 35.0), (6.0, 90.0)]);
        assert_eq!(found.x, Some(3.0));
        assert!(
            found
                .explained
                .contains("Knee at 3× traffic: TTFT p99 is three times what it is at 1× (30.0\u{a0}ms)"),
            "{}",
            found.explained
        );
        let flat = knee("TTFT p99", "run.size", &[(1.0, 10.0), (9.0, 30.0)]);
        assert!(flat.x.is_none());
        assert_eq!(
            flat.explained,
            "No knee up to size 9: TTFT p99 stays below three times what it is at size 1 (10.0\u{a0}ms)"
        );
        let late = knee("TTFT p99", "cluster.snapshot_refresh_us", &[(1e6, 10.0), (5e6, 50.0)]);
        assert_eq!(
            late.explained,
            "Knee at refresh 3.00\u{a0}s: TTFT p99 is three times what it is at refresh 1.00\u{a0}s (30.0\u{a0}ms)"
        );
        assert_eq!(knee("x", "y", &[(1.0, 1.0)]).x, None);
        assert_eq!(knee("x", "y", &[]).x, None);
    }
}
