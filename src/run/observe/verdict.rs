//! The saturation verdict: whether a run was steady, so that its percentiles mean something, or requests piled up.
//!
//! It looks at requests inside (arrived and not left) between the start of the measurement window and the last arrival, in
//! [`BATCHES`] batches of equal length. The mean of each batch is exact: the time that each request spent inside within it. The
//! slope of a line through the means is held against its 95 % interval, by Student's t and widened for means that resemble
//! their neighbours: the half width is multiplied by √((1 + r) / (1 − r)), r the correlation of neighbouring residuals.
//!
//! It is an assessment of a run and no result: no digest covers it.

use super::passages::{Passage, Passages};
use super::recorder::Recorder;
use super::summaries::passage;
use base::Period;
use base::number_text::three_digits as of_positive;
use base::stats::t_975;
use engine::Cluster;
use serde::{Deserialize, Serialize};

/// How many batches there are.
pub(crate) const BATCHES: usize = 20;
/// Fewest arrivals for a verdict.
const FEWEST: u64 = 100;
/// A backlog has at least this many waiting requests, as the mean of a batch.
const BACKLOG: f64 = 10.0;
/// Largest correlation of neighbours that widens the interval.
const MOST_ALIKE: f64 = 0.9;

/// Whether requests piled up.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoadState {
    /// Requests inside did not grow, and no backlog was worked off.
    Stable,
    /// A backlog grew and was or is being worked off, or requests inside grew while as many completed as arrived.
    Backlogged,
    /// Requests inside grew, and fewer completed than arrived in the last half.
    Overloaded,
    /// Too few requests for a verdict.
    #[default]
    TooShort,
}

impl LoadState {
    /// The worse of two.
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        let rank = |state: Self| match state {
            Self::TooShort => 0,
            Self::Stable => 1,
            Self::Backlogged => 2,
            Self::Overloaded => 3,
        };
        if rank(other) > rank(self) { other } else { self }
    }

    /// Its name in reports and rows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stable => "stable",
            Self::Backlogged => "backlogged",
            Self::Overloaded => "overloaded",
            Self::TooShort => "too-short",
        }
    }
}

/// The saturation verdict of a run, with its figures.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunVerdict {
    /// The verdict.
    pub state: LoadState,
    /// The verdict with its figures, as a sentence.
    pub text: String,
    /// Requests that arrived between the start of the measurement window and the last arrival.
    pub arrivals: u64,
    /// Mean number of requests inside in the first batch and in the last; null if it is too short.
    pub inside: Option<[f64; 2]>,
    /// Slope of the number of requests inside, per second, with the ends of its 95 % interval; null if it is too short.
    pub slope_per_s: Option<[f64; 3]>,
    /// Completions over arrivals in the last half, 1 at most; null if it is too short.
    pub completed_share: Option<f64>,
    /// Waiting requests: the largest mean of a batch, and the mean of the last batch; null if it is too short.
    pub waiting: Option<[f64; 2]>,
}

/// What is read of a run.
#[derive(Clone, Debug, Default)]
struct Batches {
    inside: [f64; BATCHES],
    waiting: [f64; BATCHES],
    arrivals: u64,
    /// Arrivals and completions in the last half.
    last_half: [u64; 2],
}

/// The verdict of a run so far.
pub(crate) fn verdict(engine: &Cluster, recorder: &Recorder) -> RunVerdict {
    let records = engine.records();
    let Some(last) = records.last() else { return judge(&Batches::default(), 0.0) };
    let (from, to) = (recorder.warmup().from(), last.arrival);
    if from >= to {
        return judge(&Batches::default(), 0.0);
    }
    let period = Period { from, to };
    let batches = match recorder.summed_up(engine) {
        Some(all) => batches_of_cells(period, all.arrived_since, &all.passages),
        None => batches(period, records.iter().map(|r| passage(&r))),
    };
    judge(&batches, (to.0 - from.0) as f64 / 1e6 / BATCHES as f64)
}

/// The same from cells of time, each of which counts for its share that lies within.
fn batches_of_cells(period: Period, arrivals: u64, passages: &Passages) -> Batches {
    let (from, to) = (period.from.0, period.to.0);
    let mut found = Batches { arrivals, ..Batches::default() };
    let width = (to - from) as f64 / BATCHES as f64;
    let half = from + (to - from) / 2;
    let (cell_us, cells) = passages.cells();
    let shared = |[a, b]: [f64; 2], [c, d]: [f64; 2]| {
        let (low, high) = (if a > c { a } else { c }, if b < d { b } else { d });
        if high > low { (high - low) / (b - a) } else { 0.0 }
    };
    let mut last_half = [0.0; 2];
    for (i, cell) in (0..).zip(cells) {
        let span = [(i * cell_us) as f64, ((i + 1) * cell_us) as f64];
        let late = shared(span, [half as f64, to as f64]);
        last_half[0] += late * cell.arrived as f64;
        last_half[1] += late * cell.completed as f64;
        for k in 0..BATCHES {
            let begin = from as f64 + k as f64 * width;
            let part = shared(span, [begin, begin + width]) / width;
            found.inside[k] += part * cell.inside_us as f64;
            found.waiting[k] += part * cell.waiting_us as f64;
        }
    }
    found.last_half = last_half.map(|n| libm::round(n) as u64);
    found
}

fn batches(period: Period, passages: impl Iterator<Item = Passage>) -> Batches {
    let (from, to) = (period.from.0, period.to.0);
    let mut found = Batches::default();
    let width = (to - from) as f64 / BATCHES as f64;
    let half = from + (to - from) / 2;
    for (arrival, scheduled, left, completed) in passages {
        found.arrivals += u64::from((from..=to).contains(&arrival));
        found.last_half[0] += u64::from((half..=to).contains(&arrival));
        found.last_half[1] += u64::from(completed && left.is_some_and(|left| (half..=to).contains(&left)));
        let until = left.unwrap_or(to);
        // In batches since the first began.
        let at = |instant: u64| instant.saturating_sub(from) as f64 / width;
        add(&mut found.inside, at(arrival), at(until));
        add(&mut found.waiting, at(arrival), at(scheduled.unwrap_or(until)));
    }
    found
}

/// Adds the time between two instants to the means of batches; the width of one is the unit of time.
fn add(means: &mut [f64; BATCHES], begin: f64, end: f64) {
    for (k, mean) in means.iter_mut().enumerate().skip(begin as usize) {
        let (low, high) = (k as f64, (k + 1) as f64);
        if low >= end {
            break;
        }
        *mean += (if end < high { end } else { high }) - (if begin > low { begin } else { low });
    }
}

/// The slope of equally spaced values per step, and the half width of its interval.
fn slope(values: &[f64; BATCHES]) -> [f64; 2] {
    let n = BATCHES as f64;
    let (middle, mean) = ((n - 1.0) / 2.0, values.iter().sum::<f64>() / n);
    let (mut xx, mut xy) = (0.0, 0.0);
    for (k, y) in values.iter().enumerate() {
        let x = k as f64 - middle;
        xx += x * x;
        xy += x * (y - mean);
    }
    let slope = xy / xx;
    let residual = |k: usize| values[k] - mean - slope * (k as f64 - middle);
    let squares: f64 = (0..BATCHES).map(|k| residual(k) * residual(k)).sum();
    let alike: f64 = (1..BATCHES).map(|k| residual(k) * residual(k - 1)).sum();
    let r = if squares > 0.0 { (alike / squares).clamp(0.0, MOST_ALIKE) } else { 0.0 };
    let freedom = BATCHES as u32 - 2;
    let error = libm::sqrt(squares / f64::from(freedom) / xx * (1.0 + r) / (1.0 - r));
    [slope, t_975(freedom) * error]
}

/// Three significant digits, with a sign if it is below 0.
fn three_digits(x: f64) -> String {
    let text = of_positive(x.abs());
    if x < 0.0 && text != "0" { format!("−{text}") } else { text }
}

fn judge(found: &Batches, batch_s: f64) -> RunVerdict {
    let arrivals = found.arrivals;
    if arrivals < FEWEST || batch_s <= 0.0 {
        let text = format!(
            "Too short to say whether the load is stable: {arrivals} requests arrived in the measurement window, and {FEWEST} are needed."
        );
        return RunVerdict { text, arrivals, ..RunVerdict::default() };
    }
    let [slope, half] = slope(&found.inside).map(|x| x / batch_s);
    let [came, completed] = found.last_half;
    let share = if came > 0 { completed as f64 / came as f64 } else { 1.0 };
    let peak = (0..BATCHES).max_by(|a, b| found.waiting[*a].total_cmp(&found.waiting[*b])).unwrap_or(0);
    let [most, last] = [found.waiting[peak], found.waiting[BATCHES - 1]];
    let mut sorted = found.waiting;
    sorted.sort_by(f64::total_cmp);
    let grows = slope - half > 0.0;
    // A backlog: many waited at some time, twice as many as usual, and a tenth of those inside.
    let backlog = most >= BACKLOG && most >= 2.0 * sorted[BATCHES / 2] && most >= 0.1 * found.inside[peak];
    let state = if grows && share < 1.0 {
        LoadState::Overloaded
    } else if grows || backlog {
        LoadState::Backlogged
    } else {
        LoadState::Stable
    };
    let inside = [found.inside[0], found.inside[BATCHES - 1]];
    let slope_per_s = [slope, slope - half, slope + half];
    let [a, b] = inside.map(three_digits);
    let [value, low, high] = slope_per_s.map(three_digits);
    let figures = format!(
        "requests inside went from {a} to {b}, by {value} per second (95 % interval {low} to {high}); in the last half {} completed for each that arrived",
        three_digits(share)
    );
    let waited = || format!("as many as {} waited, {} at the end", three_digits(most), three_digits(last));
    let text = match state {
        LoadState::Stable => format!("Stable: {figures}."),
        LoadState::Backlogged if backlog => format!("Backlogged: {}; {figures}.", waited()),
        LoadState::Backlogged => format!("Backlogged: {figures}."),
        LoadState::Overloaded => {
            format!("Overloaded, so percentiles depend on the length of the run: {figures}.")
        }
        LoadState::TooShort => String::new(),
    };
    RunVerdict {
        state,
        text,
        arrivals,
        inside: Some(inside),
        slope_per_s: Some(slope_per_s),
        completed_share: Some(share.min(1.0)),
        waiting: Some([most, last]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Micros;

    /// Arrivals every second for 1,000 s, each inside for a time by its number and waiting for a part of it.
    fn of(stay: impl Fn(u64) -> [u64; 2]) -> RunVerdict {
        let passages = (0..=1000).map(|k| {
            let [wait, stay] = stay(k);
            let (arrival, left) = (k * 1_000_000, (k + stay) * 1_000_000);
            let seen = |at: u64| (at <= 1_000_000_000).then_some(at);
            (arrival, seen((k + wait) * 1_000_000), seen(left), seen(left).is_some())
        });
        judge(&batches(Period { from: Micros::ZERO, to: Micros(1_000_000_000) }, passages), 50.0)
    }

    #[test]
    fn a_queue_that_grows_for_good_is_overloaded() {
        // Request k is inside for 10 + k s: half of the arrivals complete, and inside grows by one in two seconds.
        let v = of(|k| [k, 10 + k]);
        assert_eq!(v.state, LoadState::Overloaded, "{v:?}");
        let [slope, low, high] = v.slope_per_s.expect("long enough");
        assert!((slope - 0.5).abs() < 0.05 && low > 0.0 && low < slope && slope < high, "{v:?}");
        assert!(v.completed_share.is_some_and(|share| (share - 0.5).abs() < 0.02), "{v:?}");
        assert!(v.text.starts_with("Overloaded"), "{}", v.text);
    }

    #[test]
    fn a_steady_run_is_stable_and_a_burst_that_was_worked_off_is_a_backlog() {
        // 20 s inside, 2 s more for every other one: 21 inside, once there are any.
        let steady = of(|k| [1, 20 + 2 * (k % 2)]);
        assert_eq!(steady.state, LoadState::Stable, "{steady:?}");
        assert!(steady.inside.is_some_and(|[_, last]| (last - 21.0).abs() < 0.1), "{steady:?}");
        // Between 300 and 400 s requests wait for up to 100 s.
        let burst = of(|k| if (300..400).contains(&k) { [400 - k + 20, 420 - k + 20] } else { [1, 20] });
        assert_eq!(burst.state, LoadState::Backlogged, "{burst:?}");
        assert!(burst.text.contains("at the end"), "{}", burst.text);
        // Those that waited until the middle complete in the last half, beside all that arrive there.
        let late = of(|k| if (300..520).contains(&k) { [520 - k, 540 - k] } else { [1, 20] });
        assert_eq!(late.completed_share, Some(1.0), "{late:?}");
    }

    #[test]
    fn the_mean_of_a_batch_is_the_time_inside_it() {
        // One request from 40 s to 110 s: 10 s of the first batch of 50 s, all of the second, 10 s of the third.
        let found = batches(
            Period { from: Micros::ZERO, to: Micros(1_000_000_000) },
            std::iter::once((40_000_000, None, Some(110_000_000), true)),
        );
        let near = |k: usize, x: f64| (found.inside[k] - x).abs() < 1e-9;
        assert!(near(0, 0.2) && near(1, 1.0) && near(2, 0.2) && near(3, 0.0), "{found:?}");
        assert_eq!(judge(&found, 50.0).state, LoadState::TooShort);
    }
}
