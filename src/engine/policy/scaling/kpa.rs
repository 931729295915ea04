//! The Knative pod autoscaler: it follows concurrency over a long window and, in a burst, over a short one; no
//! replica is removed in a burst.

use super::{Bounds, Decision, Rule, rounded_up};
use base::{Micros, Span};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Settings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct KpaSettings {
    /// Fewest and most replicas.
    pub bounds: Bounds,
    /// Target for each replica, in concurrent requests or requests per second.
    pub target: f64,
    /// The long window.
    pub stable: Span,
    /// The short one.
    pub panic: Span,
    /// Panic mode begins if the short window asks for this many times the present replicas.
    pub panic_threshold: f64,
    /// Largest factor of growth in a tick.
    pub max_up: f64,
    /// Largest factor of decrease in a tick.
    pub max_down: f64,
}

impl KpaSettings {
    /// The defaults for a replica that handles `concurrency` requests at once: a target of 70 %.
    pub fn of_concurrency(concurrency: f64, bounds: Bounds) -> Self {
        Self {
            bounds,
            target: 0.7 * concurrency,
            stable: Span(60_000_000),
            panic: Span(6_000_000),
            panic_threshold: 2.0,
            max_up: 1000.0,
            max_down: 2.0,
        }
    }
}

/// The means over the windows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KpaWindows {
    /// Mean over the long one.
    pub stable: f64,
    /// Mean over the short one.
    pub panic: f64,
    /// Whether it is in a burst.
    pub panicking: bool,
}

/// An autoscaler with its state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kpa {
    /// Settings.
    pub settings: KpaSettings,
    seen: VecDeque<(Micros, f64)>,
    panic_since: Option<Micros>,
    most_in_panic: u32,
}

impl Kpa {
    /// A new one without observations.
    pub fn new(settings: KpaSettings) -> Self {
        Self { settings, seen: VecDeque::new(), panic_since: None, most_in_panic: 0 }
    }

    /// A new one for a pool that starts with several replicas: it starts in a burst, so that it removes none before
    /// its first observations.
    pub fn in_panic(settings: KpaSettings, now: Micros, replicas: u32) -> Self {
        let panic_since = (replicas > 1).then_some(now);
        Self { panic_since, most_in_panic: if replicas > 1 { replicas } else { 0 }, ..Self::new(settings) }
    }

    /// Decides at a tick from the measured value, summed over all replicas.
    pub fn tick(&mut self, now: Micros, current: u32, measured: f64) -> (Decision, KpaWindows) {
        self.tick_of(now, [current; 2], measured)
    }

    /// The same where the replicas that factors multiply are not all that are present.
    pub fn tick_of(
        &mut self,
        now: Micros,
        [current, counted]: [u32; 2],
        measured: f64,
    ) -> (Decision, KpaWindows) {
        let s = self.settings;
        if measured.is_finite() {
            self.seen.push_back((now, measured.max(0.0)));
        }
        while self.seen.front().is_some_and(|(at, _)| now.0 - at.0 >= s.stable.0.max(s.panic.0)) {
            self.seen.pop_front();
        }
        let (stable, panic) = (self.mean(now, s.stable), self.mean(now, s.panic));
        let many = f64::from(counted.max(1));
        let asks = |mean: f64| if s.target > 0.0 { (mean / s.target).ceil() } else { 0.0 };
        let (least, most) = ((many / s.max_down).floor(), (many * s.max_up).ceil());
        let within = |wanted: f64| rounded_up(wanted.max(least).min(most));
        let (by_stable, by_panic) = (within(asks(stable)), within(asks(panic)));
        let over = asks(panic) / many >= s.panic_threshold;
        match self.panic_since {
            _ if over => self.panic_since = Some(now),
            Some(since) if since.0 + s.stable.0 < now.0 => {
                self.panic_since = None;
                self.most_in_panic = 0;
            }
            Some(_) | None => {}
        }
        let panicking = self.panic_since.is_some();
        let wanted = if panicking {
            self.most_in_panic = self.most_in_panic.max(by_stable).max(by_panic);
            self.most_in_panic
        } else {
            by_stable
        };
        let rule = if panicking { Rule::Panic } else { Rule::Target };
        let decision = Decision {
            recommended: rounded_up(asks(if panicking { panic } else { stable })),
            ..Decision::direct(current, wanted, rule, s.bounds)
        };
        (decision, KpaWindows { stable, panic, panicking })
    }

    /// The mean of the observations in the window before `now`.
    fn mean(&self, now: Micros, window: Span) -> f64 {
        let inside = || self.seen.iter().rev().take_while(|(at, _)| now.0 - at.0 < window.0);
        let (sum, n) = inside().fold((0.0, 0_u32), |(sum, n), (_, x)| (sum + x, n + 1));
        if n == 0 { 0.0 } else { sum / f64::from(n) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kpa() -> Kpa {
        Kpa::new(KpaSettings::of_concurrency(100.0, Bounds { min: 0, max: 100 }))
    }

    #[test]
    fn a_burst_takes_nothing_away_until_a_long_window_has_passed_without_one() {
        let mut scaler = kpa();
        let mut ready = 1;
        let mut left = None;
        for t in 0..60 {
            let now = Micros(t * 2_000_000);
            let (decision, windows) =
                scaler.tick(now, ready, if (5..10).contains(&t) { 700.0 } else { 10.0 });
            assert!(decision.desired >= ready || !windows.panicking, "at {t}");
            if !windows.panicking && t > 10 && left.is_none() {
                left = Some(t);
            }
            ready = decision.desired;
        }
        assert!(left.is_some_and(|t| t >= 35), "{left:?}");
    }

    #[test]
    fn nothing_asked_for_scales_to_zero_and_a_bad_measurement_is_none() {
        let mut scaler = kpa();
        assert_eq!(scaler.tick(Micros(0), 1, 0.0).0.desired, 0);
        assert_eq!(scaler.tick(Micros(2), 1, f64::NAN).0.desired, 0);
    }

    #[test]
    fn factors_multiply_the_replicas_that_are_counted() {
        let settings = KpaSettings::of_concurrency(100.0, Bounds { min: 0, max: 100 });
        // A target of 70: 420 at once ask for 6. With a factor of 2, 4 counted allow 6, 2 counted allow 4.
        for (counted, wanted) in [(4, 6), (2, 4)] {
            let mut scaler = Kpa::new(KpaSettings { max_up: 2.0, ..settings });
            assert_eq!(scaler.tick_of(Micros(0), [4, counted], 420.0).0.desired, wanted);
        }
    }

    #[test]
    fn one_that_begins_with_several_replicas_keeps_them_for_a_window() {
        let settings = KpaSettings::of_concurrency(100.0, Bounds { min: 0, max: 100 });
        let mut scaler = Kpa::in_panic(settings, Micros(0), 6);
        assert_eq!(scaler.tick(Micros(2_000_000), 6, 0.0).0.desired, 6);
    }
}
