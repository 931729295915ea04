//! The Kubernetes horizontal autoscaler, version 2: a number of replicas from metrics against targets, stabilised over a window
//! and limited in its rate. Without a behaviour it follows the older path: a window of 300 s, and at most twice as many or four.

use super::{Bounds, Clamped, Decision, Rule, rounded_up};
use base::{Micros, Span};
use serde::{Deserialize, Serialize};
use std::cmp::{Ordering, Reverse};

/// What is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Metric {
    /// A value of each pod, against a target mean.
    Pods {
        /// Values of the ready pods that have been measured.
        ready: Vec<f64>,
        /// Number of ready pods without a measurement.
        missing: u32,
        /// Number of pods that are not ready.
        unready: u32,
        /// The target mean.
        target: f64,
    },
    /// One value, against a target.
    Value {
        /// The value.
        value: f64,
        /// Number of ready pods.
        ready: u32,
        /// The target.
        target: f64,
    },
    /// One value that all replicas share.
    AverageValue {
        /// The value.
        value: f64,
        /// The target for each replica.
        target: f64,
    },
    /// Nothing could be measured.
    Failed,
}

/// How much a policy may change in a period.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatePolicy {
    /// The largest change.
    pub by: RateUnit,
    /// Length of the period.
    pub period: Span,
}

/// A change in pods or per cent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum RateUnit {
    /// Replicas.
    Pods(u32),
    /// Per cent of the replicas at the beginning of the period.
    Percent(f64),
}

/// Which of several rates applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Select {
    /// The limit that allows the larger change.
    Max,
    /// The limit that allows the smaller change.
    Min,
    /// No change in this direction at all.
    Disabled,
}

/// Scaling in one direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rules {
    /// How long a recommendation against this direction is remembered.
    pub window: Span,
    /// Its rates; none means no limit.
    pub policies: Vec<RatePolicy>,
    /// Which of them applies.
    pub select: Select,
    /// Tolerated distance of a metric from its target, as a share.
    pub tolerance: f64,
}

/// Both directions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Behavior {
    /// Rules for adding replicas.
    pub up: Rules,
    /// Rules for removing replicas.
    pub down: Rules,
}

/// Default tolerance.
pub const TOLERANCE: f64 = 0.1;
/// The window of the older path, and of scaling down by default.
const DOWN_WINDOW: Span = Span(300_000_000);
const PERIOD: Span = Span(15_000_000);

impl Default for Behavior {
    fn default() -> Self {
        let all = RatePolicy { by: RateUnit::Percent(100.0), period: PERIOD };
        let four = RatePolicy { by: RateUnit::Pods(4), period: PERIOD };
        let (select, tolerance) = (Select::Max, TOLERANCE);
        Self {
            up: Rules { window: Span(0), policies: vec![all, four], select, tolerance },
            down: Rules { window: DOWN_WINDOW, policies: vec![all], select, tolerance },
        }
    }
}

/// An autoscaler with its state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hpa {
    /// Fewest and most replicas.
    pub bounds: Bounds,
    /// Rules for both directions; `None` is the older path.
    pub behavior: Option<Behavior>,
    recommended: Vec<(Micros, u32)>,
    /// Changes, with the number of replicas added or removed.
    changes: Vec<(Micros, i64)>,
    /// The metric that asked for the most replicas at the latest tick.
    #[serde(skip)]
    most: usize,
}

impl Hpa {
    /// A new one without a history.
    pub fn new(bounds: Bounds, behavior: Option<Behavior>) -> Self {
        Self { bounds, behavior, recommended: Vec::new(), changes: Vec::new(), most: 0 }
    }

    /// Takes over the recommendations and changes of the one before an edit.
    pub(super) fn keep_history(&mut self, before: Self) {
        (self.recommended, self.changes) = (before.recommended, before.changes);
    }

    /// The metric that asked for the most replicas at the latest tick; the first of several.
    pub fn asked_by(&self) -> usize {
        self.most
    }

    fn tolerances(&self) -> (f64, f64) {
        self.behavior.as_ref().map_or((TOLERANCE, TOLERANCE), |b| (b.up.tolerance, b.down.tolerance))
    }

    /// Decides at a tick. A pool scaled to zero by hand stays there.
    pub fn tick(&mut self, now: Micros, current: u32, metrics: &[Metric]) -> Decision {
        if current == 0 && self.bounds.min > 0 {
            return Decision {
                current,
                recommended: 0,
                stabilised: 0,
                desired: 0,
                rule: Rule::Hold,
                clamped: Clamped::No,
                metric: None,
            };
        }
        let Some((recommended, within)) = self.recommend(current, metrics) else {
            return Decision::direct(current, current, Rule::Hold, self.bounds);
        };
        let stabilised = self.stabilise(now, current, recommended);
        let limited = self.limit(now, current, stabilised);
        let (desired, clamped) = self.bounds.clamp(limited);
        let rule = if limited != stabilised {
            Rule::RateLimited
        } else if stabilised != recommended {
            Rule::Stabilised
        } else if within {
            Rule::WithinTolerance
        } else {
            Rule::Target
        };
        if desired != current {
            self.changes.push((now, i64::from(desired) - i64::from(current)));
        }
        Decision { current, recommended, stabilised, desired, rule, clamped, metric: None }
    }

    /// The largest number that any metric asks for. If a metric failed, no replica is removed.
    fn recommend(&mut self, current: u32, metrics: &[Metric]) -> Option<(u32, bool)> {
        let asks = metrics.iter().enumerate().filter_map(|(k, metric)| Some((k, self.one(current, metric)?)));
        let (most, asked) = asks.max_by_key(|(k, (n, _))| (*n, Reverse(*k)))?;
        self.most = most;
        let failed = metrics.contains(&Metric::Failed);
        if failed && asked.0 < current { None } else { Some(asked) }
    }

    /// The number that one metric asks for, and whether it is within its tolerance.
    fn one(&self, current: u32, metric: &Metric) -> Option<(u32, bool)> {
        let (up, down) = self.tolerances();
        let within = |ratio: f64| (1.0 - down..=1.0 + up).contains(&ratio);
        let keep = Some((current, true));
        let ratio_of =
            |value: f64, target: f64| Some(value / target).filter(|r| r.is_finite() && target > 0.0);
        match metric {
            Metric::Failed => None,
            Metric::Value { value, ready, target } => {
                let ratio = ratio_of(*value, *target)?;
                if current == 0 {
                    return Some((rounded_up(ratio), false));
                }
                if within(ratio) { keep } else { Some((rounded_up(ratio * f64::from(*ready)), false)) }
            }
            Metric::AverageValue { value, target } => {
                let each = ratio_of(*value, *target)?;
                let ratio = each / f64::from(current.max(1));
                if current > 0 && within(ratio) { keep } else { Some((rounded_up(each), false)) }
            }
            Metric::Pods { ready, missing, unready, target } => {
                let counted = ready.len() as f64;
                let sum: f64 = ready.iter().sum();
                let ratio = ratio_of(sum / counted, *target)?;
                if *missing == 0 && (*unready == 0 || ratio <= 1.0) {
                    let wanted = rounded_up(ratio * counted);
                    return if within(ratio) { keep } else { Some((wanted, false)) };
                }
                // Missing values are assumed against the direction of the change.
                let absent = f64::from(*missing) * if ratio < 1.0 { *target } else { 0.0 };
                let idle = if ratio > 1.0 { f64::from(*unready) } else { 0.0 };
                let counted = counted + f64::from(*missing) + idle;
                let again = (sum + absent) / counted / target;
                let turned = (ratio > 1.0) != (again > 1.0);
                let wanted = rounded_up(again * counted);
                let against = (again < 1.0 && wanted > current) || (again > 1.0 && wanted < current);
                if within(again) || turned || against { keep } else { Some((wanted, false)) }
            }
        }
    }

    fn stabilise(&mut self, now: Micros, current: u32, recommended: u32) -> u32 {
        let Some(behavior) = &self.behavior else {
            // The older path keeps recommendations exactly as old as its window.
            self.recommended.retain(|(at, _)| now.0 - at.0 <= DOWN_WINDOW.0);
            self.recommended.push((now, recommended));
            return self.recommended.iter().map(|(_, n)| *n).max().unwrap_or(recommended);
        };
        let (up, down) = (behavior.up.window, behavior.down.window);
        self.recommended.retain(|(at, _)| now.0 - at.0 < up.0.max(down.0));
        let newer = |window: Span| self.recommended.iter().filter(move |(at, _)| now.0 - at.0 < window.0);
        let out = if recommended >= current {
            // Not below the current number: the window delays growth and removes nothing.
            newer(up).map(|(_, n)| *n).chain([recommended]).min().unwrap_or(recommended).max(current)
        } else {
            newer(down).map(|(_, n)| *n).chain([recommended]).max().unwrap_or(recommended).min(current)
        };
        self.recommended.push((now, recommended));
        out
    }

    fn limit(&mut self, now: Micros, current: u32, wanted: u32) -> u32 {
        let Some(behavior) = &self.behavior else {
            return wanted.min(current.saturating_mul(2).max(4));
        };
        let longest = |rules: &Rules| rules.policies.iter().map(|p| p.period.0).max().unwrap_or(0);
        let kept = longest(&behavior.up).max(longest(&behavior.down));
        self.changes.retain(|(at, _)| now.0 - at.0 < kept);
        match wanted.cmp(&current) {
            Ordering::Greater => {
                wanted.min(limit_of(&behavior.up, now, current, &self.changes, Direction::Up))
            }
            Ordering::Less => {
                wanted.max(limit_of(&behavior.down, now, current, &self.changes, Direction::Down))
            }
            Ordering::Equal => wanted,
        }
    }
}

/// More replicas, or fewer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
}

/// The most or the fewest replicas that the rules of a direction allow.
fn limit_of(
    rules: &Rules,
    now: Micros,
    current: u32,
    changes: &[(Micros, i64)],
    direction: Direction,
) -> u32 {
    if rules.select == Select::Disabled {
        return current;
    }
    let up = direction == Direction::Up;
    let each = rules.policies.iter().map(|policy| {
        let recent = changes.iter().filter(|(at, _)| now.0 - at.0 < policy.period.0);
        let start = (i64::from(current) - recent.map(|(_, n)| n).sum::<i64>()).max(0) as f64;
        match (policy.by, up) {
            (RateUnit::Pods(n), true) => start + f64::from(n),
            (RateUnit::Pods(n), false) => (start - f64::from(n)).max(0.0),
            (RateUnit::Percent(share), true) => (start * (1.0 + share / 100.0)).ceil(),
            (RateUnit::Percent(share), false) => (start * (1.0 - share / 100.0)).max(0.0).trunc(),
        }
    });
    let most = (rules.select == Select::Max) == up;
    let limit = if most { each.reduce(f64::max) } else { each.reduce(f64::min) };
    match limit {
        None if up => u32::MAX,
        None => 0,
        // A limit never reverses a change.
        Some(limit) if up => (limit.min(f64::from(u32::MAX)) as u32).max(current),
        Some(limit) => (limit as u32).min(current),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: Bounds = Bounds { min: 1, max: 1000 };

    fn once(current: u32, metric: Metric) -> Decision {
        let free = Behavior {
            up: Rules { policies: Vec::new(), ..Behavior::default().up },
            down: Rules { policies: Vec::new(), window: Span(0), ..Behavior::default().down },
        };
        Hpa::new(WIDE, Some(free)).tick(Micros(0), current, &[metric])
    }

    fn pods(each: f64, ready: usize, unready: u32, target: f64) -> Metric {
        Metric::Pods { ready: vec![each; ready], missing: 0, unready, target }
    }

    #[test]
    fn published_vectors_come_out() {
        assert_eq!(once(4, pods(90.0, 4, 0, 60.0)).desired, 6);
        assert_eq!(once(50, pods(90.0, 50, 0, 75.0)).desired, 60);
        assert_eq!(once(10, pods(1.09, 10, 0, 1.0)).desired, 10);
        assert_eq!(once(10, pods(1.11, 10, 0, 1.0)).desired, 12);
        // Two of three are ready at twice their target: with the third at nothing 4/3, and four pods.
        assert_eq!(once(3, pods(2.0, 2, 1, 1.0)).desired, 4);
    }

    #[test]
    fn a_change_of_ten_per_cent_is_swallowed() {
        let gauge = |value: f64| Metric::AverageValue { value, target: 1.0 };
        assert_eq!(once(10, gauge(11.0)).rule, Rule::WithinTolerance);
        assert_eq!(once(9, gauge(10.0)).desired, 10);
    }

    #[test]
    fn what_was_not_measured_is_taken_against_the_direction() {
        // Down: two of four at 0.2 of their target, two unknown: 0.6 of four, not 0.2.
        let metric = Metric::Pods { ready: vec![0.2, 0.2], missing: 2, unready: 0, target: 1.0 };
        assert_eq!(once(4, metric).desired, 3);
        // Up: two at 1.5, two unknown: 0.75, which turns the direction round: no change.
        let metric = Metric::Pods { ready: vec![1.5, 1.5], missing: 2, unready: 0, target: 1.0 };
        assert_eq!(once(4, metric).desired, 4);
    }

    #[test]
    fn a_failed_metric_stops_scaling_down_and_not_up() {
        let of = |value: f64| [Metric::Failed, Metric::AverageValue { value, target: 1.0 }];
        let mut hpa = Hpa::new(WIDE, Some(Behavior::default()));
        assert_eq!(hpa.tick(Micros(0), 4, &of(1.0)).desired, 4);
        assert_eq!(hpa.tick(Micros(0), 4, &of(8.0)).desired, 8);
        assert_eq!(hpa.tick(Micros(0), 4, &[Metric::Failed]).rule, Rule::Hold);
    }

    #[test]
    fn several_metrics_ask_for_the_most() {
        let of = |value: f64| Metric::AverageValue { value, target: 1.0 };
        let mut hpa = Hpa::new(WIDE, Some(Behavior::default()));
        assert_eq!(hpa.tick(Micros(0), 2, &[of(1.0), of(4.0), of(3.0)]).desired, 4);
        assert_eq!(hpa.asked_by(), 1);
    }

    #[test]
    fn a_direction_that_is_disabled_changes_nothing() {
        let mut behavior = Behavior::default();
        behavior.up.select = Select::Disabled;
        let mut hpa = Hpa::new(WIDE, Some(behavior));
        let decision = hpa.tick(Micros(0), 2, &[Metric::AverageValue { value: 9.0, target: 1.0 }]);
        assert_eq!((decision.desired, decision.rule), (2, Rule::RateLimited));
    }

    #[test]
    fn each_limit_of_a_direction_has_its_period() {
        let limit = |n, seconds: u64| RatePolicy { by: RateUnit::Pods(n), period: Span(seconds * 1_000_000) };
        let mut behavior = Behavior::default();
        behavior.up.policies = vec![limit(2, 15), limit(3, 60)];
        behavior.up.select = Select::Min;
        let mut hpa = Hpa::new(WIDE, Some(behavior));
        let (mut current, mut seen) = (1, Vec::new());
        for t in [0_u64, 15, 30, 60] {
            let at = Micros(t * 1_000_000);
            current = hpa.tick(at, current, &[Metric::AverageValue { value: 20.0, target: 1.0 }]).desired;
            seen.push(current);
        }
        // 0 s: min(1 + 2, 1 + 3). 15 s: min(3 + 2, 1 + 3). 30 s: 1 + 3 still. 60 s: the two of 0 s count no more: min(4 + 2, 3 + 3).
        assert_eq!(seen, [3, 4, 4, 6]);
    }

    #[test]
    fn a_target_of_nothing_is_no_measurement() {
        assert_eq!(once(3, Metric::AverageValue { value: 9.0, target: 0.0 }).rule, Rule::Hold);
        assert_eq!(once(3, Metric::Value { value: f64::NAN, ready: 3, target: 1.0 }).rule, Rule::Hold);
        assert_eq!(
            once(3, Metric::Pods { ready: vec![], missing: 3, unready: 0, target: 1.0 }).rule,
            Rule::Hold
        );
    }
}
