//! Judges whether a run meets the assumptions of a law, each with its figure.

use super::buckets::Buckets;
use super::laws::{AssumptionKind as A, Law};
use super::observed::Observed;
use super::server::Fleet;
use document::{RoutingPolicy, Scheduler};
use serde::Serialize;

/// The coefficient of variation of gaps may be this far from 1, or three times its own error.
const CV_SLACK: f64 = 0.1;
/// A rate may change by this share of its mean in a minute.
const DRIFT_A_MINUTE: f64 = 0.05;
/// Stretches of a run between which the rate is compared.
const STRETCHES: usize = 24;
/// Changes of the rate have to be this many times their noise.
const NOISES: f64 = 3.0;
/// The coefficient of variation of services that are equal.
const CONSTANT_CV: f64 = 0.02;
/// How far the coefficient of variation of exponential services may be from 1.
const EXPONENTIAL_SLACK: f64 = 0.1;
/// Steps of a request above which one more or less does not count.
const MANY_STEPS: f64 = 20.0;
/// Number of servers above which the limit of infinitely many is near.
const MANY_SERVERS: u32 = 50;
/// Work of a prompt as a share of an empty step.
const SHORT_PROMPT: f64 = 1.0;
/// How far a step may be off the straight line.
const BEND: f64 = 0.05;
/// The share of the arrivals that may be inside at the end, or more at the end of a stretch than at its beginning.
pub(super) const UNBALANCED: f64 = 0.1;
/// Shares of requests and of tokens that count as none.
const NONE: f64 = 0.001;

/// The verdict on an assumption.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AssumptionVerdict {
    /// It holds.
    Kept,
    /// It does not.
    Violated,
    /// Too little is known.
    Unknown,
}

/// An assumption of a law, judged.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Assumption {
    /// The assumption.
    pub kind: A,
    /// Whether it holds.
    pub verdict: AssumptionVerdict,
    /// The finding, with its figure.
    pub text: String,
}

/// All assumptions of a law.
pub(super) fn judge(law: Law, fleet: &Fleet, seen: &Observed) -> Vec<Assumption> {
    let found = |kind| {
        let (verdict, text) = one(kind, law, fleet, seen);
        Assumption { kind, verdict, text }
    };
    law.assumes().into_iter().map(found).collect()
}

type Found = (AssumptionVerdict, String);

/// The finding if a condition holds, and if it does not.
fn either(holds: bool, kept: String, violated: String) -> Found {
    if holds { (AssumptionVerdict::Kept, kept) } else { (AssumptionVerdict::Violated, violated) }
}

fn unknown(text: &str) -> Found {
    (AssumptionVerdict::Unknown, text.to_owned())
}

fn one(kind: A, law: Law, fleet: &Fleet, seen: &Observed) -> Found {
    match kind {
        A::PoissonArrivals | A::SteadyRate | A::OpenArrivals | A::ClosedUsers | A::NobodyLost => {
            traffic(kind, seen)
        }
        A::InBalance => in_balance(seen),
        A::StableLoad => stable(law, fleet, seen),
        A::ConstantService | A::ExponentialService => services(kind, fleet),
        A::RandomSplit | A::RouterOfLaw | A::ManyServers | A::FreshSignals | A::OneQueue => {
            routes(kind, law, fleet)
        }
        A::WholePrompts
        | A::ShortPrompts
        | A::ManySteps
        | A::BatchNotFull
        | A::StraightSteps
        | A::StepsInSequence
        | A::NoFixedPart => steps(kind, fleet, seen),
        A::NoReuse | A::NoPreemption => cache(kind, fleet, seen),
        A::OneAtATime
        | A::AlikeReplicas
        | A::FixedReplicas
        | A::NoEdits
        | A::ServedInOrder
        | A::ServedByClass
        | A::LimitedPlaces => setting(kind, fleet),
    }
}

fn traffic(kind: A, seen: &Observed) -> Found {
    match kind {
        // Buckets of the length of a period would hide it: the figure alone could look like Poisson.
        A::PoissonArrivals if seen.on_off => (
            AssumptionVerdict::Violated,
            "arrivals are not Poisson: a client sends in on and off periods".to_owned(),
        ),
        A::PoissonArrivals => {
            let Some(cv) = seen.cv else { return unknown("too few arrivals to judge their gaps") };
            let slack = CV_SLACK.max(NOISES / (seen.requests.max(1) as f64).sqrt());
            either(
                (cv - 1.0).abs() <= slack,
                format!("arrivals are Poisson: CV of the gaps {cv:.2}"),
                format!("arrivals are not Poisson: CV of the gaps {cv:.2}"),
            )
        }
        A::SteadyRate => {
            let Some(drift) = drift(&seen.buckets, seen.cv.unwrap_or(1.0)) else {
                return unknown("too few arrivals to judge whether the rate is steady");
            };
            let percent = 100.0 * drift.a_minute;
            either(
                !drift.shows || drift.a_minute <= DRIFT_A_MINUTE,
                "the rate is steady".to_owned(),
                format!("the rate is not steady: it drifts {percent:.0} % a minute"),
            )
        }
        A::NobodyLost => {
            let Some(lost) = seen.lost else {
                return unknown("whether requests are lost is known only after a run");
            };
            let percent = 100.0 * lost;
            either(
                lost <= NONE,
                "no request is lost".to_owned(),
                format!("requests are refused or dropped: {percent:.1} %"),
            )
        }
        A::ClosedUsers if seen.closed => either(
            !seen.users_come,
            format!("{} users wait for their answers", seen.users),
            "users come and go: some come after the first tenth of the run".to_owned(),
        ),
        A::ClosedUsers => (AssumptionVerdict::Violated, "users do not wait for their answers".to_owned()),
        _ => either(
            !seen.closed,
            "arrivals do not depend on answers".to_owned(),
            "users wait for their answers before they ask again".to_owned(),
        ),
    }
}

/// Whether what arrives leaves again.
fn in_balance(seen: &Observed) -> Found {
    let Some((inside, arrived)) = seen.inside_of_arrived.filter(|(_, arrived)| *arrived > 0) else {
        return unknown("whether what arrives leaves again is known only after a run");
    };
    either(
        inside as f64 <= UNBALANCED * arrived as f64,
        format!("what arrives leaves again: {inside} of {arrived} requests are inside"),
        format!("more arrives than leaves: {inside} of {arrived} requests are inside"),
    )
}

/// How fast a rate changes.
pub(super) struct Drift {
    /// Typical change in a minute, as a share of the mean rate, without counting noise.
    pub(super) a_minute: f64,
    /// Whether the changes are more than noise.
    pub(super) shows: bool,
}

/// The changes between stretches of the run, at most 24 of them. Of counts with mean m and gaps of CV c the squared difference of
/// two is 2 m c^2 by chance; the mean of n such squares has a standard deviation of sqrt(2 / n) of that.
pub(super) fn drift(buckets: &Buckets, cv: f64) -> Option<Drift> {
    let together = buckets.counts.len().div_ceil(STRETCHES);
    let whole = buckets.counts.chunks_exact(together.max(1));
    let counts: Vec<f64> = whole.map(|c| c.iter().map(|n| f64::from(*n)).sum()).collect();
    let n = counts.len() as f64;
    let mean = counts.iter().sum::<f64>() / n;
    if counts.len() < 4 || mean <= 0.0 {
        return None;
    }
    let square = counts.windows(2).map(|w| (w[1] - w[0]) * (w[1] - w[0])).sum::<f64>() / (n - 1.0);
    let noise = 2.0 * mean * cv * cv;
    let spread = noise * (2.0 / (n - 1.0)).sqrt();
    let minutes = buckets.width_us as f64 * together as f64 / 60e6;
    let a_minute = (square - noise).max(0.0).sqrt() / mean / minutes;
    Some(Drift { a_minute, shows: square > noise + NOISES * spread })
}

/// Whether the rate of a bucket differs from its neighbours by more than noise and a tenth.
pub(super) fn drifts_at(buckets: &Buckets, i: usize) -> bool {
    let near = [i.checked_sub(1), Some(i + 1).filter(|k| *k < buckets.counts.len())];
    near.into_iter().flatten().any(|k| {
        let (Some(here), Some(there)) = (buckets.rate_per_s(i), buckets.rate_per_s(k)) else { return false };
        let (a, b) = (buckets.spans[i] as f64 / 1e6, buckets.spans[k] as f64 / 1e6);
        let noise = NOISES * (here / a + there / b).sqrt();
        (here - there).abs() > noise.max(0.1 * here.max(there))
    })
}

fn stable(law: Law, fleet: &Fleet, seen: &Observed) -> Found {
    let rho = super::predict::load(law, fleet, seen.rate_per_s);
    either(
        rho < 1.0,
        format!("the load is {rho:.2}, below 1"),
        format!("the load is {rho:.2}: the queue grows without bound"),
    )
}

fn services(kind: A, fleet: &Fleet) -> Found {
    let cv = fleet.service.scv.sqrt();
    if fleet.service.mean <= 0.0 {
        return unknown("no request whose service is known");
    }
    if kind == A::ConstantService {
        return either(
            cv <= CONSTANT_CV,
            "all services are equal".to_owned(),
            format!("services are not constant: CV {cv:.2}"),
        );
    }
    either(
        (cv - 1.0).abs() <= EXPONENTIAL_SLACK,
        format!("services vary as exponential ones do: CV {cv:.2}"),
        format!("services are not exponential: CV {cv:.2}"),
    )
}

/// A router as it is named in scenarios.
fn router(policy: &RoutingPolicy) -> String {
    match base::json::tree(policy) {
        serde_json::Value::String(name) => name,
        other => other.as_object().and_then(|o| o.keys().next().cloned()).unwrap_or_default(),
    }
}

fn routes(kind: A, law: Law, fleet: &Fleet) -> Found {
    let name = router(&fleet.routing);
    match kind {
        A::RandomSplit => {
            if fleet.replicas == 1 {
                return (AssumptionVerdict::Kept, "there is one replica".to_owned());
            }
            either(
                matches!(fleet.routing, RoutingPolicy::Random),
                "the router is random: each replica sees its part".to_owned(),
                format!("the router is not random: it is {name}"),
            )
        }
        A::RouterOfLaw => {
            let own = match law {
                Law::ShortestQueue => matches!(fleet.routing, RoutingPolicy::LeastLoaded),
                Law::PowerOfD => matches!(fleet.routing, RoutingPolicy::PowerOfD(_)),
                _ => matches!(fleet.routing, RoutingPolicy::RoundRobin),
            };
            let title = law.title().to_lowercase();
            either(own, format!("the router is {name}"), format!("the router is {name}, not {title}"))
        }
        A::ManyServers => {
            let n = fleet.replicas;
            either(n >= MANY_SERVERS, format!("{n} servers"), format!("there are few servers: {n}"))
        }
        A::FreshSignals => {
            let us = fleet.scenario.cluster.snapshot_refresh_us;
            let ms = us as f64 / 1000.0;
            let fresh = "the router sees the replicas as they are".to_owned();
            either(us == 0, fresh, format!("the router sees the replicas as they were up to {ms} ms before"))
        }
        _ => either(
            fleet.one_queue().is_some(),
            format!("one queue for {} servers", fleet.servers()),
            format!("{} replicas have a queue each, or steps that grow with the batch", fleet.replicas),
        ),
    }
}

fn steps(kind: A, fleet: &Fleet, seen: &Observed) -> Found {
    let b = &fleet.batch;
    match kind {
        A::WholePrompts => {
            let total: f64 = seen.kinds.iter().map(|k| k.count).sum();
            let long: f64 = seen.kinds.iter().filter(|k| k.prompt > fleet.step_tokens).map(|k| k.count).sum();
            let percent = if total > 0.0 { 100.0 * long / total } else { 0.0 };
            let most = fleet.step_tokens;
            either(
                percent <= 100.0 * NONE,
                format!("prompts are computed in one step: none is longer than {most} tokens"),
                format!("prompts are chunked: {percent:.1} % are longer than {most} tokens"),
            )
        }
        A::ShortPrompts => {
            let (prompt, alpha) = (b.prompt, b.alpha);
            either(
                prompt <= SHORT_PROMPT * alpha,
                format!("a prompt adds {prompt:.1} ms to a step of {alpha:.1} ms"),
                format!("prompts are long: one adds {prompt:.1} ms to a step of {alpha:.1} ms"),
            )
        }
        A::ManySteps => {
            let n = b.steps;
            either(
                n >= MANY_STEPS,
                format!("an answer takes {n:.0} steps"),
                format!("answers are short: {n:.1} steps"),
            )
        }
        A::BatchNotFull => {
            let limit = fleet.max_batch;
            let Some(most) = seen.largest_batch else {
                return unknown("how full the batch gets is known only after a run");
            };
            either(
                most < limit,
                format!("the batch is never full: {most} of {limit} at most"),
                format!("batch limit reached: {limit} requests"),
            )
        }
        A::StraightSteps => {
            let percent = 100.0 * b.bend;
            either(
                b.bend <= BEND,
                format!("a step grows in a straight line with the batch, within {percent:.1} %"),
                format!("a step does not grow in a straight line with the batch: {percent:.0} % off"),
            )
        }
        A::StepsInSequence => in_sequence(fleet),
        _ => {
            let (alpha, delta) = (b.alpha, b.delta);
            either(
                fleet.has_no_fixed_part(),
                "a step has no fixed part".to_owned(),
                format!("a step has a fixed part: {alpha:.2} ms beside {delta:.3} ms a request"),
            )
        }
    }
}

/// Whether the steps of a request follow each other on one replica.
fn in_sequence(fleet: &Fleet) -> Found {
    let why = if fleet.has_roles() {
        "prefill and decode apart: a request passes two replicas and a link"
    } else if fleet.has_stages() {
        "pipeline parallelism: a replica has several batches under way"
    } else if fleet.drafts() {
        "speculative decoding: a step yields several tokens of a request"
    } else {
        return either(
            !fleet.ahead,
            "a step is scheduled when the one before it ends".to_owned(),
            "steps are scheduled ahead: a request joins a step later".to_owned(),
        );
    };
    (AssumptionVerdict::Violated, why.to_owned())
}

fn cache(kind: A, fleet: &Fleet, seen: &Observed) -> Found {
    let on = fleet.scenario.cluster.pools.iter().any(|p| p.kv.prefix_caching);
    if kind == A::NoReuse {
        if !on {
            return (AssumptionVerdict::Kept, "the prefix cache is off".to_owned());
        }
        let Some(share) = seen.reused else {
            return unknown("what the prefix cache saves is known only after a run");
        };
        let percent = 100.0 * share;
        return either(
            share <= NONE,
            "the prefix cache saves nothing".to_owned(),
            format!("prefix cache on: it saves {percent:.0} % of the prompt tokens"),
        );
    }
    let Some(n) = seen.preemptions else {
        return unknown("whether requests are preempted is known only after a run");
    };
    either(n <= 0.0, "no request is preempted".to_owned(), format!("requests are preempted: {n:.0} times"))
}

fn setting(kind: A, fleet: &Fleet) -> Found {
    let engine = &fleet.scenario.cluster.pools[0].engine;
    match kind {
        A::OneAtATime => either(
            fleet.max_batch == 1,
            "a replica serves one request at a time".to_owned(),
            format!("a replica serves up to {} requests at a time", fleet.max_batch),
        ),
        A::AlikeReplicas => either(
            fleet.pools <= 1,
            "all replicas are alike".to_owned(),
            format!("replicas are of {} pools", fleet.pools),
        ),
        A::FixedReplicas => {
            let plain = document::Scaling::default().policy;
            let scaled = fleet.scenario.cluster.pools.iter().any(|p| p.scaling.policy != plain);
            let many = fleet.replicas;
            either(
                !scaled,
                format!("replicas: {many}, and no autoscaler"),
                "an autoscaler adds and removes replicas".to_owned(),
            )
        }
        A::NoEdits => {
            let n = fleet.scenario.edits.iter().filter(|e| !e.off).count();
            let edits = if n == 1 { "edit changes" } else { "edits change" };
            either(n == 0, "no edit changes the run".to_owned(), format!("{n} {edits} the run"))
        }
        A::ServedInOrder => {
            let name = router_like(engine.scheduler);
            either(
                engine.scheduler != Scheduler::Sjf && fleet.by_class().is_none(),
                "requests are served in order of arrival".to_owned(),
                format!("requests are not served in order of arrival: {name}"),
            )
        }
        A::ServedByClass => either(
            fleet.by_class().is_some(),
            "requests are served by class".to_owned(),
            "requests are not served by class".to_owned(),
        ),
        _ => fleet.places().map_or_else(
            || (AssumptionVerdict::Violated, "the number of places is not limited".to_owned()),
            |k| (AssumptionVerdict::Kept, format!("{k} places in all")),
        ),
    }
}

fn router_like(scheduler: Scheduler) -> &'static str {
    match scheduler {
        Scheduler::Fcfs => "fcfs",
        Scheduler::PriorityFcfs => "priority-fcfs",
        Scheduler::Sjf => "sjf",
        Scheduler::ReversePriority => "reverse-priority",
    }
}
