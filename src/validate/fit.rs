//! Coefficients of the calibrated model from measured runs: robust least squares with the simulator itself as the model.
//!
//! Every evaluation replays the stages that may be fitted on. Shares of peaks stay in their range and costs positive because
//! what is searched are their logits and logarithms. Where few figures tell of a coefficient, a weak pull to the values it
//! began with decides: a GPU with few measurements keeps what others have.

use super::compare::Row;
use super::replay::Outcome;
use crate::base::math::{exp, ln};
use crate::scenario::CalibratedCoefficients;
use levenberg_marquardt::{LeastSquaresProblem, LevenbergMarquardt};
use nalgebra::{DMatrix, DVector, Dyn, Owned};
use std::collections::BTreeMap;

/// Replays all experiments of a fit with each of these coefficients, every stage with so many requests at most.
pub type Replays<'a> = dyn Fn(&[CalibratedCoefficients], u32) -> Vec<Vec<Outcome>> + 'a;

/// A coefficient that is fitted.
struct Kind {
    name: &'static str,
    /// A share of a peak lies between these; a cost above 0 and below the second.
    range: [f64; 2],
    share: bool,
    of: fn(&mut CalibratedCoefficients) -> &mut f64,
}

const fn share(name: &'static str, low: f64, of: fn(&mut CalibratedCoefficients) -> &mut f64) -> Kind {
    Kind { name, range: [low, 1.0], share: true, of }
}

const fn cost(name: &'static str, high: f64, of: fn(&mut CalibratedCoefficients) -> &mut f64) -> Kind {
    Kind { name, range: [0.0, high], share: false, of }
}

const KINDS: [Kind; 14] = [
    share("weights_efficiency", 0.3, |c| &mut c.weights_efficiency),
    share("kv_efficiency", 0.2, |c| &mut c.kv_efficiency),
    share("compute_efficiency", 0.1, |c| &mut c.compute_efficiency),
    share("attention_efficiency", 0.02, |c| &mut c.attention_efficiency),
    cost("step_us", 2e4, |c| &mut c.step_us),
    cost("step_us_per_layer", 500.0, |c| &mut c.step_us_per_layer),
    cost("step_us_per_expert_layer", 500.0, |c| &mut c.step_us_per_expert_layer),
    cost("step_us_per_parallel_layer", 300.0, |c| &mut c.step_us_per_parallel_layer),
    cost("step_us_per_sequence", 500.0, |c| &mut c.step_us_per_sequence),
    cost("step_us_per_prompt", 1e4, |c| &mut c.step_us_per_prompt),
    cost("prefill_us_per_expert_layer", 500.0, |c| &mut c.prefill_us_per_expert_layer),
    cost("step_us_with_prefill", 2e4, |c| &mut c.step_us_with_prefill),
    cost("queueing_us", 1e5, |c| &mut c.queueing_us),
    cost("queueing_us_per_prompt_token", 50.0, |c| &mut c.queueing_us_per_prompt_token),
];

/// Weight of the pull to the values it began with, against a residual of 1 %.
const PULL: f64 = 0.004;
/// Residuals beyond this count as if they grew no faster than in proportion.
const OUTLIER: f64 = 0.06;
/// Step of the differences by which slopes are found.
const DIFFERENCE: f64 = 0.05;
/// Requests of a stage from which slopes are found; residuals are those of whole stages.
const FEW: u32 = 300;
const ALL: u32 = u32::MAX;
/// Rounds of weighting.
const ROUNDS: usize = 2;

impl Kind {
    fn to_free(&self, value: f64) -> f64 {
        let [low, high] = self.range;
        let inside = ((value - low) / (high - low)).clamp(1e-3, 1.0 - 1e-3);
        if self.share { ln(inside / (1.0 - inside)) } else { ln(value.max(high * 1e-4)) }
    }

    fn to_value(&self, free: f64) -> f64 {
        let [low, high] = self.range;
        let value =
            if self.share { low + (high - low) / (1.0 + exp(-free)) } else { exp(free.min(20.0)).min(high) };
        // Four digits are more than the data know.
        let digits = crate::base::math::pow(10.0, 4.0 - crate::base::math::log10(value.max(1e-9)).ceil());
        (value * digits).round() / digits
    }
}

/// What a fit found.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The coefficients.
    pub coefficients: CalibratedCoefficients,
    /// By coefficient: its name, value, and half of the interval that has it with 95 %, in its own unit; nothing where the
    /// data do not tell.
    pub intervals: Vec<(&'static str, f64, Option<f64>)>,
    /// What it was fitted to, as it is simulated now.
    pub rows: Vec<Row>,
}

/// Whether a fit looks at a figure, and how much: first-token times repeat less well than gaps.
fn weight(row: &Row) -> Option<f64> {
    match (row.metric.as_str(), row.stat.as_str()) {
        ("tpot_ms", "mean") => Some(1.0),
        ("itl_ms", "p50") => Some(if row.id.starts_with("e-r2") { 0.6 } else { 0.5 }),
        ("ttft_ms", "mean" | "p50") | ("ttft_ms_cached" | "ttft_ms_cold", "p50") => Some(0.35),
        _ => None,
    }
}

/// The figures that a fit looks at, by name.
fn figures(outcomes: &[Outcome]) -> BTreeMap<String, (f64, f64)> {
    let rows = outcomes.iter().flat_map(|o| &o.rows).filter(|r| r.may_be_fitted && r.measured > 0.0);
    let figure = |r: &Row| {
        let residual = ln(r.simulated.max(1e-6) / r.measured);
        weight(r).map(|w| (format!("{} {} {} {} {}", r.id, r.stage, r.tp, r.metric, r.stat), (residual, w)))
    };
    // A run that queues for minutes says no more than one that queues for seconds.
    rows.filter_map(figure).map(|(name, (r, w))| (name, (r.clamp(-1.5, 1.5), w))).collect()
}

struct Problem<'a> {
    replays: &'a Replays<'a>,
    start: CalibratedCoefficients,
    names: Vec<String>,
    /// By figure: how much it counts.
    weights: Vec<f64>,
    free: DVector<f64>,
    begun: DVector<f64>,
    residuals: DVector<f64>,
}

impl Problem<'_> {
    fn coefficients(&self, free: &DVector<f64>) -> CalibratedCoefficients {
        let mut c = self.start.clone();
        for (kind, x) in KINDS.iter().zip(free.iter()) {
            *(kind.of)(&mut c) = kind.to_value(*x);
        }
        c
    }

    /// Weighted residuals of replays, with the pull behind them.
    fn weighted(&self, outcomes: &[Outcome], free: &DVector<f64>) -> DVector<f64> {
        let found = figures(outcomes);
        let own =
            self.names.iter().zip(&self.weights).map(|(name, w)| found.get(name).map_or(0.0, |f| f.0 * w));
        let pull = free.iter().zip(self.begun.iter()).map(|(x, b)| (x - b) * PULL * 10.0);
        DVector::from_iterator(self.names.len() + KINDS.len(), own.chain(pull))
    }

    fn evaluate(&mut self) {
        let outcomes = (self.replays)(&[self.coefficients(&self.free)], ALL);
        self.residuals = self.weighted(&outcomes[0], &self.free);
    }
}

impl LeastSquaresProblem<f64, Dyn, Dyn> for Problem<'_> {
    type ResidualStorage = Owned<f64, Dyn>;
    type JacobianStorage = Owned<f64, Dyn, Dyn>;
    type ParameterStorage = Owned<f64, Dyn>;

    fn set_params(&mut self, free: &DVector<f64>) {
        self.free = free.clone();
        self.evaluate();
    }

    fn params(&self) -> DVector<f64> {
        self.free.clone()
    }

    fn residuals(&self) -> Option<DVector<f64>> {
        Some(self.residuals.clone())
    }

    fn jacobian(&self) -> Option<DMatrix<f64>> {
        let moved = |i: usize| {
            let mut free = self.free.clone();
            free[i] += DIFFERENCE;
            free
        };
        let all: Vec<DVector<f64>> = (0..KINDS.len()).map(moved).chain([self.free.clone()]).collect();
        let sets: Vec<CalibratedCoefficients> = all.iter().map(|free| self.coefficients(free)).collect();
        let outcomes = (self.replays)(&sets, FEW);
        let mut found: Vec<DVector<f64>> =
            outcomes.iter().zip(&all).map(|(outcome, free)| self.weighted(outcome, free)).collect();
        let here = found.pop()?;
        let columns: Vec<DVector<f64>> = found.iter().map(|there| (there - &here) / DIFFERENCE).collect();
        Some(DMatrix::from_columns(&columns))
    }
}

/// Fits coefficients, beginning with `start`; `None` if there is nothing to fit to.
pub fn fit(start: &CalibratedCoefficients, replays: &Replays<'_>) -> Option<Fit> {
    let first = replays(std::slice::from_ref(start), ALL);
    let found = figures(&first[0]);
    if found.is_empty() {
        return None;
    }
    let mut begun = start.clone();
    let begun = DVector::from_iterator(KINDS.len(), KINDS.iter().map(|k| k.to_free(*(k.of)(&mut begun))));
    let mut problem = Problem {
        replays,
        start: start.clone(),
        names: found.keys().cloned().collect(),
        weights: found.values().map(|f| f.1).collect(),
        free: begun.clone(),
        begun,
        residuals: DVector::zeros(0),
    };
    problem.balance();
    let plain = problem.weights.clone();
    problem.evaluate();
    for _ in 0..ROUNDS {
        let solver = LevenbergMarquardt::new().with_patience(1).with_ftol(2e-3).with_xtol(2e-3);
        (problem, _) = solver.with_stepbound(10.0).minimize(problem);
        problem.doubt(&plain);
        problem.evaluate();
    }
    Some(problem.result())
}

impl Problem<'_> {
    /// An experiment with many figures does not outvote the others.
    fn balance(&mut self) {
        let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
        let id = |name: &'_ str| name.split(' ').next().unwrap_or_default().len();
        for name in &self.names {
            *counts.entry(&name[..id(name)]).or_default() += 1.0;
        }
        for (name, weight) in self.names.iter().zip(self.weights.iter_mut()) {
            let count = counts[&name[..id(name)]];
            *weight *= (3.0 / count.max(3.0)).sqrt();
        }
    }

    /// Figures that nothing fits count less.
    fn doubt(&mut self, plain: &[f64]) {
        for (i, w) in plain.iter().enumerate() {
            let size = (self.residuals[i] / self.weights[i].max(1e-12)).abs();
            self.weights[i] = w * (OUTLIER / size.max(OUTLIER)).sqrt();
        }
    }

    fn result(&self) -> Fit {
        let c = self.coefficients(&self.free);
        let outcome = (self.replays)(std::slice::from_ref(&c), ALL).swap_remove(0);
        let intervals = self.intervals();
        let rows = outcome
            .into_iter()
            .flat_map(|o| o.rows)
            .filter(|r| r.may_be_fitted && weight(r).is_some())
            .collect();
        Fit { coefficients: c, intervals, rows }
    }

    fn intervals(&self) -> Vec<(&'static str, f64, Option<f64>)> {
        let jacobian = self.jacobian().unwrap_or_else(|| DMatrix::zeros(0, KINDS.len()));
        let freedom = (self.names.len() as f64 - KINDS.len() as f64).max(1.0);
        let variance = self.residuals.rows(0, self.names.len()).norm_squared() / freedom;
        let spread = (jacobian.transpose() * &jacobian).try_inverse();
        let interval = |(i, kind): (usize, &Kind)| {
            let value = kind.to_value(self.free[i]);
            let told = jacobian.rows(0, self.names.len()).column(i).norm() > 10.0 * PULL;
            let half = spread.as_ref().map(|s| 1.96 * (s[(i, i)] * variance).sqrt()).filter(|_| told);
            let half = half.map(|h| (kind.to_value(self.free[i] + h.min(3.0)) - value).abs());
            (kind.name, value, half)
        };
        KINDS.iter().enumerate().map(interval).collect()
    }
}
