//! On and off periods of one client: its requests arrive while a period is on.

use base::rng::{Purpose, Stream};
use base::units::US_PER_S;
use base::{Micros, Span, dist, math};
use document::{Arrivals, OnOffPeriods};
use serde::{Deserialize, Serialize};

/// The periods of one client, at one of its on periods.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct OnOff {
    on_s: f64,
    off_s: f64,
    random: bool,
    /// The on period: from its first instant to the first one after it.
    from: Micros,
    to: Micros,
    draws: Stream,
}

impl OnOff {
    /// The periods of client `number` in a run with `seed`, if its arrivals have any, at the first that is not over at `now`.
    pub(super) fn new(arrivals: &Arrivals, seed: u64, number: u32, now: Micros) -> Option<Self> {
        let &Arrivals::OnOff { on_s, off_s, periods, .. } = arrivals else { return None };
        let draws = Stream::new(seed, Purpose::OnOff, number);
        let random = periods == OnOffPeriods::Exponential;
        let mut new = Self { on_s, off_s, random, from: Micros::ZERO, to: Micros::ZERO, draws };
        new.begin(now);
        Some(new)
    }

    /// When the on period begins.
    pub(super) fn from(&self) -> Micros {
        self.from
    }

    /// The first instant after it.
    pub(super) fn to(&self) -> Micros {
        self.to
    }

    /// Goes to the next on period.
    pub(super) fn advance(&mut self) {
        let off = self.length(self.off_s);
        self.from = self.to.saturating_add(off);
        self.to = self.from.saturating_add(self.length(self.on_s));
    }

    /// Starts again at `now`: random periods at an instant like any other, fixed ones where they are when they began with the
    /// run.
    pub(super) fn begin(&mut self, now: Micros) {
        if self.random {
            let is_on = self.draws.unit() < self.share();
            // What is left of an exponential period is as long as a whole one.
            let wait = if is_on { Span(0) } else { self.length(self.off_s) };
            self.from = now.saturating_add(wait);
        } else {
            let (on, cycle) = self.fixed_us();
            let cycles = now.0 / cycle;
            let first = if now.0 - cycles * cycle < on { cycles } else { cycles + 1 };
            self.from = Micros(first * cycle);
        }
        self.to = self.from.saturating_add(self.length(self.on_s));
    }

    /// Follows other settings from `now` on: a random period under way keeps its end.
    pub(super) fn adopt(&mut self, arrivals: &Arrivals, now: Micros) {
        let &Arrivals::OnOff { on_s, off_s, periods, .. } = arrivals else { return };
        let random = periods == OnOffPeriods::Exponential;
        let same = on_s.to_bits() == self.on_s.to_bits() && off_s.to_bits() == self.off_s.to_bits();
        if same && random == self.random {
            return;
        }
        let keeps = random && self.random;
        (self.on_s, self.off_s, self.random) = (on_s, off_s, random);
        if !keeps {
            self.begin(now);
        }
    }

    /// Whether these are the settings of `arrivals`.
    pub(super) fn is_of(&self, arrivals: &Arrivals) -> bool {
        let mut adopted = self.clone();
        adopted.adopt(arrivals, self.from);
        matches!(arrivals, Arrivals::OnOff { .. }) && adopted == *self
    }

    /// The share of on periods in the long run.
    fn share(&self) -> f64 {
        self.on_s / (self.on_s + self.off_s)
    }

    /// How much of the time from `from` to `to` is expected to be on, where `area` measures the time up to an instant.
    pub(super) fn expected(&self, from: Micros, to: Micros, area: impl Fn(Micros) -> f64) -> f64 {
        if self.random {
            return self.share() * (area(to) - area(from));
        }
        let (on, cycle) = self.fixed_us();
        let (first, last) = (from.0 / cycle, to.0 / cycle);
        // Whole cycles between the two ends are counted one by one: a rate over time makes them unequal.
        let part = |k: u64| {
            let begin = Micros((k * cycle).max(from.0));
            let end = Micros((k * cycle + on).min(to.0));
            if end > begin { area(end) - area(begin) } else { 0.0 }
        };
        (first..=last).map(part).sum()
    }

    /// Lengths of a fixed on period and of a whole cycle, in microseconds.
    fn fixed_us(&self) -> (u64, u64) {
        let us = |s: f64| math::round_to_span(s * US_PER_S as f64).0.max(1);
        (us(self.on_s), us(self.on_s) + us(self.off_s))
    }

    /// The length of a period with this mean.
    fn length(&mut self, mean_s: f64) -> Span {
        let s = if self.random { dist::exponential(&mut self.draws, mean_s) } else { mean_s };
        Span(math::round_to_span(s * US_PER_S as f64).0.max(1))
    }
}
