//! Knees: from where on a time is far above that of low load.

use serde::Serialize;

/// The knee is where a time passes so many times its value at the lowest point, as `tokenyard validate` has it.
pub const KNEE: f64 = 3.0;

/// The knee of a curve, or why it has none.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(ts_rs::TS))]
pub struct CurveKnee {
    /// Where it lies, between two points in a straight line; null if there is none.
    pub x: Option<f64>,
    /// The value that the curve passes there.
    pub threshold: Option<f64>,
    /// The same in a sentence.
    pub explained: String,
}

/// The knee of a curve of milliseconds whose points are in order of x. `name` is what the curve is called in the sentence.
pub fn knee(name: &str, points: &[(f64, f64)]) -> CurveKnee {
    let none = |explained: String| CurveKnee { x: None, threshold: None, explained };
    let (Some(&(lowest, base)), Some(&(highest, _))) = (points.first(), points.last()) else {
        return none(format!("{name} has no points"));
    };
    if points.len() < 2 {
        return none(format!("{name} has one point: a knee lies between two"));
    }
    let threshold = KNEE * base;
    let crossed = points.windows(2).find(|pair| pair[0].1 <= threshold && pair[1].1 > threshold);
    let Some(&[(x0, y0), (x1, y1)]) = crossed.and_then(|pair| pair.first_chunk::<2>()) else {
        return CurveKnee {
            threshold: Some(threshold),
            ..none(format!(
                "{name} stays within {KNEE} times its value at {lowest} ({base:.1} ms) up to {highest}: no knee in this range"
            ))
        };
    };
    let x = x0 + (x1 - x0) * (threshold - y0) / (y1 - y0);
    let explained = format!(
        "{name} passes {KNEE} times its value at {lowest} ({base:.1} ms) at {x:.4}, between {x0} ({y0:.1} ms) and {x1} ({y1:.1} ms)"
    );
    CurveKnee { x: Some(x), threshold: Some(threshold), explained }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_knee_is_where_a_time_passes_three_times_the_first_one() {
        let found = knee("TTFT p99", &[(1.0, 10.0), (2.0, 20.0), (4.0, 40.0), (5.0, 35.0), (6.0, 90.0)]);
        assert_eq!(found.x, Some(3.0));
        assert!(
            found.explained.starts_with("TTFT p99 passes 3 times its value at 1 (10.0 ms) at 3.0000"),
            "{}",
            found.explained
        );
        let flat = knee("TTFT p99", &[(1.0, 10.0), (9.0, 30.0)]);
        assert!(flat.x.is_none() && flat.explained.ends_with("up to 9: no knee in this range"));
        assert_eq!(knee("x", &[(1.0, 1.0)]).x, None);
        assert_eq!(knee("x", &[]).x, None);
    }
}
