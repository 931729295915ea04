//! Arrivals: when the requests of one client arrive.
//!
//! Gaps are drawn at unit rate. On a clock that runs at the speed of the rate (the integral of the rate over time)
//! they stay as drawn; on the simulated clock they shrink and stretch with the rate. So neither a new rate nor a rate
//! profile consumes or shifts a draw.
//!
//! The sum of the gaps is kept far finer than the clock's microseconds, and only the instants are rounded: rounded
//! gaps would make a fast client slower or faster than its rate.
//!
//! A client with on and off periods has such a clock for each on period: a gap that is not over at its end goes on in the
//! next one. What is kept is where the gap began, so that an edit finds the periods between then and now.

use super::on_off::OnOff;
use base::rng::{Purpose, Stream};
use base::small::decimal::plain;
use base::units::US_PER_S;
use base::{Curve, Micros, dist, math};
use document::{Arrivals, Client};
use serde::{Deserialize, Serialize};

/// The shape of the gaps, whatever their rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Gaps {
    Poisson,
    Gamma { cv: f64 },
    Weibull { shape: f64, scale: f64 },
    Constant,
}

impl Gaps {
    fn of(arrivals: &Arrivals) -> Self {
        match *arrivals {
            Arrivals::Poisson { .. } | Arrivals::OnOff { .. } => Self::Poisson,
            Arrivals::Gamma { cv, .. } => Self::Gamma { cv },
            Arrivals::Weibull { cv, .. } => {
                let (shape, scale) = dist::weibull_of(cv);
                Self::Weibull { shape, scale }
            }
            // A closed loop sends when a place is free, and draws nothing.
            Arrivals::Constant { .. } | Arrivals::Concurrency { .. } => Self::Constant,
        }
    }
}

/// A place on the clock that runs with the factor of the rate: microseconds times 2^32.
type Fine = u128;

/// Bits of a [`Fine`] below the microsecond.
const FRACTION: u32 = 32;

/// The last place on the fine clock: beyond the end of the simulated one, even at the largest factor.
const FINE_END: Fine = 1 << (63 + FRACTION);

/// Microseconds computed in floating point, truncated to a place or a length on the fine clock.
fn fine(us: f64) -> Fine {
    assert!(us >= 0.0, "INV-3: a gap of {} us", plain(us));
    // A factor of a power of two loses no digits. The cast saturates at the largest number.
    ((us * (1_u64 << FRACTION) as f64) as Fine).min(FINE_END)
}

/// The future arrivals of one client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ArrivalProcess {
    gaps: Gaps,
    rate_per_s: f64,
    /// The factor on the rate over time; `None` if it is always 1.
    factor: Option<Curve>,
    /// When the next request arrives; [`Micros::MAX`] while none will at the present rate.
    next: Micros,
    /// The current gap, in mean gaps, and where it began.
    gap: f64,
    since: Fine,
    draws: Stream,
    seed: u64,
    number: u32,
    /// On and off periods, at the one in which the current gap began.
    periods: Option<OnOff>,
    /// The same at the one in which the gap ends, and its end on the fine clock.
    ahead: Option<(OnOff, Fine)>,
}

/// Most on periods that one gap may last: then no further request is expected within any run.
const PERIODS_OF_A_GAP: u32 = 1_000_000;

impl ArrivalProcess {
    /// The arrivals of client `number` in a run with `seed`; the first comes after one gap.
    pub(super) fn new(client: &Client, seed: u64, number: u32) -> Self {
        let mut process = Self {
            gaps: Gaps::of(&client.arrivals),
            rate_per_s: client.arrivals.rate_per_s(),
            factor: client.rate_profile.curve(),
            next: Micros::ZERO,
            gap: 0.0,
            since: 0,
            draws: Stream::new(seed, Purpose::Arrivals, number),
            seed,
            number,
            periods: OnOff::new(&client.arrivals, seed, number, Micros::ZERO),
            ahead: None,
        };
        process.since = process.periods.as_ref().map_or(0, |periods| process.place(periods.from()));
        process.draw();
        process.find_next(Micros::ZERO);
        process
    }

    /// When the next request arrives.
    pub(super) fn next(&self) -> Micros {
        self.next
    }

    /// The next request has arrived: draws the following gap, which may be shorter than a microsecond.
    pub(super) fn advance(&mut self) {
        match self.ahead.take() {
            None => self.since = self.due(self.since, self.gap),
            Some((periods, due)) => (self.periods, self.since) = (Some(periods), due),
        }
        self.draw();
        self.find_next(self.next);
    }

    /// Draws a gap.
    fn draw(&mut self) {
        self.gap = match self.gaps {
            Gaps::Poisson => dist::exponential(&mut self.draws, 1.0),
            Gaps::Gamma { cv } => dist::gamma(&mut self.draws, 1.0, cv),
            Gaps::Weibull { shape, scale } => dist::weibull(&mut self.draws, shape, scale),
            Gaps::Constant => 1.0,
        };
    }

    /// A client that was added at `now`: its first request comes one gap later.
    pub(super) fn begin(&mut self, now: Micros) {
        if let Some(periods) = &mut self.periods {
            periods.begin(now);
        }
        let begins = self.periods.as_ref().map_or(now, |periods| periods.from().max(now));
        self.since = self.place(begins);
        self.find_next(now);
    }

    /// The client was a closed loop until `now`, in which gaps do not count: a new gap begins.
    pub(super) fn open(&mut self, now: Micros) {
        self.draw();
        self.begin(now);
    }

    /// Follows the settings of `client` from `now` on. The current gap keeps its remaining share; gaps of another
    /// shape begin with the next one.
    pub(super) fn adopt(&mut self, client: &Client, now: Micros) {
        self.gaps = Gaps::of(&client.arrivals);
        self.change(client.arrivals.rate_per_s(), client.rate_profile.curve(), Some(&client.arrivals), now);
    }

    fn change(&mut self, rate_per_s: f64, factor: Option<Curve>, arrivals: Option<&Arrivals>, now: Micros) {
        assert!(
            rate_per_s.is_finite() && rate_per_s >= 0.0,
            "INV-3: a rate of {} requests per second",
            plain(rate_per_s)
        );
        let same_periods = arrivals.is_none_or(|arrivals| match &self.periods {
            None => !matches!(arrivals, Arrivals::OnOff { .. }),
            Some(periods) => periods.is_of(arrivals),
        });
        if rate_per_s.to_bits() == self.rate_per_s.to_bits() && factor == self.factor && same_periods {
            return;
        }
        self.pass_periods_until(now);
        let is_off = self.periods.as_ref().is_some_and(|periods| periods.from() > now);
        let here = self.place(now);
        // Rounding may have placed the latest arrival slightly before its due time.
        self.pass(if is_off { self.since } else { here });
        let early = if is_off { 0 } else { self.since.saturating_sub(here) };
        self.rate_per_s = rate_per_s;
        self.factor = factor;
        if let Some(arrivals) = arrivals.filter(|_| !same_periods) {
            match &mut self.periods {
                Some(periods) if matches!(arrivals, Arrivals::OnOff { .. }) => periods.adopt(arrivals, now),
                _ => self.periods = OnOff::new(arrivals, self.seed, self.number, now),
            }
        }
        let begins = self.periods.as_ref().map_or(now, |periods| periods.from().max(now));
        self.since = self.place(begins) + early;
        self.find_next(now);
    }

    /// The gap is shorter by what lies between its beginning and a place on the fine clock.
    fn pass(&mut self, here: Fine) {
        let passed_us = here.saturating_sub(self.since) as f64 / (1_u64 << FRACTION) as f64;
        self.gap = (self.gap - passed_us * self.rate_per_s / US_PER_S as f64).max(0.0);
    }

    /// Goes through the on periods that are over at `now`; the gap is shorter by them.
    fn pass_periods_until(&mut self, now: Micros) {
        while let Some(mut periods) = self.periods.clone().filter(|periods| periods.to() <= now) {
            self.pass(self.place(periods.to()));
            periods.advance();
            self.since = self.place(periods.from());
            self.periods = Some(periods);
        }
    }

    /// Finds when the gap ends, not before `earliest`.
    fn find_next(&mut self, earliest: Micros) {
        self.ahead = None;
        let Some(mut periods) = self.periods.clone() else {
            self.next = self.instant(self.due(self.since, self.gap), earliest);
            return;
        };
        let (since, gap) = (self.since, self.gap);
        self.next = Micros::MAX;
        for _ in 0..PERIODS_OF_A_GAP {
            let (due, end) = (self.due(self.since, self.gap), self.place(periods.to()));
            if due < end {
                // Rounding does not move it out of its period.
                let at = self.instant(due, earliest.max(periods.from()));
                self.next = if at < Micros::MAX { at.min(Micros(periods.to().0 - 1)) } else { at };
                self.ahead = Some((periods, due));
                break;
            }
            let never = end == self.since && self.instant(due, earliest) == Micros::MAX;
            if self.rate_per_s <= 0.0 || never || periods.to() >= Micros::END {
                break;
            }
            self.pass(end);
            periods.advance();
            self.since = self.place(periods.from());
        }
        (self.since, self.gap) = (since, gap);
    }

    /// Changes only the rate from `now` on.
    #[cfg(test)]
    pub(super) fn set_rate(&mut self, rate_per_s: f64, now: Micros) {
        self.change(rate_per_s, self.factor.clone(), None, now);
    }

    /// How many arrivals are expected between two instants.
    pub(super) fn expected(&self, from: Micros, to: Micros) -> f64 {
        let area = |at: Micros| self.factor.as_ref().map_or(at.0 as f64, |factor| factor.area(at));
        let stretch = match (&self.periods, &self.factor) {
            (Some(periods), _) => periods.expected(from, to, area),
            (None, None) => to.since(from).0 as f64,
            (None, Some(factor)) => factor.area(to) - factor.area(from),
        };
        (self.rate_per_s * stretch / US_PER_S as f64).max(0.0)
    }

    /// The fine clock at an instant.
    fn place(&self, at: Micros) -> Fine {
        match &self.factor {
            None => Fine::from(at.0) << FRACTION,
            Some(factor) => fine(factor.area(at)),
        }
    }

    /// The end of a gap; the end of the fine clock if it is too far or never comes.
    fn due(&self, since: Fine, gap: f64) -> Fine {
        if gap <= 0.0 {
            return since;
        }
        // Without a rate the quotient is infinite.
        (since + fine(gap / self.rate_per_s * US_PER_S as f64)).min(FINE_END)
    }

    /// The microsecond nearest to a place on the fine clock, but not before `earliest`.
    fn instant(&self, due: Fine, earliest: Micros) -> Micros {
        if self.rate_per_s <= 0.0 {
            return Micros::MAX;
        }
        let at = match &self.factor {
            None => Some(((due + (1 << (FRACTION - 1))) >> FRACTION) as u64),
            Some(factor) => nearest_active(factor, due as f64 / (1_u64 << FRACTION) as f64),
        };
        at.map_or(Micros::MAX, |at| Micros(at).max(earliest).min(Micros::END))
    }
}

/// The microsecond nearest to where the integral of `factor` reaches `area`. Rounding does not move it into an
/// interval with factor 0.
fn nearest_active(factor: &Curve, area: f64) -> Option<u64> {
    let us = factor.instant(area)?.min(Micros::END.0 as f64);
    let nearest = Micros(math::round_to_span(us).0);
    let active = factor.active_from(nearest)?;
    let before = Micros(us as u64);
    let at = if active > nearest && factor.active_from(before) == Some(before) { before } else { active };
    Some(at.0)
}
