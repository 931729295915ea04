//! When the requests of one client arrive.
//!
//! Gaps are drawn at unit rate. On the clock that runs as fast as requests are wanted (the integral of the rate over time)
//! they stay as they are drawn; on the simulated clock they shrink and stretch with the rate. So neither a new rate nor a
//! profile of rates consumes or shifts a draw.
//!
//! What adds up from gap to gap is kept far finer than the clock's microseconds, and only the instants are rounded: were the
//! gaps rounded, a fast client would be slower or faster than its rate.

use crate::base::rng::{Purpose, Stream};
use crate::base::small::decimal::plain;
use crate::base::units::US_PER_S;
use crate::base::{Curve, Micros, dist, math};
use crate::scenario::{Arrivals, Client};
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
            Arrivals::Poisson { .. } => Self::Poisson,
            Arrivals::Gamma { cv, .. } => Self::Gamma { cv },
            Arrivals::Weibull { cv, .. } => {
                let (shape, scale) = dist::weibull_of(cv);
                Self::Weibull { shape, scale }
            }
            Arrivals::Constant { .. } => Self::Constant,
        }
    }
}

/// A place on the clock that runs with the factor of the rate: microseconds times 2^32.
type Fine = u128;

/// Bits of a [`Fine`] below the microsecond.
const FRACTION: u32 = 32;

/// The last place on the fine clock: beyond the end of the simulated one, even at the largest factor.
const FINE_END: Fine = 1 << (63 + FRACTION);

/// Microseconds computed in floating point, cut to a place or a stretch on the fine clock.
fn fine(us: f64) -> Fine {
    assert!(us >= 0.0, "INV-3: a gap of {} us", plain(us));
    // A power of two: nothing is lost. The cast stops at the largest number.
    ((us * (1_u64 << FRACTION) as f64) as Fine).min(FINE_END)
}

/// The arrivals of one client that are still to come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ArrivalProcess {
    gaps: Gaps,
    rate_per_s: f64,
    /// What the rate is multiplied by over time; nothing if that is always 1.
    factor: Option<Curve>,
    /// When the next request arrives; [`Micros::MAX`] while none will at the present rate.
    next: Micros,
    /// The running gap, in mean gaps, and where it began.
    gap: f64,
    since: Fine,
    draws: Stream,
}

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
        };
        process.advance();
        process
    }

    /// When the next request arrives.
    pub(super) fn next(&self) -> Micros {
        self.next
    }

    /// The next request has arrived: draws the gap after it, which may be shorter than a microsecond.
    pub(super) fn advance(&mut self) {
        self.since = self.due();
        self.gap = match self.gaps {
            Gaps::Poisson => dist::exponential(&mut self.draws, 1.0),
            Gaps::Gamma { cv } => dist::gamma(&mut self.draws, 1.0, cv),
            Gaps::Weibull { shape, scale } => dist::weibull(&mut self.draws, shape, scale),
            Gaps::Constant => 1.0,
        };
        self.next = self.instant(self.next);
    }

    /// A client that was added at `now`: its first request comes one gap later.
    pub(super) fn begin(&mut self, now: Micros) {
        self.since = self.place(now);
        self.next = self.instant(now);
    }

    /// Sends as `client` says from `now` on. The running gap keeps the share of it that is left; gaps of another shape begin
    /// with the next one.
    pub(super) fn adopt(&mut self, client: &Client, now: Micros) {
        self.gaps = Gaps::of(&client.arrivals);
        self.change(client.arrivals.rate_per_s(), client.rate_profile.curve(), now);
    }

    fn change(&mut self, rate_per_s: f64, factor: Option<Curve>, now: Micros) {
        assert!(
            rate_per_s.is_finite() && rate_per_s >= 0.0,
            "INV-3: a rate of {} requests per second",
            plain(rate_per_s)
        );
        if rate_per_s.to_bits() == self.rate_per_s.to_bits() && factor == self.factor {
            return;
        }
        let here = self.place(now);
        // Rounding may have put the latest arrival a little earlier than it was due.
        let passed_us = here.saturating_sub(self.since) as f64 / (1_u64 << FRACTION) as f64;
        self.gap = (self.gap - passed_us * self.rate_per_s / US_PER_S as f64).max(0.0);
        let early = self.since.saturating_sub(here);
        self.rate_per_s = rate_per_s;
        self.factor = factor;
        self.since = self.place(now) + early;
        self.next = self.instant(now);
    }

    /// Another rate from `now` on, and nothing else.
    #[cfg(test)]
    pub(super) fn set_rate(&mut self, rate_per_s: f64, now: Micros) {
        self.change(rate_per_s, self.factor.clone(), now);
    }

    /// How many arrivals are expected between two instants.
    pub(super) fn expected(&self, from: Micros, to: Micros) -> f64 {
        let stretch = match &self.factor {
            None => to.since(from).0 as f64,
            Some(factor) => factor.area(to) - factor.area(from),
        };
        (self.rate_per_s * stretch / US_PER_S as f64).max(0.0)
    }

    /// Where the fine clock stands at an instant.
    fn place(&self, at: Micros) -> Fine {
        match &self.factor {
            None => Fine::from(at.0) << FRACTION,
            Some(factor) => fine(factor.area(at)),
        }
    }

    /// Where the running gap ends; the end of the fine clock if that is too far, or never.
    fn due(&self) -> Fine {
        if self.gap <= 0.0 {
            return self.since;
        }
        // Without a rate the quotient is infinite.
        (self.since + fine(self.gap / self.rate_per_s * US_PER_S as f64)).min(FINE_END)
    }

    /// The microsecond nearest to where the running gap ends, but not before `earliest`.
    fn instant(&self, earliest: Micros) -> Micros {
        let due = self.due();
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

/// The microsecond nearest to where the integral of `factor` reaches `area`. Rounding does not lead into a silence.
fn nearest_active(factor: &Curve, area: f64) -> Option<u64> {
    let us = factor.instant(area)?.min(Micros::END.0 as f64);
    let nearest = Micros(math::round_to_span(us).0);
    let active = factor.active_from(nearest)?;
    let before = Micros(us as u64);
    let at = if active > nearest && factor.active_from(before) == Some(before) { before } else { active };
    Some(at.0)
}
