//! Charts over time as SVG: lines between two axes, with a key. Colours are classes, so that the page decides them.

use super::html::{escaped, put};
use base::math::{log10, pow};
use base::number_text::count;
use base::small::decimal::plain;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 180.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 630.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 155.0;
/// Most lines of a chart.
pub(super) const LINES: usize = 16;
/// Colours of lines; more lines repeat them.
const COLOURS: usize = 6;

/// A chart.
pub(super) struct Chart {
    pub(super) title: &'static str,
    pub(super) unit: &'static str,
    /// Whether the values are on a logarithmic scale.
    pub(super) log: bool,
    pub(super) times_s: Vec<f64>,
    /// Name and values of each line; a value that is missing is no number.
    pub(super) lines: Vec<(String, Vec<f64>)>,
}

/// A scale of values.
struct Scale {
    low: f64,
    high: f64,
    log: bool,
}

impl Scale {
    fn y(&self, value: f64) -> f64 {
        let of = |x: f64| if self.log { log10(x) } else { x };
        let share = (of(value.clamp(self.low, self.high)) - of(self.low)) / (of(self.high) - of(self.low));
        BOTTOM - share * (BOTTOM - TOP)
    }

    fn ticks(&self) -> Vec<f64> {
        if self.log {
            let (from, to) = (log10(self.low).round() as i32, log10(self.high).round() as i32);
            return (from..=to).map(ten).collect();
        }
        let step = nice(self.high / 3.0);
        (0..=4).map(|i| f64::from(i) * step).filter(|v| *v <= self.high * 1.0001).collect()
    }
}

/// A power of ten.
fn ten(exponent: i32) -> f64 {
    let power = pow(10.0, f64::from(exponent.abs()));
    if exponent < 0 { 1.0 / power } else { power }
}

/// The next of 1, 2 and 5 times a power of ten that is no smaller.
fn nice(x: f64) -> f64 {
    if x <= 0.0 || !x.is_finite() {
        return 1.0;
    }
    let base = ten(log10(x).floor() as i32);
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|k| k * base)
        .find(|step| *step >= x * 0.9999)
        .unwrap_or(10.0 * base)
}

impl Chart {
    /// Whether it has anything to show.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.iter().all(|(_, values)| values.iter().all(|v| !v.is_finite()))
    }

    fn scale(&self) -> Scale {
        let values = || self.lines.iter().flat_map(|(_, v)| v.iter().copied()).filter(|v| v.is_finite());
        let high = values().fold(0.0, f64::max);
        if self.log {
            let low =
                values().filter(|v| *v > 0.0).fold(f64::INFINITY, f64::min).max(1e-3).min(high.max(1e-3));
            let (from, to) = (log10(low).floor() as i32, log10(high.max(1e-3)).ceil() as i32);
            return Scale { low: ten(from), high: ten(to.max(from + 1)), log: true };
        }
        Scale { low: 0.0, high: if high > 0.0 { high } else { 1.0 }, log: false }
    }

    /// The chart, with a sentence for those who do not see it.
    pub(super) fn svg(&self) -> String {
        let scale = self.scale();
        let end = self.times_s.last().copied().unwrap_or(0.0).max(1e-6);
        let x = |t: f64| LEFT + t / end * (RIGHT - LEFT);
        let mut out = String::new();
        let high = self.lines.iter().flat_map(|(_, v)| v.iter().copied()).filter(|v| v.is_finite());
        let said = format!(
            "{} over {} s in {}: {}; largest value {}",
            self.title,
            short(end),
            self.unit,
            self.lines.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", "),
            short(high.fold(0.0, f64::max))
        );
        put(&mut out, format_args!("<figure><figcaption>{}, {}", escaped(self.title), escaped(self.unit)));
        for (i, (name, _)) in self.lines.iter().take(COLOURS).enumerate() {
            put(&mut out, format_args!(" <span class=\"k c{i}\">{}</span>", escaped(name)));
        }
        if self.lines.len() > COLOURS {
            put(&mut out, format_args!(" and {} more", self.lines.len() - COLOURS));
        }
        put(&mut out, format_args!("</figcaption>\n<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\""));
        put(&mut out, format_args!(" aria-label=\"{}\">\n", escaped(&said)));
        for tick in scale.ticks() {
            let y = scale.y(tick);
            put(&mut out, format_args!("<path class=\"g\" d=\"M{LEFT} {y:.1}H{RIGHT}\"/>"));
            put(&mut out, format_args!("<text class=\"e\" x=\"{}\" y=\"{:.1}\">", LEFT - 6.0, y + 4.0));
            put(&mut out, format_args!("{}</text>\n", short(tick)));
        }
        let step = nice(end / 6.0);
        for i in 0..=6 {
            let t = f64::from(i) * step;
            if t > end {
                break;
            }
            put(
                &mut out,
                format_args!("<text class=\"m\" x=\"{:.1}\" y=\"172\">{} s</text>\n", x(t), short(t)),
            );
        }
        for (i, (_, values)) in self.lines.iter().enumerate() {
            let path = path(&self.times_s, values, x, &scale);
            put(&mut out, format_args!("<path class=\"l c{}\" d=\"{path}\"/>\n", i % COLOURS));
        }
        out.push_str("</svg></figure>\n");
        out
    }
}

/// A line with a gap where values are missing; a single value is a dash.
fn path(times: &[f64], values: &[f64], x: impl Fn(f64) -> f64, scale: &Scale) -> String {
    let (mut out, mut drawn) = (String::new(), 0);
    for (&t, &value) in times.iter().zip(values) {
        let known = value.is_finite() && (value > 0.0 || !scale.log);
        if !known {
            if drawn == 1 {
                out.push_str("h1");
            }
            drawn = 0;
            continue;
        }
        let letter = if drawn == 0 { 'M' } else { 'L' };
        put(&mut out, format_args!("{letter}{:.1} {:.1}", x(t), scale.y(value)));
        drawn += 1;
    }
    if drawn == 1 {
        out.push_str("h1");
    }
    out
}

/// A number in a few digits, with its thousands apart.
fn short(x: f64) -> String {
    if x >= 1000.0 {
        return count(x.round() as u64);
    }
    let digits = if x >= 100.0 || x.fract() == 0.0 {
        0
    } else if x >= 10.0 {
        1
    } else {
        3
    };
    let scale = ten(digits);
    plain((x * scale).round() / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(log: bool, values: &[f64]) -> Chart {
        let times_s = (0..values.len()).map(|i| i as f64).collect();
        Chart { title: "T", unit: "ms", log, times_s, lines: vec![("a<b".to_owned(), values.to_vec())] }
    }

    #[test]
    fn a_line_has_gaps_where_values_are_missing() {
        let svg = chart(false, &[0.0, 10.0, f64::NAN, 5.0]).svg();
        assert!(svg.contains("d=\"M56.0 155.0L247.3 10.0M630.0 82.5h1\""), "{svg}");
        assert!(svg.contains("a&lt;b") && !svg.contains("a<b"), "{svg}");
        assert!(chart(false, &[f64::NAN]).is_empty());
    }

    #[test]
    fn decades_are_equally_far_apart() {
        let scale = chart(true, &[2.0, 900.0]).scale();
        assert_eq!(format!("{:?}", scale.ticks()), "[1.0, 10.0, 100.0, 1000.0]");
        let [a, b, c] = [1.0, 10.0, 100.0].map(|v| scale.y(v));
        assert!((a - b - (b - c)).abs() < 1e-9);
        assert_eq!(format!("{:?}", [0.3, 3.0, 70.0].map(nice)), "[0.5, 5.0, 100.0]");
        assert_eq!([0.25, 12.34, 100_000.0].map(short), ["0.25", "12.3", "100,000"]);
    }
}
