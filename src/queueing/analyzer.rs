//! The analyser of a model. One cycle learns from every variant's pods, determines the objectives, and computes the
//! capacity of each variant.
//!
//! Objectives are explicit, or inferred from what was learnt, or measured latencies with headroom, in this order. As
//! coded, capacity is what a variant would have after scaling to its own demand, so that nothing is ever lacking; the
//! corrected mode counts the present replicas.

use super::chain::{Chain, QueueLength};
use super::closed_form::ClosedForm;
use super::objectives::{Pod, Workload, aggregate, fallback, inferred, replicas};
use super::tuner::{ParameterStore, Status, Tuning, tune};
use super::{DEFAULT_MAX_BATCH, Mode, Objectives, Params, RequestSize};
use serde::{Deserialize, Serialize};

/// Length of the wait queue in the published sizing.
const MAX_QUEUE: u32 = 100;
/// Growth of a saturated variant, as a share of its replicas.
const SATURATED_GROWTH: f64 = 0.5;

/// How a model is analysed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Which of the two modes.
    pub mode: Mode,
    /// Allowed step time as a multiple of an empty step, for inferred objectives; above 1.
    pub slo_multiplier: f64,
    /// Objectives given by the user.
    pub explicit: Option<Objectives>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { mode: Mode::default(), slo_multiplier: 3.0, explicit: None }
    }
}

/// A variant as measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// Its replicas.
    pub current: u32,
    /// Replicas that do not serve yet.
    pub pending: u32,
    /// Most requests of a batch; 0 if unknown.
    pub max_batch: u32,
    /// Its pods.
    pub pods: Vec<Pod>,
}

/// Which of the three sources gave the objectives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ObjectivePath {
    /// The user gave them.
    Explicit,
    /// From the coefficients that were learnt.
    Inferred,
    /// From measured latencies with headroom.
    Observed,
}

impl ObjectivePath {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::Inferred => "inferred",
            Self::Observed => "observed",
        }
    }
}

/// The capacity of a variant. All zero if unknown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Capacity {
    /// Its name.
    pub variant: String,
    /// Replicas that serve.
    pub ready: u32,
    /// Replicas that will serve.
    pub pending: u32,
    /// Requests per second that one replica carries.
    pub per_replica_per_s: f64,
    /// Requests per second that the variant carries.
    pub total_per_s: f64,
    /// Requests per second that arrive at it.
    pub demand_per_s: f64,
    /// Demand of a replica as a share of its capacity.
    pub utilization: f64,
    /// Replicas needed for its demand; 0 if unknown.
    pub wanted: u32,
    /// Whether arrivals exceed the capacity by its coefficients; nothing can be learnt until there are more replicas.
    pub saturated: bool,
}

/// Lacking and spare capacity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Demand {
    /// Requests per second beyond the capacity.
    pub required_per_s: f64,
    /// Requests per second that could be carried in addition.
    pub spare_per_s: f64,
}

/// The course of learning for one variant.
#[derive(Clone, Debug, PartialEq)]
pub struct VariantTuning {
    /// The variant.
    pub variant: String,
    /// The course of learning.
    pub tuning: Tuning,
}

/// A cycle.
#[derive(Clone, Debug, PartialEq)]
pub struct Cycle {
    /// The course of learning, by variant.
    pub tunings: Vec<VariantTuning>,
    /// The objectives.
    pub objectives: Objectives,
    /// Their source.
    pub path: ObjectivePath,
    /// The capacity of each variant, in the order of the variants.
    pub capacities: Vec<Capacity>,
    /// The demand of the model that follows.
    pub demand: Demand,
}

/// Why a cycle has no result: replicas stay as they are.
#[derive(Clone, Debug, PartialEq)]
pub enum CycleFailure {
    /// There are no variants.
    NoVariants,
    /// The published program crashes while it learns from this variant.
    Crashed {
        /// The variant.
        variant: String,
    },
    /// No objectives: none given, learnt or measured.
    NoObjectives {
        /// The course of learning, by variant.
        tunings: Vec<VariantTuning>,
    },
    /// No variant has a known capacity.
    NothingKnown {
        /// The course of learning, by variant.
        tunings: Vec<VariantTuning>,
    },
}

/// Capacity of one replica with these coefficients within the objectives, in requests per second; `None` if that is
/// 0.
pub fn carries(
    mode: Mode,
    params: Params,
    size: RequestSize,
    max_batch: u32,
    goals: Objectives,
) -> Option<f64> {
    match mode {
        Mode::Corrected => {
            let server = ClosedForm::new(params, size).ok()?;
            server.capacity(goals, max_batch).ok().map(|c| c.rate_per_s)
        }
        // The published capacity is the throughput at the rate found, below that rate if the queue overflows.
        Mode::AsCoded => {
            let chain = Chain::new(params, size, max_batch, QueueLength::Requests(MAX_QUEUE)).ok()?;
            chain.size(goals, false, Mode::AsCoded).ok().map(|s| s.analysis.throughput_per_s)
        }
    }
}

/// The analyser of one model with its learnt coefficients.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Analyzer {
    /// Settings.
    pub settings: Settings,
    /// Learnt coefficients, by variant.
    pub store: ParameterStore,
}

impl Analyzer {
    /// Runs one cycle.
    pub fn cycle(&mut self, variants: &[Variant]) -> Result<Cycle, CycleFailure> {
        if variants.is_empty() {
            return Err(CycleFailure::NoVariants);
        }
        let mode = self.settings.mode;
        let mut tunings = Vec::with_capacity(variants.len());
        for v in variants {
            let tuning = tune(mode, &mut self.store, &v.name, v.max_batch, &v.pods);
            if tuning.status == Status::Undefined {
                return Err(CycleFailure::Crashed { variant: v.name.clone() });
            }
            tunings.push(VariantTuning { variant: v.name.clone(), tuning });
        }
        let pods: Vec<Pod> = variants.iter().flat_map(|v| v.pods.iter().copied()).collect();
        let model = aggregate(&pods);
        let Some((objectives, path)) = self.objectives(variants, model.as_ref()) else {
            return Err(CycleFailure::NoObjectives { tunings });
        };
        let capacities: Vec<Capacity> = variants
            .iter()
            .zip(&tunings)
            .map(|(v, tuned)| self.capacity(v, tuned.tuning.status, objectives, model.as_ref()))
            .collect();
        // As coded, a cycle without any result counts as a cycle without a change.
        let unknown = |c: &Capacity| c.per_replica_per_s <= 0.0 && !c.saturated;
        if mode == Mode::Corrected && capacities.iter().all(unknown) {
            return Err(CycleFailure::NothingKnown { tunings });
        }
        let demand = self.demand(&capacities, model.map_or(0.0, |m| m.total_per_s));
        Ok(Cycle { tunings, objectives, path, capacities, demand })
    }

    fn learnt(&self, variant: &str) -> Option<Params> {
        let known = self.store.get(variant)?;
        known.is_trusted(self.settings.mode).then_some(known.params)
    }

    fn objectives(
        &self,
        variants: &[Variant],
        model: Option<&Workload>,
    ) -> Option<(Objectives, ObjectivePath)> {
        if let Some(explicit) = self.settings.explicit {
            return Some((explicit, ObjectivePath::Explicit));
        }
        let model = model?;
        let of = |v: &Variant| inferred(self.learnt(&v.name)?, model.size, self.settings.slo_multiplier).ok();
        if let Some(loosest) = variants.iter().filter_map(of).reduce(Objectives::max) {
            return Some((loosest, ObjectivePath::Inferred));
        }
        Some((fallback(model.ttft_ms, model.itl_ms)?, ObjectivePath::Observed))
    }

    fn capacity(&self, v: &Variant, status: Status, goals: Objectives, model: Option<&Workload>) -> Capacity {
        let ready = v.current.saturating_sub(v.pending);
        let nothing = Capacity { variant: v.name.clone(), ready, pending: v.pending, ..Capacity::default() };
        let max_batch = if v.max_batch == 0 { DEFAULT_MAX_BATCH } else { v.max_batch };
        // A variant without arrivals gets its capacity from the requests of the others; as coded its capacity is
        // unknown.
        let others = model.filter(|_| self.settings.mode == Mode::Corrected);
        let idle = || others.map(|m| Workload { total_per_s: 0.0, ..*m });
        let Some(workload) = aggregate(&v.pods).or_else(idle) else { return nothing };
        let demand_per_s = workload.total_per_s;
        if status == Status::Saturated {
            let wanted = v.current + (SATURATED_GROWTH * f64::from(v.current)).ceil() as u32;
            return Capacity { demand_per_s, wanted, saturated: true, ..nothing };
        }
        let params = match self.settings.mode {
            // Coefficients not yet trusted for decisions are still the best estimate of a capacity.
            Mode::Corrected => self.store.get(&v.name).map(|known| known.params),
            Mode::AsCoded => self.learnt(&v.name),
        };
        let each = params.and_then(|p| carries(self.settings.mode, p, workload.size, max_batch, goals));
        let Some(each) = each.filter(|each| *each > 0.0) else { return nothing };
        let Ok(wanted) = replicas(demand_per_s, each) else { return nothing };
        let counted = if self.settings.mode == Mode::AsCoded { wanted } else { ready };
        let total = f64::from(counted) * each;
        Capacity {
            per_replica_per_s: each,
            total_per_s: total,
            demand_per_s,
            utilization: demand_per_s / f64::from(counted.max(1)) / each,
            wanted,
            ..nothing
        }
    }

    /// Lacking capacity counts replicas that will serve, spare capacity only those that serve.
    fn demand(&self, capacities: &[Capacity], arriving_per_s: f64) -> Demand {
        let supply: f64 = capacities.iter().map(|c| c.total_per_s).sum();
        let (demand, coming) = match self.settings.mode {
            Mode::AsCoded => (capacities.iter().map(|c| c.demand_per_s).sum(), 0.0),
            Mode::Corrected => {
                let coming = |c: &Capacity| f64::from(c.pending) * c.per_replica_per_s;
                (arriving_per_s, capacities.iter().map(coming).sum())
            }
        };
        let missing: f64 = demand - supply - coming;
        Demand { required_per_s: missing.max(0.0), spare_per_s: (supply - demand).max(0.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tuner::Learned;
    use super::*;

    const TRUE: Params = Params { alpha: 6.958, beta: 0.042, gamma: 0.0001 };

    /// A variant whose pods measure what the true coefficients give, or anything where these give nothing.
    fn variant(rate_per_s: f64, current: u32) -> Variant {
        let size = RequestSize { input_tokens: 512.0, output_tokens: 128.0 };
        let state = ClosedForm::new(TRUE, size).unwrap().at(rate_per_s);
        let (ttft_ms, itl_ms) = state.map_or((30.0, 8.0), |s| (s.ttft_ms, s.itl_ms));
        let RequestSize { input_tokens, output_tokens } = size;
        let pod = Pod { rate_per_s, input_tokens, output_tokens, ttft_ms, itl_ms, ready_s: 1000.0 };
        Variant { name: "v".into(), current, pending: 0, max_batch: 256, pods: vec![pod; current as usize] }
    }

    fn knowing(mode: Mode) -> Analyzer {
        let mut analyzer =
            Analyzer { settings: Settings { mode, ..Settings::default() }, ..Analyzer::default() };
        analyzer.store.insert("v".into(), Learned::given(TRUE));
        analyzer
    }

    #[test]
    fn the_published_capacity_always_covers_the_demand_and_the_corrected_one_says_what_is_missing() {
        let overloaded = variant(25.0, 2);
        let coded = knowing(Mode::AsCoded).cycle(std::slice::from_ref(&overloaded)).unwrap();
        assert!(coded.demand.required_per_s.abs() < 1e-9, "{:?}", coded.demand);
        let mended = knowing(Mode::Corrected).cycle(&[overloaded]).unwrap();
        assert!(mended.demand.required_per_s > 0.0, "{:?}", mended.demand);
        assert_eq!(mended.capacities[0].wanted, 3);
    }

    #[test]
    fn replicas_that_will_serve_are_not_asked_for_again() {
        let mut v = variant(25.0, 2);
        (v.current, v.pending) = (3, 1);
        let cycle = knowing(Mode::Corrected).cycle(&[v]).unwrap();
        assert!(cycle.demand.required_per_s.abs() < 1e-9, "{:?}", cycle.demand);
    }

    #[test]
    fn a_variant_that_nothing_comes_to_would_carry_what_comes_to_the_others_and_as_coded_nothing() {
        let idle = Variant { name: "idle".into(), current: 0, pods: Vec::new(), ..variant(10.0, 1) };
        let each = |mode: Mode| {
            let mut analyzer = knowing(mode);
            analyzer.store.insert("idle".into(), Learned::given(TRUE));
            let cycle = analyzer.cycle(&[variant(10.0, 2), idle.clone()]).unwrap();
            [0, 1].map(|k: usize| cycle.capacities[k].per_replica_per_s)
        };
        let [busy, quiet] = each(Mode::Corrected);
        assert!(busy > 0.0 && (quiet / busy - 1.0).abs() < 0.2, "{busy} {quiet}");
        assert!(each(Mode::AsCoded)[1].abs() < 1e-9);
    }

    #[test]
    fn nothing_known_of_any_variant_is_an_error_and_holds() {
        let mut analyzer = Analyzer::default();
        assert_eq!(analyzer.cycle(&[]), Err(CycleFailure::NoVariants));
        let idle = Variant { pods: Vec::new(), ..variant(1.0, 1) };
        assert!(matches!(analyzer.cycle(&[idle]), Err(CycleFailure::NoObjectives { .. })));
    }

    #[test]
    fn objectives_come_from_measurements_until_three_updates_were_accepted() {
        let mut analyzer = Analyzer::default();
        let mut paths = Vec::new();
        for _ in 0..4 {
            paths.push(analyzer.cycle(&[variant(3.0, 1)]).unwrap().path);
        }
        let (observed, inferred) = (ObjectivePath::Observed, ObjectivePath::Inferred);
        assert_eq!(paths, [observed, observed, inferred, inferred]);
        analyzer.settings.explicit = Some(Objectives { ttft_ms: 500.0, itl_ms: 50.0 });
        assert_eq!(analyzer.cycle(&[variant(3.0, 1)]).unwrap().path, ObjectivePath::Explicit);
    }

    #[test]
    fn a_variant_that_carries_more_than_it_can_is_saturated_and_asks_for_half_as_many_again() {
        let mut analyzer = Analyzer::default();
        analyzer.store.insert("v".into(), Learned::given(Params { beta: 0.5, ..TRUE }));
        let cycle = analyzer.cycle(&[variant(30.0, 3)]).unwrap();
        assert!(cycle.capacities[0].saturated);
        assert_eq!(cycle.capacities[0].wanted, 5);
    }
}
