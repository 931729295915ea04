//! The optimiser: which variants of a model get or lose replicas, by cost, capacity, bounds and GPUs. Pure functions
//! of numbers.
//!
//! After the optimisers of llm-d's variant autoscaler. There is no forecast and no exchange: a model that lacks
//! capacity gets replicas, a model with spare capacity loses some, never both in one decision.

use super::{Bounds, Clamped, rounded_up};

/// A budget without a limit.
pub const NO_LIMIT: u32 = u32::MAX;

/// A variant of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variant {
    /// Cost of a replica.
    pub cost: f64,
    /// Capacity of a replica, in the unit of the model's demand. 0 means unknown: the variant keeps its replicas.
    pub capacity: f64,
    /// Replicas present and starting.
    pub current: u32,
    /// Fewest and most.
    pub bounds: Bounds,
    /// Fewest replicas that may remain.
    pub least: u32,
    /// GPUs of a replica.
    pub gpus: u32,
    /// Index of the budget for them.
    pub budget: u32,
}

/// A model with its variants. Between equal variants the first grows first and shrinks last.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Weight of its lack against that of other models.
    pub priority: f64,
    /// Lacking capacity.
    pub required: f64,
    /// Spare capacity.
    pub spare: f64,
    /// Its variants.
    pub variants: Vec<Variant>,
}

/// The number of replicas chosen for a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The number by the load alone.
    pub wanted: u32,
    /// The number within all limits.
    pub target: u32,
    /// The effect of the bounds.
    pub clamped: Clamped,
    /// Whether the GPUs were too few.
    pub no_gpus: bool,
}

/// Replicas for each variant of one model: more where capacity costs least, fewer where a replica costs most.
pub fn cost_aware(model: &Model) -> Vec<Choice> {
    greedy(std::slice::from_ref(model), &mut []).pop().unwrap_or_default()
}

/// Replicas for each variant of several models, with `free` GPUs in each budget. The model with the largest lack,
/// weighted by its priority, gets replicas until it lacks no more than the mean of all models that lack any; then the
/// next one. A model that cannot get more is skipped.
pub fn greedy(models: &[Model], free: &mut [u32]) -> Vec<Vec<Choice>> {
    let (mut choices, mut lacking) = (Vec::new(), Vec::new());
    for model in models {
        let mut own = as_they_are(&model.variants);
        if model.required <= 0.0 {
            shrink(&model.variants, &mut own, model.spare);
        }
        choices.push(own);
        lacking.push(model.required);
    }
    loop {
        // The model with the highest score, the first of several; how many models lack capacity, and their mean.
        let (mut most, mut best, mut open, mut sum) = (0.0, 0, 0_u32, 0.0);
        for (k, model) in models.iter().enumerate().filter(|(k, _)| lacking[*k] > 0.0) {
            let score = model.weight() * lacking[k];
            if score > most {
                (most, best) = (score, k);
            }
            (open, sum) = (open + 1, sum + score);
        }
        if open == 0 {
            return choices;
        }
        let mean = sum / f64::from(open);
        // Models with equal lack get equal shares.
        let part = if most > mean { most - mean } else { most / f64::from(open) };
        let asked = if open == 1 { lacking[best] } else { (part / models[best].weight()).min(lacking[best]) };
        let left = grow(&models[best].variants, &mut choices[best], asked, free);
        lacking[best] = if left > 0.0 { 0.0 } else { lacking[best] - asked + left };
    }
}

impl Model {
    fn weight(&self) -> f64 {
        if self.priority > 0.0 { self.priority } else { 1.0 }
    }
}

/// Keeps one replica of the cheapest variant if a model would have none.
pub fn keep_one(variants: &[Variant], choices: &mut [Choice]) {
    if choices.iter().all(|c| c.target == 0)
        && let Some(&k) = by(variants, |v| v.cost).first()
    {
        let (target, clamped) = variants[k].bounds.clamp(1);
        choices[k] = Choice { wanted: 1, target, clamped, no_gpus: false };
    }
}

fn as_they_are(variants: &[Variant]) -> Vec<Choice> {
    let mut choices = Vec::new();
    for v in variants {
        let (target, clamped) = v.bounds.clamp(v.current);
        choices.push(Choice { wanted: v.current, target, clamped, no_gpus: false });
    }
    choices
}

/// The variants in order of a number, the smallest first.
fn by(variants: &[Variant], number: fn(&Variant) -> f64) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    for k in 0..variants.len() {
        // There are few variants: a sort would add more to the page's module than this whole file.
        let later = |other: &usize| number(&variants[*other]).total_cmp(&number(&variants[k])).is_gt();
        let at = order.iter().position(later).unwrap_or(order.len());
        order.insert(at, k);
    }
    order
}

/// Adds replicas that carry `amount`, the cheapest per capacity first. Returns the load that is not carried; negative
/// for excess capacity.
fn grow(variants: &[Variant], choices: &mut [Choice], mut amount: f64, free: &mut [u32]) -> f64 {
    for k in by(variants, |v| v.cost / v.capacity) {
        let (v, c) = (&variants[k], &mut choices[k]);
        if amount <= 0.0 || v.capacity <= 0.0 {
            continue;
        }
        let asked = rounded_up(amount / v.capacity);
        let room = v.bounds.max.saturating_sub(c.target);
        let budget = free.get_mut(v.budget as usize).filter(|gpus| **gpus != NO_LIMIT);
        let affordable = budget.as_ref().map_or(NO_LIMIT, |gpus| **gpus / v.gpus.max(1));
        let given = asked.min(room).min(affordable);
        if let Some(gpus) = budget {
            *gpus -= given * v.gpus.max(1);
        }
        c.wanted = c.target.saturating_add(asked);
        c.no_gpus = given < asked && affordable < room;
        c.clamped = if given < asked && !c.no_gpus { Clamped::ToMax } else { Clamped::No };
        c.target += given;
        amount -= f64::from(given) * v.capacity;
    }
    amount
}

/// Removes replicas that carry `amount` at most, the most expensive first. The last replica of all stays.
fn shrink(variants: &[Variant], choices: &mut [Choice], mut amount: f64) {
    for k in by(variants, |v| v.cost).into_iter().rev() {
        let v = &variants[k];
        let others: u32 = choices.iter().map(|c| c.target).sum::<u32>() - choices[k].target;
        let c = &mut choices[k];
        if amount < v.capacity || v.capacity <= 0.0 || c.target == 0 {
            continue;
        }
        let asked = (amount / v.capacity).floor().clamp(0.0, f64::from(u32::MAX)) as u32;
        let stays = v.least.max(u32::from(others == 0));
        let given = asked.min(c.target.saturating_sub(stays));
        c.wanted = c.target.saturating_sub(asked);
        c.clamped = if given < asked && stays > c.wanted && v.bounds.min > c.wanted {
            Clamped::ToMin
        } else {
            Clamped::No
        };
        c.target -= given;
        amount -= f64::from(given) * v.capacity;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(cost: f64, capacity: f64, current: u32, bounds: [u32; 2]) -> Variant {
        let [min, max] = bounds;
        Variant { cost, capacity, current, bounds: Bounds { min, max }, least: min, gpus: 1, budget: 0 }
    }

    fn model(required: f64, spare: f64, variants: &[Variant]) -> Model {
        Model { priority: 1.0, required, spare, variants: variants.to_vec() }
    }

    fn targets(choices: &[Choice]) -> Vec<u32> {
        choices.iter().map(|c| c.target).collect()
    }

    fn aware(required: f64, spare: f64, variants: &[Variant]) -> Vec<Choice> {
        cost_aware(&model(required, spare, variants))
    }

    #[test]
    fn more_go_where_capacity_costs_least_and_spill_over_at_the_most() {
        // 10 for 20 requests per second are cheaper than 35 for 50.
        let both = [variant(10.0, 20.0, 1, [1, 3]), variant(35.0, 50.0, 0, [0, 4])];
        assert_eq!(targets(&aware(25.0, 0.0, &both)), [3, 0]);
        // Two more carry 40 of 100; of the 60 that are left the expensive one carries 50, and takes two replicas.
        let spilled = aware(100.0, 0.0, &both);
        assert_eq!(targets(&spilled), [3, 2]);
        assert_eq!((spilled[0].wanted, spilled[0].clamped), (6, Clamped::ToMax));
        assert_eq!((spilled[1].wanted, spilled[1].clamped), (2, Clamped::No));
        // More than all can carry.
        assert_eq!(targets(&aware(1e9, 0.0, &both)), [3, 4]);
        // More expensive per replica, cheaper per load.
        let large = [variant(10.0, 20.0, 1, [1, 9]), variant(35.0, 100.0, 0, [0, 9])];
        assert_eq!(targets(&aware(25.0, 0.0, &large)), [1, 1]);
    }

    #[test]
    fn the_most_expensive_go_first_not_below_the_fewest_and_the_last_one_stays() {
        let both = [variant(10.0, 20.0, 3, [0, 9]), variant(35.0, 50.0, 2, [1, 9])];
        // 75 are too many: one of the expensive ones, as one has to stay, and one of the cheap ones for the other 25.
        let fewer = aware(0.0, 75.0, &both);
        assert_eq!(targets(&fewer), [2, 1]);
        assert_eq!((fewer[1].wanted, fewer[1].clamped), (1, Clamped::No));
        assert_eq!(targets(&aware(0.0, 19.9, &both)), [3, 2]);
        let clamped = aware(0.0, 100.0, &both);
        assert_eq!((clamped[1].wanted, clamped[1].target, clamped[1].clamped), (0, 1, Clamped::ToMin));
        let free = [variant(10.0, 20.0, 3, [0, 9]), variant(35.0, 50.0, 2, [0, 9])];
        assert_eq!(targets(&aware(0.0, 160.0, &free)), [1, 0]);
    }

    #[test]
    fn of_equal_variants_the_first_grows_first_and_goes_last() {
        let twins = [variant(10.0, 20.0, 1, [0, 9]), variant(10.0, 20.0, 1, [0, 9])];
        assert_eq!(targets(&aware(15.0, 0.0, &twins)), [2, 1]);
        assert_eq!(targets(&aware(0.0, 20.0, &twins)), [1, 0]);
    }

    #[test]
    fn a_variant_of_which_nothing_is_known_keeps_what_it_has() {
        let one_unknown = [variant(1.0, 0.0, 2, [0, 9]), variant(35.0, 50.0, 1, [0, 9])];
        assert_eq!(targets(&aware(60.0, 0.0, &one_unknown)), [2, 3]);
        assert_eq!(targets(&aware(0.0, 1e9, &one_unknown)), [2, 0]);
        // ... within its bounds.
        let too_many = [variant(1.0, 0.0, 5, [0, 3])];
        assert_eq!(targets(&aware(0.0, 0.0, &too_many)), [3]);
    }

    #[test]
    fn where_none_would_be_left_the_cheapest_gets_one() {
        let none = [variant(35.0, 0.0, 0, [0, 9]), variant(10.0, 0.0, 0, [0, 9])];
        let mut choices = aware(5.0, 0.0, &none);
        keep_one(&none, &mut choices);
        assert_eq!(targets(&choices), [0, 1]);
        let some = [variant(35.0, 0.0, 1, [0, 9]), variant(10.0, 0.0, 0, [0, 9])];
        let mut choices = aware(0.0, 0.0, &some);
        keep_one(&some, &mut choices);
        assert_eq!(targets(&choices), [1, 0]);
    }

    #[test]
    fn gpus_that_do_not_suffice_go_to_the_model_that_lacks_most_until_it_lacks_the_mean() {
        let one = |gpus, budget| Variant { gpus, budget, ..variant(10.0, 10.0, 1, [1, 99]) };
        let (a, b) = (model(90.0, 0.0, &[one(1, 0)]), model(30.0, 0.0, &[one(1, 0)]));
        // The mean is 60: three for the first. Then 60 and 30, mean 45: two more. 40 and 30, mean 35: one. 30 and 30: half, two. 10 ...
        let shared = |gpus: u32| {
            let mut free = [gpus];
            let found: Vec<u32> =
                greedy(&[a.clone(), b.clone()], &mut free).iter().map(|c| c[0].target).collect();
            (found, free[0])
        };
        assert_eq!(shared(3), (vec![4, 1], 0));
        assert_eq!(shared(6), (vec![7, 1], 0));
        assert_eq!(shared(50), (vec![10, 4], 38));
        // Of four GPUs two replicas of two each.
        let mut free = [5];
        let wide = greedy(&[model(90.0, 0.0, &[one(2, 0)])], &mut free);
        assert_eq!((wide[0][0].target, wide[0][0].no_gpus, free), (3, true, [1]));
    }

    #[test]
    fn priority_weighs_what_a_model_lacks_and_each_gpu_has_a_budget_of_its_own() {
        let one = |budget| Variant { budget, ..variant(10.0, 10.0, 1, [1, 99]) };
        let (a, b) = (model(20.0, 0.0, &[one(0)]), model(30.0, 0.0, &[one(0)]));
        let first = Model { priority: 4.0, ..a.clone() };
        let found = |models: &[Model], free: &mut [u32]| -> Vec<Vec<u32>> {
            greedy(models, free).iter().map(|c| targets(c)).collect()
        };
        assert_eq!(found(&[a.clone(), b.clone()], &mut [1]), [[1], [2]]);
        assert_eq!(found(&[first, b.clone()], &mut [1]), [[2], [1]]);
        // A model whose GPUs are gone takes nothing from another's, and spills over to its own next variant.
        let both = model(30.0, 0.0, &[one(0), Variant { cost: 30.0, ..one(1) }]);
        assert_eq!(found(&[both, b], &mut [2, 9]), [vec![3, 2], vec![1]]);
        // One that has too much gives some up meanwhile.
        let spare = model(0.0, 10.0, &[Variant { current: 3, ..one(0) }]);
        assert_eq!(found(&[spare, a], &mut [NO_LIMIT]), [[2], [3]]);
    }
}
