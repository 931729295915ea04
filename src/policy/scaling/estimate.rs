//! What a cycle of the queueing model found out, for whoever watches: what it learnt and how surely, how learning went, which
//! objectives hold, what a replica carries. No policy reads it. The truth beside it is told by who knows how long steps take.

use super::queueing_model::QueueingSettings;
use crate::queueing::{
    Analyzer, ClosedForm, Cycle, CycleFailure, Event, NIS_GATE, ObjectivePath, Objectives, Params,
    RequestSize, Status, Variant, VariantTuning, aggregate, carries, inferred,
};
use serde::{Deserialize, Serialize};

/// What one replica would be found to carry if the coefficients were known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Truth {
    /// The coefficients that steps really have.
    pub params: Params,
    /// Requests per second within the objectives, by the same sizing; `None` if no load meets them.
    pub per_replica_per_s: Option<f64>,
}

/// A cycle of the queueing model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The coefficients after the cycle; `None` if nothing is known yet.
    pub params: Option<Params>,
    /// Their standard deviations; `None` if nobody says how sure they are.
    pub deviation: Option<Params>,
    /// How learning went, by the last pod.
    pub status: Status,
    /// What else happened.
    pub event: Option<Event>,
    /// Squared innovation of the last update in units of what was expected; `None` without an update.
    pub nis: Option<f64>,
    /// Whether the last update was rejected from [`NIS_GATE`] on.
    pub gated: bool,
    /// Updates that were accepted, and rejected, in the cycle.
    pub updates: [u32; 2],
    /// The objectives, and where they come from.
    pub objectives: Option<(Objectives, ObjectivePath)>,
    /// Requests per second that one replica carries within them.
    pub per_replica_per_s: Option<f64>,
    /// Requests per second that were taken to come.
    pub demand_per_s: f64,
    /// Whole replicas that carry the demand.
    pub required: Option<u32>,
    /// More replicas are asked for below this number, ...
    pub needed: Option<f64>,
    /// ... and some could go above this one.
    pub enough: Option<f64>,
    /// Mean lengths of the requests measured.
    pub size: Option<RequestSize>,
    /// By the closed form, at the rate of the mean replica: TTFT and ITL in milliseconds, requests of its batch. `None` if
    /// more arrives than the coefficients can carry.
    pub predicted: Option<[f64; 3]>,
    /// The same by the true coefficients, where there are such.
    pub truth: Option<Truth>,
}

impl Estimate {
    /// Of a cycle that has just ended.
    pub(super) fn new(
        settings: &QueueingSettings,
        analyzer: &Analyzer,
        variant: &Variant,
        result: &Result<Cycle, CycleFailure>,
    ) -> Self {
        let (tunings, cycle): (&[VariantTuning], _) = match result {
            Ok(cycle) => (&cycle.tunings, Some(cycle)),
            Err(CycleFailure::NoObjectives { tunings } | CycleFailure::NothingKnown { tunings }) => {
                (tunings, None)
            }
            Err(CycleFailure::NoVariants | CycleFailure::Crashed { .. }) => (&[], None),
        };
        let tuning = tunings.first().map(|t| t.tuning);
        let update = tuning.and_then(|t| t.update);
        let known = analyzer.store.get(&variant.name);
        let workload = aggregate(&variant.pods);
        let found = cycle.map(|c| &c.capacities[0]).filter(|c| c.per_replica_per_s > 0.0);
        let demand_per_s = workload.map_or(0.0, |w| w.total_per_s);
        let replicas = |load: f64| found.map(|c| demand_per_s / load / c.per_replica_per_s);
        let predicted = known.zip(workload).and_then(|(known, w)| {
            let state =
                ClosedForm::new(known.params, w.size).ok()?.at(w.total_per_s / f64::from(w.busy)).ok()?;
            Some([state.ttft_ms, state.itl_ms, state.batch])
        });
        Self {
            params: known.map(|known| known.params),
            deviation: known.and_then(|known| known.covariance).map(|p| {
                let deviation = |k: usize| p[k][k].max(0.0).sqrt();
                Params { alpha: deviation(0), beta: deviation(1), gamma: deviation(2) }
            }),
            status: tuning.map_or(Status::Undefined, |t| t.status),
            event: tuning.and_then(|t| t.event),
            nis: update.map(|u| u.nis).filter(|nis| *nis >= 0.0),
            gated: tuning.is_some_and(|t| t.gated),
            updates: tuning.map_or([0; 2], |t| t.updates),
            objectives: cycle.map(|c| (c.objectives, c.path)),
            per_replica_per_s: found.map(|c| c.per_replica_per_s),
            demand_per_s,
            required: found.map(|c| c.wanted),
            needed: replicas(settings.up),
            enough: replicas(settings.down),
            size: workload.map(|w| w.size),
            predicted,
            truth: None,
        }
    }

    /// Puts the truth beside it.
    pub(super) fn judge(&mut self, settings: &QueueingSettings, max_batch: u32, truth: Params) {
        let goals = |size: RequestSize| match self.objectives? {
            (_, ObjectivePath::Inferred) => inferred(truth, size, settings.slo_multiplier).ok(),
            (goals, ObjectivePath::Explicit | ObjectivePath::Observed) => Some(goals),
        };
        let per_replica_per_s =
            self.size.and_then(|size| carries(settings.mode, truth, size, max_batch, goals(size)?));
        self.truth = Some(Truth { params: truth, per_replica_per_s });
    }

    /// Its figures, in the order of [`FIGURE_NAMES`]; unknown ones are not a number. The last one says by how much more than by
    /// the true coefficients a replica is found to carry.
    pub fn figures(&self) -> [f64; FIGURES] {
        let mut out = [f64::NAN; FIGURES];
        for (at, params) in [(0, self.params), (3, self.deviation), (22, self.truth.map(|t| t.params))] {
            if let Some(Params { alpha, beta, gamma }) = params {
                out[at..at + 3].copy_from_slice(&[alpha, beta, gamma]);
            }
        }
        let goals = self.objectives.map(|(goals, _)| goals);
        let truth = self.truth.and_then(|t| t.per_replica_per_s);
        let [ttft_ms, itl_ms, batch] = self.predicted.unwrap_or([f64::NAN; 3]);
        let optional = [
            (6, self.nis),
            (7, self.gated.then_some(NIS_GATE)),
            (8, Some(self.updates[0].into())),
            (9, Some(self.updates[1].into())),
            (10, goals.map(|g| g.ttft_ms)),
            (11, goals.map(|g| g.itl_ms)),
            (12, self.per_replica_per_s),
            (13, Some(self.demand_per_s)),
            (14, self.required.map(f64::from)),
            (15, self.needed),
            (16, self.enough),
            (17, self.size.map(|size| size.input_tokens)),
            (18, self.size.map(|size| size.output_tokens)),
            (19, Some(ttft_ms)),
            (20, Some(itl_ms)),
            (21, Some(batch)),
            (25, truth),
            (26, self.per_replica_per_s.zip(truth).map(|(found, truth)| 100.0 * (found / truth - 1.0))),
        ];
        for (at, figure) in optional {
            out[at] = figure.unwrap_or(f64::NAN);
        }
        out
    }
}

/// How many figures an estimate has.
const FIGURES: usize = 27;

/// Their names, as rows and columns have them, with spaces between: one text takes less of a module than many.
pub const FIGURE_NAMES: &str = "alpha_ms beta_ms gamma_ms alpha_sd_ms beta_sd_ms gamma_sd_ms nis nis_gate \
    updates_accepted updates_rejected goal_ttft_ms goal_itl_ms replica_per_s demand_per_s required needed enough \
    input_tokens output_tokens predicted_ttft_ms predicted_itl_ms predicted_batch true_alpha_ms true_beta_ms \
    true_gamma_ms true_replica_per_s replica_error_percent";
