//! The recorder of a run: distributions, time series, the event log and the latest window.

use super::StepLog;
use super::anomaly::{Anomaly, Detectors};
use super::decisions::{Decisions, is_kept};
use super::event_log::{EventLog, Note};
use super::fault_log::FaultLog;
use super::meters::Meters;
use super::objectives::{Judgements, Met, Targets};
use super::origins::Origins;
#[cfg(any(feature = "cli", feature = "closeup"))]
use super::pauses::Pauses;
use super::recent::RecentHandovers;
#[cfg(any(feature = "cli", feature = "closeup"))]
use super::rolling::LatestWaits;
use super::rolling::{Latest, Rolling};
use super::scaling::ScalingLog;
use super::summaries::Summaries;
use super::texts::Texts;
use super::transit::Transit;
use super::warmup::Warmup;
use super::window::{Finished, Window};
#[cfg(any(feature = "cli", feature = "closeup"))]
use base::stats::BinCounts;
use base::stats::{BucketLog, Histogram, Tally, Timeline};
use base::{Content, Micros, Piece, RequestId, Span};
use buckets::first_width_us;
use document::{Keep, Scenario};
use engine::{
    BreakReason, Decision, Fact, FaultFact, HandoverFact, PromptChunk, ReplicaFact, RequestFact,
    ScalingRecord, Sink, StepTerms, TierNews,
};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::rc::Rc;

mod buckets;
pub(crate) use buckets::OWN_COLUMN;
mod moves;

pub use moves::{Move, MoveKind};

/// Counters of the timeline.
pub mod counter {
    /// Requests that arrived.
    pub const ARRIVED: usize = 0;
    /// Requests that completed.
    pub const COMPLETED: usize = 1;
    /// Output tokens shown.
    pub const TOKENS: usize = 2;
    /// Requests that missed an objective.
    pub const MISSED: usize = 3;
    /// Preemptions.
    pub const PREEMPTED: usize = 4;
    /// Refused or dropped.
    pub(crate) const UNSERVED: usize = 5;
    /// Prompt tokens computed, in builds that keep steps.
    pub(crate) const PROMPT: usize = 6;
    /// Attempts begun, in the same builds.
    pub(crate) const ATTEMPTS: usize = 7;
    /// Arrivals from clients that gave up before, in the same builds.
    pub(crate) const CAME_AGAIN: usize = 8;
    pub(crate) const ALL: usize = if crate::observe::StepLog::KEEPS { 9 } else { 6 };
}

/// Counts of the facts at which a single step of the user can stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FactCounts {
    pub(crate) steps: u64,
    pub(crate) arrivals: u64,
    pub(crate) completions: u64,
    pub(crate) preemptions: u64,
}

/// Reads the facts of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Recorder {
    /// Whether the run is watched; a batch run keeps no log and no window.
    pub live: bool,
    /// The objectives for requests that complete from now on.
    pub(crate) targets: Targets,
    pub(super) judgements: Judgements,
    pub(super) warmup: Warmup,
    pub(crate) meters: Meters,
    pub(crate) scaling: ScalingLog,
    pub(crate) faults: FaultLog,
    /// `None` if the scenario disables them.
    pub detectors: Option<Box<Detectors>>,
    /// Gaps between tokens after the warm-up; in a run that keeps no rows, `summaries` has them.
    pub(crate) itl: Tally,
    /// What a run that keeps summaries only knows of its requests.
    pub(crate) summaries: Option<Box<Summaries>>,
    /// Output tokens shown after the warm-up.
    pub(crate) tokens: u64,
    pub(crate) ttft: Histogram,
    pub(crate) e2e: Histogram,
    /// TTFT of completed requests, by bucket of time.
    pub ttft_log: BucketLog,
    /// E2E of completed requests, by bucket of time.
    pub e2e_log: BucketLog,
    /// TTFT as prefill replicas have it, of requests that they prefilled for others.
    pub ttft_prefill_log: BucketLog,
    /// For the page: percentiles of the latest seconds at the end of each bucket.
    pub(crate) rolling: Rolling<Latest>,
    /// The same of gaps between tokens, and of the times from arrival to the first batch.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    pub(crate) rolling_waits: Rolling<LatestWaits>,
    /// For the page: gaps between tokens by bucket of the timeline and by length, the warm-up included.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    pub(crate) gap_counts: BinCounts,
    /// Requests by stage, and the use of ports.
    pub transit: Transit,
    /// What happened, counted by bucket of time.
    pub timeline: Timeline,
    /// For the page, by bucket: the smallest, median and largest queue of all replicas, then the same of their KV
    /// use, then the number of requests held at the gateway; under flow control then the saturation in permille, and the
    /// requests that wait in each band.
    pub(crate) spread: Timeline,
    /// For the page, by bucket: the smallest, median and largest batch, then those of the first replicas. A run restored from bytes
    /// has none.
    #[serde(skip)]
    pub(crate) batches: Option<Timeline>,
    pub(crate) fact_counts: FactCounts,
    pub(crate) log: EventLog,
    pub(crate) steps: StepLog,
    pub(crate) window: Window,
    pub(crate) decisions: Decisions,
    pub(crate) recent: RecentHandovers,
    #[serde(skip)]
    pub(crate) moves: VecDeque<Move>,
    /// For the page: where blocks of prompts came from. A run restored from bytes begins without any.
    #[serde(skip)]
    pub(crate) origins: Origins,
    /// For the page: the latest texts. A run restored from bytes begins without any.
    #[serde(skip)]
    pub(crate) texts: Texts,
    /// For the page: what is kept of contexts in pauses. A run restored from bytes begins without any.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    #[serde(skip)]
    pub(crate) pauses: Pauses,
    /// Facts since a listener subscribed; the listener keeps their number small.
    #[serde(skip)]
    pub(crate) heard: Option<Vec<Fact>>,
    /// Values of the window and gaps between tokens, while they are kept in a checkpoint.
    #[serde(skip)]
    pub(super) packed: Option<Rc<[u64]>>,
}

impl Recorder {
    pub(crate) fn new(scenario: &Scenario, replicas: usize, live: bool) -> Self {
        let width_us = first_width_us(scenario.run.horizon_s);
        let timeline = |counters| Timeline::new(counters, scenario.observe.series_points, width_us);
        Self {
            live,
            targets: Targets::new(&scenario.slo),
            judgements: Judgements::new(!live && scenario.observe.keep == Keep::Summary),
            warmup: Warmup::new(&scenario.run),
            meters: Meters::new(replicas),
            scaling: ScalingLog::new(&scenario.cluster),
            faults: FaultLog::default(),
            detectors: scenario.observe.anomalies.then(|| Box::new(Detectors::new(scenario, replicas))),
            itl: Tally::default(),
            summaries: (scenario.observe.keep == Keep::Summary).then(Box::default),
            tokens: 0,
            ttft: Histogram::default(),
            e2e: Histogram::default(),
            ttft_log: BucketLog::default(),
            e2e_log: BucketLog::default(),
            ttft_prefill_log: BucketLog::default(),
            rolling: Rolling::default(),
            #[cfg(any(feature = "cli", feature = "closeup"))]
            rolling_waits: Rolling::default(),
            #[cfg(any(feature = "cli", feature = "closeup"))]
            gap_counts: BinCounts::default(),
            transit: Transit::new(scenario, timeline(0)),
            timeline: timeline(counter::ALL),
            spread: timeline(0),
            batches: live.then(|| timeline(0)),
            fact_counts: FactCounts::default(),
            log: EventLog::new(scenario.observe.event_log as usize),
            steps: StepLog::default(),
            window: Window::default(),
            decisions: Decisions::new(scenario.observe.counterfactual_k),
            recent: RecentHandovers::default(),
            moves: VecDeque::new(),
            origins: Origins::default(),
            texts: Texts::default(),
            #[cfg(any(feature = "cli", feature = "closeup"))]
            pauses: Pauses::default(),
            heard: None,
            packed: None,
        }
    }

    /// Takes over the scenario after an edit, with its objectives for requests that complete from now on and its priorities.
    pub(crate) fn adopt(&mut self, scenario: &Scenario, now: Micros) {
        self.targets = Targets::new(&scenario.slo);
        self.transit.adopt(scenario);
        if let Some(detectors) = &mut self.detectors {
            detectors.adopt(scenario, now);
        }
    }

    /// The objectives that a request met when it completed; `None` if it has not.
    pub fn met(&self, request: RequestId) -> Option<Met> {
        self.judgements.of(request)
    }

    /// What the measurement window leaves out, and whether it has begun.
    pub fn warmup(&self) -> &Warmup {
        &self.warmup
    }

    /// An edit was applied.
    pub(crate) fn note_edit(&mut self, at: Micros, text: String) {
        if self.live {
            self.log.note(at, Note::Edit(text));
        }
    }

    /// Writes newly noticed anomalies to the log.
    fn note_anomalies(&mut self, at: Micros) {
        let Some(detectors) = &mut self.detectors else { return };
        let note = |a: &Anomaly| Note::Anomaly {
            kind: a.kind,
            request: a.proofs.first().map(|p| p.request.0),
            replica: a.replica,
            text: a.sentence(),
        };
        for note in detectors.unreported().iter().map(note) {
            self.log.note(at, note);
        }
    }

    /// A request completed.
    fn completed(&mut self, at: Micros, request: Finished) {
        let Finished { e2e, good, .. } = request;
        self.fact_counts.completions += 1;
        if self.keeps_rows() {
            self.e2e_log.push(e2e.0);
        }
        self.timeline.count(counter::COMPLETED, 1);
        self.timeline.count(counter::MISSED, u64::from(!good));
        self.faults.completed(at, good);
        if let Some(detectors) = self.detectors.as_mut().filter(|_| !self.faults.rows.is_empty()) {
            detectors.recovers(at, &self.faults);
        }
        if self.live {
            self.window.completed(at, request);
        }
        if self.warmup.is_over() {
            self.e2e.add(e2e.0);
        }
    }

    fn detect(&mut self, at: Micros, fact: &Fact) {
        if let Some(detectors) = &mut self.detectors {
            detectors.fact(at, fact);
            if self.live {
                self.note_anomalies(at);
            }
        }
    }
}

/// A request with `tokens` tokens that completed.
fn finished(ttft: Span, e2e: Span, tokens: u32, met: Met) -> Finished {
    let tpot = (tokens > 1).then(|| Span((e2e.0 - ttft.0) / u64::from(tokens - 1)));
    Finished { e2e, tpot, good: met.all() }
}

impl Recorder {
    /// A number of further tokens were shown, each `itl` after the one before.
    #[inline]
    fn gaps(&mut self, itl: Span, count: u32) {
        self.timeline.count(counter::TOKENS, u64::from(count));
        #[cfg(any(feature = "cli", feature = "closeup"))]
        if self.live {
            self.gap_counts.add(itl.0, count);
        }
        if self.warmup.is_over() {
            self.tokens += u64::from(count);
            if let Some(summaries) = &mut self.summaries {
                summaries.itl.add(itl.0, u64::from(count));
            }
            if self.keeps_rows() {
                self.itl.add(itl.0, u64::from(count));
            }
        }
    }

    /// Whether it keeps something of each request.
    #[inline]
    pub(crate) fn keeps_rows(&self) -> bool {
        self.live || self.summaries.is_none()
    }

    /// Passes a fact to the listener and the log.
    #[inline]
    fn tell(&mut self, at: Micros, fact: &Fact) {
        if let Some(heard) = &mut self.heard {
            heard.push(*fact);
        }
        self.log.fact(at, fact);
    }

    fn request(&mut self, at: Micros, fact: RequestFact) {
        match fact {
            RequestFact::Arrived { .. } => {
                self.fact_counts.arrivals += 1;
                self.timeline.count(counter::ARRIVED, 1);
            }
            RequestFact::FirstToken { ttft, .. } => {
                if self.keeps_rows() {
                    self.ttft_log.push(ttft.0);
                }
                self.timeline.count(counter::TOKENS, 1);
                if self.warmup.is_over() {
                    self.tokens += 1;
                    self.ttft.add(ttft.0);
                }
            }
            RequestFact::Completed { request, class, ttft, e2e, tokens, .. } => {
                let met = self.targets.of(class).met(ttft.0, e2e.0, tokens);
                self.judgements.enter(request, met);
                self.completed(at, finished(ttft, e2e, tokens, met));
            }
            RequestFact::Preempted { .. } => {
                self.fact_counts.preemptions += 1;
                self.timeline.count(counter::PREEMPTED, 1);
            }
            RequestFact::Rejected { .. } | RequestFact::Dropped { .. } => {
                self.timeline.count(counter::UNSERVED, 1);
            }
            RequestFact::Admitted { .. }
            | RequestFact::Delayed { .. }
            | RequestFact::Enqueued { .. }
            | RequestFact::Dispatched { .. }
            | RequestFact::Expired { .. }
            | RequestFact::Queued { .. }
            | RequestFact::Scheduled { .. } => {}
            RequestFact::Routed { .. } => {
                if StepLog::KEEPS {
                    self.timeline.count(counter::ATTEMPTS, 1);
                }
            }
            RequestFact::Prefilled { tokens, .. } => {
                if StepLog::KEEPS {
                    self.timeline.count(counter::PROMPT, tokens.into());
                }
            }
        }
    }

    #[cold]
    fn fault(&mut self, fact: FaultFact) {
        let which = match fact {
            FaultFact::Lost { .. } => counter::UNSERVED,
            // It was sent nowhere.
            FaultFact::Broken { reason: BreakReason::NoReplica, .. } if StepLog::KEEPS => counter::ATTEMPTS,
            FaultFact::CameAgain { .. } if StepLog::KEEPS => counter::CAME_AGAIN,
            FaultFact::Retried { .. }
            | FaultFact::CameAgain { .. }
            | FaultFact::Broken { .. }
            | FaultFact::Down { .. }
            | FaultFact::Restarted { .. }
            | FaultFact::Noticed { .. }
            | FaultFact::Ejected { .. }
            | FaultFact::Readmitted { .. }
            | FaultFact::Began { .. }
            | FaultFact::Ended { .. } => return,
        };
        self.timeline.count(which, 1);
    }

    fn replica(&mut self, fact: ReplicaFact) {
        match fact {
            ReplicaFact::StepStarted { .. } => self.fact_counts.steps += 1,
            ReplicaFact::Tokens { itl, count, .. } => self.gaps(itl, count),
            ReplicaFact::StepEnded { .. } => {}
        }
    }

    #[inline(never)]
    fn read(&mut self, at: Micros, fact: &Fact) {
        if let Some(from) = self.warmup.begins(at, fact) {
            self.meters.restart(from);
        }
        self.meters.fact(at, fact);
        self.scaling.fact(at, fact);
        self.faults.fact(at, fact);
        match *fact {
            Fact::Request(fact) => self.request(at, fact),
            Fact::Replica(fact) => self.replica(fact),
            Fact::Handover(HandoverFact::Prefilled { ttft, .. }) => self.ttft_prefill_log.push(ttft.0),
            Fact::Fault(fact) => self.fault(fact),
            Fact::Cache(_) | Fact::Fleet(_) | Fact::Handover(_) => {}
        }
        if self.live {
            self.window.fact(at, fact);
            self.tell(at, fact);
            self.note_move(at, fact);
            if let Fact::Replica(fact) = *fact {
                self.steps.fact(at, fact);
            }
            if let Fact::Handover(fact) = *fact {
                self.recent.fact(fact);
            }
        }
        if Detectors::need(fact) {
            self.detect(at, fact);
        }
    }
}

impl Sink for Recorder {
    /// A step's end, a quarter of all facts, changes nothing that a report or frame reads. If the kind of a fact is
    /// known at compile time, this costs nothing.
    #[inline]
    fn fact(&mut self, at: Micros, fact: Fact) {
        if matches!(fact, Fact::Replica(ReplicaFact::StepEnded { .. })) && self.warmup.is_over() {
            if self.live {
                self.tell(at, &fact);
            }
            return;
        }
        self.read(at, &fact);
    }

    fn wants_step_terms(&self) -> bool {
        StepLog::KEEPS && self.live
    }

    fn step_terms(&mut self, terms: StepTerms, context: u64) {
        if self.live {
            self.steps.terms(terms, context);
        }
    }

    fn step_chunk(&mut self, chunk: PromptChunk) {
        if self.live {
            self.steps.chunk(chunk);
        }
    }

    fn wants_blocked_heads(&self) -> bool {
        self.detectors.is_some()
    }

    fn wants_decision(&self, request: RequestId, replicas: usize) -> bool {
        self.decisions.summarised() || (self.live && is_kept(request, replicas))
    }

    fn decision(&mut self, _: Micros, d: &Decision) {
        // Without a summary, only decisions to be kept arrive here.
        let all = !self.decisions.summarised();
        let keep = self.live && (all || d.request.is_some_and(|request| is_kept(request, d.seen.len())));
        self.decisions.add(d, keep);
    }

    fn wants_texts(&self) -> bool {
        self.live
    }

    fn text(&mut self, request: RequestId, prompt: &Content, answer: Piece) {
        if self.live {
            self.texts.add(request, prompt, answer);
        }
    }

    fn tiers(&mut self, at: Micros, news: TierNews) {
        if self.live {
            self.origins.add(at, news);
        }
    }

    fn scaled(&mut self, record: &ScalingRecord) {
        self.scaling.decided(record, self.live);
        if let Some(detectors) = &mut self.detectors {
            detectors.decided(record);
            if self.live {
                self.note_anomalies(record.at);
            }
        }
    }
}

#[cfg(test)]
mod tests;
