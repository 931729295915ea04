//! When the requests of one client arrive.
//!
//! Gaps are drawn at unit rate. On the clock that runs as fast as requests are wanted (the integral of the rate over time)
//! they stay as they are drawn; on the simulated clock they shrink and stretch with the rate. So neither a new rate nor a
//! profile of rates consumes or shifts a draw.

use crate::base::rng::{Purpose, Stream};
use crate::base::units::US_PER_S;
use crate::base::{Curve, Micros, Span, dist, math};
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

/// The arrivals of one client that are still to come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ArrivalProcess {
    gaps: Gaps,
    rate_per_s: f64,
    /// What the rate is multiplied by over time; nothing if that is always 1.
    factor: Option<Curve>,
    /// When the next request arrives; [`Micros::MAX`] while none will at the present rate.
    next: Micros,
    /// While none will: what was left of the running gap, in mean gaps, and when.
    paused: (f64, Micros),
    draws: Stream,
}

impl ArrivalProcess {
    /// The arrivals of client `number` in a run with `seed`; the first comes after one gap.
    pub(super) fn new(client: &Client, seed: u64, number: u32) -> Self {
        let gaps = match client.arrivals {
            Arrivals::Poisson { .. } => Gaps::Poisson,
            Arrivals::Gamma { cv, .. } => Gaps::Gamma { cv },
            Arrivals::Weibull { cv, .. } => {
                let (shape, scale) = dist::weibull_of(cv);
                Gaps::Weibull { shape, scale }
            }
            Arrivals::Constant { .. } => Gaps::Constant,
        };
        let mut process = Self {
            gaps,
            rate_per_s: client.arrivals.rate_per_s(),
            factor: client.rate_profile.curve(),
            next: Micros::ZERO,
            paused: (0.0, Micros::ZERO),
            draws: Stream::new(seed, Purpose::Arrivals, number),
        };
        process.advance();
        process
    }

    /// When the next request arrives.
    pub(super) fn next(&self) -> Micros {
        self.next
    }

    /// The next request has arrived: draws the gap after it, which lasts at least a microsecond.
    pub(super) fn advance(&mut self) {
        let gap = match self.gaps {
            Gaps::Poisson => dist::exponential(&mut self.draws, 1.0),
            Gaps::Gamma { cv } => dist::gamma(&mut self.draws, 1.0, cv),
            Gaps::Weibull { shape, scale } => dist::weibull(&mut self.draws, shape, scale),
            Gaps::Constant => 1.0,
        };
        self.wait(gap, self.next, Span(1));
    }

    /// Changes the rate from `now` on. The running gap keeps the share of it that is left.
    pub(super) fn set_rate(&mut self, rate_per_s: f64, now: Micros) {
        assert!(
            rate_per_s.is_finite() && rate_per_s >= 0.0,
            "INV-3: a rate of {rate_per_s} requests per second"
        );
        if rate_per_s.to_bits() == self.rate_per_s.to_bits() {
            return;
        }
        let left = if self.next < Micros::MAX {
            self.expected(now, self.next)
        } else {
            let (left, since) = self.paused;
            (left - self.expected(since, now)).max(0.0)
        };
        self.rate_per_s = rate_per_s;
        self.wait(left, now, Span::ZERO);
    }

    /// How many requests are due between two instants on average; nothing if the second is not later.
    fn expected(&self, from: Micros, to: Micros) -> f64 {
        let us = match &self.factor {
            None => to.0.saturating_sub(from.0) as f64,
            Some(factor) => (factor.area(to) - factor.area(from)).max(0.0),
        };
        us * self.rate_per_s / US_PER_S as f64
    }

    /// The next request comes when `gap` mean gaps have passed since `from`, and not before `shortest`.
    fn wait(&mut self, gap: f64, from: Micros, shortest: Span) {
        self.next = self.after(gap, from, shortest).unwrap_or(Micros::MAX);
        if self.next == Micros::MAX {
            self.paused = (gap, from);
        }
    }

    fn after(&self, gap: f64, from: Micros, shortest: Span) -> Option<Micros> {
        if self.rate_per_s <= 0.0 {
            return None;
        }
        let us = gap / self.rate_per_s * US_PER_S as f64;
        let rounded = |us: f64| math::round_to_span(us.min(Micros::MAX.0 as f64));
        let Some(factor) = &self.factor else {
            return Some(from.saturating_add(rounded(us).max(shortest)));
        };
        let at = rounded(factor.instant(factor.area(from) + us)?);
        // Rounding must not lead into a silence.
        factor.active_from(Micros(at.0).max(from.saturating_add(shortest)).min(Micros::MAX))
    }
}
