//! Predictions of a law at a rate, in milliseconds; docs/explanation/theory.md has the formulas and their sources.

use super::laws::Law;
use super::observed::Observed;
use super::server::{Batch, Fleet, Service};
use base::math::exp;
use document::{Rounds, RoutingPolicy, ThinkTime};
use queueing::Trouble;
use queueing::theory::{
    ClosedLoop, PriorityClass, batch_server, closed_loop, cobham, infinite_servers, limited_batch, mdc_wait,
    mm1k, mmc, pollaczek_khinchine, power_of_d, processor_sharing, round_robin, shortest_queue,
};
use serde::Serialize;

/// Most states of the chain of shortest queues, which is solved for each rate.
const PLACES: [u32; 9] = [0, 400, 60, 25, 14, 10, 8, 6, 5];
/// Share of arrivals that the chain may lose.
const TURNED_AWAY: f64 = 1e-3;
/// Rounds of the search for the share of time that a batch of any size is busy.
const ROUNDS: u32 = 40;

/// Means at a rate; null if the law does not give them, or if the load is 1 or more.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Prediction {
    /// Requests per second to the whole cluster.
    pub rate_per_s: f64,
    /// The load of a replica: 1 is its capacity.
    pub rho: f64,
    /// Arrival to first joining a batch.
    pub wait_ms: Option<f64>,
    /// Arrival to first token.
    pub ttft_ms: Option<f64>,
    /// Between successive tokens.
    pub itl_ms: Option<f64>,
    /// Arrival to last token.
    pub e2e_ms: Option<f64>,
}

/// The load of a replica under a law.
pub(super) fn load(law: Law, fleet: &Fleet, rate_per_s: f64) -> f64 {
    let each = match law {
        Law::Mdc | Law::Mmc => rate_per_s / f64::from(fleet.servers()),
        _ => rate_per_s / f64::from(fleet.replicas),
    } / 1000.0;
    match law {
        Law::LimitedBatch => {
            let full = f64::from(fleet.max_batch.max(1));
            each * fleet.batch.steps * (fleet.batch.alpha / full + fleet.batch.delta)
        }
        Law::BatchServer | Law::ProcessorSharing | Law::ClosedForm => {
            each * fleet.batch.steps * fleet.batch.delta
        }
        Law::Little if fleet.max_batch > 1 => each * fleet.batch.steps * fleet.batch.delta,
        _ => each * fleet.service.mean,
    }
}

/// The prediction of a law at a rate.
pub(super) fn predict(law: Law, fleet: &Fleet, seen: &Observed, rate_per_s: f64) -> Prediction {
    let rho = load(law, fleet, rate_per_s);
    let nothing = Prediction { rate_per_s, rho, ..Prediction::default() };
    if fleet.batch.steps <= 0.0 {
        return nothing;
    }
    let each = rate_per_s / f64::from(fleet.replicas) / 1000.0;
    if law == Law::Little {
        return of_little(seen, nothing);
    }
    let found = match law {
        Law::BatchServer => batch(fleet, rho, each).ok(),
        Law::LimitedBatch => limited(fleet, each).ok(),
        Law::ProcessorSharing => sharing(fleet, rho).ok(),
        Law::ClosedForm => means(fleet, rho),
        _ => wait(law, fleet, seen, rho).ok().flatten().map(|wait_ms| single(fleet, wait_ms)),
    };
    found.map_or(nothing, |p| Prediction { rate_per_s, rho, ..p })
}

/// Little's law over the whole run: the times from the numbers.
fn of_little(seen: &Observed, nothing: Prediction) -> Prediction {
    let spans: u64 = seen.buckets.spans.iter().sum();
    let arrived: u64 = seen.buckets.counts.iter().map(|n| u64::from(*n)).sum();
    let over = |number: fn(&super::little::Stretch) -> f64| {
        let all = seen.stretches.iter().zip(&seen.buckets.spans);
        let sum: f64 = all.map(|(s, span)| number(s) * *span as f64).sum();
        (arrived > 0 && spans > 0 && !seen.stretches.is_empty()).then(|| sum / 1000.0 / arrived as f64)
    };
    Prediction { wait_ms: over(|s| s.waiting), e2e_ms: over(|s| s.inside), ..nothing }
}

/// Requests per second that a law lets through: the arrivals, at most what the servers can do.
pub(super) fn finished_per_s(law: Law, fleet: &Fleet, seen: &Observed, rate_per_s: f64) -> Option<f64> {
    let rho = load(law, fleet, rate_per_s);
    match law {
        Law::Mm1k => {
            let places = fleet.places().map_or(1, |k| k.max(1));
            mm1k(rho, places).ok().map(|law| rate_per_s * (1.0 - law.lost))
        }
        Law::ClosedLoop => looped(fleet, seen).ok().flatten().map(|law| law.throughput * 1000.0),
        _ => Some(if rho > 1.0 { rate_per_s / rho } else { rate_per_s }),
    }
}

/// Requests in the queue of one replica, by Little's law on the wait of a law.
pub(super) fn waiting(fleet: &Fleet, p: &Prediction) -> Option<f64> {
    let in_queue = (p.wait_ms? - (fleet.outside_ms - fleet.output_ms)).max(0.0);
    Some(p.rate_per_s / f64::from(fleet.replicas) / 1000.0 * in_queue)
}

/// One request at a time after a wait for the server.
fn single(fleet: &Fleet, wait_ms: f64) -> Prediction {
    let Service { mean, first, .. } = fleet.service;
    let gaps = fleet.batch.steps - 1.0;
    let before = fleet.outside_ms - fleet.output_ms;
    let itl_ms = (gaps > 0.0).then(|| (mean - first) / gaps + fleet.output_ms);
    Prediction {
        wait_ms: Some(before + wait_ms),
        ttft_ms: Some(fleet.outside_ms + wait_ms + first),
        itl_ms,
        e2e_ms: Some(fleet.outside_ms + wait_ms + mean + gaps.max(0.0) * fleet.output_ms),
        ..Prediction::default()
    }
}

/// The mean wait for a server, in milliseconds; `None` if the chain would have too many states.
fn wait(law: Law, fleet: &Fleet, seen: &Observed, rho: f64) -> Result<Option<f64>, Trouble> {
    let s = fleet.service;
    let factor = match law {
        Law::Priority => return by_class(fleet, rho).map(Some),
        Law::ClosedLoop => return loops(fleet, seen),
        Law::Mm1k => {
            let places = fleet.places().map_or(1, |k| k.max(1));
            mm1k(rho, places)?.time - 1.0
        }
        Law::ShortestQueue => {
            let Some(&places) = PLACES.get(fleet.replicas as usize) else { return Ok(None) };
            let law = shortest_queue(fleet.replicas as usize, rho, places)?;
            if law.lost > TURNED_AWAY {
                return Ok(None);
            }
            law.time - 1.0
        }
        Law::PowerOfD => {
            let d = if let RoutingPolicy::PowerOfD(p) = &fleet.routing { p.d } else { 2 };
            power_of_d(d.max(1), rho, 0)?.time - 1.0
        }
        Law::RoundRobin => round_robin(fleet.replicas, rho)?.time - 1.0,
        Law::Mdc => mdc_wait(fleet.servers(), rho)?,
        Law::Mmc => mmc(fleet.servers(), rho)?.wait,
        Law::Md1 => pollaczek_khinchine(rho, 0.0)?,
        Law::Mm1 => pollaczek_khinchine(rho, 1.0)?,
        _ => pollaczek_khinchine(rho, s.scv)?,
    };
    // A request that finds a place in a batch of equal steps joins at the next step: half a step later if one runs.
    let joins = if matches!(law, Law::Mdc | Law::Mmc) && fleet.max_batch > 1 && fleet.one_queue().is_some() {
        fleet.batch.alpha / 2.0 * (1.0 - exp(-rho * f64::from(fleet.servers())))
    } else {
        0.0
    };
    Ok(Some(factor * s.mean + joins))
}

/// The mean wait over all classes, the one of the highest score first.
fn by_class(fleet: &Fleet, rho: f64) -> Result<f64, Trouble> {
    let total = if fleet.service.mean > 0.0 { rho / fleet.service.mean } else { 0.0 };
    let score = |class: u32| {
        let name = fleet.class_names.get(class as usize).map_or("", String::as_str);
        fleet.by_class().map_or(0, |scores| scores.of(name))
    };
    let mut classes: Vec<(i32, PriorityClass)> = Vec::new();
    for (class, s) in &fleet.of_class {
        let (rate, square) = (total * s.share, s.mean * s.mean * (1.0 + s.scv));
        match classes.iter_mut().find(|(of, _)| *of == score(*class)) {
            // Classes with the same score are merged.
            Some((_, c)) => {
                let both = c.rate + rate;
                let of = |x: f64, y: f64| if both > 0.0 { (c.rate * x + rate * y) / both } else { 0.0 };
                let (service, service_squared) = (of(c.service, s.mean), of(c.service_squared, square));
                *c = PriorityClass { rate: both, service, service_squared };
            }
            None => classes.push((
                score(*class),
                PriorityClass { rate, service: s.mean, service_squared: square.max(s.mean * s.mean) },
            )),
        }
    }
    classes.sort_by_key(|(score, _)| -score);
    let classes: Vec<PriorityClass> = classes.into_iter().map(|(_, c)| c).collect();
    let waits = cobham(&classes)?;
    let of: f64 = classes.iter().zip(&waits).map(|(c, w)| c.rate * w).sum();
    Ok(if total > 0.0 { of / total } else { 0.0 })
}

/// Users that began together: as many as conversations, each with the mean think time.
fn loops(fleet: &Fleet, seen: &Observed) -> Result<Option<f64>, Trouble> {
    Ok(looped(fleet, seen)?.map(|law| law.response - fleet.service.mean))
}

fn looped(fleet: &Fleet, seen: &Observed) -> Result<Option<ClosedLoop>, Trouble> {
    let Some(conversation) = fleet.scenario.workload.clients.iter().find_map(|c| c.conversation.as_ref())
    else {
        return Ok(None);
    };
    let think = match conversation.think_time {
        ThinkTime::Constant { think_s } => think_s,
        ThinkTime::Exponential { mean_s } => mean_s,
        ThinkTime::Lognormal { median_s, sigma } => median_s * exp(sigma * sigma / 2.0),
    } * 1000.0;
    let rounds = match conversation.rounds {
        Rounds::Constant { .. } | Rounds::Geometric { .. } => conversation.rounds.mean(),
    };
    // By Little's law for the users: those at the server and those that think.
    let users = seen.users.clamp(1.0, 1e6);
    if rounds <= 1.0 {
        return Ok(None);
    }
    Ok(Some(closed_loop(users as u32, think, fleet.service.mean)?))
}

/// The batch of negative binomial size, with `each` requests a millisecond; docs/explanation/theory.md has the terms of TTFT.
fn batch(fleet: &Fleet, rho: f64, each: f64) -> Result<Prediction, Trouble> {
    let b = fleet.batch;
    if b.delta <= 1e-6 * b.alpha {
        return Ok(equal_steps(fleet, each));
    }
    let law = batch_server(b.alpha.max(1e-9 * b.delta) / b.delta, rho)?;
    let itl = (b.alpha + b.delta) / (1.0 - rho) - b.delta + b.decode;
    Ok(in_steps(fleet, each, [law.none, law.mean, 0.0], itl))
}

/// The batch with a limit: a request that finds it full waits for a place, (1 + SCV) / 2 times as long as with
/// exponential answers.
fn limited(fleet: &Fleet, each: f64) -> Result<Prediction, Trouble> {
    let b = fleet.batch;
    let law = limited_batch(b.alpha, b.delta, b.steps, fleet.max_batch, each)?;
    let queue = law.waiting / each * (1.0 + fleet.service.scv) / 2.0;
    let itl = law.mean / each / b.steps - b.delta + b.decode;
    let p = in_steps(fleet, each, [law.none, law.mean, law.full], itl);
    let later = |ms: Option<f64>| ms.map(|ms| ms + queue);
    Ok(Prediction { wait_ms: later(p.wait_ms), ttft_ms: later(p.ttft_ms), e2e_ms: later(p.e2e_ms), ..p })
}

/// With probability `none` the server is empty, `mean` requests are in the batch, and an arrival finds it full with
/// probability `full`: all others join it when the current step ends.
fn in_steps(fleet: &Fleet, each: f64, [none, mean, full]: [f64; 3], itl: f64) -> Prediction {
    let b = fleet.batch;
    let busy = 1.0 - none;
    let inside = if busy > 0.0 { mean / busy } else { 0.0 };
    // The step in which an arrival falls, longer by the prompts in it.
    let plain = b.alpha + inside * b.delta;
    let fallen_into = plain + each * b.prompt_squared;
    let next = plain + each * (fallen_into - plain) * b.prompt;
    let wait = (busy - full) * (fallen_into / 2.0);
    let first = busy * next + none * b.alpha + b.prompt;
    shared(fleet, wait, first, itl)
}

/// Steps whose time does not depend on the batch: as many servers as requests.
fn equal_steps(fleet: &Fleet, each: f64) -> Prediction {
    let b = fleet.batch;
    let mut busy = 0.0;
    for _ in 0..ROUNDS {
        let stays = b.alpha * (b.steps + busy / 2.0);
        busy = infinite_servers(each * stays).map_or(0.0, |law| 1.0 - law.none);
    }
    shared(fleet, busy * b.alpha / 2.0, b.alpha, b.alpha)
}

/// Processor sharing: all requests share the server equally.
fn sharing(fleet: &Fleet, rho: f64) -> Result<Prediction, Trouble> {
    let b = fleet.batch;
    let slow = processor_sharing(rho)?.slowdown;
    Ok(shared(fleet, 0.0, b.prompt * slow, b.decode * slow))
}

/// The closed form (`queueing/closed_form.rs`) with this pool's own prompt and decoding work.
fn means(fleet: &Fleet, rho: f64) -> Option<Prediction> {
    let Batch { alpha, prompt, decode, .. } = fleet.batch;
    let step = (rho < 1.0).then(|| alpha / (1.0 - rho))?;
    Some(shared(fleet, 0.0, step + prompt, step + decode))
}

fn shared(fleet: &Fleet, wait: f64, first: f64, itl: f64) -> Prediction {
    let ttft = fleet.outside_ms + wait + first;
    let itl_ms = itl + fleet.output_ms;
    let gaps = (fleet.batch.steps - 1.0).max(0.0);
    Prediction {
        wait_ms: Some(fleet.outside_ms - fleet.output_ms + wait),
        ttft_ms: Some(ttft),
        itl_ms: (gaps > 0.0).then_some(itl_ms),
        e2e_ms: Some(ttft + gaps * itl_ms),
        ..Prediction::default()
    }
}
