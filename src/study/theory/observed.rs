//! The traffic observed in a run or planned by a scenario: rates, gaps, lengths, and the outcomes of requests.

use super::buckets::Buckets;
use super::little::{Stretch, inside, stretches};
use crate::compare::{Ending, Outcome, Outcomes};
use base::Micros;
use document::{Arrivals, Client, ConversationClock, Scenario};
use engine::workload::Source;
use run::session::Trace;
use run::session::report::{Metric, RunMetric, Statistic};
use std::sync::Arc;

/// Most requests planned ahead without a run.
const PLANNED: usize = 4000;
/// Most requests whose lengths are used, evenly spread over the run.
const MOST_LENGTHS: usize = 200_000;
/// Batches of requests for the error of a mean.
const BATCHES: usize = 30;

/// Requests of equal lengths and class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Kind {
    pub(super) class: u32,
    pub(super) prompt: u32,
    pub(super) output: u32,
    pub(super) count: f64,
}

/// A mean with its standard error.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Measured {
    /// The mean.
    pub mean: f64,
    /// Its standard error from 30 batches of requests in order of arrival; null for fewer than 60 requests.
    pub error: Option<f64>,
}

/// Mean times of the requests of the measurement window, in milliseconds; null without values.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Simulated {
    /// Arrival to first joining a batch.
    pub wait_ms: Option<Measured>,
    /// Arrival to first token.
    pub ttft_ms: Option<Measured>,
    /// Between successive tokens.
    pub itl_ms: Option<Measured>,
    /// Arrival to last token.
    pub e2e_ms: Option<Measured>,
}

/// The observed figures of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Observed {
    pub(super) kinds: Vec<Kind>,
    pub(super) classes: Vec<String>,
    /// Arrivals per second in the measurement window.
    pub(super) rate_per_s: f64,
    pub(super) requests: usize,
    /// Coefficient of variation of the gaps between arrivals, corrected for changes of the rate.
    pub(super) cv: Option<f64>,
    pub(super) buckets: Buckets,
    /// Whether users wait for their answers; how many users there are, and whether some come after the first tenth of the run.
    pub(super) closed: bool,
    pub(super) users: f64,
    pub(super) users_come: bool,
    /// Whether any client sends in on and off periods.
    pub(super) on_off: bool,
    /// Shares of requests lost and of prompt tokens found in a cache, preemptions, and the most requests in a batch;
    /// `None` before a run.
    pub(super) lost: Option<f64>,
    pub(super) reused: Option<f64>,
    pub(super) preemptions: Option<f64>,
    pub(super) largest_batch: Option<u32>,
    /// Requests in the system at the end, and all that arrived.
    pub(super) inside_of_arrived: Option<(u64, u64)>,
    /// By bucket: numbers and times of the run.
    pub(super) stretches: Vec<Stretch>,
    pub(super) simulated: Simulated,
}

impl Observed {
    /// The figures observed in a run.
    pub(super) fn of_run(scenario: &Scenario, run: &Outcomes) -> Self {
        let counted: Vec<&Outcome> = run.requests.iter().filter(|r| r.counted).collect();
        let end = run.report.run.clock_us;
        let arrivals: Vec<u64> = run.requests.iter().map(|r| r.arrival_us).collect();
        let buckets = Buckets::new(&arrivals, end);
        let from = run.report.run.measured_from_us;
        let mut begun: Vec<(u32, u64)> = run.requests.iter().map(|r| (r.session, r.arrival_us)).collect();
        begun.sort_unstable();
        begun.dedup_by_key(|(session, _)| *session);
        let lost = counted.iter().filter(|r| matches!(r.ending, Ending::Refused | Ending::Dropped)).count();
        let of = |time: fn(&Outcome) -> Option<u64>| {
            measured(&counted.iter().filter_map(|r| time(r)).map(|us| us as f64 / 1000.0).collect::<Vec<_>>())
        };
        let stretches = stretches(&run.requests, &buckets, end);
        let itl = run.figure(RunMetric::Time(Metric::Itl, Statistic::Mean)).filter(|ms| *ms > 0.0);
        Self {
            kinds: kinds(
                &counted.iter().map(|r| (r.class, r.prompt_tokens, r.output_tokens)).collect::<Vec<_>>(),
            ),
            classes: run.classes.clone(),
            rate_per_s: rate_per_s(counted.len(), from, &buckets),
            requests: counted.len(),
            cv: variation(&arrivals, &buckets, from),
            buckets,
            closed: closed(scenario) || run.report.follows_sessions,
            on_off: on_off(scenario),
            users: in_loops(scenario).unwrap_or(begun.len() as f64),
            users_come: begun.iter().any(|(_, at)| *at > end / 10),
            lost: (!counted.is_empty()).then(|| lost as f64 / counted.len() as f64),
            reused: run.figure(RunMetric::ReusedPromptShare),
            preemptions: run.figure(RunMetric::Preemptions),
            largest_batch: largest_batch(&run.requests),
            inside_of_arrived: Some((inside(&run.requests), run.requests.len() as u64)),
            stretches,
            simulated: Simulated {
                wait_ms: of(|r| r.scheduling_delay_us),
                ttft_ms: of(|r| r.ttft_us),
                itl_ms: itl.map(|mean| Measured { mean, error: None }),
                e2e_ms: of(|r| r.e2e_us),
            },
        }
    }

    /// The figures planned by a scenario: its first requests, as far as they do not wait for answers.
    pub(super) fn planned(scenario: &Scenario, trace: Option<&Arc<Trace>>) -> Self {
        let mut source = Source::new(scenario, trace);
        let (mut arrivals, mut lengths) = (Vec::new(), Vec::new());
        while arrivals.len() < PLANNED && source.peek().is_some_and(|at| at < Micros::MAX) {
            let Some(request) = source.take() else { break };
            arrivals.push(request.arrival.0);
            lengths.push((request.class, request.prompt_tokens, request.output.len));
        }
        let end = arrivals.last().copied().unwrap_or(0);
        let buckets = Buckets::new(&arrivals, end);
        let nominal: f64 = match &scenario.workload.trace {
            None if scenario.workload.requests.is_empty() => {
                scenario.workload.clients.iter().map(|c| c.arrivals.mean_rate_per_s()).sum()
            }
            None | Some(_) => arrivals.len() as f64 * 1e6 / end.max(1) as f64,
        };
        Self {
            kinds: kinds(&lengths),
            classes: source.classes().to_vec(),
            rate_per_s: nominal,
            requests: arrivals.len(),
            cv: variation(&arrivals, &buckets, 0),
            buckets,
            closed: closed(scenario) || source.follows_sessions(),
            on_off: on_off(scenario),
            ..Self::default()
        }
    }
}

/// Requests per second from an instant until arrivals end.
fn rate_per_s(requests: usize, from: u64, buckets: &Buckets) -> f64 {
    let end: u64 = buckets.spans.iter().sum();
    if end > from { requests as f64 * 1e6 / (end - from) as f64 } else { 0.0 }
}

/// Whether any client waits for its answers.
fn closed(scenario: &Scenario) -> bool {
    let waits = |c: &Client| {
        c.most_in_flight() > 0
            || c.agent.is_some()
            || c.conversation.as_ref().is_some_and(|c| c.clock == ConversationClock::Closed)
    };
    scenario.workload.trace.is_none() && scenario.workload.clients.iter().any(waits)
}

/// Whether any client sends in on and off periods.
fn on_off(scenario: &Scenario) -> bool {
    let has = |c: &Client| matches!(c.arrivals, Arrivals::OnOff { .. });
    scenario.workload.trace.is_none() && scenario.workload.clients.iter().any(has)
}

/// Requests in flight of clients that send one when another has ended, if there are any.
fn in_loops(scenario: &Scenario) -> Option<f64> {
    let clients = scenario.workload.clients.iter().filter(|_| scenario.workload.trace.is_none());
    let loops = clients.filter(|c| c.agent.is_none() && matches!(c.arrivals, Arrivals::Concurrency { .. }));
    let all: u32 = loops.map(Client::most_in_flight).sum();
    (all > 0).then(|| f64::from(all))
}

/// Groups equal requests.
fn kinds(lengths: &[(u32, u32, u32)]) -> Vec<Kind> {
    let stride = lengths.len() / MOST_LENGTHS + 1;
    let mut some: Vec<(u32, u32, u32)> = lengths.iter().step_by(stride).copied().collect();
    some.sort_unstable();
    let mut kinds: Vec<Kind> = Vec::new();
    for (class, prompt, output) in some {
        match kinds.last_mut() {
            Some(k) if (k.class, k.prompt, k.output) == (class, prompt, output) => k.count += 1.0,
            _ => kinds.push(Kind { class, prompt, output, count: 1.0 }),
        }
    }
    kinds
}

/// A mean of values in order of arrival.
fn measured(values: &[f64]) -> Option<Measured> {
    if values.is_empty() {
        return None;
    }
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let error = (values.len() >= 2 * BATCHES).then(|| {
        let batches: Vec<f64> = values.chunks_exact(values.len() / BATCHES).take(BATCHES).map(mean).collect();
        let (centre, n) = (mean(&batches), BATCHES as f64);
        let spread: f64 = batches.iter().map(|b| (b - centre) * (b - centre)).sum();
        (spread / (n - 1.0) / n).sqrt()
    });
    Some(Measured { mean: mean(values), error })
}

/// The variation of the gaps from `from` on, on a clock on which the rate is steady: each gap is measured in arrivals
/// expected by the rates of its buckets, so that a changing rate does not count as variation.
fn variation(arrivals: &[u64], buckets: &Buckets, from: u64) -> Option<f64> {
    let first = arrivals.partition_point(|at| *at < from);
    let expected = buckets.expected_before();
    let gaps: Vec<f64> = arrivals[first..]
        .windows(2)
        .filter_map(|w| Some(buckets.expected(&expected, w[1])? - buckets.expected(&expected, w[0])?))
        .collect();
    let n = gaps.len() as f64;
    if n < 20.0 {
        return None;
    }
    let mean = gaps.iter().sum::<f64>() / n;
    let square = gaps.iter().map(|g| (g - mean) * (g - mean)).sum::<f64>() / (n - 1.0);
    (mean > 0.0).then(|| square.sqrt() / mean)
}

/// The most requests in one replica's batch at the same instant; requests that left before their end do not count.
fn largest_batch(requests: &[Outcome]) -> Option<u32> {
    let mut changes: Vec<(u32, u64, i32)> = Vec::new();
    for r in requests {
        let (Some(replica), Some(delay)) = (r.replica, r.scheduling_delay_us) else { continue };
        let Some(e2e) = r.e2e_us else { continue };
        changes.push((replica, r.arrival_us + delay, 1));
        // Requests that leave and join at one instant do not overlap.
        changes.push((replica, r.arrival_us + e2e, -1));
    }
    changes.sort_unstable();
    let (mut at, mut inside, mut most) = (u32::MAX, 0_i32, 0_i32);
    for (replica, _, change) in changes {
        if replica != at {
            (at, inside) = (replica, 0);
        }
        inside += change;
        most = most.max(inside);
    }
    (most > 0).then_some(most as u32)
}
