//! A piecewise linear function of time, never below 0, with its integral and the instant at which the integral reaches
//! a value.
//!
//! It realises a rate that changes in time exactly: the integral of the rate is a clock on which arrivals keep their
//! usual gaps. No draw is discarded, so that two runs with different rates use the same draws.

use crate::Micros;
use crate::small::decimal::plain;
use serde::{Deserialize, Serialize};

/// A straight piece, up to where the next one starts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Straight {
    /// Where it starts, in microseconds.
    start: f64,
    /// The value there.
    value: f64,
    /// How much the value grows in a microsecond.
    slope: f64,
    /// The integral up to its start, in microseconds times value.
    area: f64,
}

/// The function: linear pieces; after the last point it keeps its value, or repeats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// At least one; the first starts at 0.
    pieces: Vec<Straight>,
    /// Length and integral of a period, if it repeats.
    period: Option<(f64, f64)>,
}

/// The course of the function between two points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// It keeps the value of the first.
    Hold,
    /// It goes to the second in a straight line.
    Line,
}

impl Curve {
    /// The function through `points` (instant, value), in order, the first at 0. Of two at the same instant the second
    /// holds from there on. After the last point it keeps its value; with `period` above 0, which must lie after the
    /// last point, it repeats from there.
    #[must_use]
    pub fn new(points: &[(Micros, f64)], between: Between, period: Micros) -> Self {
        assert!(points.first().is_some_and(|p| p.0 == Micros::ZERO), "INV-3: a curve that starts late");
        let mut pieces: Vec<Straight> = Vec::with_capacity(points.len());
        let mut area = 0.0;
        for (i, &(at, value)) in points.iter().enumerate() {
            assert!(value.is_finite() && value >= 0.0, "INV-3: a rate of {}", plain(value));
            let start = at.0 as f64;
            let next = points.get(i + 1).map_or((start, value), |&(at, value)| (at.0 as f64, value));
            let length = next.0 - start;
            assert!(length >= 0.0, "INV-3: the points of a curve go back at {at:?}");
            if length <= 0.0 && i + 1 < points.len() {
                continue;
            }
            let end = if between == Between::Hold { value } else { next.1 };
            let slope = if length > 0.0 { (end - value) / length } else { 0.0 };
            pieces.push(Straight { start, value, slope, area });
            area += f64::midpoint(value, end) * length;
        }
        let last = pieces[pieces.len() - 1];
        let length = period.0 as f64;
        assert!(period == Micros::ZERO || length > last.start, "INV-3: a period of {period:?}");
        let whole = last.area + last.value * (length - last.start);
        Self { pieces, period: (period > Micros::ZERO).then_some((length, whole)) }
    }

    /// The largest value.
    pub fn peak(&self) -> f64 {
        // A line has its larger value at one of its ends, which is the start of a piece or the last point.
        let ends = self.pieces.windows(2).map(|w| w[0].value + w[0].slope * (w[1].start - w[0].start));
        self.pieces.iter().map(|p| p.value).chain(ends).fold(0.0, f64::max)
    }

    /// The integral from 0 to `at`, in microseconds times value.
    pub fn area(&self, at: Micros) -> f64 {
        let at = at.0 as f64;
        let Some((length, whole)) = self.period else { return self.area_within(at) };
        let periods = libm::floor(at / length);
        periods * whole + self.area_within(at - periods * length)
    }

    /// The integral over all time; `None` if it has no end.
    pub fn total(&self) -> Option<f64> {
        let last = self.pieces[self.pieces.len() - 1];
        match self.period {
            Some((_, whole)) => (whole <= 0.0).then_some(0.0),
            None => (last.value <= 0.0).then_some(last.area),
        }
    }

    /// The instant at which the integral exceeds `area`, in microseconds; `None` if it never does.
    pub fn instant(&self, area: f64) -> Option<f64> {
        let Some((length, whole)) = self.period else { return self.instant_within(area) };
        if whole <= 0.0 {
            return None;
        }
        let periods = libm::floor(area / whole);
        let within = self.instant_within((area - periods * whole).max(0.0));
        // A remainder that was rounded up to a whole period is the beginning of the next one.
        Some(periods * length + within.map_or(length, |t| t.min(length)))
    }

    /// The first instant from `at` on that does not lie in an interval where the function is 0; `None` if there is none.
    pub fn active_from(&self, at: Micros) -> Option<Micros> {
        let t = at.0 as f64;
        let start = self.period.map_or(0.0, |(length, _)| libm::floor(t / length) * length);
        let here = self.piece_at(t - start);
        if !self.pieces[here].is_silent() {
            return Some(at);
        }
        let found = self.pieces[here..].iter().find(|p| !p.is_silent()).map(|p| start + p.start);
        let found = found.or_else(|| {
            let (length, _) = self.period?;
            self.pieces.iter().find(|p| !p.is_silent()).map(|p| start + length + p.start)
        })?;
        Some(Micros((found as u64).min(Micros::MAX.0)))
    }

    fn piece_at(&self, t: f64) -> usize {
        self.pieces.partition_point(|p| p.start <= t).max(1) - 1
    }

    fn area_within(&self, t: f64) -> f64 {
        let p = self.pieces[self.piece_at(t)];
        let since = t - p.start;
        p.area + (p.value + p.slope * since / 2.0) * since
    }

    fn instant_within(&self, area: f64) -> Option<f64> {
        // Of pieces that start with the same integral, the last counts: the earlier ones add nothing.
        let i = self.pieces.partition_point(|p| p.area <= area).max(1) - 1;
        let p = self.pieces[i];
        if p.is_silent() {
            return self.pieces.get(i + 1).map(|next| next.start);
        }
        let more = area - p.area;
        if more <= 0.0 {
            return Some(p.start);
        }
        // value · t + slope · t² / 2 = more, solved without a difference of nearly equal numbers.
        let root = (p.value * p.value + 2.0 * p.slope * more).max(0.0).sqrt();
        let t = p.start + 2.0 * more / (p.value + root);
        Some(self.pieces.get(i + 1).map_or(t, |next| t.min(next.start)))
    }
}

impl Straight {
    /// Whether it is 0 all along.
    fn is_silent(&self) -> bool {
        self.value <= 0.0 && self.slope <= 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: &[(u64, f64)], between: Between, period: u64) -> Curve {
        let points: Vec<(Micros, f64)> = points.iter().map(|&(at, value)| (Micros(at), value)).collect();
        Curve::new(&points, between, Micros(period))
    }

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() <= 1e-9 * wanted.max(1.0), "{found} instead of {wanted}");
    }

    #[test]
    fn integrals_are_those_done_by_hand() {
        let steps = curve(&[(0, 1.0), (10, 3.0), (20, 0.0)], Between::Hold, 0);
        for (at, area) in [(0, 0.0), (4, 4.0), (10, 10.0), (15, 25.0), (20, 40.0), (99, 40.0)] {
            near(steps.area(Micros(at)), area);
        }
        // Up from 0 to 4, a jump to 1, and on at 1.
        let ramps = curve(&[(0, 0.0), (10, 4.0), (10, 1.0)], Between::Line, 0);
        for (at, area) in [(5, 5.0), (10, 20.0), (16, 26.0)] {
            near(ramps.area(Micros(at)), area);
        }
        near(ramps.peak(), 4.0);
        let again = curve(&[(0, 2.0), (5, 0.0)], Between::Hold, 8);
        for (at, area) in [(5, 10.0), (8, 10.0), (9, 12.0), (24, 30.0), (26, 34.0)] {
            near(again.area(Micros(at)), area);
        }
        assert_eq!((steps.total(), ramps.total(), again.total()), (Some(40.0), None, None));
        assert_eq!(curve(&[(0, 0.0)], Between::Hold, 7).total(), Some(0.0));
    }

    #[test]
    fn the_inverse_finds_the_instant_of_every_integral() {
        let all = [
            curve(&[(0, 1.0), (10, 3.0), (20, 0.0), (30, 0.5)], Between::Hold, 0),
            curve(&[(0, 0.0), (100, 4.0), (100, 1.0), (200, 0.0), (300, 2.0)], Between::Line, 0),
            curve(&[(0, 0.0), (100, 4.0), (150, 0.0)], Between::Line, 400),
            curve(&[(0, 0.0), (3, 1.0), (5, 0.0)], Between::Hold, 7),
        ];
        for c in &all {
            let mut before = 0.0;
            for k in 0..4000 {
                let area = f64::from(k) * 0.37;
                let at = c.instant(area).unwrap();
                assert!(at >= before, "{c:?} goes back at {area}");
                before = at;
                // The requested integral lies between the whole microseconds around the instant.
                let (low, high) = (Micros(at.floor() as u64), Micros(at.ceil() as u64));
                assert!(c.area(low) <= area + 1e-6 && c.area(high) >= area - 1e-6, "{c:?} at {area}: {at}");
            }
        }
    }

    #[test]
    fn an_integral_reached_at_the_start_of_a_silence_belongs_to_its_end() {
        let c = curve(&[(0, 1.0), (10, 0.0), (20, 1.0), (30, 0.0)], Between::Hold, 0);
        assert_eq!((c.instant(9.0), c.instant(10.0), c.instant(19.5)), (Some(9.0), Some(20.0), Some(29.5)));
        assert_eq!(c.instant(20.0), None);
        let from = |at| c.active_from(Micros(at)).map(|at| at.0);
        assert_eq!(
            [0, 9, 10, 19, 20, 29, 30].map(from),
            [0, 9, 20, 20, 20, 29].map(Some).into_iter().chain([None]).collect::<Vec<_>>()[..]
        );
        let again = curve(&[(0, 0.0), (3, 1.0), (5, 0.0)], Between::Hold, 7);
        assert_eq!([0, 4, 5, 8].map(|at| again.active_from(Micros(at)).unwrap().0), [3, 4, 10, 10]);
        assert_eq!(again.instant(2.0), Some(10.0));
        assert_eq!(curve(&[(0, 0.0)], Between::Hold, 7).instant(0.0), None);
    }
}
