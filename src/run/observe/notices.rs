//! Notices: what a reader must know to interpret the numbers of a run, such as requests not measured, not finished,
//! unknown prices or a run cut short.
//!
//! A notice is no error: the run is what the scenario asked for. But its numbers mean less than they seem to. A
//! notice about a whole run appears at its end.

use super::recorder::Recorder;
use base::Micros;
use base::number_text::{count, three_digits};
use base::small::decimal::plain;
use base::units::US_PER_S;
use document::{RoutingPolicy, Scenario};
use engine::workload::Trace;
use engine::{Cluster, Standstill, WhyNot};
use serde::Serialize;

/// What a notice is about.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoticeKind {
    /// No request arrived in the measurement window.
    NothingMeasured,
    /// Requests came faster than they were served.
    Saturated,
    /// The run ended with more than a tenth of its requests unfinished.
    Unfinished,
    /// Requests were dropped because no cache can hold them.
    Dropped,
    /// A pool has no price: the cost is unknown.
    NoPrice,
    /// `run.horizon_s` or `run.max_requests` cut the run before its other limit or the end of its requests.
    CutShort,
    /// Rows of the trace were left out.
    TraceRows,
    /// Expressions gave scores that were not finite.
    NotFinite,
    /// Edits route requests to replicas that they did not go to.
    NotSent,
    /// Requests wait for something that never comes.
    Stuck,
}

/// A notice for the reader of a run.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Notice {
    /// What it is about.
    pub kind: NoticeKind,
    /// Path of the scenario's field that caused it.
    pub path: String,
    /// The notice, in one or two sentences.
    pub text: String,
    /// How to avoid it.
    pub remedy: String,
}

impl Notice {
    fn new(kind: NoticeKind, path: &str, text: String, remedy: &str) -> Self {
        Self { kind, path: path.to_owned(), text, remedy: remedy.to_owned() }
    }
}

/// Unfinished or waiting requests below this number are not worth a notice.
const FEWEST_UNFINISHED: u32 = 10;
/// Arrivals within less than this, in microseconds, are a burst, whose requests are expected to wait.
const BURST_US: u64 = 10 * US_PER_S;

/// A run up to its playhead.
#[derive(Clone, Copy)]
pub(crate) struct RunSoFar<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) trace: Option<&'a Trace>,
    pub(crate) engine: &'a Cluster,
    pub(crate) recorder: &'a Recorder,
    /// Whether nothing is left to run.
    pub(crate) ended: bool,
}

/// Largest possible number of requests: the cap, or all of a trace or list. `None` if only the horizon limits it.
pub(crate) fn requests_asked(scenario: &Scenario, trace: Option<&Trace>) -> Option<u64> {
    let w = &scenario.workload;
    let listed = w.clients.is_empty().then_some(w.requests.len() as u64);
    let recorded = trace.map(|t| t.len() as u64).or(listed);
    let cap = Some(scenario.run.max_requests).filter(|most| *most > 0);
    recorded.into_iter().chain(cap).min()
}

impl RunSoFar<'_> {
    /// The notices of the run; most appear only once it has ended.
    pub(crate) fn notices(&self) -> Vec<Notice> {
        let at_end: [fn(&Self) -> Option<Notice>; 4] =
            [Self::nothing_measured, Self::unfinished, Self::cut_short, Self::not_sent];
        let always: [fn(&Self) -> Option<Notice>; 4] =
            [Self::dropped, Self::no_price, Self::trace_rows, Self::not_finite];
        let asked = at_end.iter().filter(|_| self.ended).chain(&always);
        asked.filter_map(|ask| ask(self)).collect()
    }

    fn nothing_measured(&self) -> Option<Notice> {
        let kind = NoticeKind::NothingMeasured;
        let records = self.engine.records();
        let Some(last) = records.last() else {
            let text = "No request arrived: there is nothing to measure.".to_owned();
            return Some(Notice::new(kind, "workload", text, "raise a rate, or run longer"));
        };
        let warmup = self.recorder.warmup();
        let number = records.len() as u32;
        if warmup.counts(base::RequestId(number - 1), last.arrival) {
            return None;
        }
        let run = &self.scenario.run;
        let arrived = count(u64::from(number));
        if u64::from(number) <= run.warmup_requests {
            let text = format!(
                "The warm-up leaves out the first {} requests, and only {arrived} arrived: nothing was measured.",
                count(run.warmup_requests)
            );
            return Some(Notice::new(kind, "run.warmup_requests", text, "lower it, or run longer"));
        }
        let who = if number == 1 { "The only request".to_owned() } else { format!("All {arrived} requests") };
        let text = format!(
            "{who} arrived in the warm-up of {} s, the last at {} s: nothing was measured.",
            plain(run.warmup_s),
            seconds(last.arrival)
        );
        let remedy = "lower it (0 measures from the start), or let more requests arrive after it";
        Some(Notice::new(kind, "run.warmup_s", text, remedy))
    }

    /// Requests that accumulated, that wait for what never comes, or were left over when the run was cut. A livelock is reported in the run's
    /// `trouble` instead.
    fn unfinished(&self) -> Option<Notice> {
        if self.engine.livelock().is_some() {
            return None;
        }
        if let Some(notice) = self.engine.standstill().and_then(|still| stuck(&still)) {
            return Some(notice);
        }
        let p = super::report::request_part(self.engine);
        let waiting = p.in_pipeline + p.queued;
        let left = waiting + p.running + p.transferring + p.landed;
        if left < FEWEST_UNFINISHED || left < p.arrived / 10 {
            return self.served_late();
        }
        let growing = waiting >= FEWEST_UNFINISHED
            && waiting > p.arrived / 20
            && p.queued >= self.queued_halfway() / 4 * 5;
        let parts = [
            (p.in_pipeline, "on their way or held back"),
            (p.queued, "queued"),
            (p.running, "running"),
            (p.transferring, "in transfer"),
            (p.landed, "landed"),
        ];
        let parts: Vec<String> = parts
            .iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, what)| format!("{} {what}", count(u64::from(*n))))
            .collect();
        let text = format!(
            "The run ended with {} of {} requests unfinished ({}).",
            count(u64::from(left)),
            count(u64::from(p.arrived)),
            parts.join(", ")
        );
        if !growing {
            let text = format!("{text} Latencies leave out what they would have had.");
            return Some(Notice::new(NoticeKind::Unfinished, "run.horizon_s", text, "run longer"));
        }
        let seconds = self.engine.last_event_at().max(Micros(1)).as_secs();
        let per_s = |n: u32| three_digits(f64::from(n) / seconds);
        let text = format!(
            "{text} More and more of them wait: {} arrive a second and {} finish. Latencies grow with the length of the run.",
            per_s(p.arrived),
            per_s(p.completed)
        );
        let (path, remedy) = if p.in_pipeline > p.queued {
            ("cluster.admission", "admit more, or lower the arrival rate")
        } else {
            ("cluster.pools", "add replicas, or lower the arrival rate")
        };
        Some(Notice::new(NoticeKind::Saturated, path, text, remedy))
    }

    /// A run to the end of its requests that spent most of its time after the last arrival.
    fn served_late(&self) -> Option<Notice> {
        let records = self.engine.records();
        let last = records.last()?.arrival;
        let (first, end) = match self.recorder.summed_up(self.engine) {
            Some(all) => (all.first_arrival?, all.last_finish?),
            None => (records.first()?.arrival, records.iter().filter_map(|r| r.finish().get()).max()?),
        };
        let (arriving, serving) = (last.since(first).0, end.0.saturating_sub(first.0));
        if arriving < BURST_US || serving / 2 < arriving {
            return None;
        }
        let text = format!(
            "Requests arrived for {} s, and serving them took {} s: they came faster than they were served. \
             Latencies grow with the number of requests.",
            seconds(Micros(arriving)),
            seconds(Micros(serving))
        );
        let remedy = "add replicas, or lower the arrival rate";
        Some(Notice::new(NoticeKind::Saturated, "cluster.pools", text, remedy))
    }

    /// Requests in wait queues at half of the run's time, from the timeline.
    fn queued_halfway(&self) -> u32 {
        let timeline = &self.recorder.timeline;
        let half = timeline.closed() / 2;
        let queue = |replica: usize| timeline.gauge(2 * replica).and_then(|g| g.get(half)).copied();
        (0..self.engine.replicas().len()).filter_map(queue).sum()
    }

    /// A run that one of its two limits ended before the other limit or before the end of its recorded requests.
    fn cut_short(&self) -> Option<Notice> {
        let run = &self.scenario.run;
        let arrived = u64::from(self.engine.census().arrived);
        let horizon = self.engine.horizon();
        if horizon == Micros::MAX {
            return None;
        }
        let (kind, cap) = (NoticeKind::CutShort, run.max_requests);
        let more = self.engine.source().peek_beyond().is_some();
        if cap > 0 && arrived >= cap {
            let last = self.engine.records().last()?.arrival;
            let text = format!(
                "run.max_requests was reached at {} s of {} s: nothing arrived after its {} requests.",
                seconds(last),
                plain(run.horizon_s),
                count(cap)
            );
            let remedy = "leave it out to let requests arrive until run.horizon_s";
            return Some(Notice::new(kind, "run.max_requests", text, remedy));
        }
        let asked = requests_asked(self.scenario, self.trace)?;
        if !more || arrived >= asked {
            return None;
        }
        let text = format!(
            "The run ended at {} s, when {} of {} requests had arrived.",
            plain(run.horizon_s),
            count(arrived),
            count(asked)
        );
        let remedy = "leave it out where run.max_requests is given, or set it to 0, to run until all requests are done";
        Some(Notice::new(kind, "run.horizon_s", text, remedy))
    }

    fn dropped(&self) -> Option<Notice> {
        let impossible = self.engine.replicas().iter().map(|r| r.totals().dropped - r.totals().timed_out);
        let dropped: u32 = impossible.sum();
        let text = format!(
            "Dropped requests: {}. Each needs more KV blocks than a replica has, or the step budget never lets it in.",
            count(u64::from(dropped))
        );
        let remedy = "add KV blocks, or shorten the requests";
        (dropped > 0).then(|| Notice::new(NoticeKind::Dropped, "cluster.pools", text, remedy))
    }

    fn no_price(&self) -> Option<Notice> {
        let pools = &self.scenario.cluster.pools;
        let mut free = (0..pools.len()).filter(|&i| !has_price(self.engine, i as u32));
        let first = free.next()?;
        let pool = &pools[first];
        let others = free.count();
        let more = if others == 0 { String::new() } else { format!(" (and {others} more pools)") };
        let text = format!(
            "Pool \"{}\" on GPU \"{}\" has no price{more}: what the run costs is not known.",
            pool.name, pool.gpu
        );
        let path = format!("cluster.pools[{first}].hardware.usd_per_hour");
        Some(Notice::new(NoticeKind::NoPrice, &path, text, "give the price of one GPU there"))
    }

    fn trace_rows(&self) -> Option<Notice> {
        let left_out = self.trace?.left_out();
        let text = format!(
            "Rows of the trace left out: {}. They have no output tokens, or no prompt.",
            count(left_out)
        );
        let remedy = "such rows are failed requests; give them tokens if they are not";
        (left_out > 0).then(|| Notice::new(NoticeKind::TraceRows, "workload.trace", text, remedy))
    }

    fn not_finite(&self) -> Option<Notice> {
        let scores = self.engine.not_finite_scores();
        let text = format!(
            "Scores of expressions that were no finite numbers: {}. Each counts as 0.",
            count(scores)
        );
        let remedy = "add 1 to what is divided by where it can be 0, as in 1 / (1 + waiting)";
        let cluster = &self.scenario.cluster;
        let of_prefills = cluster.disaggregation.as_ref().and_then(|d| d.prefill_routing.as_ref());
        let weighted = |policy: &RoutingPolicy| matches!(policy, RoutingPolicy::Weighted(_));
        let path = if !weighted(&cluster.routing) && of_prefills.is_some_and(weighted) {
            "cluster.disaggregation.prefill_routing.weighted.scorers"
        } else {
            "cluster.routing.weighted.scorers"
        };
        (scores > 0).then(|| Notice::new(NoticeKind::NotFinite, path, text, remedy))
    }

    /// Requests that did not go to the replica set by an edit: the first, and their number.
    fn not_sent(&self) -> Option<Notice> {
        let mut missed = self.engine.not_redirected();
        let first = missed.next()?;
        let (why, remedy) = match first.why {
            WhyNot::TooLate => ("it had been routed or refused before", "let the edit apply earlier"),
            WhyNot::CannotTake => {
                ("that replica took no requests of its kind then", "send it to one that does")
            }
            WhyNot::NotYet => ("it was never routed", "remove the edit, or run longer"),
        };
        let others = missed.count() as u64;
        let more =
            if others == 0 { String::new() } else { format!(" {} more did not either.", count(others)) };
        let text = format!(
            "Request {} did not go to r{} as an edit has it: {why}.{more}",
            first.request.0, first.to.0
        );
        Some(Notice::new(NoticeKind::NotSent, "edits", text, remedy))
    }
}

/// The notice of a run that ended while requests wait for a link or a replica.
fn stuck(still: &Standstill) -> Option<Notice> {
    let wait = |n: u32| {
        let n = u64::from(n);
        format!("{} request{}", count(n), if n == 1 { " waits" } else { "s wait" })
    };
    let link = still.link.map(|[from, to]| {
        format!("{} for a link that carries nothing (r{} to r{})", wait(still.in_transfer), from.0, to.0)
    });
    let replica = still
        .stuck_replica
        .map(|r| format!("{} for a replica that is stuck without an end (r{})", wait(still.stuck), r.0));
    let (path, remedy) = match (link.is_some(), replica.is_some()) {
        (true, _) => (
            "cluster.resilience.transfer_timeout_s",
            "give transfers a time-out, or let the fault end with for_s",
        ),
        (false, true) => {
            ("cluster.resilience.probe", "let probes restart such a replica, or let the fault end with for_s")
        }
        (false, false) if still.none_serves && still.others > 0 => (
            "cluster.pools",
            "let replicas that crash come back with restart_s, add replicas, or let requests give up with workload.timeout_s",
        ),
        (false, false) => return None,
    };
    let causes: Vec<String> = link.into_iter().chain(replica).collect();
    let causes = match (causes.is_empty(), still.others) {
        (true, others) => format!("{} for a replica, and none serves or comes back", wait(others)),
        (false, 0) => causes.join(", "),
        (false, others) => format!("{}, and {} behind", causes.join(", "), wait(others)),
    };
    let text = format!("The run ended because nothing more can happen: {causes}.");
    Some(Notice::new(NoticeKind::Stuck, path, text, remedy))
}

/// Whether the replicas of a pool have a price.
pub(crate) fn has_price(engine: &Cluster, pool: u32) -> bool {
    engine.usd_per_hour(pool) > 0.0
}

fn seconds(at: Micros) -> String {
    three_digits(at.as_secs())
}
