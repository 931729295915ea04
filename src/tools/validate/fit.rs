//! Fits coefficients of the calibrated model to measured runs: robust least squares with the simulator itself as the
//! model.
//!
//! Every evaluation replays the stages that may be fitted on. The search variables are those in which a step's time is
//! linear: costs, and reciprocals of shares of peaks, each within its range and in its own unit. Around a point the
//! residuals are linearised; their robust least squares within a trust region give the next point, and the simulator
//! decides whether it is better. If few figures depend on a coefficient, a weak pull to its first value decides: a GPU
//! with few measurements keeps the values of others.

use super::compare::Row;
use super::linear::{Linear, bend};
use super::pool::Found;
use super::replay::Outcome;
use base::math::{ln, log10, pow};
use document::CalibratedCoefficients;
use engine::perf;
use nalgebra::{DMatrix, DVector};
use std::collections::{BTreeMap, BTreeSet};

/// Replays all experiments of a fit with each of these coefficients, with a bounded number of requests per stage.
pub type Replays<'a> = dyn Fn(&[Found], u32) -> Vec<Vec<Outcome>> + 'a;

/// A coefficient that is fitted.
struct Kind {
    name: &'static str,
    /// A share of a peak is searched as its reciprocal, a cost as itself: lower bound, upper bound, unit.
    range: [f64; 2],
    unit: f64,
    share: bool,
    of: fn(&mut CalibratedCoefficients) -> &mut f64,
}

const fn share(
    name: &'static str,
    low: f64,
    unit: f64,
    of: fn(&mut CalibratedCoefficients) -> &mut f64,
) -> Kind {
    Kind { name, range: [1.0, 1.0 / low], unit, share: true, of }
}

const fn cost(
    name: &'static str,
    high: f64,
    unit: f64,
    of: fn(&mut CalibratedCoefficients) -> &mut f64,
) -> Kind {
    Kind { name, range: [0.0, high], unit, share: false, of }
}

/// All coefficients except the rows of a tile of attention, which belong to the kernel.
const KINDS: [Kind; 31] = [
    share("weights_efficiency", 0.3, 0.06, |c| &mut c.weights_efficiency),
    share("kv_efficiency", 0.2, 0.1, |c| &mut c.kv_efficiency),
    share("compute_efficiency", 0.1, 0.1, |c| &mut c.compute_efficiency),
    share("compute_efficiency_8_bit", 0.05, 0.3, |c| &mut c.compute_efficiency_8_bit),
    share("compute_efficiency_4_bit", 0.01, 3.0, |c| &mut c.compute_efficiency_4_bit),
    share("attention_efficiency", 0.02, 0.7, |c| &mut c.attention_efficiency),
    cost("compute_not_hidden", 1.0, 0.1, |c| &mut c.compute_not_hidden),
    cost("step_us", 2e4, 300.0, |c| &mut c.step_us),
    cost("step_us_per_layer", 500.0, 10.0, |c| &mut c.step_us_per_layer),
    cost("step_us_per_expert_layer", 500.0, 12.0, |c| &mut c.step_us_per_expert_layer),
    cost("step_us_per_parallel_layer", 300.0, 4.0, |c| &mut c.step_us_per_parallel_layer),
    cost("reduce_us_per_megabyte", 100.0, 2.0, |c| &mut c.reduce_us_per_megabyte),
    cost("step_us_per_sequence", 500.0, 8.0, |c| &mut c.step_us_per_sequence),
    cost("step_us_per_sequence_layer", 20.0, 0.1, |c| &mut c.step_us_per_sequence_layer),
    cost("step_us_per_prompt", 1e4, 200.0, |c| &mut c.step_us_per_prompt),
    cost("prefill_us_per_expert_layer", 500.0, 30.0, |c| &mut c.prefill_us_per_expert_layer),
    cost("step_us_with_prefill", 2e4, 800.0, |c| &mut c.step_us_with_prefill),
    cost("step_us_per_layer_without_graph", 300.0, 8.0, |c| &mut c.step_us_per_layer_without_graph),
    cost("step_us_per_converted_layer", 100.0, 3.0, |c| &mut c.step_us_per_converted_layer),
    cost("step_us_per_parallel_doubling", 100.0, 1.0, |c| &mut c.step_us_per_parallel_doubling),
    cost("step_us_per_expert", 5.0, 0.1, |c| &mut c.step_us_per_expert),
    cost("step_us_per_shared_layer", 500.0, 5.0, |c| &mut c.step_us_per_shared_layer),
    cost("step_us_per_8_bit_expert_layer", 500.0, 10.0, |c| &mut c.step_us_per_8_bit_expert_layer),
    cost("expert_us_per_copy", 2.0, 0.01, |c| &mut c.expert_us_per_copy),
    cost("expert_tile_rows", 256.0, 16.0, |c| &mut c.expert_tile_rows),
    share("expert_efficiency_weight_only", 0.02, 1.0, |c| &mut c.expert_efficiency_weight_only),
    cost("queueing_us", 1e5, 4000.0, |c| &mut c.queueing_us),
    cost("queueing_us_per_prompt_token", 50.0, 2.0, |c| &mut c.queueing_us_per_prompt_token),
    cost("front_end_us", 2e4, 1500.0, |c| &mut c.front_end_us),
    cost("front_end_us_per_prompt_token", 20.0, 0.5, |c| &mut c.front_end_us_per_prompt_token),
    cost("stream_us_per_token", 200.0, 10.0, |c| &mut c.stream_us_per_token),
];

/// Weight of the pull to the first values: a distance of one unit counts as a residual of this size. Round figures
/// pull harder than fitted values of another set: shares of peaks and costs of layers trade off against each other
/// over one release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pull {
    /// Pull to round figures.
    Hard,
    /// Pull to values fitted on another GPU or release.
    Soft,
    /// The same for closed loops of a few models: what costs belong to experts, layers or GPUs is better told by all
    /// sets together.
    Firm,
}

impl Pull {
    /// The weight by the numbers of figures and experiments: a set with many needs no pull.
    fn weight(self, figures: usize, experiments: usize) -> f64 {
        match self {
            Self::Hard => 0.03,
            Self::Firm => 0.02,
            Self::Soft if figures >= 60 && experiments >= 3 => 0.003,
            Self::Soft => 0.015,
        }
    }
}

/// Step of the differences that give slopes, in units.
const DIFFERENCE: f64 = 0.3;
/// Requests per stage that give slopes; residuals use whole stages.
const FEW: u32 = 600;
const ALL: u32 = u32::MAX;
/// Most rounds of a search, and the share of the loss that a round must save for another round.
const ROUNDS: usize = 10;
const BETTER: f64 = 2e-3;
/// First size of the trust region, in units, and how often it shrinks in one round.
const REACH: f64 = 2.0;
const SHRINKS: usize = 4;
/// Correction of a model's layers: largest size and unit, in microseconds, and the least number of measured models.
/// With fewer models, a correction cannot be separated from the shared cost.
const FURTHER: f64 = 40.0;
const FURTHER_UNIT: f64 = 15.0;
const MODELS: usize = 5;
/// An experiment counts for a coefficient if one unit of it moves a figure by at least this.
const TOLD: f64 = 0.01;

impl Kind {
    fn to_free(&self, value: f64) -> f64 {
        let [low, high] = self.range;
        let searched = if self.share { 1.0 / value.max(1e-6) } else { value };
        searched.clamp(low, high) / self.unit
    }

    fn to_value(&self, free: f64) -> f64 {
        let [low, high] = self.range;
        let searched = (free * self.unit).clamp(low, high);
        rounded(if self.share { 1.0 / searched } else { searched })
    }

    fn bounds(&self) -> [f64; 2] {
        self.range.map(|x| x / self.unit)
    }
}

/// A value of a fit, rounded to four digits, which exceed the precision of the data.
fn rounded(value: f64) -> f64 {
    let digits = pow(10.0, 4.0 - log10(value.abs().max(1e-4)).ceil());
    (value * digits).round() / digits
}

/// The result of a fit for one coefficient.
#[derive(Clone, Debug)]
pub struct Told {
    /// Its name, or that of a model.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Half of the 95 % interval, in its own unit; `None` if the data do not determine it.
    pub half: Option<f64>,
    /// The experiments that determine it.
    pub experiments: u32,
}

/// The result of a fit.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The coefficients.
    pub found: Found,
    /// The coefficients one by one, those of models last.
    pub told: Vec<Told>,
    /// The fitted figures, as simulated with the result.
    pub rows: Vec<Row>,
    /// Loss at the beginning and at the end.
    pub loss: [f64; 2],
}

/// The weight of a figure in a fit, if it is used: first-token times repeat less well than gaps.
fn weight(row: &Row) -> Option<f64> {
    match (row.metric.as_str(), row.stat.as_str()) {
        ("tpot_ms", "mean") => Some(1.0),
        ("step_ms", "p50") => Some(0.6),
        ("itl_ms", "p50") => Some(0.5),
        ("ttft_ms", "mean" | "p50") | ("ttft_ms_cached" | "ttft_ms_cold", "p50") => Some(0.35),
        _ => None,
    }
}

/// The figures that a fit uses, by name.
fn figures(outcomes: &[Outcome]) -> BTreeMap<String, (f64, f64)> {
    let rows = outcomes.iter().flat_map(|o| &o.rows).filter(|r| r.may_be_fitted && r.measured > 0.0);
    let figure = |r: &Row| {
        let residual = ln(r.simulated.max(1e-6) / r.measured);
        weight(r).map(|w| {
            (format!("{} {} {} {} {} {}", r.source, r.id, r.stage, r.tp, r.metric, r.stat), (residual, w))
        })
    };
    // A run that queues for minutes contains no more information than one that queues for seconds.
    rows.filter_map(figure).map(|(name, (r, w))| (name, (r.clamp(-1.5, 1.5), w))).collect()
}

struct Search<'a> {
    replays: &'a Replays<'a>,
    pull: f64,
    start: CalibratedCoefficients,
    /// Models with their own correction.
    models: Vec<String>,
    names: Vec<String>,
    /// Weight by figure.
    weights: Vec<f64>,
    begun: DVector<f64>,
}

/// The models of the figures that a fit uses, if there are enough.
fn models(outcomes: &[Outcome]) -> Vec<String> {
    let rows = outcomes.iter().flat_map(|o| &o.rows).filter(|r| r.may_be_fitted && weight(r).is_some());
    let names: BTreeSet<&str> =
        rows.filter_map(|r| perf::known_model(&r.model)).map(|known| known.name.as_str()).collect();
    if names.len() < MODELS { Vec::new() } else { names.into_iter().map(str::to_owned).collect() }
}

/// Fits coefficients, beginning with `start`; `None` if there is nothing to fit to.
pub fn fit(start: &CalibratedCoefficients, pull: Pull, replays: &Replays<'_>) -> Option<Fit> {
    let begin = Found { coefficients: start.clone(), ..Found::default() };
    let first = replays(&[begin], ALL);
    let found = figures(&first[0]);
    if found.is_empty() {
        return None;
    }
    let experiments: BTreeSet<&str> = found.keys().map(|name| experiment(name)).collect();
    let models = models(&first[0]);
    let mut from = start.clone();
    let begun: Vec<f64> = KINDS.iter().map(|k| k.to_free(*(k.of)(&mut from))).collect();
    let mut search = Search {
        replays,
        pull: pull.weight(found.len(), experiments.len()),
        start: start.clone(),
        names: found.keys().cloned().collect(),
        weights: found.values().map(|f| f.1).collect(),
        begun: DVector::from_iterator(
            KINDS.len() + models.len(),
            begun.into_iter().chain(models.iter().map(|_| 0.0)),
        ),
        models,
    };
    search.balance();
    Some(search.run())
}

impl Search<'_> {
    /// An experiment with many figures does not outvote the others.
    fn balance(&mut self) {
        let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
        for name in &self.names {
            *counts.entry(experiment(name)).or_default() += 1.0;
        }
        for (name, weight) in self.names.iter().zip(self.weights.iter_mut()) {
            *weight *= (3.0 / counts[experiment(name)].max(3.0)).sqrt();
        }
    }

    fn coefficients(&self, free: &DVector<f64>) -> Found {
        let mut c = self.start.clone();
        for (kind, x) in KINDS.iter().zip(free.iter()) {
            *(kind.of)(&mut c) = kind.to_value(*x);
        }
        let further = free.iter().skip(KINDS.len()).map(|x| rounded(x * FURTHER_UNIT));
        Found { coefficients: c, models: self.models.iter().cloned().zip(further).collect() }
    }

    /// Bounds of the search, coefficient by coefficient.
    fn bounds(&self) -> Vec<[f64; 2]> {
        let of_models = self.models.iter().map(|_| [-FURTHER / FURTHER_UNIT, FURTHER / FURTHER_UNIT]);
        KINDS.iter().map(Kind::bounds).chain(of_models).collect()
    }

    fn residuals(&self, outcomes: &[Outcome]) -> DVector<f64> {
        let found = figures(outcomes);
        let own = self.names.iter().map(|name| found.get(name).map_or(0.0, |f| f.0));
        DVector::from_iterator(self.names.len(), own)
    }

    /// Residuals of whole stages.
    fn at(&self, free: &DVector<f64>) -> DVector<f64> {
        self.residuals(&(self.replays)(&[self.coefficients(free)], ALL)[0])
    }

    fn loss(&self, residuals: &DVector<f64>, free: &DVector<f64>) -> f64 {
        let own: f64 =
            residuals.iter().zip(&self.weights).map(|(r, w)| (w * bend(*r).0) * (w * bend(*r).0)).sum();
        own + (free - &self.begun).norm_squared() * self.pull * self.pull
    }

    /// Slopes of the residuals with respect to each coefficient.
    fn slopes(&self, free: &DVector<f64>) -> DMatrix<f64> {
        let bounds = self.bounds();
        let step = |(x, [_, high]): (&f64, &[f64; 2])| {
            if x + DIFFERENCE <= *high { DIFFERENCE } else { -DIFFERENCE }
        };
        let steps: Vec<f64> = free.iter().zip(&bounds).map(step).collect();
        let moved = |i: usize| {
            let mut moved = free.clone();
            moved[i] += steps[i];
            self.coefficients(&moved)
        };
        let sets: Vec<Found> = (0..free.len()).map(moved).chain([self.coefficients(free)]).collect();
        let outcomes = (self.replays)(&sets, FEW);
        let mut found: Vec<DVector<f64>> = outcomes.iter().map(|o| self.residuals(o)).collect();
        let here = found.pop().unwrap_or_else(|| DVector::zeros(self.names.len()));
        let columns: Vec<DVector<f64>> =
            found.iter().zip(&steps).map(|(there, step)| (there - &here) / *step).collect();
        let mut slopes = DMatrix::from_columns(&columns);
        for (row, _) in self.names.iter().enumerate().filter(|(_, name)| has_one_gpu(name)) {
            for i in PASSED_ON.iter().filter_map(|name| KINDS.iter().position(|k| k.name == *name)) {
                slopes[(row, i)] = 0.0;
            }
        }
        slopes
    }

    fn run(&self) -> Fit {
        let mut free = self.begun.clone();
        let mut residuals = self.at(&free);
        let begun = self.loss(&residuals, &free);
        let (mut loss, mut reach) = (begun, REACH);
        let mut slopes = self.slopes(&free);
        for _ in 0..ROUNDS {
            let before = loss;
            for _ in 0..SHRINKS {
                let next = self.linear(&free, &residuals, &slopes).solve(&free, reach);
                let there = self.at(&next);
                let reached = self.loss(&there, &next);
                if reached < loss {
                    (free, residuals, loss) = (next, there, reached);
                    reach *= 1.5;
                    break;
                }
                reach *= 0.3;
            }
            if before - loss < BETTER * before {
                break;
            }
            slopes = self.slopes(&free);
        }
        self.result(&free, &residuals, &slopes, [begun, loss])
    }

    fn linear<'b>(
        &'b self,
        free: &'b DVector<f64>,
        residuals: &'b DVector<f64>,
        slopes: &'b DMatrix<f64>,
    ) -> Linear<'b> {
        Linear {
            at: free,
            residuals,
            slopes,
            weights: &self.weights,
            begun: &self.begun,
            pull: self.pull,
            bounds: self.bounds(),
        }
    }

    fn result(
        &self,
        free: &DVector<f64>,
        residuals: &DVector<f64>,
        slopes: &DMatrix<f64>,
        loss: [f64; 2],
    ) -> Fit {
        let c = self.coefficients(free);
        let outcome = (self.replays)(std::slice::from_ref(&c), ALL).swap_remove(0);
        let rows = outcome.into_iter().flat_map(|o| o.rows);
        let rows = rows.filter(|r| r.may_be_fitted && weight(r).is_some()).collect();
        let halves = self.linear(free, residuals, slopes).deviations();
        let told = |i: usize| {
            let moves = |(row, _): &(usize, &String)| slopes[(*row, i)].abs() >= TOLD;
            let telling: BTreeSet<&str> =
                self.names.iter().enumerate().filter(moves).map(|(_, name)| experiment(name)).collect();
            let kind = KINDS.get(i);
            let (unit, share) = kind.map_or((FURTHER_UNIT, false), |k| (k.unit, k.share));
            let half = halves[i].filter(|_| !telling.is_empty()).map(|h| {
                let wide = 1.96 * h * unit;
                rounded(if share { wide / (free[i] * unit) / (free[i] * unit) } else { wide })
            });
            let name = kind.map_or_else(|| self.models[i - KINDS.len()].clone(), |k| k.name.to_owned());
            let value = kind.map_or_else(|| rounded(free[i] * FURTHER_UNIT), |k| k.to_value(free[i]));
            Told { name, value, half, experiments: telling.len() as u32 }
        };
        Fit { found: c, told: (0..free.len()).map(told).collect(), rows, loss }
    }
}

/// The communication between GPUs is fitted to tensor parallelism alone. It also affects replicas that share experts,
/// but only one experiment has these and would be all its evidence.
const PASSED_ON: [&str; 2] = ["step_us_per_parallel_layer", "reduce_us_per_megabyte"];

/// Whether the figure of this name belongs to replicas of one GPU.
fn has_one_gpu(name: &str) -> bool {
    name.rsplit(' ').nth(2) == Some("1")
}

/// The experiment in the name of a figure.
fn experiment(name: &str) -> &str {
    name.split(' ').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_figure_has_its_experiment_and_whether_a_replica_is_one_gpu() {
        let one = "c-rtxpro6000-qwen3-30b-a3b-dp2 first half 1 tpot_ms mean";
        assert_eq!(experiment(one), "c-rtxpro6000-qwen3-30b-a3b-dp2");
        assert!(has_one_gpu(one) && !has_one_gpu("b-1 0 2 tpot_ms mean"));
        assert!(PASSED_ON.iter().all(|name| KINDS.iter().any(|k| k.name == *name)));
    }
}
