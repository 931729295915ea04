//! A server that works in steps, with a batch without or with a limit: a step of n requests takes alpha + n delta.

use super::super::trouble::{Trouble, above_zero};
use super::stable;
use base::math::{exp, ln, pow};

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
    /// Requests in the batch by the closed form, which uses means in place of random numbers.
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
        // By logarithms: the first probability may underflow.
        let mut log = (self.ratio + 1.0) * ln(1.0 - self.rho);
        let mut out = Vec::with_capacity(most);
        for n in 1..=most {
            out.push(exp(log));
            log += ln(self.rho * (1.0 + self.ratio / n as f64));
        }
        out
    }
}

/// A batch with a limit, and a queue before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitedBatch {
    /// The rate as a share of that of a full batch.
    pub rho: f64,
    /// Probability of an empty server.
    pub none: f64,
    /// Probability of a full batch, with or without waiting requests.
    pub full: f64,
    /// Requests in the batch.
    pub mean: f64,
    /// Waiting requests.
    pub waiting: f64,
}

/// Weights are scaled down above this.
const LARGE: f64 = 1e200;

/// The law of a batch of at most `limit` requests of `steps` steps each, of alpha + n delta, at `rate`, all in one
/// unit of time: a birth-death chain in which n requests leave at n / (steps (alpha + n delta)), and no faster than a
/// full batch. Needs Poisson arrivals and exponential numbers of steps; if the limit is out of reach, their law does
/// not matter.
pub fn limited_batch(
    alpha: f64,
    delta: f64,
    steps: f64,
    limit: u32,
    rate: f64,
) -> Result<LimitedBatch, Trouble> {
    above_zero("alpha + delta", alpha + delta)?;
    above_zero("the steps", steps)?;
    above_zero("the limit", f64::from(limit))?;
    let leave = |n: f64| n / (steps * (alpha + n * delta));
    let rho = stable(rate / leave(f64::from(limit)))?;
    let (mut weight, mut sum, mut inside, mut none) = (1.0, 1.0, 0.0, 1.0);
    for n in 1..=limit {
        weight *= rate / leave(f64::from(n));
        sum += weight;
        inside += f64::from(n) * weight;
        if sum > LARGE {
            [weight, sum, inside, none] = [weight, sum, inside, none].map(|x| x / LARGE);
        }
    }
    // Beyond the limit the weights fall by rho.
    let beyond = weight * rho / (1.0 - rho);
    let all = sum + beyond;
    Ok(LimitedBatch {
        rho,
        none: none / all,
        full: (weight + beyond) / all,
        mean: (inside + f64::from(limit) * beyond) / all,
        waiting: beyond / (1.0 - rho) / all,
    })
}

/// Measured figures of the steps of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepMoments {
    /// Share of the time in which a step runs.
    pub busy: f64,
    /// Mean length of a step, weighted by its length: that of the step in which an arrival falls.
    pub length_biased: f64,
    /// Mean length of the step after the one in which an arrival falls.
    pub next: f64,
    /// Length of an empty step: alpha.
    pub empty: f64,
    /// What a request's own prompt adds to its first step.
    pub own: f64,
}

/// Mean time to the first token from the steps of the same run, in their unit: half of the step in which an arrival
/// falls, the whole next one, and its own prompt; a request that finds an empty server pays an empty step and its
/// prompt. Needs Poisson arrivals, whole prompts in one step, no limit of the batch.
pub fn ttft_identity(steps: &StepMoments) -> f64 {
    let found_busy = steps.length_biased / 2.0 + steps.next + steps.own;
    steps.busy * found_busy + (1.0 - steps.busy) * (steps.empty + steps.own)
}

#[cfg(test)]
mod tests {
    use super::super::{batch_server, mmc};
    use super::*;

    #[test]
    fn a_limit_out_of_reach_is_none() {
        let (steps, alpha, delta) = (50.0, 12.0, 0.15);
        let rate = 0.6 / (steps * delta);
        let free = batch_server(alpha / delta, 0.6).expect("stable");
        let limited = limited_batch(alpha, delta, steps, 5000, rate).expect("stable");
        assert!((limited.mean / free.mean - 1.0).abs() < 1e-9, "{limited:?} {free:?}");
        assert!((limited.none / free.none - 1.0).abs() < 1e-6 && limited.waiting < 1e-9, "{limited:?}");
    }

    #[test]
    fn steps_of_constant_time_are_servers() {
        let (servers, rho) = (16, 0.9);
        let law = mmc(servers, rho).expect("stable");
        let found = limited_batch(2.0, 0.0, 5.0, servers, rho * f64::from(servers) / 10.0).expect("stable");
        assert!((found.full - law.waits).abs() < 1e-9, "{found:?} {law:?}");
        // By Little's law: the wait in services of 10.
        let wait = found.waiting / (rho * f64::from(servers) / 10.0) / 10.0;
        assert!((wait - law.wait).abs() < 1e-9, "{wait} {law:?}");
    }

    #[test]
    fn more_than_a_full_batch_carries_is_told() {
        let most = 4.0 / (10.0 * (1.0 + 4.0 * 0.5));
        assert!(limited_batch(1.0, 0.5, 10.0, 4, 1.01 * most).is_err());
        assert!(limited_batch(1.0, 0.5, 10.0, 4, 0.99 * most).is_ok_and(|l| l.waiting > 50.0));
        assert!(
            limited_batch(0.0, 0.0, 10.0, 4, 0.1).is_err() && limited_batch(1.0, 1.0, 1.0, 0, 0.1).is_err()
        );
    }
}
