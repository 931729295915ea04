//! Groups of pools that decide together: the capacity that each model lacks at one instant, and the number of
//! replicas for each pool. The analysers compute what is lacking, `optimizer` distributes it; this file connects the
//! two.

use super::optimizer::{Choice, Model, Variant, greedy, keep_one};
use super::saturation_v1::{self, ReplicaLoad, SaturationSettings};
use super::saturation_v2::{self, TokenSettings, token_variant};
use super::view::PoolSight;
use super::{Bounds, Decision, Rule};
use std::cmp::Ordering;

/// Cost of a replica whose GPUs have no price: the default of a published variant.
const UNKNOWN_COST: f64 = 10.0;

/// A pool of a group, as a decision needs it.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    /// Its number.
    pub pool: u32,
    /// Its sight.
    pub sight: &'a PoolSight,
    /// Its fewest and most replicas.
    pub bounds: Bounds,
    /// Cost of a replica by its settings; 0 if not given.
    pub usd_per_hour: f64,
    /// Weight of its model's lack.
    pub priority: f64,
    /// GPUs of a replica.
    pub gpus: u32,
    /// Index of the budget for them.
    pub budget: u32,
}

/// The variants of a model: pool numbers and sights.
pub type Variants<'a> = [(u32, &'a PoolSight)];

/// The need of a model's variants, all in one unit.
#[derive(Clone, Debug)]
pub struct Need {
    /// Capacity of a replica of each variant; 0 if unknown.
    pub(super) capacity: Vec<f64>,
    /// Lacking capacity.
    pub(super) required: f64,
    /// Spare capacity.
    pub(super) spare: f64,
    /// Fewest replicas of each variant, whatever its bounds.
    pub(super) least: u32,
    /// The rule that prevents changes, if any.
    pub(super) rule: Option<Rule>,
}

impl Need {
    /// A need without lack or spare capacity.
    pub(super) fn of(capacity: Vec<f64>) -> Self {
        Self { capacity, required: 0.0, spare: 0.0, least: 0, rule: None }
    }

    /// An unknown need: all variants keep their replicas.
    pub(super) fn hold(variants: usize) -> Self {
        Self { rule: Some(Rule::Hold), ..Self::of(vec![0.0; variants]) }
    }
}

/// The need by free space in caches and queues of all replicas: one more or one fewer. Nothing while replicas of any
/// variant start or drain.
pub(super) fn saturation(settings: &SaturationSettings, variants: &Variants<'_>) -> Need {
    let mut need = Need { least: 1, ..Need::of(vec![1.0; variants.len()]) };
    let mut loads: Vec<ReplicaLoad> = Vec::new();
    for (_, s) in variants {
        if s.pending > 0 || s.measured.len() as u32 != s.ready {
            need.rule = Some(Rule::Transition);
            return need;
        }
        for r in &s.measured {
            loads.push(r.replica_load());
        }
    }
    let change = f64::from(saturation_v1::analyze(settings, &loads).change().0);
    (need.required, need.spare) = (change.max(0.0), (-change).max(0.0));
    need
}

/// The need by demand and supply in tokens. A variant without arrivals is taken to get requests like the others.
pub(super) fn tokens(settings: &TokenSettings, variants: &Variants<'_>) -> Need {
    let mut all = PoolSight::default();
    for (_, sight) in variants {
        all.measured.extend_from_slice(&sight.measured);
    }
    let of_all = all.mean_size();
    let mut need = Need::of(Vec::new());
    let (mut demand, mut supply, mut anticipated) = (0.0, 0.0, 0.0);
    for (_, sight) in variants {
        let own = sight.mean_size();
        let size = if own[0] > 0.0 && own[1] > 0.0 { own } else { of_all };
        let found = saturation_v2::analyze(settings, &token_variant(sight, size));
        demand += found.demand;
        supply += found.supply;
        anticipated += found.anticipated;
        need.capacity.push(found.per_replica);
    }
    need.required = (demand / settings.up - anticipated).max(0.0);
    need.spare = (supply - demand / settings.down).max(0.0);
    need
}

/// Decisions for each pool of a group, in the given order: by model. `assess` returns the need of a model's variants
/// by its leading policy, given by index; `free` holds the free GPUs of each budget.
pub fn decide_together(
    models: &[Vec<Member<'_>>],
    free: &mut [u32],
    assess: &mut dyn FnMut(usize, &Variants<'_>) -> Need,
) -> Vec<Decision> {
    let (mut asked, mut needs) = (Vec::new(), Vec::new());
    for (k, members) in models.iter().enumerate() {
        let mut variants: Vec<(u32, &PoolSight)> = Vec::new();
        let mut idle = true;
        for m in members {
            variants.push((m.pool, m.sight));
            idle &= m.may_sleep();
        }
        let need = if idle {
            Need { rule: Some(Rule::Idle), ..Need::hold(variants.len()) }
        } else {
            assess(k, &variants)
        };
        asked.push(model(members, &need));
        needs.push(need);
    }
    let mut decided = Vec::new();
    for (k, mut choices) in greedy(&asked, free).into_iter().enumerate() {
        add_decisions(&asked[k].variants, needs[k].rule, &mut choices, &mut decided);
    }
    decided
}

impl Member<'_> {
    /// Whether nothing arrived for a whole window, and no request is present.
    fn may_sleep(&self) -> bool {
        let s = self.sight;
        let nothing = s.rate_per_s <= 0.0 && s.queued() <= 0.0 && s.sum(|r| r.running) <= 0.0;
        nothing && s.seen_at.is_some() && self.bounds.min == 0
    }
}

fn model(members: &[Member<'_>], need: &Need) -> Model {
    let (required, spare) = (need.required, need.spare);
    let mut model = Model { priority: 0.0, required, spare, variants: Vec::new() };
    for (m, capacity) in members.iter().zip(&need.capacity) {
        model.priority = model.priority.max(m.priority);
        let mut cost = if m.usd_per_hour > 0.0 { m.usd_per_hour } else { m.sight.usd_per_hour };
        if cost <= 0.0 {
            cost = UNKNOWN_COST;
        }
        model.variants.push(Variant {
            cost,
            capacity: *capacity,
            current: m.sight.current(),
            bounds: m.bounds,
            least: m.bounds.min.max(need.least),
            gpus: m.gpus,
            budget: m.budget,
        });
    }
    model
}

/// Adds the decisions of a model; `rule` is the rule that prevents changes, if any.
fn add_decisions(variants: &[Variant], rule: Option<Rule>, choices: &mut [Choice], into: &mut Vec<Decision>) {
    let idle = rule == Some(Rule::Idle);
    let asleep = variants.iter().all(|v| v.current == 0);
    if !idle && (asleep || rule != Some(Rule::Hold)) {
        keep_one(variants, choices);
    }
    for (v, c) in variants.iter().zip(choices) {
        let own = match c.wanted.cmp(&v.current) {
            Ordering::Greater if asleep => Rule::Woken,
            Ordering::Greater if c.no_gpus => Rule::GpuBudget,
            Ordering::Greater => Rule::AboveThreshold,
            Ordering::Less => Rule::BelowThreshold,
            Ordering::Equal if v.capacity > 0.0 => Rule::WithinTolerance,
            Ordering::Equal => Rule::Hold,
        };
        let rule = rule.filter(|_| own != Rule::Woken).unwrap_or(own);
        let (wanted, target) = if idle { (0, 0) } else { (c.wanted, c.target) };
        let direct = Decision::direct(v.current, wanted, rule, v.bounds);
        into.push(Decision { desired: target, clamped: c.clamped, ..direct });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::scaling::optimizer::NO_LIMIT;
    use crate::policy::scaling::{Measured, Scaler};
    use base::Micros;
    use document::{SaturationV1, SaturationV2, Scaling, ScalingPolicy};

    /// Replicas that serve, each with this share of its cache in use.
    fn sight(ready: u32, pending: u32, kv: f64) -> PoolSight {
        let one =
            Measured { kv, kv_tokens: 1000.0 * kv, running: 4.0 * kv, rate_per_s: kv, ..Measured::default() };
        PoolSight {
            seen_at: Some(Micros(1)),
            ready,
            pending,
            measured: vec![Measured { input_tokens: 100.0, output_tokens: 50.0, ..one }; ready as usize],
            rate_per_s: kv * f64::from(ready),
            kv_capacity_tokens: 1000.0,
            max_batch: 256,
            ..PoolSight::default()
        }
    }

    /// Decisions about two variants, a cheap one and one of twice the cost.
    fn decided(policy: ScalingPolicy, sights: &[PoolSight; 2], bounds: Bounds) -> Vec<(u32, Rule)> {
        let mut scaler = Scaler::new(&Scaling { policy, ..Scaling::default() }, Micros(0), 1);
        let member = |(pool, sight, usd_per_hour)| Member {
            pool,
            sight,
            bounds,
            usd_per_hour,
            priority: 1.0,
            gpus: 1,
            budget: 0,
        };
        let members = [(0, &sights[0], 3.5), (1, &sights[1], 7.0)].map(member).to_vec();
        let found = decide_together(&[members], &mut [NO_LIMIT], &mut |_, v| scaler.assess(v));
        found.iter().map(|d| (d.desired, d.rule)).collect()
    }

    fn first() -> ScalingPolicy {
        ScalingPolicy::WvaSaturationV1(SaturationV1::default())
    }

    const FROM_ONE: Bounds = Bounds { min: 1, max: 4 };
    const FROM_NONE: Bounds = Bounds { min: 0, max: 4 };
    use Rule::{AboveThreshold, BelowThreshold, Hold, Idle, Transition, WithinTolerance, Woken};

    #[test]
    fn the_first_analyser_adds_to_the_cheapest_with_room_and_takes_from_the_most_expensive_with_more_than_one()
     {
        let full = |ready: [u32; 2]| ready.map(|n| sight(n, 0, 0.79));
        assert_eq!(decided(first(), &full([2, 2]), FROM_ONE), [(3, AboveThreshold), (2, WithinTolerance)]);
        assert_eq!(decided(first(), &full([4, 2]), FROM_ONE), [(4, AboveThreshold), (3, AboveThreshold)]);
        let light = |ready: [u32; 2]| ready.map(|n| sight(n, 0, 0.1));
        assert_eq!(decided(first(), &light([2, 2]), FROM_ONE), [(2, WithinTolerance), (1, BelowThreshold)]);
        // The expensive one keeps its last, whatever its bounds.
        assert_eq!(decided(first(), &light([2, 1]), FROM_NONE)[0], (1, BelowThreshold));
        // A replica of either variant that starts stops both.
        let starts = [sight(2, 0, 0.79), sight(2, 1, 0.79)];
        assert_eq!(decided(first(), &starts, FROM_ONE), [(2, Transition), (3, Transition)]);
    }

    #[test]
    fn the_second_analyser_knows_what_a_variant_without_replicas_would_carry() {
        let second = || ScalingPolicy::WvaSaturationV2(SaturationV2::default());
        // 4 x 790 tokens of 800 each: 3160 / 0.85 - 3200 = 518 are missing, one replica of the expensive variant.
        let sights = [sight(4, 0, 0.79), sight(0, 0, 0.0)];
        assert_eq!(decided(second(), &sights, FROM_NONE), [(4, AboveThreshold), (1, AboveThreshold)]);
        // 2 x 200 / 0.7 = 571 of 2 x 800: one of the expensive variant is too much, and then no whole one of the other.
        let sights = [sight(1, 0, 0.2), sight(1, 0, 0.2)];
        assert_eq!(decided(second(), &sights, FROM_NONE), [(1, WithinTolerance), (0, BelowThreshold)]);
    }

    #[test]
    fn a_model_that_nothing_comes_to_sleeps_and_wakes_on_its_cheapest_variant() {
        let quiet = [sight(1, 0, 0.0), sight(1, 0, 0.0)];
        assert_eq!(decided(first(), &quiet, FROM_NONE), [(0, Idle), (0, Idle)]);
        assert_eq!(decided(first(), &quiet, FROM_ONE)[0].0, 1);
        let held = [PoolSight { held: 3.0, ..sight(0, 0, 0.0) }, sight(0, 0, 0.0)];
        let second = ScalingPolicy::WvaSaturationV2(SaturationV2::default());
        assert_eq!(decided(second, &held, FROM_NONE)[0], (1, Woken));
        let unseen = [PoolSight { seen_at: None, ..sight(2, 0, 0.0) }, sight(2, 0, 0.9)];
        assert_eq!(decided(first(), &unseen, FROM_ONE), [(2, Hold), (2, Hold)]);
    }
}
