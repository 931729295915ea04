//! KEDA: it scales from zero to one at the first signal and back after a quiet time; above one it is the horizontal
//! autoscaler.

use super::formula;
use super::hpa::{Behavior, Hpa, Metric};
use super::{Bounds, Decision, Rule};
use base::{Micros, Span};
use document::TargetOf;
use document::expression::TriggerFormula;
use serde::{Deserialize, Serialize};

/// Settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KedaSettings {
    /// Fewest and most replicas; a minimum of 0 allows scaling to zero.
    pub bounds: Bounds,
    /// Its triggers.
    pub triggers: Vec<Trigger>,
    /// Quiet time before the last replica is removed.
    pub cooldown: Span,
    /// Number of replicas while it is quiet, if not the minimum.
    pub idle: Option<u32>,
    /// The formula that decides in place of the triggers, with its target.
    pub formula: Option<Combined>,
}

/// A formula of the triggers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Combined {
    /// The formula.
    pub formula: TriggerFormula,
    /// Its target, and when it is active.
    pub trigger: Trigger,
}

/// A trigger: when it is active, and how many replicas it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trigger {
    /// Threshold of the metric for each replica or for the pool.
    pub threshold: f64,
    /// Whether the threshold is per replica or for the pool.
    pub target_of: TargetOf,
    /// It is active above this.
    pub activation: f64,
}

impl KedaSettings {
    /// The defaults for some triggers.
    pub fn of_triggers(triggers: Vec<Trigger>) -> Self {
        let bounds = Bounds { min: 0, max: 100 };
        Self { bounds, triggers, cooldown: Span(300_000_000), idle: None, formula: None }
    }
}

/// An autoscaler with its state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Keda {
    /// Settings.
    pub settings: KedaSettings,
    hpa: Hpa,
    last_active: Option<Micros>,
}

impl Keda {
    /// A new one without a history.
    pub fn new(settings: KedaSettings, behavior: Option<Behavior>) -> Self {
        let least = settings.bounds.min.max(1);
        let bounds = Bounds { min: least, max: settings.bounds.max };
        Self { settings, hpa: Hpa::new(bounds, behavior), last_active: None }
    }

    /// Starts at `now`: the quiet time counts from then.
    pub fn begin(&mut self, now: Micros) {
        self.last_active = Some(now);
    }

    /// The trigger that asked for the most replicas at the latest tick.
    pub fn asked_by(&self) -> usize {
        self.hpa.asked_by()
    }

    /// Decides at a tick from the values of the triggers, in their order, and the number of ready replicas. With a formula the values
    /// are those of its names; without a value of the formula nothing changes.
    pub fn tick(&mut self, now: Micros, current: u32, ready: u32, values: &[f64]) -> Decision {
        let Some(Combined { formula, trigger }) = &self.settings.formula else {
            return self.tick_of(now, [current, ready], values, &self.settings.triggers.clone());
        };
        let (value, trigger) = (formula::value(formula, values), *trigger);
        let bounds = Bounds { min: 0, max: self.settings.bounds.max };
        let Some(value) = value else { return Decision::direct(current, current, Rule::Hold, bounds) };
        self.tick_of(now, [current, ready], &[value], &[trigger])
    }

    fn tick_of(
        &mut self,
        now: Micros,
        [current, ready]: [u32; 2],
        values: &[f64],
        triggers: &[Trigger],
    ) -> Decision {
        let s = &self.settings;
        let quiet = Bounds { min: 0, max: s.bounds.max };
        let active = values.iter().zip(triggers).any(|(value, t)| *value > t.activation);
        if active {
            self.last_active = Some(now);
        }
        let asleep = s.idle.unwrap_or(0);
        if current == 0 || current <= asleep {
            let first = s.bounds.min.max(1).max(asleep);
            return if active {
                Decision::direct(current, first.max(current), Rule::Woken, quiet)
            } else {
                Decision::direct(current, current, Rule::Hold, quiet)
            };
        }
        let may_sleep = s.bounds.min == 0 || s.idle.is_some();
        let rested = self.last_active.is_none_or(|at| now.0 > at.0 + s.cooldown.0);
        if !active && may_sleep && rested {
            return Decision::direct(current, asleep, Rule::Idle, quiet);
        }
        let metric = |(&value, t): (&f64, &Trigger)| match t.target_of {
            TargetOf::Replica => Metric::AverageValue { value, target: t.threshold },
            TargetOf::Pool => Metric::Value { value, ready, target: t.threshold },
        };
        let metrics: Vec<Metric> = values.iter().zip(triggers).map(metric).collect();
        self.hpa.tick(now, current, &metrics)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::expression::parse_of_triggers;

    const SECOND: u64 = 1_000_000;

    fn of(thresholds: &[f64]) -> KedaSettings {
        let trigger = |&threshold| Trigger { threshold, target_of: TargetOf::Replica, activation: 0.0 };
        KedaSettings::of_triggers(thresholds.iter().map(trigger).collect())
    }

    #[test]
    fn the_first_signal_wakes_it_and_a_quiet_time_puts_it_to_sleep() {
        let mut keda = Keda::new(of(&[10.0]), None);
        assert_eq!(keda.tick(Micros(0), 0, 0, &[0.0]).desired, 0);
        assert_eq!(keda.tick(Micros(SECOND), 0, 0, &[0.5]).rule, Rule::Woken);
        assert_eq!(keda.tick(Micros(2 * SECOND), 1, 1, &[5.0]).desired, 1);
        // Quiet: the last replica stays for the cooldown, and goes after it.
        assert_eq!(keda.tick(Micros(302 * SECOND), 1, 1, &[0.0]).desired, 1);
        let asleep = keda.tick(Micros(302 * SECOND + 1), 1, 1, &[0.0]);
        assert_eq!((asleep.desired, asleep.rule), (0, Rule::Idle));
    }

    #[test]
    fn with_a_least_number_it_never_sleeps() {
        let busy = Keda::new(of(&[10.0]), None).tick(Micros(0), 1, 1, &[35.0]);
        assert_eq!((busy.desired, busy.rule), (4, Rule::Target));
        let settings = KedaSettings { bounds: Bounds { min: 2, max: 9 }, ..of(&[10.0]) };
        let mut keda = Keda::new(settings, None);
        assert_eq!(keda.tick(Micros(10_000 * SECOND), 3, 3, &[0.0]).desired, 2);
    }

    #[test]
    fn any_of_several_triggers_keeps_it_awake_and_the_one_that_asks_for_most_decides() {
        let mut keda = Keda::new(of(&[10.0, 2.0]), None);
        assert_eq!(keda.tick(Micros(0), 0, 0, &[0.0, 0.5]).rule, Rule::Woken);
        // 5 of 10 ask for one replica, 7 of 2 for four.
        assert_eq!(keda.tick(Micros(SECOND), 2, 2, &[5.0, 7.0]).desired, 4);
        assert_eq!(keda.asked_by(), 1);
        // The second trigger is quiet for longer than the cooldown, the first one is not.
        assert!(keda.tick(Micros(400 * SECOND), 2, 2, &[3.0, 0.0]).desired > 0);
        assert!(keda.tick(Micros(690 * SECOND), 2, 2, &[0.0, 0.0]).desired > 0);
        assert_eq!(keda.tick(Micros(701 * SECOND), 2, 2, &[0.0, 0.0]).rule, Rule::Idle);
    }

    #[test]
    fn a_formula_decides_in_place_of_the_thresholds() {
        let names = ["queue", "running", "pending", "replicas"].map(str::to_owned).to_vec();
        let text =
            "let d = max(queue / 1, running / 16); d <= replicas ? d : max(d - (pending ?? 0), replicas)";
        let formula = parse_of_triggers(text, names).expect("a formula");
        let trigger = Trigger { threshold: 1.0, target_of: TargetOf::Replica, activation: 0.0 };
        let formula = Some(Combined { formula, trigger });
        let mut keda = Keda::new(KedaSettings { formula, ..of(&[]) }, None);
        // Nine wait and two of four start: 9 - 2 = 7.
        assert_eq!(keda.tick(Micros(0), 4, 2, &[9.0, 48.0, 2.0, 4.0]).recommended, 7);
        assert_eq!(keda.tick(Micros(SECOND), 4, 2, &[f64::NAN, 48.0, 2.0, 4.0]).rule, Rule::Hold);
        let asleep = keda.tick(Micros(400 * SECOND), 4, 4, &[0.0, 0.0, 0.0, 4.0]);
        assert_eq!((asleep.desired, asleep.rule), (0, Rule::Idle));
    }

    #[test]
    fn a_threshold_of_the_pool_asks_for_a_multiple_of_the_replicas_that_are_ready() {
        let pool = Trigger { threshold: 300.0, target_of: TargetOf::Pool, activation: 0.0 };
        let mut keda = Keda::new(KedaSettings::of_triggers(vec![pool]), None);
        // 450 of 300: 1.5 times the four that are ready; replicas that start do not count.
        assert_eq!(keda.tick(Micros(0), 5, 4, &[450.0]).recommended, 6);
        assert_eq!(Keda::new(of(&[300.0]), None).tick(Micros(0), 5, 4, &[450.0]).recommended, 2);
    }
}
