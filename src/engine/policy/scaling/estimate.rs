//! Estimates: the results of a cycle of the queueing model, for the page and reports. They hold the learnt
//! coefficients with their uncertainty, the course of learning, the objectives in force and the capacity of a
//! replica. No policy reads them. The true coefficients in them come from the latency model.
//!
//! The numbers are one array: only readers of columns and rows use them, and a struct converted to an array would add
//! two kilobytes to the page's module.

use queueing::{
    Analyzer, Capacity, ClosedForm, Cycle, CycleFailure, Event, Mode, NIS_GATE, ObjectivePath, Objectives,
    Params, RequestSize, Status, Variant, VariantTuning, aggregate, carries, inferred,
};
use serde::{Deserialize, Serialize};

/// How many figures an estimate has.
const FIGURES: usize = 27;

/// Their names in rows and columns, separated by spaces: one text is smaller in a module than many.
pub const FIGURE_NAMES: &str = "alpha_ms beta_ms gamma_ms alpha_sd_ms beta_sd_ms gamma_sd_ms nis nis_gate \
    updates_accepted updates_rejected goal_ttft_ms goal_itl_ms replica_per_s demand_per_s required needed enough \
    input_tokens output_tokens predicted_ttft_ms predicted_itl_ms predicted_batch true_alpha_ms true_beta_ms \
    true_gamma_ms true_replica_per_s replica_error_percent";

/// Indices of figures; a figure of three numbers begins there.
mod at {
    pub(super) const PARAMS: usize = 0;
    pub(super) const DEVIATION: usize = 3;
    pub(super) const NIS: usize = 6;
    pub(super) const GATE: usize = 7;
    pub(super) const UPDATES: usize = 8;
    pub(super) const GOALS: usize = 10;
    pub(super) const CARRIED: usize = 12;
    pub(super) const DEMAND: usize = 13;
    pub(super) const REQUIRED: usize = 14;
    pub(super) const NEEDED: usize = 15;
    pub(super) const ENOUGH: usize = 16;
    pub(super) const SIZE: usize = 17;
    pub(super) const PREDICTED: usize = 19;
    pub(super) const TRUTH: usize = 22;
    pub(super) const TRULY_CARRIED: usize = 25;
    pub(super) const ERROR: usize = 26;
}

/// A cycle of the queueing model.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Estimate {
    /// Status of learning, by the last pod.
    pub status: Status,
    /// Event of the cycle, if any.
    pub event: Option<Event>,
    /// Source of the objectives; `None` if there are none.
    pub path: Option<ObjectivePath>,
    figures: [f64; FIGURES],
}

/// Unknown figures (not a number) compare equal.
impl PartialEq for Estimate {
    fn eq(&self, other: &Self) -> bool {
        let of = |e: &Self| (e.status, e.event, e.path, e.figures.map(f64::to_bits));
        of(self) == of(other)
    }
}

impl Estimate {
    /// The estimate of a variant, by its index in a cycle that has just ended.
    pub(super) fn new(
        settings: &QueueingSettings,
        analyzer: &Analyzer,
        variant: &Variant,
        k: usize,
        result: &Result<Cycle, CycleFailure>,
    ) -> Self {
        let (tunings, cycle): (&[VariantTuning], _) = match result {
            Ok(cycle) => (&cycle.tunings, Some(cycle)),
            Err(CycleFailure::NoObjectives { tunings } | CycleFailure::NothingKnown { tunings }) => {
                (tunings, None)
            }
            Err(CycleFailure::NoVariants | CycleFailure::Crashed { .. }) => (&[], None),
        };
        let tuning = tunings.get(k).map(|t| t.tuning);
        let mut estimate = Self {
            status: tuning.map_or(Status::Undefined, |t| t.status),
            event: tuning.and_then(|t| t.event),
            path: cycle.map(|c| c.path),
            figures: [f64::NAN; FIGURES],
        };
        let f = &mut estimate.figures;
        let updates = tuning.map_or([0; 2], |t| t.updates).map(f64::from);
        f[at::UPDATES..][..2].copy_from_slice(&updates);
        if let Some(update) = tuning.and_then(|t| t.update).filter(|u| u.nis >= 0.0) {
            f[at::NIS] = update.nis;
        }
        if tuning.is_some_and(|t| t.gated) {
            f[at::GATE] = NIS_GATE;
        }
        if let Some(cycle) = cycle {
            f[at::GOALS..][..2].copy_from_slice(&[cycle.objectives.ttft_ms, cycle.objectives.itl_ms]);
        }
        estimate.add_load(settings, analyzer, variant, cycle.map(|c| &c.capacities[k]));
        estimate
    }

    /// Whether the cycle accepted an update, or rejected all of them; `None` if it had none.
    pub fn accepted(&self) -> Option<bool> {
        let [accepted, rejected] = [0, 1].map(|i| self.figures[at::UPDATES + i] > 0.0);
        (accepted || rejected).then_some(accepted)
    }

    /// An estimate with only the numbers of accepted and rejected updates.
    pub fn of_updates(updates: [f64; 2]) -> Self {
        let mut figures = [f64::NAN; FIGURES];
        figures[at::UPDATES..][..2].copy_from_slice(&updates);
        Self { status: Status::Rejected, event: None, path: None, figures }
    }

    /// Adds the coefficients of the server, its load, and the figures that follow from both.
    fn add_load(
        &mut self,
        settings: &QueueingSettings,
        analyzer: &Analyzer,
        variant: &Variant,
        capacity: Option<&Capacity>,
    ) {
        let f = &mut self.figures;
        let known = analyzer.store.get(&variant.name);
        if let Some(known) = known {
            let Params { alpha, beta, gamma } = known.params;
            f[at::PARAMS..][..3].copy_from_slice(&[alpha, beta, gamma]);
            if let Some(covariance) = known.covariance {
                for (k, row) in covariance.iter().enumerate() {
                    f[at::DEVIATION + k] = row[k].max(0.0).sqrt();
                }
            }
        }
        f[at::DEMAND] = 0.0;
        if let Some(found) = capacity.filter(|c| c.per_replica_per_s > 0.0) {
            let (each, demand) = (found.per_replica_per_s, found.demand_per_s);
            f[at::CARRIED] = each;
            f[at::REQUIRED] = found.wanted.into();
            f[at::NEEDED] = demand / settings.up / each;
            f[at::ENOUGH] = demand / settings.down / each;
        }
        let Some(workload) = aggregate(&variant.pods) else { return };
        let demand = workload.total_per_s;
        f[at::DEMAND] = demand;
        f[at::SIZE..][..2].copy_from_slice(&[workload.size.input_tokens, workload.size.output_tokens]);
        // The mean replica by the closed form; unknown if the arrivals exceed the capacity by the coefficients.
        let rate_each = demand / f64::from(workload.busy);
        let server = known.and_then(|known| ClosedForm::new(known.params, workload.size).ok());
        if let Some(state) = server.and_then(|server| server.at(rate_each).ok()) {
            f[at::PREDICTED..][..3].copy_from_slice(&[state.ttft_ms, state.itl_ms, state.batch]);
        }
    }

    /// Mean lengths of the requests measured; `None` if none were.
    pub(super) fn size(&self) -> Option<RequestSize> {
        let [input_tokens, output_tokens] = [0, 1].map(|k| self.figures[at::SIZE + k]);
        input_tokens.is_finite().then_some(RequestSize { input_tokens, output_tokens })
    }

    /// Adds the true coefficients. Inferred objectives are inferred from these, too.
    pub(super) fn judge(
        &mut self,
        settings: &QueueingSettings,
        max_batch: u32,
        (truth, size): (Params, RequestSize),
    ) {
        let [ttft_ms, itl_ms] = [0, 1].map(|k| self.figures[at::GOALS + k]);
        let goals = match self.path {
            Some(ObjectivePath::Inferred) => inferred(truth, size, settings.slo_multiplier).ok(),
            Some(ObjectivePath::Explicit | ObjectivePath::Observed) => Some(Objectives { ttft_ms, itl_ms }),
            None => None,
        };
        let f = &mut self.figures;
        f[at::TRUTH..][..3].copy_from_slice(&[truth.alpha, truth.beta, truth.gamma]);
        if let Some(each) = goals.and_then(|goals| carries(settings.mode, truth, size, max_batch, goals)) {
            f[at::TRULY_CARRIED] = each;
            f[at::ERROR] = 100.0 * (f[at::CARRIED] / each - 1.0);
        }
    }

    /// Its figures, in the order of [`FIGURE_NAMES`]; unknown ones are not a number. The last one is the relative
    /// excess of the estimated capacity of a replica over that by the true coefficients.
    pub fn figures(&self) -> &[f64; FIGURES] {
        &self.figures
    }
}

/// Settings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueueingSettings {
    /// Whether it follows the description or the published program.
    pub mode: Mode,
    /// Allowed step time as a multiple of an empty step, for inferred objectives.
    pub slo_multiplier: f64,
    /// Objectives given by the user.
    pub explicit: Option<Objectives>,
    /// Adds replicas if demand is above this share of the coming capacity.
    pub up: f64,
    /// Removes replicas if it is below this share of the present capacity.
    pub down: f64,
}
