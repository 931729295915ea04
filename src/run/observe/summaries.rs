//! What a run that keeps summaries only knows of its requests: sums and sketches of latencies, to which each request is added once
//! it has left. All sums are of whole numbers, so the order of requests changes nothing.

use super::objectives::Met;
use super::passages::{Passage, Passages};
use super::recorder::Recorder;
use super::warmup::Warmup;
use base::stats::Sketch;
use base::{Micros, RequestId};
use engine::policy::Reason;
use engine::{Cluster, Location, Record, RequestState, Retired};
use serde::{Deserialize, Serialize};

/// How many of the slowest requests are named.
pub(super) const SLOWEST: usize = 10;

/// A latency of a request, or of a group of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Latency {
    Ttft,
    Tpot,
    E2e,
    QueueWait,
}

/// What a kind of group is numbered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroupNumbering {
    Replica,
    Class,
    Tenant,
    Client,
}

/// How a request ended in the measurement window.
#[derive(Clone, Copy)]
pub(super) enum Ended {
    Finished(Met),
    /// It was refused, dropped or given up.
    Unserved,
}

/// A group of requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct GroupSums {
    /// Ever sent, the warm-up included.
    pub(super) sent: u32,
    pub(super) arrived: u32,
    pub(super) finished: u32,
    pub(super) met: u32,
    pub(super) unserved: u32,
    pub(super) preemptions: u64,
    pub(super) output_tokens: u64,
    /// By [`Latency`].
    latencies: [Sketch; 4],
}

impl GroupSums {
    pub(super) fn latency(&self, latency: Latency) -> &Sketch {
        &self.latencies[latency as usize]
    }

    /// Adds another group.
    pub(super) fn merge(&mut self, other: &Self) {
        self.sent += other.sent;
        self.arrived += other.arrived;
        self.finished += other.finished;
        self.met += other.met;
        self.unserved += other.unserved;
        self.preemptions += other.preemptions;
        self.output_tokens += other.output_tokens;
        for (own, other) in self.latencies.iter_mut().zip(&other.latencies) {
            own.merge(other);
        }
    }
}

/// Sums over requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sums {
    pub(super) arrived: u32,
    pub(super) finished: u32,
    pub(super) unserved: u32,
    pub(super) met: u32,
    pub(super) met_ttft: u32,
    pub(super) met_tpot: u32,
    pub(super) met_e2e: u32,
    /// Prompt tokens of requests that got their first token.
    pub(super) prompt_tokens: u64,
    pub(super) scheduled: u32,
    pub(super) hit: u32,
    pub(super) scheduled_tokens: u64,
    pub(super) reused_tokens: u64,
}

/// What of a request lies in the measurement window.
#[derive(Clone, Copy)]
pub(super) struct WindowShare {
    /// Whether it arrived there.
    pub(super) arrived: bool,
    /// Whether its first token came there.
    pub(super) answered: bool,
    /// How it ended there.
    pub(super) ended: Option<Ended>,
}

impl Sums {
    /// Adds a request.
    pub(super) fn add(&mut self, r: &Record, measured: WindowShare) {
        let WindowShare { arrived, answered, ended } = measured;
        if arrived {
            self.arrived += 1;
            if r.first_scheduled.is_known() {
                let reused = r.cached_tokens.min(r.prompt_tokens);
                self.scheduled += 1;
                self.hit += u32::from(reused > 0);
                self.scheduled_tokens += u64::from(r.prompt_tokens);
                self.reused_tokens += u64::from(reused);
            }
        }
        if answered {
            self.prompt_tokens += u64::from(r.prompt_tokens);
        }
        self.unserved += u32::from(matches!(ended, Some(Ended::Unserved)));
        if let (Some(Ended::Finished(met)), Some(_)) = (ended, r.replica()) {
            self.finished += 1;
            self.met += u32::from(met.all());
            self.met_ttft += u32::from(met.ttft());
            self.met_tpot += u32::from(met.tpot());
            self.met_e2e += u32::from(met.e2e());
        }
    }
}

/// One of the slowest requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SlowRow {
    pub(super) e2e_us: u64,
    pub(super) request: u32,
    pub(super) client: u32,
    pub(super) replica: u32,
    pub(super) arrival_us: u64,
    pub(super) ttft_us: u64,
    pub(super) preemptions: u32,
}

/// All that is known of requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Summaries {
    /// Gaps between tokens.
    pub(crate) itl: Sketch,
    pub(super) sums: Sums,
    /// By [`Latency`], of all requests.
    latencies: [Sketch; 4],
    pub(super) scheduling_delay: Sketch,
    /// By [`GroupNumbering`] and number.
    groups: [Vec<GroupSums>; 4],
    /// By reason: requests refused.
    refused: Vec<u32>,
    /// The slowest first, among equals the later.
    slowest: Vec<SlowRow>,
    /// Time to first token of those that have one, and the part of it that they waited.
    pub(super) waited_us: [u128; 2],
    /// When the first request arrived, and when the last one so far completed.
    pub(super) first_arrival: Option<Micros>,
    pub(super) last_finish: Option<Micros>,
    /// Requests that arrived since the measurement window began.
    pub(super) arrived_since: u64,
    pub(super) passages: Passages,
    /// Requests that have left at the instant at which the measurement window could yet begin.
    waiting: Vec<Retired>,
}

/// The mean gap between the tokens of a finished request with at least two.
pub fn tpot_us(r: &Record) -> Option<u64> {
    let (ttft, e2e) = (r.ttft.get()?, r.e2e.get()?);
    (r.output_tokens > 1).then(|| (e2e.0 - ttft.0) / u64::from(r.output_tokens - 1))
}

pub(crate) fn queue_wait_us(r: &Record) -> Option<u64> {
    Some(r.first_scheduled.get()?.since(r.queued.get()?).0)
}

pub(crate) fn scheduling_delay_us(r: &Record) -> Option<u64> {
    Some(r.first_scheduled.get()?.since(r.arrival).0)
}

/// What the verdict reads of a request.
pub(super) fn passage(r: &Record) -> Passage {
    let completed = matches!(r.location(), Location::Completed(_));
    (r.arrival.0, r.first_scheduled.get().map(|at| at.0), r.left.get().map(|at| at.0), completed)
}

impl Summaries {
    pub(super) fn latency(&self, latency: Latency) -> &Sketch {
        &self.latencies[latency as usize]
    }

    /// The groups of a kind, by number; the last ones may be missing.
    pub(super) fn groups(&self, kind: GroupNumbering) -> &[GroupSums] {
        &self.groups[kind as usize]
    }

    pub(super) fn slowest(&self) -> &[SlowRow] {
        &self.slowest
    }

    /// How many requests were refused for a reason.
    pub(super) fn refused(&self, reason: Reason) -> u32 {
        self.refused.get(reason as usize).copied().unwrap_or(0)
    }

    /// Adds a request, as it is at `now`.
    fn add(&mut self, id: RequestId, r: &Record, met: Option<Met>, warmup: &Warmup, now: Micros) {
        let (counts, from) = (warmup.counts(id, r.arrival), warmup.from());
        let ended = ended(r, met, warmup);
        let answered = r.ttft.get().is_some_and(|ttft| r.arrival + ttft >= from);
        self.sums.add(r, WindowShare { arrived: counts, answered, ended });
        let measured = if counts {
            let us = |span: base::Maybe<base::Span>| span.get().map(|span| span.0);
            [us(r.ttft), tpot_us(r), us(r.e2e), queue_wait_us(r)]
        } else {
            [None; 4]
        };
        let enter = |sketches: &mut [Sketch; 4]| {
            for (sketch, us) in sketches.iter_mut().zip(measured) {
                sketch.add(us.unwrap_or(0), u64::from(us.is_some()));
            }
        };
        enter(&mut self.latencies);
        if counts {
            self.scheduling_delay
                .add(scheduling_delay_us(r).unwrap_or(0), scheduling_delay_us(r).is_some().into());
            self.note_waits(measured[Latency::Ttft as usize], measured[Latency::QueueWait as usize]);
        }
        let numbers = [r.replica().map(|replica| replica.0), Some(r.class), Some(r.tenant), Some(r.client)];
        for (groups, number) in self.groups.iter_mut().zip(numbers) {
            let Some(number) = number else { continue };
            if number as usize >= groups.len() {
                groups.resize_with(number as usize + 1, GroupSums::default);
            }
            let group = &mut groups[number as usize];
            enter(&mut group.latencies);
            group.note(r, counts, ended);
        }
        self.note_refusal(r);
        if let (true, Some(e2e_us)) = (counts, measured[Latency::E2e as usize]) {
            self.note_slow(id, r, e2e_us);
        }
        self.arrived_since += u64::from(warmup.is_over() && r.arrival >= from);
        self.first_arrival = Some(self.first_arrival.map_or(r.arrival, |first| first.min(r.arrival)));
        self.last_finish = self.last_finish.max(r.finish().get());
        self.passages.add(passage(r), now.0);
    }

    fn note_waits(&mut self, ttft: Option<u64>, wait: Option<u64>) {
        if let Some(ttft) = ttft {
            self.waited_us[0] += u128::from(ttft);
            self.waited_us[1] += u128::from(wait.unwrap_or(0));
        }
    }

    fn note_refusal(&mut self, r: &Record) {
        let Some(reason) = r.refused.filter(|_| r.state() == RequestState::Rejected) else { return };
        self.refused.resize(Reason::ALL.len(), 0);
        self.refused[reason as usize] += 1;
    }

    fn note_slow(&mut self, id: RequestId, r: &Record, e2e_us: u64) {
        let before = |slow: &SlowRow| (slow.e2e_us, slow.request) > (e2e_us, id.0);
        let place = self.slowest.partition_point(before);
        if place < SLOWEST {
            self.slowest.truncate(SLOWEST - 1);
            let slow = SlowRow {
                e2e_us,
                request: id.0,
                client: r.client,
                replica: r.replica().map_or(0, |replica| replica.0),
                arrival_us: r.arrival.0,
                ttft_us: r.ttft.get().map_or(0, |ttft| ttft.0),
                preemptions: r.preemptions,
            };
            self.slowest.insert(place, slow);
        }
    }
}

impl GroupSums {
    /// Adds a request; `counts` tells whether it arrived in the measurement window, `ended` how it ended there.
    fn note(&mut self, r: &Record, counts: bool, ended: Option<Ended>) {
        self.sent += 1;
        if counts {
            self.arrived += 1;
            self.preemptions += u64::from(r.preemptions);
        }
        match ended {
            Some(Ended::Finished(met)) => {
                self.finished += 1;
                self.met += u32::from(met.all());
                self.output_tokens += u64::from(r.output_tokens);
            }
            Some(Ended::Unserved) => self.unserved += 1,
            None => {}
        }
    }
}

/// How a request ended, if it ended in the measurement window.
pub(super) fn ended(r: &Record, met: Option<Met>, warmup: &Warmup) -> Option<Ended> {
    if !warmup.is_over() || r.left.get()? < warmup.from() {
        return None;
    }
    if r.finish().is_known() { met.map(Ended::Finished) } else { Some(Ended::Unserved) }
}

impl Recorder {
    /// Takes in requests that the engine has forgotten by `now`.
    pub(crate) fn retire(&mut self, retired: Vec<Retired>, now: Micros) {
        let Some(summaries) = &mut self.summaries else { return };
        summaries.waiting.extend(retired);
        let last = |piece: &Retired| piece.records.iter().filter_map(|r| r.left.get()).max();
        let (warmup, judgements) = (&self.warmup, &mut self.judgements);
        // Before the measurement window begins it is known to begin after the instants before this one.
        let known = |piece: &Retired| warmup.is_over() || last(piece).is_none_or(|left| left < now);
        let (ready, waiting) = std::mem::take(&mut summaries.waiting).into_iter().partition(known);
        summaries.waiting = waiting;
        for Retired { first, records } in ready {
            for (id, r) in (first.0..).map(RequestId).zip(records.iter()) {
                summaries.add(id, r, judgements.of(id), warmup, now);
            }
            judgements.forget(first);
        }
    }

    /// The summaries with the requests that the engine still has; `None` in a run that keeps rows.
    pub(crate) fn summed_up(&self, engine: &Cluster) -> Option<Summaries> {
        let mut all = (**self.summaries.as_ref()?).clone();
        // As the verdict has it, requests inside are so up to the last arrival.
        let now = engine.records().last().map_or(Micros::ZERO, |r| r.arrival);
        for Retired { first, records } in std::mem::take(&mut all.waiting) {
            for (id, r) in (first.0..).map(RequestId).zip(records.iter()) {
                all.add(id, r, self.judgements.of(id), &self.warmup, now);
            }
        }
        for (id, r) in engine.records().kept() {
            all.add(id, &r, self.judgements.of(id), &self.warmup, now);
        }
        Some(all)
    }
}
