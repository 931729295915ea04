//! The queueing model of llm-d's variant autoscaler: it learns the cost of a step from the measurements of replicas,
//! determines the objectives, and asks for the replicas that carry the load within them. Without knowledge it changes
//! nothing.

use super::estimate::QueueingSettings;
use super::group::Need;
use super::view::{Measured, PoolSight};
use super::{Bounds, Decision, Estimate, Rule, rounded_up};
use queueing::{Analyzer, Cycle, CycleFailure, Mode, Params, Pod, RequestSize, Settings, Variant};
use serde::{Deserialize, Serialize};

/// An autoscaler with its learnt coefficients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueueingModel {
    settings: QueueingSettings,
    analyzer: Analyzer,
    /// The results of the latest tick until they are taken, and its batch limit.
    #[serde(skip)]
    found: Vec<(Box<Estimate>, u32)>,
}

/// The name used for a single pool: coefficients are learnt by name.
const NAME: &str = "pool";

impl QueueingModel {
    /// A new one that has learnt nothing.
    pub fn new(settings: QueueingSettings) -> Self {
        let QueueingSettings { mode, slo_multiplier, explicit, .. } = settings;
        let analyzer =
            Analyzer { settings: Settings { mode, slo_multiplier, explicit }, ..Analyzer::default() };
        Self { settings, analyzer, found: Vec::new() }
    }

    /// Takes over what another one has learnt, if its filter works in the same way.
    pub(super) fn keep_learnt(&mut self, before: Self) {
        if before.settings.mode == self.settings.mode {
            self.analyzer.store = before.analyzer.store;
        }
    }

    /// Decides at a tick.
    pub fn tick(&mut self, sight: &PoolSight, bounds: Bounds) -> Decision {
        let current = sight.current();
        let hold = Decision::direct(current, current, Rule::Hold, bounds);
        if sight.rate_per_s <= 0.0 && sight.queued() <= 0.0 && bounds.min == 0 {
            // The enforcer: nothing arrived for a whole window.
            return Decision::direct(current, 0, Rule::Idle, bounds);
        }
        if current == 0 && sight.held > 0.0 {
            return Decision::direct(current, 1, Rule::Woken, bounds);
        }
        let Ok(cycle) = self.cycle(&[variant_of(NAME, sight)]) else { return hold };
        let found = &cycle.capacities[0];
        if found.saturated {
            return Decision::direct(current, found.wanted.max(current), Rule::AboveThreshold, bounds);
        }
        let each = found.per_replica_per_s;
        if each <= 0.0 {
            return hold;
        }
        if self.settings.mode == Mode::AsCoded {
            // The published program takes capacity after scaling: nothing is ever lacking, and spare replicas are
            // removed.
            let spare = (f64::from(found.ready) * each - found.demand_per_s / self.settings.down).max(0.0);
            return fewer(current, spare / each, bounds);
        }
        let demand = sight.rate_per_s.max(found.demand_per_s);
        let (supply, coming) = (f64::from(sight.ready) * each, f64::from(sight.pending) * each);
        let missing = (demand / self.settings.up - supply - coming).max(0.0);
        if missing > 0.0 {
            let more = rounded_up(missing / each);
            return Decision::direct(current, current.saturating_add(more), Rule::AboveThreshold, bounds);
        }
        fewer(current, (supply - demand / self.settings.down).max(0.0) / each, bounds)
    }

    /// One cycle with the results for each variant.
    fn cycle(&mut self, variants: &[Variant]) -> Result<Cycle, CycleFailure> {
        let result = self.analyzer.cycle(variants);
        self.found.clear();
        for (k, v) in variants.iter().enumerate() {
            let estimate = Estimate::new(&self.settings, &self.analyzer, v, k, &result);
            self.found.push((Box::new(estimate), v.max_batch));
        }
        result
    }

    /// The common need of a model's variants, and the capacity of each of their replicas. Arrivals at an unknown
    /// variant do not count.
    pub(super) fn assess(&mut self, variants: &[(u32, &PoolSight)]) -> Need {
        let mut named = Vec::new();
        for (pool, sight) in variants {
            named.push(variant_of(&pool.to_string(), sight));
        }
        let Ok(cycle) = self.cycle(&named) else { return Need::hold(variants.len()) };
        let (mut need, mut saturated) = (Need::of(Vec::new()), 0);
        // Held requests are held for all variants: they count once.
        let (mut measured, mut came, mut most, mut held) = (0.0, 0.0, 0.0_f64, false);
        let (mut supply, mut coming) = (0.0, 0.0);
        for (found, (_, sight)) in cycle.capacities.iter().zip(variants) {
            let each = found.per_replica_per_s;
            need.capacity.push(each);
            if found.saturated {
                saturated += found.wanted - sight.current();
            }
            held |= sight.held > 0.0;
            most = most.max(sight.rate_per_s);
            if each > 0.0 {
                measured += found.demand_per_s;
                came += sight.rate_per_s;
                supply += f64::from(sight.ready) * each;
                coming += f64::from(sight.pending) * each;
            }
        }
        let as_coded = self.settings.mode == Mode::AsCoded;
        if saturated > 0 {
            // Their capacity is unknown: adds as many replicas as the saturated variants ask for, wherever they cost
            // least.
            need.capacity.fill(1.0);
            need.required = f64::from(saturated);
            return need;
        }
        let demand = if as_coded { measured } else { measured.max(if held { most } else { came }) };
        if !as_coded {
            need.required = (demand / self.settings.up - supply - coming).max(0.0);
        }
        need.spare = (supply - demand / self.settings.down).max(0.0);
        need
    }

    /// Takes the estimate of the next variant from the tick just before, with the true coefficients for requests of
    /// that size, if known.
    pub fn take_estimate(
        &mut self,
        truth: impl FnOnce(RequestSize) -> Option<Params>,
    ) -> Option<Box<Estimate>> {
        if self.found.is_empty() {
            return None;
        }
        let (mut estimate, max_batch) = self.found.remove(0);
        if let Some(size) = estimate.size()
            && let Some(truth) = truth(size)
        {
            estimate.judge(&self.settings, max_batch, (truth, size));
        }
        Some(estimate)
    }
}

/// Removes whole replicas only, and keeps one.
fn fewer(current: u32, spare: f64, bounds: Bounds) -> Decision {
    let fewer = (spare.floor().max(0.0) as u32).min(current.saturating_sub(1));
    let rule = if fewer > 0 { Rule::BelowThreshold } else { Rule::WithinTolerance };
    Decision::direct(current, current - fewer, rule, bounds)
}

/// The pool as input of the analyser.
pub(super) fn variant_of(name: &str, sight: &PoolSight) -> Variant {
    let pod = |r: &Measured| Pod {
        rate_per_s: r.rate_per_s,
        input_tokens: r.input_tokens,
        output_tokens: r.output_tokens,
        ttft_ms: r.ttft_ms,
        itl_ms: r.itl_ms,
        ready_s: r.ready_s,
    };
    Variant {
        name: name.to_owned(),
        current: sight.current(),
        pending: sight.pending,
        max_batch: sight.max_batch,
        pods: sight.measured.iter().map(pod).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Micros;
    use queueing::{ClosedForm, Params, RequestSize};

    const BOUNDS: Bounds = Bounds { min: 1, max: 20 };

    /// Replicas that measure what the true coefficients give, at a share of the load at which their queues grow for ever. Steps of
    /// three times an empty one allow two thirds of it.
    fn sight(share: f64, ready: u32) -> PoolSight {
        let size = RequestSize { input_tokens: 512.0, output_tokens: 128.0 };
        let params = Params { alpha: 6.958, beta: 0.042, gamma: 0.0001 };
        let server = ClosedForm::new(params, size).unwrap();
        let rate_each = share * server.saturation_per_s();
        let state = server.at(rate_each).unwrap();
        let one = Measured {
            rate_per_s: rate_each,
            input_tokens: 512.0,
            output_tokens: 128.0,
            ttft_ms: state.ttft_ms,
            itl_ms: state.itl_ms,
            ready_s: 1000.0,
            ..Measured::default()
        };
        PoolSight {
            seen_at: Some(Micros(1)),
            ready,
            measured: vec![one; ready as usize],
            rate_per_s: rate_each * f64::from(ready),
            max_batch: 256,
            ..PoolSight::default()
        }
    }

    fn asked(mode: Mode, share: f64, ready: u32) -> Decision {
        let settings = QueueingSettings { mode, slo_multiplier: 3.0, explicit: None, up: 0.85, down: 0.7 };
        let mut model = QueueingModel::new(settings);
        let mut last = None;
        for _ in 0..6 {
            last = Some(model.tick(&sight(share, ready), BOUNDS));
        }
        last.expect("it ticked")
    }

    #[test]
    fn a_load_near_what_replicas_carry_asks_for_more_and_a_small_one_for_fewer() {
        assert!(asked(Mode::Corrected, 0.65, 4).desired > 4, "{:?}", asked(Mode::Corrected, 0.65, 4));
        assert!(asked(Mode::Corrected, 0.1, 4).desired < 4, "{:?}", asked(Mode::Corrected, 0.1, 4));
    }

    #[test]
    fn as_published_it_never_asks_for_more() {
        for share in [0.1, 0.4, 0.65] {
            assert!(asked(Mode::AsCoded, share, 4).desired <= 4);
        }
    }

    #[test]
    fn nothing_measured_holds() {
        let settings = QueueingSettings {
            mode: Mode::Corrected,
            slo_multiplier: 3.0,
            explicit: None,
            up: 0.85,
            down: 0.7,
        };
        let sight = PoolSight { ready: 3, ..PoolSight::default() };
        assert_eq!(QueueingModel::new(settings).tick(&sight, BOUNDS).rule, Rule::Hold);
    }
}
