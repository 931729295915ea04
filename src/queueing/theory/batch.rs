//! A server that works in steps, with a batch without limit: a step of n requests takes alpha + n delta.

use super::super::trouble::{Trouble, above_zero};
use super::stable;
use crate::base::math::{exp, ln, pow};

/// The batch in the limit of many short steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchServer {
    /// The load.
    pub rho: f64,
    /// alpha / delta.
    pub ratio: f64,
    /// Requests in the batch.
    pub mean: f64,
    /// Variance of their number.
    pub variance: f64,
    /// Probability of none.
    pub none: f64,
    /// Length of a step, in units of alpha, as a request sees it.
    pub step_over_alpha: f64,
    /// Requests in the batch by the closed form, which takes means for numbers.
    pub mean_of_closed_form: f64,
    /// Requests in the batch by the published program, which counts a request's own work twice.
    pub mean_as_coded: f64,
}

/// The law of the batch for `ratio` = alpha / delta: the number of requests is negative binomial with parameters ratio + 1 and
/// rho. Needs Poisson arrivals, requests of many steps, no limit of the batch; the law of the lengths does not matter.
pub fn batch_server(ratio: f64, rho: f64) -> Result<BatchServer, Trouble> {
    stable(rho)?;
    above_zero("alpha / delta", ratio)?;
    let free = 1.0 - rho;
    Ok(BatchServer {
        rho,
        ratio,
        mean: rho * (ratio + 1.0) / free,
        variance: rho * (ratio + 1.0) / (free * free),
        none: pow(free, ratio + 1.0),
        step_over_alpha: (ratio + 1.0) / ratio / free,
        mean_of_closed_form: rho * ratio / free,
        mean_as_coded: rho * (ratio + 2.0) / free,
    })
}

impl BatchServer {
    /// Probabilities of 0, 1, 2, ... requests, `most` of them.
    pub fn probabilities(&self, most: usize) -> Vec<f64> {
        // By logarithms: the first may be too small for a number of its own.
        let mut log = (self.ratio + 1.0) * ln(1.0 - self.rho);
        let mut out = Vec::with_capacity(most);
        for n in 1..=most {
            out.push(exp(log));
            log += ln(self.rho * (1.0 + self.ratio / n as f64));
        }
        out
    }
}

/// What is measured of the steps of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepMoments {
    /// Share of the time in which a step runs.
    pub busy: f64,
    /// Mean length of a step, weighted by its length: the one an arrival falls into.
    pub length_biased: f64,
    /// Mean length of the step after the one that an arrival falls into.
    pub next: f64,
    /// Length of an empty step: alpha.
    pub empty: f64,
    /// What a request's own prompt adds to its first step.
    pub own: f64,
}

/// Mean time to the first token from the steps of the same run, in their unit: half the step that an arrival falls into, the next
/// one whole, and its own prompt; who finds nobody pays an empty step and its prompt. Needs Poisson arrivals, whole prompts in one
/// step, no limit of the batch.
pub fn ttft_identity(steps: &StepMoments) -> f64 {
    let found_busy = steps.length_biased / 2.0 + steps.next + steps.own;
    steps.busy * found_busy + (1.0 - steps.busy) * (steps.empty + steps.own)
}
